/** Records one attempt as bytes for whoever listens, with keys masked. */
import { maskHeaders, maskText, maskUrl } from '../mask.ts';
import type { Exchange, LLMErrorInfo, LLMRequest } from '../types.ts';
import type { ClientContext } from './context.ts';
import type { PreparedAttempt } from './prepare.ts';

export interface ExchangeLog {
  headers(status: number, headers: Readonly<Record<string, string>>): void;
  chunk(bytes: Uint8Array): void;
  /** Hands the record over. False: the listener threw and is removed. */
  finish(error: LLMErrorInfo | undefined): boolean;
}

const SILENT: ExchangeLog = { headers: () => {}, chunk: () => {}, finish: () => true };

export function createExchangeLog(
  context: ClientContext,
  prepared: PreparedAttempt,
  asked: LLMRequest,
  attempt: number,
): ExchangeLog {
  const { exchanges, clock, secrets } = context;
  if (exchanges.listener === null) return SILENT;
  const started = new Date().toISOString();
  const start = clock.now();
  const chunks: { ms: number; bytes: Uint8Array }[] = [];
  const { seq } = exchanges;
  exchanges.seq += 1;
  let status: number | null = null;
  let responseHeaders: Readonly<Record<string, string>> = {};
  let headersMs: number | null = null;

  const record = (error: LLMErrorInfo | undefined): Exchange => ({
    seq,
    attempt,
    purpose: asked.purpose,
    method: 'POST',
    url: maskText(maskUrl(prepared.url), secrets),
    request_headers: maskHeaders(prepared.headers, secrets),
    request_body: prepared.body,
    request_sha256: prepared.sha256,
    status,
    response_headers: maskHeaders(responseHeaders, secrets),
    chunks,
    ...(error === undefined ? {} : { error }),
    timing: { started, headers_ms: headersMs, end_ms: clock.now() - start },
    request: asked,
  });

  return {
    headers: (code, headers) => {
      status = code;
      responseHeaders = headers;
      headersMs = clock.now() - start;
    },
    chunk: (bytes) => {
      chunks.push({ ms: clock.now() - start, bytes: Uint8Array.from(bytes) });
    },
    finish: (error) => {
      try {
        exchanges.listener?.(record(error));
        return true;
      } catch {
        exchanges.listener = null;
        return false;
      }
    },
  };
}
