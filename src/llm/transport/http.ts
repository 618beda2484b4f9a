/** The default transport: node:http(s) with its own keep-alive connections. Nothing is loaded before the first use. */
import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { LLMError } from '../errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../types.ts';
import { responseBody } from './body.ts';
import { networkError, transportError } from './fault.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';

export interface HttpTransportOptions {
  readonly proxy?: string;
  /** PEM text of additional certificate authorities, or the path of a file that holds it. */
  readonly caFile?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const MOST_REDIRECTS = 3;

interface Route {
  readonly start: typeof import('node:http').request;
  readonly agent: HttpAgent | HttpsAgent;
  readonly proxy: URL | null;
}

export function httpTransport(options: HttpTransportOptions = {}): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #routes = new Map<string, Promise<Route>>();
  #authorities: Promise<string> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    let url = new URL(request.url);
    for (let hop = 0; ; hop += 1) {
      const response = await this.#sendOnce(request, url);
      const next = redirectTarget(response, url);
      if (next === undefined) return response;
      await discard(response);
      if (hop === MOST_REDIRECTS) throw refusedRedirect(`more than ${MOST_REDIRECTS} redirects`);
      url = next;
    }
  }

  close(): void {
    for (const route of this.#routes.values()) {
      route.then(
        ({ agent }) => agent.destroy(),
        () => {},
      );
    }
    this.#routes.clear();
  }

  async #sendOnce(request: TransportRequest, url: URL): Promise<TransportResponse> {
    const route = await this.#routeTo(url);
    try {
      return await exchange(request, url, route);
    } catch (error) {
      if (!(error instanceof StaleSocketError)) throw error;
      dropIdleSockets(route.agent);
      return await exchange(request, url, route);
    }
  }

  #routeTo(url: URL): Promise<Route> {
    const known = this.#routes.get(url.origin);
    if (known !== undefined) return known;
    const made = this.#makeRoute(url);
    this.#routes.set(url.origin, made);
    made.catch(() => this.#routes.delete(url.origin));
    return made;
  }

  async #makeRoute(url: URL): Promise<Route> {
    const { proxy: configured, environment = process.env, caFile } = this.#options;
    const proxy = proxyFor(url, configured, environment);
    if (url.protocol !== 'https:') {
      // An import would read every export of the module, and one of them loads the whole of `fetch`.
      const http = process.getBuiltinModule('node:http');
      return { start: http.request, agent: new http.Agent({ keepAlive: true }), proxy };
    }
    if (caFile !== undefined) this.#authorities ??= readAuthorities(caFile);
    const ca = await this.#authorities;
    const https = await import('node:https');
    if (proxy !== null) {
      const { tunnelAgent } = await import('./tunnel.ts');
      return { start: https.request, agent: await tunnelAgent(proxy, ca), proxy: null };
    }
    const agent = new https.Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
    return { start: https.request, agent, proxy };
  }
}

async function readAuthorities(file: string): Promise<string> {
  if (file.includes('-----BEGIN')) return file;
  const [{ readFile }, { rootCertificates }] = await Promise.all([
    import('node:fs/promises'),
    import('node:tls'),
  ]);
  try {
    return [await readFile(file, 'utf8'), ...rootCertificates].join('\n');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LLMError({
      kind: 'network',
      detail: 'tls',
      phase: 'local',
      retryable: false,
      message: `ca_file ${file} cannot be read: ${reason}`,
    });
  }
}

/** The server had closed a pooled connection before it saw the request: safe to send again at once. */
class StaleSocketError extends Error {}

function dropIdleSockets(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

async function exchange(
  request: TransportRequest,
  url: URL,
  { start, agent, proxy }: Route,
): Promise<TransportResponse> {
  request.signal.throwIfAborted();
  const client = start(proxy === null ? url : proxy, {
    method: request.method,
    agent,
    headers: { ...request.headers, ...lengthOf(request), ...proxyHeaders(url, proxy) },
    maxHeaderSize: request.limits.headerBytes,
    ...(proxy === null ? {} : { path: url.href, host: proxy.hostname, port: proxy.port || 80 }),
  });
  const response = await headersOf(client, request);
  const stop = (): void => {
    response.destroy();
  };
  request.signal.addEventListener('abort', stop, { once: true });
  response.once('close', () => request.signal.removeEventListener('abort', stop));
  return {
    status: response.statusCode ?? 0,
    headers: flatHeaders(response),
    body: responseBody(response, request.signal),
    reusedSocket: client.reusedSocket,
  };
}

function lengthOf(request: TransportRequest): Record<string, string> {
  return request.method === 'GET' ? {} : { 'content-length': String(request.body.byteLength) };
}

function proxyHeaders(url: URL, proxy: URL | null): Record<string, string> {
  if (proxy === null) return {};
  const authorization = proxyAuthorization(proxy);
  return {
    host: url.host,
    ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
  };
}

/** Resolves at the response's headers; the connect limit runs only while a new connection is being made. */
function headersOf(client: ClientRequest, request: TransportRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let bytesBefore = 0;
    let connected = false;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', abort);
    };
    const abort = (): void => {
      client.destroy(new Error('aborted'));
    };
    const onConnected = (): void => {
      connected = true;
      clearTimeout(timer);
    };
    request.signal.addEventListener('abort', abort, { once: true });
    if (request.limits.connectMs > 0) {
      timer = setTimeout(() => client.destroy(connectTimeout(request)), request.limits.connectMs);
    }
    client.once('socket', (socket) => {
      bytesBefore = socket.bytesRead;
      if (!socket.connecting) onConnected();
      else socket.once(request.url.startsWith('https:') ? 'secureConnect' : 'connect', onConnected);
    });
    client.once('response', (response) => {
      settle();
      resolve(response);
    });
    client.once('error', (error) => {
      settle();
      const untouched = (client.socket?.bytesRead ?? bytesBefore) === bytesBefore;
      const stale = client.reusedSocket && untouched && !request.signal.aborted;
      reject(
        stale ? new StaleSocketError() : transportError(error, connected ? 'headers' : 'connect'),
      );
    });
    client.end(request.body);
  });
}

function connectTimeout(request: TransportRequest): LLMError {
  return new LLMError({
    kind: 'timeout',
    detail: 'connect',
    phase: 'connect',
    retryable: true,
    message: `no connection to ${new URL(request.url).host} within ${request.limits.connectMs / 1000} s`,
  });
}

function flatHeaders(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

/** A redirect that keeps method and body, within the same origin, so that a key never leaves it. */
function redirectTarget(response: TransportResponse, from: URL): URL | undefined {
  if (response.status < 300 || response.status > 399) return undefined;
  const location = response.headers.location;
  if (response.status !== 307 && response.status !== 308) {
    throw refusedRedirect(`status ${response.status}`);
  }
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refusedRedirect('no usable location');
  }
  const target = new URL(location, from);
  if (target.origin !== from.origin) throw refusedRedirect(`to another origin, ${target.origin}`);
  return target;
}

function refusedRedirect(what: string): LLMError {
  return new LLMError({
    kind: 'bad_request',
    detail: 'redirect',
    phase: 'headers',
    retryable: false,
    message: `the endpoint redirects and that is not followed: ${what}; check base_url`,
  });
}

async function discard(response: TransportResponse): Promise<void> {
  try {
    for await (const _ of response.body);
  } catch {
    throw networkError('reset', 'headers', 'the connection was lost during a redirect');
  }
}
