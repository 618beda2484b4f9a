import {
  cutFault,
  invalidJsonFault,
  notObjectFault,
  tooDeepFault,
  tooLargeFault,
} from './argument-faults.ts';
import { isObject } from './json.ts';
import { endOfBrackets, isDeeperThan, missingClosersOf, valueDepth } from './json-scan.ts';
import { escapeControls, relaxedToJson } from './relaxed-json.ts';
import type { CallFault, JsonObject, JsonValue } from './types.ts';

/** The one way from what a model wrote as arguments to an object or a fault. Values are never coerced here. */

export interface ParseOptions {
  /** The turn ended by itself and may run; false makes every call `cut`. */
  readonly closed: boolean;
  /** The profile allows appending lost closing brackets. */
  readonly missingClosers?: boolean;
  /** Does the value validate without any coercion? Needed by `missing_closers`. */
  readonly check?: (value: JsonObject) => boolean;
  /** The provider reported an output count below the limit that was sent. Needed by `missing_closers`. */
  readonly outputBelowLimit?: boolean;
}

export interface ParsedCall {
  readonly arguments: JsonObject;
  readonly repairs: string[];
}
export type ParsedArguments =
  | { readonly calls: ParsedCall[] }
  | { readonly fault: CallFault; readonly repairs: string[] };

const MIB = 1024 * 1024;
export const MAX_ARGUMENT_BYTES = 8 * MIB;
const MAX_REPAIR_BYTES = MIB;
const MAX_DEPTH = 128;
const MAX_LAYERS = 2;
const MAX_CONCATENATED = 16;
const MAX_CLOSERS = 4;

/** Never throws. Time is linear in the length of the text. */
export function parseArguments(
  raw: string | JsonValue | undefined,
  options: ParseOptions,
): ParsedArguments {
  if (!options.closed) return { fault: cutFault(raw), repairs: [] };
  if (raw === undefined || raw === null) return one({}, ['empty']);
  if (typeof raw !== 'string') return parseWireValue(raw);
  if (isLonger(raw, MAX_ARGUMENT_BYTES)) return { fault: tooLargeFault(raw), repairs: [] };
  if (raw.trim() === '') return one({}, ['empty']);
  return climb(raw, options);
}

function one(value: JsonObject, repairs: string[]): ParsedArguments {
  return { calls: [{ arguments: value, repairs }] };
}

/** Is the UTF-8 form longer than `bytes`? */
function isLonger(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

function parseWireValue(value: JsonValue): ParsedArguments {
  if (!isObject(value)) return { fault: notObjectFault(value, JSON.stringify(value)), repairs: [] };
  if (valueDepth(value, MAX_DEPTH) > MAX_DEPTH)
    return { fault: tooDeepFault('', MAX_DEPTH), repairs: [] };
  const text = JSON.stringify(value);
  if (isLonger(text, MAX_ARGUMENT_BYTES)) return { fault: tooLargeFault(text), repairs: [] };
  return one(value, ['object']);
}

type Outcome = ParsedArguments | null;
type Strict = { readonly value: JsonValue } | 'deep' | null;

function parseStrict(text: string): Strict {
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(text, MAX_DEPTH)) return 'deep';
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return null;
  }
}

/** The rungs from strict JSON upwards. */
function climb(text: string, options: ParseOptions): ParsedArguments {
  const direct = settled(text, []);
  if (direct !== null || isLonger(text, MAX_REPAIR_BYTES)) return direct ?? unreadable(text, []);
  return unwrapString(text, options, [], MAX_LAYERS) ?? unwrapFence(text, options, []);
}

/** What a text that is JSON comes to. Null when it is no JSON, or a string that may hold the object. */
function settled(text: string, repairs: string[]): Outcome {
  const strict = parseStrict(text);
  if (strict === null) return null;
  if (strict === 'deep') return { fault: tooDeepFault(text, MAX_DEPTH), repairs };
  if (isObject(strict.value)) return one(strict.value, repairs);
  if (typeof strict.value === 'string' && mayHoldObject(strict.value)) return null;
  return { fault: notObjectFault(strict.value, text), repairs };
}

