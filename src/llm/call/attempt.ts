/** One HTTP attempt: from bytes sent to a decoded turn or an error. */
import type { Codec, DecodedTurn, Decoder } from '../codecs/codec.ts';
import { isLLMError, LLMError } from '../errors.ts';
import { decodeContent, UnknownEncodingError } from '../framing/content-encoding.ts';
import { createTextCallSplitter, type TextCallSplitter } from '../text-calls.ts';
import { transportError } from '../transport/fault.ts';
import type { LLMErrorInfo, LLMEvent, LLMRequest, TransportResponse } from '../types.ts';
import type { ClientContext } from './context.ts';
import { createExchangeLog, type ExchangeLog } from './exchange-log.ts';
import type { PreparedAttempt } from './prepare.ts';
import { createStreamReader, lostFrames, type StreamReader } from './read-stream.ts';
import { createWatchdog, type Watchdog } from './watchdog.ts';

export interface AttemptInput {
  readonly context: ClientContext;
  readonly prepared: PreparedAttempt;
  readonly asked: LLMRequest;
  readonly codec: Codec;
  readonly attempt: number;
  readonly callStart: number;
  /** Aborts with an LLMError as reason. */
  readonly signal: AbortSignal;
}

export interface AttemptOutcome {
  /** Null where no stream of the protocol came. */
  readonly decoded: DecodedTurn | null;
  /** An answer with an error status, to be classified. */
  readonly refusal: { readonly status: number; readonly text: string } | null;
  readonly error: LLMErrorInfo | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly receivedContent: boolean;
  readonly showedDeltas: boolean;
  readonly flags: readonly string[];
  readonly ttftMs: number | null;
}

const HEADER_LIMIT = 64 * 1024;
const ERROR_BODY_LIMIT = 1024 * 1024;
const DELTAS = new Set(['text_delta', 'reasoning_delta', 'tool_call_delta']);

export const ABORTED: LLMErrorInfo = {
  kind: 'aborted',
  phase: 'local',
  retryable: false,
  message: 'the call was aborted',
};

/** Yields events as they happen; never throws. */
export async function* runAttempt(
  input: AttemptInput,
): AsyncGenerator<LLMEvent, AttemptOutcome, undefined> {
  const { context, prepared } = input;
  const { clock } = context;
  const start = clock.now();
  const abort = new AbortController();
  const queue: LLMEvent[] = [];
  let ttftMs: number | null = null;
  let showedDeltas = false;
  let trailingOver: (() => void) | undefined;
  let headers: Readonly<Record<string, string>> = {};
  let refusal: AttemptOutcome['refusal'] = null;
  let error: LLMErrorInfo | null = null;
  let reader: StreamReader | undefined;
  let waitedLongEnough = false;
  let left = true;

  const emit = (event: LLMEvent): void => {
    if (DELTAS.has(event.type)) {
      ttftMs ??= clock.now() - start;
      showedDeltas = true;
    }
    queue.push(event);
  };
  const decoder = input.codec.createDecoder({
    profile: prepared.profile,
    resolve: prepared.request.resolve,
    splitter: splitterFor(prepared),
    emit,
  });
  const onCallerAbort = (): void => abort.abort(input.signal.reason);
  input.signal.addEventListener('abort', onCallerAbort, { once: true });
  if (input.signal.aborted) onCallerAbort();
  const watchdog = createWatchdog({
    limits: context.limits,
    now: clock.now,
    foreignClock: context.foreignClock,
    callStart: input.callStart,
    onLimit: (info) => abort.abort(new LLMError(info)),
    onTrailing: () => trailingOver?.(),
  });
  const log = createExchangeLog(context, prepared, input.asked, input.attempt);

  try {
    const response = await untilAborted(send(input, abort.signal), abort.signal);
    headers = response.headers;
    log.headers(response.status, headers);
    const requestId = requestIdOf(headers);
    yield {
      type: 'headers',
      status: response.status,
      request_id: requestId,
      ms: clock.now() - start,
    };
    const chunks = chunksOf(response, log, watchdog)[Symbol.asyncIterator]();
    const next = (): Promise<IteratorResult<Uint8Array>> => {
      const trailing = new Promise<IteratorResult<Uint8Array>>((resolve) => {
        trailingOver = () => {
          waitedLongEnough = true;
          resolve({ done: true, value: undefined });
        };
      });
      return untilAborted(firstOf(chunks.next(), trailing), abort.signal);
    };
    if (response.status < 200 || response.status > 299) {
      refusal = { status: response.status, text: await readText(next) };
      leave(chunks);
    } else {
      reader = createStreamReader({ decoder, contentType: headers['content-type'] ?? '', emit });
      yield* readBody(next, reader, decoder, watchdog, queue);
      if (waitedLongEnough) abort.abort();
      else leave(chunks);
    }
    left = false;
  } catch (caught) {
    left = false;
    error = errorOf(caught, abort.signal);
  } finally {
    watchdog.stop();
    input.signal.removeEventListener('abort', onCallerAbort);
    if (error !== null && !abort.signal.aborted) abort.abort(new LLMError(error));
    if (left) log.finish(ABORTED);
  }

  const decoded = refusal === null && reader !== undefined ? decoder.turn() : null;
  if (error !== null && decoded?.closed === true && error.kind === 'network') error = null;
  error ??= decoded === null ? null : lossOf(reader?.lost ?? 0, decoded);
  yield* queue.splice(0);
  if (!log.finish(error ?? undefined)) {
    yield {
      type: 'warning',
      code: 'recording_stopped',
      message: 'the listener for exchanges failed and is not called any more',
    };
  }
  return {
    decoded,
    refusal,
    error,
    headers,
    receivedContent: decoder.contentCount > 0 || decoded?.usage != null,
    showedDeltas,
    flags: reader?.whole === true ? ['not_streamed'] : [],
    ttftMs,
  };
}

