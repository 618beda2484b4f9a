/** Reads how long an endpoint asks to wait. Dates are measured against its own clock, never ours. */
import { textAt } from '../json.ts';
import type { ErrorFacts } from './error-body.ts';

type Headers = Readonly<Record<string, string>>;

/** Milliseconds to wait, 0 for a moment already past, undefined when nothing usable was said. */
export function readRetryHint(headers: Headers, facts: ErrorFacts): number | undefined {
  return (
    decimal(headers['retry-after-ms'], 1) ??
    retryAfter(headers) ??
    retryInfo(facts) ??
    anthropicReset(headers) ??
    rateLimitReset(headers) ??
    fromMetadata(facts, headers)
  );
}

function decimal(text: string | undefined, unit: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * unit : undefined;
}

function retryAfter(headers: Headers): number | undefined {
  const given = headers['retry-after'];
  return decimal(given, 1000) ?? untilDate(given, headers);
}

/** Milliseconds from the response's `Date` to a date text. */
function untilDate(text: string | undefined, headers: Headers): number | undefined {
  if (text === undefined || !/[a-z]/i.test(text)) return undefined;
  return untilMoment(Date.parse(text), headers);
}

function untilMoment(moment: number, headers: Headers): number | undefined {
  const now = Date.parse(headers.date ?? '');
  if (Number.isNaN(moment) || Number.isNaN(now)) return undefined;
  return Math.max(0, moment - now);
}

/** Google: `retryDelay: "34.4s"`. */
function retryInfo(facts: ErrorFacts): number | undefined {
  for (const detail of facts.details) {
    const match = /^(\d+(?:\.\d{1,9})?)s$/.exec(textAt(detail, 'retryDelay') ?? '');
    if (match?.[1] !== undefined) return Number(match[1]) * 1000;
  }
  return undefined;
}

function anthropicReset(headers: Headers): number | undefined {
  const waits: number[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const match = /^(anthropic-ratelimit-.+)-reset$/.exec(name);
    if (match === null || headers[`${match[1]}-remaining`] !== '0') continue;
    const wait = untilDate(value, headers);
    if (wait !== undefined) waits.push(wait);
  }
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function rateLimitReset(headers: Headers): number | undefined {
  const waits: { wait: number; exhausted: boolean }[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const match = /^x-ratelimit-reset(.*)$/.exec(name);
    if (match === null) continue;
    const wait = spanOf(value) ?? stampOf(value, headers);
    const remaining = headers[`x-ratelimit-remaining${match[1]}`];
    if (wait !== undefined) {
      waits.push({ wait, exhausted: remaining === undefined || Number(remaining) === 0 });
    }
  }
  const exhausted = waits.filter((entry) => entry.exhausted);
  const chosen = exhausted.length > 0 ? exhausted : waits;
  return chosen.length === 0 ? undefined : Math.max(...chosen.map((entry) => entry.wait));
}

const UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

/** `6m0s`, `1h2m`, `20ms`. */
function spanOf(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|d|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|d|h|m|s)/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  }
  return total;
}

const FIRST_UNIX_SECONDS = 1e9;
const FIRST_UNIX_MILLISECONDS = 1e12;

/** A number: Unix milliseconds, Unix seconds, or seconds from now. */
function stampOf(text: string, headers: Headers): number | undefined {
  const value = decimal(text, 1);
  if (value === undefined) return untilDate(text, headers);
  if (value >= FIRST_UNIX_MILLISECONDS) return untilMoment(value, headers);
  if (value >= FIRST_UNIX_SECONDS) return untilMoment(value * 1000, headers);
  return value * 1000;
}

/** OpenRouter repeats the upstream's headers inside the error body. */
function fromMetadata(facts: ErrorFacts, headers: Headers): number | undefined {
  if (Object.keys(facts.metadataHeaders).length === 0) return undefined;
  const date = headers.date;
  const inner = { ...(date === undefined ? {} : { date }), ...facts.metadataHeaders };
  return readRetryHint(inner, { message: '', details: [], metadataHeaders: {} });
}
