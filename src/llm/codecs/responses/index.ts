import type { Codec } from '../codec.ts';
import { createResponsesDecoder } from './decode.ts';
import { encodeResponses } from './encode.ts';

/** OpenAI Responses. */
export const codec: Codec = { encode: encodeResponses, createDecoder: createResponsesDecoder };
