/** Turns what went wrong below HTTP into an error of the model layer. */
import { isLLMError, LLMError } from '../errors.ts';
import type { LLMErrorInfo } from '../types.ts';

type Phase = NonNullable<LLMErrorInfo['phase']>;

const DNS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'EAI_FAIL']);
const CONNECT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
]);

export function networkError(detail: string, phase: Phase, message: string): LLMError {
  return new LLMError({ kind: 'network', detail, phase, retryable: true, message });
}

/** Never throws. An error that already is one of ours is given back as it is. */
export function transportError(error: unknown, phase: Phase): LLMError {
  if (isLLMError(error)) return error;
  const { code, message } = describe(error);
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new LLMError({
      kind: 'protocol',
      detail: 'too_large',
      phase: 'headers',
      retryable: true,
      message: 'the response headers are larger than allowed',
    });
  }
  if (code.startsWith('HPE_')) {
    return new LLMError({
      kind: 'protocol',
      detail: 'not_http',
      phase,
      retryable: true,
      message: `the endpoint did not answer in HTTP: ${message}`,
    });
  }
  return networkError(detailOf(code, message), phase, sentence(code, message));
}

function detailOf(code: string, message: string): string {
  if (DNS.has(code)) return 'dns';
  if (CONNECT.has(code)) return 'connect';
  if (isTls(code, message)) return 'tls';
  return 'reset';
}

function isTls(code: string, message: string): boolean {
  return (
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH)/.test(
      code,
    ) || /certificate|ssl routines|wrong version number/i.test(message)
  );
}

function sentence(code: string, message: string): string {
  const detail = detailOf(code, message);
  if (detail === 'tls') return `the TLS connection failed: ${message}`;
  if (detail === 'reset') return `the connection was lost: ${message}`;
  return `cannot connect: ${message}`;
}

function describe(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const code = codeOf(error) ?? codeOf(inner) ?? '';
  const detail = inner instanceof Error ? inner.message : '';
  return { code, message: error.message || detail || code || error.name };
}

function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  return typeof value.code === 'string' ? value.code : undefined;
}
