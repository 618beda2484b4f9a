/** The body of a response as chunks. */
import type { IncomingMessage } from 'node:http';
import { networkError } from './fault.ts';

/** How long the end of a body nobody wants is waited for before its connection is given up. */
const DRAIN_MS = 200;

/**
 * Chunks as they arrive. A body that ends early is an error. Whoever stops reading before the end lets the rest
 * drain for a moment, so that the connection can be used again; an abort destroys it at once.
 */
export async function* responseBody(
  response: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      yield chunk as Uint8Array;
    }
    if (!response.complete) throw lost();
  } catch (error) {
    if (signal.aborted) throw error;
    throw lost();
  } finally {
    if (!response.readableEnded) drain(response, signal);
  }
}

function lost(): Error {
  return networkError('stream_cut', 'stream', 'the connection ended in the middle of the response');
}

function drain(response: IncomingMessage, signal: AbortSignal): void {
  if (signal.aborted || response.destroyed) {
    response.destroy();
    return;
  }
  const timer = setTimeout(() => response.destroy(), DRAIN_MS);
  response.once('close', () => clearTimeout(timer));
  response.once('end', () => clearTimeout(timer));
  response.once('error', () => clearTimeout(timer));
  response.resume();
}
