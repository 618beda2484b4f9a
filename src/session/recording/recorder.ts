import { closeSync, openSync, writeSync } from 'node:fs';
import { ConfigError } from '../../errors.ts';
import type { Exchange, JsonValue } from '../../llm/types.ts';
import { canonicalDigest } from '../canonical-json.ts';
import type { EventOf, SessionEvent } from '../events.ts';
import type { Redactor } from '../types.ts';
import { mergeFragments } from './fragments.ts';
import { digestRequest, laneOf, normaliseRequest } from './normalise-request.ts';
import { Placeholders } from './placeholders.ts';
import { mapStrings, parseEventStream } from './stream-events.ts';
import type {
  RecordedFault,
  RecordedResponse,
  RecordingHeader,
  RecordingLine,
  RecordingPlace,
} from './types.ts';

const KEPT_HEADERS =
  /^(content-type|date|retry-after(-ms)?|x-should-retry|(x-)?request-id|.*ratelimit.*)$/;

export interface RecorderOptions {
  readonly file: string;
  readonly header: Omit<RecordingHeader, 'kind' | 'v' | 'normaliser'>;
  /** Read again at each line, because the environment block is known only when a run starts. */
  readonly place: () => RecordingPlace;
  readonly redactor: Redactor;
  /** Told once when the file cannot be written any more; recording then stops, the run goes on. */
  readonly onFault: (message: string) => void;
}

/** Writes a recording while a run goes on: give it every exchange of the model client and every session event. */
export interface Recorder {
  onExchange(exchange: Exchange): void;
  onEvent(event: SessionEvent): void;
  close(): void;
}

function open(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (cause) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = taken ? 'it exists already; name a new file' : (cause as Error).message;
    throw new ConfigError(`The recording ${file} cannot be written: ${why}.`, { file }, { cause });
  }
}

function faultOf(exchange: Exchange): RecordedFault | undefined {
  if (exchange.error?.kind === 'timeout') return 'timeout';
  if (exchange.error?.kind !== 'network') return undefined;
  return exchange.status === null ? 'reset' : 'cut';
}

function responseOf(exchange: Exchange, wire: RecordingHeader['wire']): RecordedResponse {
  const headers = Object.entries(exchange.response_headers).filter(([name]) =>
    KEPT_HEADERS.test(name),
  );
  const text = Buffer.concat(exchange.chunks.map(({ bytes }) => bytes)).toString('utf8');
  const fault = faultOf(exchange);
  const base = {
    status: exchange.status ?? 0,
    headers: Object.fromEntries(headers),
    ...(fault ? { fault } : {}),
  };
  const streamed = /event-stream/.test(exchange.response_headers['content-type'] ?? '');
  const events = streamed ? parseEventStream(text) : null;
  return events === null
    ? { ...base, body: text }
    : { ...base, events: mergeFragments(wire, events) };
}

/** Opens the file (mode 0600, never over an existing one; ConfigError otherwise) and writes the header line. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { redactor, header } = options;
  const places = new Placeholders(options.place);
  const counts = new Map<string, number>();
  const approvals = new Map<string, { name: string; args_digest: string }>();
  const argumentDigests = new Map<string, string>();
  let calls: string[] = [];
  let step = 0;
  let handle: number | null = open(options.file);

  const write = (line: RecordingHeader | RecordingLine) => {
    if (handle === null) return;
    try {
      writeSync(handle, `${JSON.stringify(redactor.value(line, 'strict'))}\n`);
    } catch (error) {
      handle = null;
      options.onFault(
        `The recording ${options.file} could not be written: ${(error as Error).message}.`,
      );
    }
  };
  const hidden = (value: JsonValue) => mapStrings(value, (text) => places.hide(text));
  const input = (kind: 'task' | 'steer' | 'approval' | 'answer', value: JsonValue, extra = {}) =>
    write({
      t: 'input',
      kind,
      lane: 'main',
      after_n: counts.get('main') ?? 0,
      value: hidden(value),
      ...extra,
    });

  const onTool = (event: EventOf<'tool_finished'>) => {
    const result = places.hideResult(event.result ?? '');
    write({
      t: 'tool',
      lane: 'main',
      step,
      index: calls.indexOf(event.call_id),
      name: event.name,
      args_digest: argumentDigests.get(event.call_id) ?? '',
      success: event.success,
      error_kind: event.error_kind,
      result,
      digest: canonicalDigest(result),
    });
  };

  const onEvent = (event: SessionEvent) => {
    switch (event.type) {
      case 'run_started':
        return input('task', event.task);
      case 'steer_queued':
        return input('steer', event.text);
      case 'step_started':
        step = event.step_number;
        return;
      case 'llm_response':
        calls = event.content.flatMap((block) =>
          block.type === 'tool_call' ? [block.call.call_id] : [],
        );
        for (const block of event.content) {
          if (block.type !== 'tool_call') continue;
          const text = hidden(block.call.arguments);
          argumentDigests.set(block.call.call_id, canonicalDigest(text));
        }
        return;
      case 'approval_requested':
        approvals.set(event.approval_id, {
          name: event.tool,
          args_digest: argumentDigests.get(event.call_id) ?? '',
        });
        return;
      case 'approval_resolved':
        return input(
          'approval',
          { decision: event.decision, scope: event.scope, note: event.note ?? null },
          approvals.get(event.approval_id),
        );
      case 'question_answered':
        return input('answer', event.answer);
      case 'tool_finished':
        return onTool(event);
      default:
        return;
    }
  };

  write({ kind: 'toolwright-recording', v: 1, normaliser: 1, ...header });
  return {
    onExchange: (exchange) => {
      const lane = laneOf(exchange.request);
      const n = (counts.get(lane) ?? 0) + 1;
      counts.set(lane, n);
      const request = normaliseRequest(exchange.request, places);
      const masked = redactor.value(request, 'strict');
      const response = responseOf(exchange, header.wire);
      write({
        t: 'llm',
        lane,
        n,
        digest: digestRequest(masked),
        request: masked,
        response: JSON.parse(places.hide(JSON.stringify(response))) as RecordedResponse,
        timing_ms: Math.round(exchange.timing.end_ms),
      });
    },
    onEvent,
    close: () => {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}
