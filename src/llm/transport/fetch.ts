/** Any `fetch` as a transport. */
import type { Transport } from '../types.ts';
import { transportError } from './fault.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Redirects are not followed. The fetch decodes compressed bodies itself, so no encoding is reported. */
export function fromFetch(fetch: Fetch): Transport {
  return {
    async send(request) {
      const response = await call(fetch, request.url, {
        method: request.method,
        headers: { ...request.headers },
        redirect: 'manual',
        signal: request.signal,
        ...(request.method === 'GET' ? {} : { body: Buffer.from(request.body) }),
      });
      const headers = Object.fromEntries(response.headers);
      delete headers['content-encoding'];
      return {
        status: response.status,
        headers,
        body: bodyOf(response),
        reusedSocket: false,
      };
    },
  };
}

async function call(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw transportError(error, 'connect');
  }
}

async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  try {
    yield* response.body;
  } catch (error) {
    throw transportError(error, 'stream');
  }
}