function mayHoldObject(text: string): boolean {
  return /^\s*["{`~]/.test(text);
}

function unwrapString(
  text: string,
  options: ParseOptions,
  repairs: string[],
  layers: number,
): Outcome {
  const strict = parseStrict(text);
  if (strict === null || strict === 'deep' || typeof strict.value !== 'string') return null;
  if (layers === 0) return { fault: notObjectFault(strict.value, text), repairs };
  const flags = [...repairs, 'double_encoded'];
  return (
    settled(strict.value, flags) ??
    unwrapString(strict.value, options, flags, layers - 1) ??
    unwrapFence(strict.value, options, flags)
  );
}

function unwrapFence(text: string, options: ParseOptions, repairs: string[]): ParsedArguments {
  const content = contentOfFence(text);
  if (content === null) return repairObject(text, options, repairs);
  const flags = [...repairs, 'fenced'];
  return settled(content, flags) ?? repairObject(content, options, flags);
}

/** The rungs that mend the object's own text. */
function repairObject(text: string, options: ParseOptions, repairs: string[]): ParsedArguments {
  if (!text.trimStart().startsWith('{')) return unreadable(text, repairs);
  return (
    concatenated(text, repairs) ??
    rewritten(escapeControls(text), text, repairs, 'control_chars') ??
    rewritten(relaxedToJson(text), text, repairs, 'relaxed') ??
    withClosers(text, options, repairs) ??
    unreadable(text, repairs)
  );
}

function unreadable(text: string, repairs: string[]): ParsedArguments {
  return { fault: invalidJsonFault(text), repairs };
}

function withClosers(text: string, options: ParseOptions, repairs: string[]): Outcome {
  const { missingClosers, outputBelowLimit, check } = options;
  if (missingClosers !== true || outputBelowLimit !== true || check === undefined) return null;
  const missing = missingClosersOf(text, MAX_CLOSERS);
  if (missing === null || missing === '') return null;
  const strict = parseStrict(text + missing);
  if (strict === null || strict === 'deep' || !isObject(strict.value)) return null;
  return check(strict.value) ? one(strict.value, [...repairs, 'missing_closers']) : null;
}

function rewritten(json: string | null, text: string, repairs: string[], flag: string): Outcome {
  if (json === null || json === text) return null;
  const strict = parseStrict(json);
  if (strict === null) return null;
  if (strict === 'deep') return { fault: tooDeepFault(text, MAX_DEPTH), repairs };
  return isObject(strict.value) ? one(strict.value, [...repairs, flag]) : null;
}

/** The lines between one opening and one closing fence line that are the whole text. */
function contentOfFence(text: string): string | null {
  const trimmed = text.trim();
  const fence = /^(`{3,}|~{3,})/.exec(trimmed)?.[1];
  const firstBreak = trimmed.indexOf('\n');
  const lastBreak = trimmed.lastIndexOf('\n');
  if (fence === undefined || lastBreak <= firstBreak) return null;
  if (trimmed.slice(lastBreak + 1).trim() !== fence) return null;
  if (!/^[\w+.-]*$/.test(trimmed.slice(fence.length, firstBreak).trim())) return null;
  return trimmed.slice(firstBreak + 1, lastBreak);
}

/** 2 to 16 complete objects with only white space between them: one call each, repeats and lone `{}` dropped. */
function concatenated(text: string, repairs: string[]): Outcome {
  const pieces = splitObjects(text);
  if (pieces === null || pieces.length < 2) return null;
  const values = new Map<string, JsonObject>();
  for (const piece of pieces) {
    const strict = parseStrict(piece);
    if (strict === null || strict === 'deep' || !isObject(strict.value)) return null;
    values.set(piece, strict.value);
  }
  const filled = [...values.values()].filter((value) => Object.keys(value).length > 0);
  const kept = filled.length > 0 ? filled : [...values.values()].slice(0, 1);
  const flags = ['concatenated', ...(kept.length < pieces.length ? ['duplicate_arguments'] : [])];
  return { calls: kept.map((value) => ({ arguments: value, repairs: [...repairs, ...flags] })) };
}

function splitObjects(text: string): string[] | null {
  const pieces: string[] = [];
  for (let at = skipWhite(text, 0); at < text.length; ) {
    const end = text[at] === '{' ? endOfBrackets(text, at) : -1;
    if (end < 0 || pieces.length === MAX_CONCATENATED) return null;
    pieces.push(text.slice(at, end));
    at = skipWhite(text, end);
  }
  return pieces;
}

function skipWhite(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '.')) at++;
  return at;
}
