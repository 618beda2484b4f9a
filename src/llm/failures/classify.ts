/** Gives an error of an endpoint its class: structured code or type first, then status, words last. */
import { isObject, listAt, textAt } from '../json.ts';
import type { JsonValue, LLMErrorInfo, LLMErrorKind } from '../types.ts';
import type { ErrorFacts } from './error-body.ts';
import { readOverflow, saysOverflow } from './overflow.ts';

export interface ClassifyInput {
  readonly facts: ErrorFacts;
  /** Null: the error came inside a stream. */
  readonly status: number | null;
  /** Of the request, in tokens. */
  readonly estimate: number;
  readonly hasImages: boolean;
  readonly quotaCodes: readonly string[];
  readonly overflowPhrases: readonly string[];
}

export interface ErrorClass {
  readonly kind: LLMErrorKind;
  readonly detail?: string;
  readonly retryable: boolean;
  readonly overflow?: NonNullable<LLMErrorInfo['overflow']>;
}

type Rule = readonly [RegExp, ErrorClass];

const QUOTA: ErrorClass = { kind: 'quota', retryable: false };
const RATE_LIMIT: ErrorClass = { kind: 'rate_limit', retryable: true };
const OVERLOADED: ErrorClass = { kind: 'overloaded', retryable: true };
const SERVER: ErrorClass = { kind: 'overloaded', detail: 'server', retryable: true };
const UNAUTHORIZED: ErrorClass = { kind: 'auth', detail: 'unauthorized', retryable: false };
const FORBIDDEN: ErrorClass = { kind: 'auth', detail: 'forbidden', retryable: false };
const NOT_FOUND: ErrorClass = { kind: 'bad_request', detail: 'not_found', retryable: false };
const INVALID: ErrorClass = { kind: 'bad_request', detail: 'invalid', retryable: false };
const TIMEOUT: ErrorClass = { kind: 'timeout', detail: 'server', retryable: true };

/** Codes and types that mean one thing only, lower-case; the first rule that fits decides. */
const SPECIFIC: readonly Rule[] = [
  [
    /^(insufficient_quota|billing_.*|exceeded_current_quota_error|arrearage|accountoverdueerror|1113|insufficient_balance|insufficient_credits|quota_exceeded)$/,
    QUOTA,
  ],
  [
    /^(context_length_exceeded|exceed_context_size_error|request_too_large)$/,
    { kind: 'overflow', retryable: false },
  ],
  [
    /^(rate_limit.*|ratelimit.*|resource_exhausted|too_many_requests|throttling.*|tokens|requests|1302|1303|1305)$/,
    RATE_LIMIT,
  ],
  [
    /^(overloaded.*|.*_overloaded_error|engine_overloaded|server_?overloaded|slow_down|unavailable|1312)$/,
    OVERLOADED,
  ],
  [
    /^(authentication_error|invalid_api_key|incorrect_api_key.*|invalid_authentication.*|invalidapikey|unauthenticated|unauthorized)$/,
    UNAUTHORIZED,
  ],
  [/^(permission_error|permission_denied|forbidden|access_denied|accessdenied)$/, FORBIDDEN],
  [/^(timeout_error|request_timeout|deadline_exceeded|timeout)$/, TIMEOUT],
  [
    /^(api_error|server_error|internal|internal_error|internal_server_error|internalerror|service_unavailable.*|vllm_error|upstream_error)$/,
    SERVER,
  ],
  [/^(not_found_error|not_found|model_not_found|notfounderror|modelnotfound)$/, NOT_FOUND],
];

/** Codes and types that say no more than that the request was refused. */
const GENERIC =
  /^(\d+|error|invalid_?request.*|bad_?request.*|invalid_?(parameter|argument|prompt|value)s?(_error|error)?|validation_?(error|exception)|value_error|badrequesterror)$/;

export function classifyError(input: ClassifyInput): ErrorClass {
  const { facts, status } = input;
  const words = [facts.code, facts.type].filter((word) => word !== undefined);
  if (isDailyQuota(facts) || words.some((word) => input.quotaCodes.includes(word))) return QUOTA;
  const specific = specificClass(words);
  if (specific?.kind === 'rate_limit' || (specific === undefined && status === 429)) {
    return quotaBelow(facts, input.estimate) ? overflowOf(facts) : RATE_LIMIT;
  }
  if (specific?.kind === 'overflow') return overflowOf(facts);
  if (specific !== undefined) return withStatus(specific, status);
  return generalClass(input, words);
}

/** The code is asked before the type: a vendor's type is often the wider word. */
function specificClass(words: readonly string[]): ErrorClass | undefined {
  for (const word of words) {
    const rule = SPECIFIC.find(([pattern]) => pattern.test(word.toLowerCase()));
    if (rule !== undefined) return rule[1];
  }
  return undefined;
}

function generalClass(input: ClassifyInput, words: readonly string[]): ErrorClass {
  const { facts, status } = input;
  const generic = words.every((word) => GENERIC.test(word.toLowerCase()));
  const statusAllows =
    status === null || status === 400 || status === 413 || status === 422 || status >= 500;
  if (generic && statusAllows && saysOverflow(facts.message, status, input.overflowPhrases)) {
    return overflowOf(facts);
  }
  if (status === 413) return input.hasImages ? INVALID : overflowOf(facts);
  return status === null ? inStreamClass(words) : statusClass(status);
}

/** Without a status a numeric code often is one. */
function inStreamClass(words: readonly string[]): ErrorClass {
  const numeric = words.map(Number).find((code) => code >= 400 && code < 600);
  if (numeric !== undefined) return statusClass(numeric);
  return words.length > 0 && words.every((word) => GENERIC.test(word.toLowerCase()))
    ? INVALID
    : SERVER;
}

function statusClass(status: number): ErrorClass {
  switch (status) {
    case 401:
      return UNAUTHORIZED;
    case 402:
      return QUOTA;
    case 403:
      return FORBIDDEN;
    case 404:
      return NOT_FOUND;
    case 408:
    case 425:
      return TIMEOUT;
    case 429:
      return RATE_LIMIT;
    case 529:
      return OVERLOADED;
    default:
      return status >= 500 ? SERVER : INVALID;
  }
}

/** A status that is never worth a second try keeps a vague server type from causing one. */
function withStatus(found: ErrorClass, status: number | null): ErrorClass {
  const vague = found.detail === 'server' && status !== null && status >= 400 && status < 500;
  return vague ? statusClass(status) : found;
}

function overflowOf(facts: ErrorFacts): ErrorClass {
  return { kind: 'overflow', retryable: false, overflow: readOverflow(facts.message) };
}

/** Google's quotas: a violated one per day does not come back while we wait. */
function isDailyQuota(facts: ErrorFacts): boolean {
  return violations(facts).some((entry) => /PerDay/i.test(textAt(entry, 'quotaId') ?? ''));
}

/** An input-token quota smaller than the request: waiting cannot help. */
function quotaBelow(facts: ErrorFacts, estimate: number): boolean {
  return violations(facts).some((entry) => {
    const names = `${textAt(entry, 'quotaId') ?? ''} ${textAt(entry, 'quotaMetric') ?? ''}`;
    const value = Number(isObject(entry) ? entry.quotaValue : Number.NaN);
    return /input.?token/i.test(names) && Number.isFinite(value) && value > 0 && value < estimate;
  });
}

function violations(facts: ErrorFacts): readonly JsonValue[] {
  return facts.details
    .filter((detail) => (textAt(detail, '@type') ?? '').endsWith('QuotaFailure'))
    .flatMap((detail) => listAt(detail, 'violations'));
}
