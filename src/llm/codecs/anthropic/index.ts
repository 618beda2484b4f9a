import type { Codec } from '../codec.ts';
import { createAnthropicDecoder } from './decode.ts';
import { encodeAnthropic } from './encode.ts';

/** Anthropic Messages. */
export const codec: Codec = { encode: encodeAnthropic, createDecoder: createAnthropicDecoder };
