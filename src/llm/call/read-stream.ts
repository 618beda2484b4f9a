/** Feeds the bytes of a successful response to a decoder. */
import type { Decoder } from '../codecs/codec.ts';
import { LLMError } from '../errors.ts';
import { readFrame } from '../framing/frames.ts';
import { decodeDocument, sniffBody } from '../framing/json-body.ts';
import { createSseReader, FrameTooLargeError } from '../framing/sse.ts';
import type { LLMEvent } from '../types.ts';

export const RESPONSE_LIMIT = 256 * 1024 * 1024;
const MOST_LOST_FRAMES = 5;
const EXCERPT = 2000;

export interface StreamReader {
  /** Throws LLMError. */
  push(chunk: Uint8Array): void;
  /** The body ended by itself. Throws LLMError. */
  end(): void;
  /** Frames that could not be read. */
  readonly lost: number;
  /** The answer was one document instead of a stream. */
  readonly whole: boolean;
}

export interface StreamReaderInput {
  readonly decoder: Decoder;
  readonly contentType: string;
  readonly emit: (event: LLMEvent) => void;
}

/** The form of the body is seen from its first bytes; the declared type only decides where they say nothing. */
export function createStreamReader(input: StreamReaderInput): StreamReader {
  return new BodyReader(input);
}

/** Bytes after which the form is decided even when all were white space. */
const SNIFFED = 1024;

class BodyReader implements StreamReader {
  readonly #input: StreamReaderInput;
  readonly #events = createSseReader();
  #form: 'sse' | 'document' | undefined;
  #held: Uint8Array[] = [];
  #size = 0;
  #lost = 0;

  constructor(input: StreamReaderInput) {
    this.#input = input;
  }

  get lost(): number {
    return this.#lost;
  }
  get whole(): boolean {
    return this.#form === 'document';
  }

  push(chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > RESPONSE_LIMIT) {
      throw tooLarge(`the response is larger than ${RESPONSE_LIMIT} bytes`);
    }
    if (this.#form !== undefined) {
      this.#takeBytes(chunk);
      return;
    }
    this.#held.push(chunk);
    this.#decide(false);
  }

  end(): void {
    if (this.#size === 0) throw emptyBody();
    if (this.#form === undefined) this.#decide(true);
    if (this.#form === 'sse') {
      for (const frame of this.#events.end()) this.#takeFrame(frame);
      return;
    }
    const text = Buffer.concat(this.#held).toString('utf8');
    if (!decodeDocument(text, this.#input.decoder)) throw notJson(text);
  }

  #decide(final: boolean): void {
    const start = Buffer.concat(this.#held);
    const sniffed = sniffBody(start);
    if (sniffed === undefined && !final && start.length < SNIFFED) return;
    const declared = /^text\/event-stream/i.test(this.#input.contentType.trim());
    const isStream = sniffed === 'sse' || (sniffed !== 'json' && declared);
    this.#form = isStream ? 'sse' : 'document';
    this.#held = [];
    this.#takeBytes(start);
  }

  #takeBytes(chunk: Uint8Array): void {
    if (this.#form === 'document') {
      this.#held.push(chunk);
      return;
    }
    try {
      for (const frame of this.#events.push(chunk)) this.#takeFrame(frame);
    } catch (error) {
      if (error instanceof FrameTooLargeError) throw tooLarge(error.message);
      throw error;
    }
  }

  #takeFrame(text: string): void {
    const { decoder } = this.#input;
    const frame = readFrame(text);
    for (const event of frame.events) decoder.push(event);
    if (frame.done) decoder.done();
    for (let count = 0; count < frame.lost; count += 1) this.#loseFrame(text);
  }

  #loseFrame(text: string): void {
    this.#lost += 1;
    this.#input.emit({
      type: 'warning',
      code: 'bad_frame',
      message: 'a part of the stream could not be read and is lost',
      data: { excerpt: text.slice(0, 200) },
    });
    if (this.#lost > MOST_LOST_FRAMES) throw lostFrames(this.#lost);
  }
}

export function lostFrames(count: number): LLMError {
  return protocolError('lost_frames', `${count} parts of the stream could not be read`);
}

function tooLarge(message: string): LLMError {
  return protocolError('too_large', message);
}

function emptyBody(): LLMError {
  return protocolError('empty_body', 'the endpoint answered with an empty body');
}

function notJson(text: string): LLMError {
  return new LLMError({
    kind: 'protocol',
    detail: text.trim() === '' ? 'empty_body' : 'not_json',
    phase: 'decode',
    retryable: true,
    message: 'the endpoint answered with something that is no reply of a model; check base_url',
    excerpt: text.slice(0, EXCERPT),
  });
}

function protocolError(detail: string, message: string): LLMError {
  return new LLMError({ kind: 'protocol', detail, phase: 'decode', retryable: true, message });
}
