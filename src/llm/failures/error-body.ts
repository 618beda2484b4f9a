/** Reads the forms in which endpoints say what went wrong. */
import { isObject, listAt, objectAt, textAt } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';

export interface ErrorFacts {
  readonly message: string;
  /** Codes and types as text; a numeric code becomes its decimal text. */
  readonly code?: string;
  readonly type?: string;
  readonly param?: string;
  /** Google's list of details. */
  readonly details: readonly JsonValue[];
  /** OpenRouter's copy of the upstream headers, lower-case names. */
  readonly metadataHeaders: Readonly<Record<string, string>>;
  /** What the model wrote when the vendor refused it. */
  readonly failedGeneration?: string;
}

const EXCERPT = 2000;

/** Facts of an error body as text: JSON in any known form, HTML (its title only), plain text or nothing. */
export function readErrorText(text: string): ErrorFacts {
  const trimmed = text.trim();
  if (trimmed === '') return plain('the response body is empty');
  try {
    return readErrorValue(JSON.parse(trimmed) as JsonValue);
  } catch {
    return plain(trimmed.startsWith('<') ? htmlTitle(trimmed) : trimmed.slice(0, EXCERPT));
  }
}

/** Facts of an error body or error frame that was JSON. */
export function readErrorValue(value: JsonValue): ErrorFacts {
  if (Array.isArray(value)) return readErrorValue(value[0] ?? null);
  if (typeof value === 'string') return plain(value);
  if (!isObject(value)) return plain(JSON.stringify(value));
  const error = value.error;
  if (typeof error === 'string') return { ...readObject(value), message: messageOf(value, error) };
  if (isObject(error)) return nested(value, error);
  const failed = objectAt(objectAt(value, 'response'), 'error');
  return failed === undefined ? readObject(value) : readObject(failed);
}

/** The inner error; the outer object may add a code or type. */
function nested(outer: JsonObject, error: JsonObject): ErrorFacts {
  const inner = readObject(error);
  const rest = readObject(outer);
  const outerType = rest.type === 'error' ? undefined : rest.type;
  return {
    ...inner,
    ...(inner.code === undefined && rest.code !== undefined ? { code: rest.code } : {}),
    ...(inner.type === undefined && outerType !== undefined ? { type: outerType } : {}),
  };
}

function readObject(value: JsonObject): ErrorFacts {
  const code = wordAt(value, 'code');
  const type = wordAt(value, 'type') ?? wordAt(value, 'status');
  const param = textAt(value, 'param');
  const generation = value.failed_generation;
  return {
    message: messageOf(value, undefined),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(param === undefined ? {} : { param }),
    details: listAt(value, 'details'),
    metadataHeaders: headersOf(objectAt(objectAt(value, 'metadata'), 'headers')),
    ...(generation === undefined || generation === null
      ? {}
      : {
          failedGeneration:
            typeof generation === 'string' ? generation : JSON.stringify(generation),
        }),
  };
}

function messageOf(value: JsonObject, fallback: string | undefined): string {
  const named = ['message', 'msg', 'detail', 'error_description'].map((key) => value[key]);
  const given = named.find((entry) => entry !== undefined && entry !== null) ?? fallback;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? value);
  const raw = textAt(objectAt(value, 'metadata'), 'raw');
  return (raw === undefined ? text : `${text}: ${raw}`).slice(0, EXCERPT);
}

function wordAt(value: JsonObject, key: string): string | undefined {
  const member = value[key];
  if (typeof member === 'number') return String(member);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

function headersOf(value: JsonObject | undefined): Record<string, string> {
  const entries = Object.entries(value ?? {}).map(([name, entry]) => [
    name.toLowerCase(),
    String(entry),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function htmlTitle(html: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1]?.trim();
  return title ? title.slice(0, EXCERPT) : 'the response is an HTML page';
}

function plain(message: string): ErrorFacts {
  return { message, details: [], metadataHeaders: {} };
}
