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
  const { decoder } = input;
  const reader = createSseReader();
  let form: 'sse' | 'document' | undefined;
  let held: Uint8Array[] = [];
  let size = 0;
  let lost = 0;

  const takeFrame = (text: string): void => {
    const frame = readFrame(text);
    for (const event of frame.events) decoder.push(event);
    if (frame.done) decoder.done();
    for (let count = 0; count < frame.lost; count += 1) loseFrame(text);
  };

  const loseFrame = (text: string): void => {
    lost += 1;
    input.emit({
      type: 'warning',
      code: 'bad_frame',
      message: 'a part of the stream could not be read and is lost',
      data: { excerpt: text.slice(0, 200) },
    });
    if (lost > MOST_LOST_FRAMES) throw lostFrames(lost);
  };

  const takeBytes = (chunk: Uint8Array): void => {
    if (form === 'document') {
      held.push(chunk);
      return;
    }
    try {
      for (const frame of reader.push(chunk)) takeFrame(frame);
    } catch (error) {
      if (error instanceof FrameTooLargeError) throw tooLarge(error.message);
      throw error;
    }
  };

  const decide = (final: boolean): void => {
    const start = Buffer.concat(held);
    const sniffed = sniffBody(start);
    if (sniffed === undefined && !final && start.length < 1024) return;
    const declared = /^text\/event-stream/i.test(input.contentType.trim());
    form = sniffed === 'sse' || (sniffed !== 'json' && declared) ? 'sse' : 'document';
    held = [];
    takeBytes(start);
  };

  const push = (chunk: Uint8Array): void => {
    size += chunk.byteLength;
    if (size > RESPONSE_LIMIT)
      throw tooLarge(`the response is larger than ${RESPONSE_LIMIT} bytes`);
    if (form !== undefined) {
      takeBytes(chunk);
      return;
    }
    held.push(chunk);
    decide(false);
  };

  const end = (): void => {
    if (size === 0) throw emptyBody();
    if (form === undefined) decide(true);
    if (form === 'sse') {
      for (const frame of reader.end()) takeFrame(frame);
      return;
    }
    const text = Buffer.concat(held).toString('utf8');
    if (!decodeDocument(text, decoder)) throw notJson(text);
  };

  return {
    push,
    end,
    get lost() {
      return lost;
    },
    get whole() {
      return form === 'document';
    },
  };
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
