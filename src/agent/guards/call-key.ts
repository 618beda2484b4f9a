import { hash } from 'node:crypto';
import type { JsonValue } from '../../llm/types.ts';
import { canonicalDigest } from '../../session/canonical-json.ts';

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Two calls with the same key ask for the same thing. Provider ids play no part. */
export function callKey(tool: string, args: JsonValue): string {
  return `${tool}:${canonicalDigest(args)}`;
}

/** A result without what differs between two runs of the same thing: times, durations, addresses. */
export function normaliseResult(text: string): string {
  return text
    .replace(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>')
    .replace(/\b\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|sec|seconds?|min|minutes?)\b/g, '<duration>')
    .replace(/\b0x[0-9a-fA-F]{4,}\b/g, '<address>');
}
