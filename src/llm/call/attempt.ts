/** One HTTP attempt: from bytes sent to a decoded turn or an error. */
import type { Codec, DecodedTurn, Decoder } from '../codecs/codec.ts';
import { isLLMError, LLMError } from '../errors.ts';
import { decodeContent, isPlain } from '../framing/content-encoding.ts';
import { createTextCallSplitter, type TextCallSplitter } from '../text-calls.ts';
import { transportError } from '../transport/fault.ts';
import type { LLMErrorInfo, LLMEvent, LLMRequest, TransportResponse } from '../types.ts';
import { BodySource } from './body-source.ts';
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
export function runAttempt(
  input: AttemptInput,
): AsyncGenerator<LLMEvent, AttemptOutcome, undefined> {
  return new Attempt(input).run();
}

class Attempt {
  readonly #input: AttemptInput;
  readonly #start: number;
  readonly #abort = new AbortController();
  readonly #queue: LLMEvent[] = [];
  readonly #decoder: Decoder;
  readonly #watchdog: Watchdog;
  readonly #log: ExchangeLog;
  #source: BodySource | undefined;
  #reader: StreamReader | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #refusal: AttemptOutcome['refusal'] = null;
  #error: LLMErrorInfo | null = null;
  #ttftMs: number | null = null;

  constructor(input: AttemptInput) {
    const { context, prepared } = input;
    this.#input = input;
    this.#start = context.clock.now();
    this.#decoder = input.codec.createDecoder({
      profile: prepared.profile,
      resolve: prepared.request.resolve,
      splitter: splitterFor(prepared),
      emit: this.#emit,
    });
    this.#watchdog = createWatchdog({
      limits: context.limits,
      now: context.clock.now,
      foreignClock: context.foreignClock,
      callStart: input.callStart,
      onLimit: (info) => this.#end(new LLMError(info)),
      onTrailing: () => this.#source?.stop(),
    });
    this.#log = createExchangeLog(context, prepared, input.asked, input.attempt);
  }

  readonly #emit = (event: LLMEvent): void => {
    if (DELTAS.has(event.type)) this.#ttftMs ??= this.#elapsed();
    this.#queue.push(event);
  };

  #elapsed(): number {
    return this.#input.context.clock.now() - this.#start;
  }

  /** Ends the exchange wherever it stands. */
  #end(reason: LLMError): void {
    this.#source?.fail(reason);
    this.#abort.abort(reason);
  }

  async *run(): AsyncGenerator<LLMEvent, AttemptOutcome, undefined> {
    const { signal } = this.#input;
    const onCallerAbort = (): void => this.#end(new LLMError(reasonOf(signal)));
    let over = false;
    signal.addEventListener('abort', onCallerAbort, { once: true });
    try {
      if (signal.aborted) onCallerAbort();
      yield* this.#exchange();
      over = true;
    } catch (caught) {
      over = true;
      this.#error = errorOf(caught, this.#abort.signal);
      if (!this.#abort.signal.aborted) this.#end(new LLMError(this.#error));
    } finally {
      this.#watchdog.stop();
      signal.removeEventListener('abort', onCallerAbort);
      if (!over) this.#log.finish(ABORTED);
    }
    return yield* this.#conclude();
  }

  async *#exchange(): AsyncGenerator<LLMEvent, void, undefined> {
    const response = await untilAborted(this.#send(), this.#abort.signal);
    this.#headers = response.headers;
    this.#log.headers(response.status, response.headers);
    const source = new BodySource(chunksOf(response, this.#log, this.#watchdog));
    this.#source = source;
    yield {
      type: 'headers',
      status: response.status,
      request_id: requestIdOf(response.headers),
      ms: this.#elapsed(),
    };
    if (response.status >= 200 && response.status <= 299) yield* this.#readBody(source);
    else this.#refusal = { status: response.status, text: await readText(source) };
    if (source.stopped) this.#abort.abort();
    else source.leave();
  }

  async #send(): Promise<TransportResponse> {
    const { context, prepared, asked } = this.#input;
    try {
      return await context.transport.send({
        method: 'POST',
        url: prepared.url,
        headers: prepared.headers,
        body: prepared.body,
        signal: this.#abort.signal,
        limits: {
          connectMs: context.limits.connect,
          firstByteMs: context.limits.firstByte,
          headerBytes: HEADER_LIMIT,
        },
        request: asked,
      });
    } catch (error) {
      throw transportError(error, 'connect');
    }
  }

  async *#readBody(source: BodySource): AsyncGenerator<LLMEvent, void, undefined> {
    const decoder = this.#decoder;
    const contentType = this.#headers['content-type'] ?? '';
    const reader = createStreamReader({ decoder, contentType, emit: this.#emit });
    this.#reader = reader;
    let content = 0;
    while (!decoder.finished) {
      const { done, value } = await source.next();
      if (done === true) {
        if (!decoder.closed) reader.end();
        return;
      }
      reader.push(value);
      if (decoder.contentCount > content) this.#watchdog.content();
      content = decoder.contentCount;
      if (decoder.closed) this.#watchdog.closed();
      yield* this.#queue.splice(0);
    }
  }

  async *#conclude(): AsyncGenerator<LLMEvent, AttemptOutcome, undefined> {
    const decoded = this.#reader === undefined ? null : this.#decoder.turn();
    // A connection lost after the terminal mark took nothing of the reply with it.
    if (this.#error?.kind === 'network' && decoded?.closed === true) this.#error = null;
    if (decoded !== null) this.#error ??= lossOf(this.#reader?.lost ?? 0, decoded);
    yield* this.#queue.splice(0);
    if (!this.#log.finish(this.#error ?? undefined)) {
      yield {
        type: 'warning',
        code: 'recording_stopped',
        message: 'the listener for exchanges failed and is not called any more',
      };
    }
    return {
      decoded,
      refusal: this.#refusal,
      error: this.#error,
      headers: this.#headers,
      receivedContent: this.#decoder.contentCount > 0 || decoded?.usage != null,
      showedDeltas: this.#ttftMs !== null,
      flags: this.#reader?.whole === true ? ['not_streamed'] : [],
      ttftMs: this.#ttftMs,
    };
  }
}

function reasonOf(signal: AbortSignal): LLMErrorInfo {
  return isLLMError(signal.reason) ? signal.reason.info : ABORTED;
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
function chunksOf(
  response: TransportResponse,
  log: ExchangeLog,
  watchdog: Watchdog,
): AsyncIterable<Uint8Array> {
  const arriving = watched(response.body, log, watchdog);
  const encoding = response.headers['content-encoding'] ?? '';
  return isPlain(encoding) ? arriving : decodeContent(arriving, encoding);
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  log: ExchangeLog,
  watchdog: Watchdog,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    watchdog.byte();
    log.chunk(chunk);
    yield chunk;
  }
}

async function readText(source: BodySource): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let size = 0; size <= ERROR_BODY_LIMIT; ) {
    const { done, value } = await source.next();
    if (done === true) break;
    chunks.push(value);
    size += value.byteLength;
  }
  return Buffer.concat(chunks).toString('utf8');
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
