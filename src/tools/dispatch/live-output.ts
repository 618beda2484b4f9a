import type { EventScope } from '../../session/events.ts';
import { createSanitiser } from '../../session/sanitise.ts';
import type { ToolSession } from '../types.ts';
import { createEndsBuffer } from './ends-buffer.ts';

export type StreamName = 'stdout' | 'stderr' | 'progress';

const FLUSH_UNITS = 4096;
const FLUSH_MS = 50;
const KEPT_UNITS = 64 * 1024;

/** Live output of one call: decoded, redacted, sanitised, and sent in pieces as it comes. */
export interface LiveOutput {
  emit(stream: StreamName, bytes: Uint8Array): void;
  /** Sends what is held back; nothing is sent afterwards. */
  end(): void;
  /** What came so far of the ordinary streams, head and tail, for a call that is cut short. */
  partial(): string;
}

interface Pipe {
  push(bytes: Uint8Array): void;
  end(): void;
}

export function createLiveOutput(
  session: ToolSession,
  scope: EventScope,
  callId: string,
): LiveOutput {
  const pipes = new Map<StreamName, Pipe>();
  const kept = createEndsBuffer(KEPT_UNITS);
  let ended = false;
  let total = 0;
  const send = (stream: StreamName, text: string) => {
    if (stream !== 'progress') kept.push(text);
    session.log.emit(scope, 'tool_output', { call_id: callId, stream, text, bytes_total: total });
  };
  const pipeOf = (stream: StreamName) => {
    const known = pipes.get(stream);
    if (known !== undefined) return known;
    const made = createPipe(session, (text) => send(stream, text));
    pipes.set(stream, made);
    return made;
  };
  return {
    emit(stream, bytes) {
      if (ended || bytes.length === 0) return;
      total += bytes.length;
      pipeOf(stream).push(bytes);
    },
    end() {
      if (ended) return;
      for (const pipe of pipes.values()) pipe.end();
      ended = true;
    },
    partial() {
      const { text, missing } = kept.read();
      return missing === 0 ? text : `${text}\n[... ${missing} characters of output left out ...]`;
    },
  };
}

/** One incremental decoder for each stream, so a character split over pieces stays whole. */
function createPipe(session: ToolSession, send: (text: string) => void): Pipe {
  const decoder = new TextDecoder('utf-8');
  const redactor = session.redactor.stream();
  const sanitiser = createSanitiser();
  let waiting = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting !== '') send(waiting);
    waiting = '';
  };
  return {
    push(bytes) {
      waiting += sanitiser.push(redactor.push(decoder.decode(bytes, { stream: true })));
      if (waiting === '') return;
      if (waiting.length >= FLUSH_UNITS || waiting.includes('\n')) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    end() {
      const rest = redactor.push(decoder.decode()) + redactor.end();
      waiting += sanitiser.push(rest) + sanitiser.end();
      flush();
    },
  };
}
