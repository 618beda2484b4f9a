import { readFileSync } from 'node:fs';
import { ConfigError } from '../../errors.ts';
import type { JsonValue, LLMRequest, ReplayedExchange, ReplaySource } from '../../llm/types.ts';
import type { Redactor } from '../types.ts';
import { splitFragment } from './fragments.ts';
import { digestRequest, firstDifference, laneOf, normaliseRequest } from './normalise-request.ts';
import { Placeholders } from './placeholders.ts';
import { mapStrings } from './stream-events.ts';
import type { RecordedExchange, RecordingHeader, RecordingLine, RecordingPlace } from './types.ts';

export interface Recording {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordingLine[];
}

function parseLine(file: string, text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(
      `${file}, line ${number} is not JSON: the recording is damaged.`,
      { file },
      { cause },
    );
  }
}

/** Reads a recording file. ConfigError when it is missing, damaged, or not a recording of this version. */
export function readRecording(file: string): Recording {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const why = (cause as Error).message;
    throw new ConfigError(`The recording ${file} cannot be read: ${why}.`, { file }, { cause });
  }
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  const [header, ...lines] = rows.map((row, index) => parseLine(file, row, index + 1));
  const head = header as Partial<RecordingHeader> | undefined;
  if (head?.kind !== 'toolwright-recording' || head.v !== 1) {
    throw new ConfigError(`${file} is not a recording this version can play.`, { file });
  }
  return { header: head as RecordingHeader, lines: lines as RecordingLine[] };
}

export interface ReplayOptions {
  readonly recording: Recording;
  readonly place: () => RecordingPlace;
  readonly redactor: Redactor;
  readonly match: 'strict' | 'lenient';
  /** Wait as long as the recorded answers took. Default: no waits. */
  readonly recordedSpeed?: boolean;
  readonly seed?: number;
  /** Told when a lenient replay goes on with an exchange that does not match. */
  readonly onDivergence: (message: string) => void;
}

/** Small seeded generator (mulberry32), so that a replay splits its fragments the same way every time. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Plays the exchanges of a recording by lane: the next one if equal, else (lenient) an equal unused one, else the next.
 * An exchange without digest was written by hand and fits any request.
 */
export function createReplaySource(options: ReplayOptions): ReplaySource {
  const { header, lines } = options.recording;
  const places = new Placeholders(options.place);
  const random = seededRandom(options.seed ?? 1);
  const lanes = new Map<string, RecordedExchange[]>();
  for (const line of lines) {
    if (line.t === 'llm') lanes.set(line.lane, [...(lanes.get(line.lane) ?? []), line]);
  }

  const playable = (recorded: RecordedExchange): ReplayedExchange => {
    const { status, headers, events, body, fault } = recorded.response;
    const real = (value: JsonValue) => mapStrings(value, (text) => places.reveal(text));
    const pieces = events?.flatMap((event) => splitFragment(header.wire, real(event), random));
    const waits = options.recordedSpeed ? [recorded.timing_ms] : [];
    return {
      status,
      headers,
      waits,
      ...(pieces ? { events: pieces } : {}),
      ...(body !== undefined ? { body: places.reveal(body) } : {}),
      ...(fault ? { fault } : {}),
    };
  };

  const choose = (
    queue: RecordedExchange[],
    digest: string,
    request: JsonValue,
  ): RecordedExchange | { readonly error: string } => {
    const next = queue[0];
    if (next === undefined) return { error: 'exhausted' };
    if (next.digest === digest || next.digest === '') return queue.shift() ?? next;
    const where = `lane ${next.lane}, n ${next.n}`;
    const pointer = firstDifference(next.request, request) ?? '/';
    if (options.match === 'strict')
      return { error: `the request differs from the recording at ${where}: ${pointer}` };
    const equal = queue.findIndex((other) => other.digest === digest);
    if (equal > 0) return queue.splice(equal, 1)[0] ?? next;
    options.onDivergence(
      `The request differs from the recording at ${where}, first at ${pointer}.`,
    );
    return queue.shift() ?? next;
  };

  return {
    protocol: header.wire,
    profile: header.profile,
    provider: header.provider,
    model: header.model,
    next: (request: LLMRequest) => {
      const lane = laneOf(request);
      const queue = lanes.get(lane) ?? [];
      const used =
        lines.filter((line) => line.t === 'llm' && line.lane === lane).length - queue.length;
      const normalised = options.redactor.value(normaliseRequest(request, places), 'strict');
      const chosen = choose(queue, digestRequest(normalised), normalised);
      if (!('error' in chosen)) return { exchange: playable(chosen) };
      if (chosen.error !== 'exhausted') return { error: chosen.error };
      return { error: `recording exhausted at lane ${lane}, n ${used + 1}` };
    },
  };
}
