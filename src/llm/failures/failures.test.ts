import { describe, expect, it } from 'vitest';
import type { LLMErrorInfo } from '../types.ts';
import { type ClassifyInput, classifyError } from './classify.ts';
import { readErrorText, readErrorValue } from './error-body.ts';
import { readRetryHint } from './hints.ts';
import { decideRetry } from './retry.ts';

const classify = (status: number | null, body: unknown, more: Partial<ClassifyInput> = {}) =>
  classifyError({
    facts: typeof body === 'string' ? readErrorText(body) : readErrorValue(body as never),
    status,
    estimate: 1000,
    hasImages: false,
    quotaCodes: [],
    overflowPhrases: [],
    ...more,
  });

describe('error bodies', () => {
  it.each([
    [
      '{"error":{"message":"m","type":"t","code":"c","param":"p"}}',
      { message: 'm', type: 't', code: 'c', param: 'p' },
    ],
    [
      '{"type":"error","error":{"type":"overloaded_error","message":"m"}}',
      { message: 'm', type: 'overloaded_error' },
    ],
    [
      '[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[]}}]',
      { message: 'm', code: '429', type: 'RESOURCE_EXHAUSTED' },
    ],
    ['{"error":"text"}', { message: 'text' }],
    ['{"detail":"text"}', { message: 'text' }],
    ['{"code":1113,"msg":"m"}', { message: 'm', code: '1113' }],
    [
      '{"object":"error","message":"m","type":"BadRequestError","code":400}',
      { message: 'm', type: 'BadRequestError', code: '400' },
    ],
    ['<html><head><title>502 Bad Gateway</title></head></html>', { message: '502 Bad Gateway' }],
    ['', { message: 'the response body is empty' }],
    ['plain words', { message: 'plain words' }],
  ])('%s', (text, expected) => {
    expect(readErrorText(text)).toMatchObject(expected);
  });
});

describe('classes', () => {
  const error = (rest: object) => ({ error: { message: 'm', ...rest } });
  it.each([
    [401, error({}), 'auth', 'unauthorized'],
    [403, error({}), 'auth', 'forbidden'],
    [402, error({}), 'quota', undefined],
    [429, error({ code: 'insufficient_quota' }), 'quota', undefined],
    [429, error({ code: '1113' }), 'quota', undefined],
    [400, error({ code: 'Arrearage' }), 'quota', undefined],
    [403, error({ code: 'AccountOverdueError' }), 'quota', undefined],
    [429, error({ type: 'exceeded_current_quota_error' }), 'quota', undefined],
    [429, error({}), 'rate_limit', undefined],
    [529, error({}), 'overloaded', undefined],
    [503, error({ type: 'overloaded_error' }), 'overloaded', undefined],
    [503, error({}), 'overloaded', 'server'],
    [500, error({ type: 'api_error' }), 'overloaded', 'server'],
    [502, '<html><title>x</title></html>', 'overloaded', 'server'],
    [504, error({}), 'overloaded', 'server'],
    [408, error({}), 'timeout', 'server'],
    [425, error({}), 'timeout', 'server'],
    [404, error({}), 'bad_request', 'not_found'],
    [422, error({}), 'bad_request', 'invalid'],
    [400, error({ type: 'invalid_request_error' }), 'bad_request', 'invalid'],
    [413, error({}), 'overflow', undefined],
    [null, error({ type: 'rate_limit_error' }), 'rate_limit', undefined],
    [null, error({ type: 'overloaded_error' }), 'overloaded', undefined],
    [null, error({ type: 'authentication_error' }), 'auth', 'unauthorized'],
    [null, error({ code: 503 }), 'overloaded', 'server'],
    [null, error({}), 'overloaded', 'server'],
  ] as const)('%s %j is %s %s', (status, body, kind, detail) => {
    const found = classify(status, body);
    expect([found.kind, found.detail]).toEqual([kind, detail]);
  });

  it('F3: a per-minute quota is waited for, a per-day quota is not, one below the request is overflow', () => {
    const quota = (quotaId: string, quotaValue: string) => [
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'm',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
              violations: [
                { quotaId, quotaValue, quotaMetric: 'generate_content_input_token_count' },
              ],
            },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
          ],
        },
      },
    ];
    expect(classify(429, quota('InputTokensPerMinute', '250000')).kind).toBe('rate_limit');
    expect(readRetryHint({}, readErrorValue(quota('x', '1') as never))).toBe(34_400);
    expect(classify(429, quota('RequestsPerDay', '20')).kind).toBe('quota');
    expect(classify(429, quota('InputTokensPerMinute', '500')).kind).toBe('overflow');
  });

  it.each([
    [400, { code: 'context_length_exceeded', message: 'x' }, {}],
    [
      400,
      {
        type: 'exceed_context_size_error',
        message:
          'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      },
      { window: 8192, input: 9000 },
    ],
    [
      400,
      {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
      { window: 200_000, input: 210_000 },
    ],
    [413, { type: 'request_too_large', message: 'Request exceeds the maximum size' }, {}],
    [400, { message: 'Your input exceeds the context window of this model.' }, {}],
    [
      400,
      {
        code: 400,
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
      },
      { window: 8192, input: 8000, output: 1000 },
    ],
    [
      400,
      {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message:
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
      { window: 1_048_576, input: 1_200_000 },
    ],
    [
      400,
      {
        message:
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      { window: 131_072, input: 537_812 },
    ],
    [400, { message: 'Please reduce the length of the messages or completion.' }, {}],
    [400, { message: 'The prompt too long; exceeded max context length by 5 tokens' }, {}],
    [400, { message: 'The number of tokens is greater than the context length' }, {}],
    [
      400,
      {
        type: 'invalid_request_error',
        message: 'Invalid request: Your request exceeded model token limit: 262144',
      },
      { window: 262_144 },
    ],
    [400, { message: 'invalid params, context window exceeds limit (2013)' }, {}],
    [400, { code: '1261', message: 'Prompt exceeds max length' }, {}],
    [
      400,
      { code: 'invalid_parameter_error', message: 'Range of input length should be [1, 98304]' },
      { window: 98_304 },
    ],
    [
      400,
      {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease',
      },
      { window: 200_000, input: 190_000, output: 32_000 },
    ],
    [400, { message: 'No user query found in messages.' }, {}],
    [400, { message: 'The context size of 4096 is over the limit' }, {}],
  ])('F7: %s %j is overflow', (status, error, overflow) => {
    const found = classify(status, { error });
    expect(found.kind).toBe('overflow');
    expect(found.overflow).toMatchObject(overflow);
    expect(found.retryable).toBe(false);
  });

  it('words never overrule a specific code, nor a rate limit', () => {
    const message = 'maximum context length reached';
    expect(classify(400, { error: { code: 'invalid_api_key', message } }).kind).toBe('auth');
    expect(classify(400, { error: { message: `rate limit: ${message}` } }).kind).toBe(
      'bad_request',
    );
    expect(classify(413, { error: { message: 'too big' } }, { hasImages: true }).kind).toBe(
      'bad_request',
    );
  });
});

describe('hints', () => {
  const none = readErrorText('');
  const date = 'Mon, 30 Nov 2026 10:00:00 GMT';
  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '2.5' }, 2500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 10:00:30 GMT', date }, 30_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT', date }, 0],
    [{ 'retry-after': 'Mon, 30 Nov 2026 10:00:30 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [
      {
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-11-30T10:00:07Z',
        date,
      },
      7000,
    ],
    [
      {
        'anthropic-ratelimit-tokens-remaining': '9',
        'anthropic-ratelimit-tokens-reset': '2026-11-30T10:00:07Z',
        date,
      },
      undefined,
    ],
    [
      {
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '20ms',
      },
      360_000,
    ],
    [{ 'x-ratelimit-reset-tokens': '20ms' }, 20],
    [{ 'x-ratelimit-reset': String(Date.parse(date) / 1000 + 4), date }, 4000],
    [{ 'x-ratelimit-reset': String(Date.parse(date) + 4), date }, 4],
  ])('%j', (headers, expected) => {
    expect(readRetryHint(headers as Record<string, string>, none)).toBe(expected);
  });

  it('reads the headers OpenRouter repeats in the body', () => {
    const facts = readErrorValue({
      error: {
        message: 'm',
        metadata: { headers: { 'X-RateLimit-Reset': String(Date.parse(date) + 1000) } },
      },
    });
    expect(readRetryHint({ date }, facts)).toBe(1000);
  });
});

