import type { Codec } from '../codec.ts';
import { createChatDecoder } from './decode.ts';
import { encodeChat } from './encode.ts';

/** Chat Completions and its many dialects. */
export const codec: Codec = { encode: encodeChat, createDecoder: createChatDecoder };