async function send(input: AttemptInput, signal: AbortSignal): Promise<TransportResponse> {
  const { context, prepared } = input;
  try {
    return await context.transport.send({
      method: 'POST',
      url: prepared.url,
      headers: prepared.headers,
      body: prepared.body,
      signal,
      limits: {
        connectMs: context.limits.connect,
        firstByteMs: context.limits.firstByte,
        headerBytes: HEADER_LIMIT,
      },
      request: input.asked,
    });
  } catch (error) {
    throw transportError(error, 'connect');
  }
}

function splitterFor({ profile, request }: PreparedAttempt): TextCallSplitter | null {
  const formats =
    request.tools.length > 0 && request.toolChoice !== 'none' ? profile.textCalls : [];
  const { tags, implied } = profile.reasoning;
  if (profile.protocol !== 'chat' || (formats.length === 0 && !tags && !implied)) return null;
  return createTextCallSplitter({
    formats,
    tags,
    implied,
    resolves: request.resolve,
    quotedIn: (block) => isQuoted(request, block),
  });
}

/** The block stands word for word in something the model was given to read. */
function isQuoted(request: LLMRequest, block: string): boolean {
  return request.messages.some(
    (message) =>
      message.role === 'user' &&
      message.content.some(
        (part) =>
          (part.type === 'text' || part.type === 'tool_result') && part.text.includes(block),
      ),
  );
}

/** Bytes without their content-encoding; the log gets them as they arrived. */
async function* chunksOf(
  response: TransportResponse,
  log: ExchangeLog,
  watchdog: Watchdog,
): AsyncGenerator<Uint8Array> {
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body) {
      watchdog.byte();
      log.chunk(chunk);
      yield chunk;
    }
  };
  try {
    yield* decodeContent(source(), response.headers['content-encoding']);
  } catch (error) {
    if (error instanceof UnknownEncodingError) {
      throw new LLMError({
        kind: 'protocol',
        detail: 'encoding',
        phase: 'decode',
        retryable: true,
        message: error.message,
      });
    }
    throw error;
  }
}

async function* readBody(
  next: () => Promise<IteratorResult<Uint8Array>>,
  reader: StreamReader,
  decoder: Decoder,
  watchdog: Watchdog,
  queue: LLMEvent[],
): AsyncGenerator<LLMEvent, void, undefined> {
  let content = 0;
  for (;;) {
    const { done, value } = await next();
    if (done === true) {
      if (!decoder.closed) reader.end();
      return;
    }
    reader.push(value);
    if (decoder.contentCount > content) {
      content = decoder.contentCount;
      watchdog.content();
    }
    if (decoder.closed) watchdog.closed();
    yield* queue.splice(0);
    if (decoder.finished) return;
  }
}

async function readText(next: () => Promise<IteratorResult<Uint8Array>>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await next();
    if (done === true || size > ERROR_BODY_LIMIT) break;
    chunks.push(value);
    size += value.byteLength;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Lets the transport drain or drop what is left, without waiting for it. */
function leave(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().catch(() => {});
}

/** Settles like the promise, or rejects at once when the signal aborts, whatever the other side does. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {});
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort);
        resolve(value);
      },
      (error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
  });
}

function firstOf<Value>(first: Promise<Value>, second: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    first.then(resolve, reject);
    second.then(resolve, reject);
  });
}

function errorOf(caught: unknown, signal: AbortSignal): LLMErrorInfo {
  if (signal.aborted && isLLMError(signal.reason)) return signal.reason.info;
  if (isLLMError(caught)) return caught.info;
  return transportError(caught, 'stream').info;
}

/** Frames were lost and nobody knows what stood in them. */
function lossOf(lost: number, decoded: DecodedTurn): LLMErrorInfo | null {
  if (lost === 0 || decoded.stop?.kind !== 'reason') return null;
  const hasCalls = decoded.blocks.some((block) => block.type === 'call');
  const saysCalls = decoded.stop.finish === 'tool_calls';
  if ((!hasCalls && !saysCalls) || (hasCalls && decoded.callsConfirmed)) return null;
  return lostFrames(lost).info;
}

export function requestIdOf(headers: Readonly<Record<string, string>>): string | null {
  for (const name of [
    'request-id',
    'x-request-id',
    'x-ms-request-id',
    'apim-request-id',
    'cf-ray',
  ]) {
    const value = headers[name];
    if (value !== undefined) return value;
  }
  return null;
}
