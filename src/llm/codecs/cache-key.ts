import { hash } from 'node:crypto';
import type { LLMRequest } from '../types.ts';

/** Vendors route requests with one key to one cache; the session's name itself never leaves. */
export function promptCacheKey(request: LLMRequest): string | undefined {
  if (request.cache === undefined || request.cache.retention === 'none') return undefined;
  return hash('sha256', request.cache.key, 'hex').slice(0, 64);
}
