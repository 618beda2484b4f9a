/** A recording as a transport: recorded events are framed again and go through the live codec. */
import { LLMError } from './errors.ts';
import { isObject, textAt } from './json.ts';
import { networkError } from './transport/fault.ts';
import type {
  JsonValue,
  Protocol,
  ReplayedExchange,
  ReplaySource,
  Transport,
  TransportRequest,
  TransportResponse,
} from './types.ts';

/**
 * Never opens a socket, not even when the source has nothing that fits: that is an error of kind `replay`.
 * Recorded faults play as such. Waits happen only where the source gives them.
 */
export function replayTransport(source: ReplaySource): Transport {
  const { protocol, profile, provider, model } = source;
  return {
    recorded: { protocol, profile, provider, model },
    async send(request: TransportRequest): Promise<TransportResponse> {
      const found = source.next(request.request);
      if ('error' in found) {
        throw new LLMError({
          kind: 'replay',
          phase: 'local',
          retryable: false,
          message: found.error,
        });
      }
      return play(found.exchange, protocol, request.signal);
    },
  };
}

function play(
  exchange: ReplayedExchange,
  protocol: Protocol,
  signal: AbortSignal,
): TransportResponse {
  const silent = (exchange.events?.length ?? 0) === 0 && exchange.body === undefined;
  if (silent && exchange.fault === 'timeout') throw timedOut();
  if (silent && exchange.fault === 'reset') throw reset();
  const type = exchange.events === undefined ? 'application/json' : 'text/event-stream';
  return {
    status: exchange.status,
    headers: { 'content-type': type, ...exchange.headers },
    body: bodyOf(exchange, protocol, signal),
    reusedSocket: false,
  };
}

async function* bodyOf(
  exchange: ReplayedExchange,
  protocol: Protocol,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const waits = exchange.waits ?? [];
  if (exchange.body !== undefined) {
    await pause(waits[0], signal);
    yield Buffer.from(exchange.body);
  }
  for (const [index, event] of (exchange.events ?? []).entries()) {
    await pause(waits[index], signal);
    yield Buffer.from(frame(event, protocol));
  }
  if (exchange.fault === 'reset') throw reset();
  if (exchange.fault === 'timeout') throw timedOut();
  const marked = protocol === 'chat' && exchange.events !== undefined;
  if (marked && exchange.fault === undefined) yield Buffer.from('data: [DONE]\n\n');
}

/** One event in the framing of its protocol. */
function frame(event: JsonValue, protocol: Protocol): string {
  const json = JSON.stringify(event);
  if (protocol === 'ollama') return `${json}\n`;
  const named = protocol === 'anthropic' || protocol === 'responses';
  const type = named && isObject(event) ? textAt(event, 'type') : undefined;
  return type === undefined ? `data: ${json}\n\n` : `event: ${type}\ndata: ${json}\n\n`;
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms === undefined || ms <= 0) return;
  const { setTimeout: wait } = await import('node:timers/promises');
  await wait(ms, undefined, { signal });
}

function reset(): LLMError {
  return networkError('reset', 'stream', 'the recorded connection was lost here');
}

function timedOut(): LLMError {
  return new LLMError({
    kind: 'timeout',
    detail: 'idle',
    phase: 'stream',
    retryable: true,
    message: 'the recorded attempt ran into a time limit here',
  });
}