describe('waits', () => {
  const limits = { maxRetries: 5, maxWaitMs: 120_000, maxTotalMs: 900_000 };
  const info = (kind: LLMErrorInfo['kind'], more: Partial<LLMErrorInfo> = {}): LLMErrorInfo => ({
    kind,
    message: 'm',
    retryable: true,
    ...more,
  });
  const delay = (error: LLMErrorInfo, retries: number, random: number) => {
    const decision = decideRetry(error, { retries, waitedMs: 0 }, limits, () => random);
    return decision.retry ? decision.delayMs : null;
  };

  it('lie in their stated interval', () => {
    const cases = [
      [info('network'), 500, 30_000],
      [info('overloaded', { detail: 'server' }), 500, 30_000],
      [info('rate_limit'), 2000, 60_000],
      [info('overloaded'), 2000, 60_000],
    ] as const;
    for (const [error, base, cap] of cases) {
      for (let retries = 0; retries < 5; retries += 1) {
        const full = Math.min(cap, base * 2 ** retries);
        expect(delay(error, retries, 0)).toBe(full * 0.75);
        expect(delay(error, retries, 0.999)).toBeLessThanOrEqual(full);
      }
    }
  });

  it('end after the stated number of retries', () => {
    expect(delay(info('network'), 5, 0)).toBeNull();
    expect(delay(info('overloaded'), 9, 0)).not.toBeNull();
    expect(delay(info('overloaded'), 10, 0)).toBeNull();
    expect(delay(info('protocol'), 2, 0)).toBeNull();
    expect(delay(info('auth', { retryable: false }), 0, 0)).toBeNull();
  });

  it('a hint replaces them, plus at most 10 %, at least 0.25 s', () => {
    expect(delay(info('rate_limit', { retry_after_ms: 2000 }), 3, 0)).toBe(2000);
    expect(delay(info('rate_limit', { retry_after_ms: 2000 }), 3, 0.999)).toBeLessThanOrEqual(2200);
    expect(delay(info('rate_limit', { retry_after_ms: 0 }), 0, 0)).toBe(250);
  });

  it('stop when they are too long in all', () => {
    const decision = decideRetry(
      info('rate_limit'),
      { retries: 1, waitedMs: 899_999 },
      limits,
      () => 0,
    );
    expect(decision).toMatchObject({ retry: false, reason: expect.stringContaining('900 s') });
  });
});
