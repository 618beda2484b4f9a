/** Puts the tool-call deltas of a Chat stream together. `index` is never an array position. */
import { isObject, objectAt, textAt } from '../../json.ts';
import type { JsonValue } from '../../types.ts';

export interface AssembledCall {
  id: string | null;
  index: number | undefined;
  name: string;
  text: string;
  /** Set where the wire gave a value that is not text. */
  value: JsonValue | undefined;
  /** `extra_content` of the wire's call: signatures of Gemini behind Chat. */
  extra: JsonValue | undefined;
}

interface Entry {
  readonly index: number | undefined;
  readonly id: string | null;
  readonly name: string;
  readonly text: string;
  readonly value: JsonValue | undefined;
  readonly extra: JsonValue | undefined;
}

export interface CallDelta {
  readonly position: number;
  readonly name?: string;
  readonly text: string;
}

export interface CallAssembler {
  readonly calls: readonly AssembledCall[];
  /** What the entry added, or undefined when it was an exact repetition. */
  add(entry: JsonValue): CallDelta | undefined;
}

/** Characters of argument text that are kept; anything longer is refused as a whole. */
const TEXT_LIMIT = 8 * 1024 * 1024 + 1;

export function createCallAssembler(offered: (name: string) => boolean): CallAssembler {
  const calls: AssembledCall[] = [];

  const newest = (test: (call: AssembledCall) => boolean): AssembledCall | undefined =>
    calls.findLast(test);

  const open = (): AssembledCall => {
    const call: AssembledCall = {
      id: null,
      index: undefined,
      name: '',
      text: '',
      value: undefined,
      extra: undefined,
    };
    calls.push(call);
    return call;
  };

  const target = (entry: Entry): AssembledCall | 'duplicate' => {
    const { id, index } = entry;
    if (id !== null) {
      const known = newest((call) => call.id === id);
      if (known !== undefined) return again(known, entry, open, true);
      const same = index === undefined ? undefined : newest((call) => call.index === index);
      return same !== undefined && entry.name === '' ? same : open();
    }
    if (index !== undefined) {
      const same = newest((call) => call.index === index);
      return same === undefined ? open() : again(same, entry, open, false);
    }
    const last = calls.at(-1);
    if (last === undefined) return open();
    if (entry.name === '') return last;
    return last.name === entry.name && !isComplete(last) ? last : open();
  };

  const add = (value: JsonValue): CallDelta | undefined => {
    const entry = readEntry(value);
    const call = target(entry);
    if (call === 'duplicate') return undefined;
    const isNew = call.name === '' && entry.name !== '';
    if (call.id === null) call.id = entry.id;
    if (call.index === undefined) call.index = entry.index;
    call.name = joinName(call.name, entry.name, offered);
    if (call.text.length < TEXT_LIMIT) call.text += entry.text;
    if (entry.value !== undefined) call.value = entry.value;
    if (entry.extra !== undefined) call.extra = entry.extra;
    return {
      position: calls.indexOf(call),
      ...(isNew ? { name: call.name } : {}),
      text: entry.value === undefined ? entry.text : JSON.stringify(entry.value),
    };
  };

  return { calls, add };
}

/** A further entry for a known call: the call itself, a new call, or an exact repetition. */
function again(
  call: AssembledCall,
  entry: Entry,
  open: () => AssembledCall,
  byId: boolean,
): AssembledCall | 'duplicate' {
  if (entry.name === '') return call;
  const otherIndex =
    byId && entry.index !== undefined && call.index !== undefined && entry.index !== call.index;
  const second = hasArguments(entry) && isComplete(call);
  if (!otherIndex && !second) return call;
  return argumentBytes(entry) === argumentBytes(call) ? 'duplicate' : open();
}

function hasArguments(part: { text: string; value: JsonValue | undefined }): boolean {
  return part.text !== '' || part.value !== undefined;
}

function argumentBytes(part: { text: string; value: JsonValue | undefined }): string {
  return part.value === undefined ? part.text : JSON.stringify(part.value);
}

/** The arguments so far are a whole JSON object. */
function isComplete(call: AssembledCall): boolean {
  if (isObject(call.value)) return true;
  if (!call.text.trimEnd().endsWith('}')) return false;
  try {
    return isObject(JSON.parse(call.text) as JsonValue);
  } catch {
    return false;
  }
}

function joinName(soFar: string, piece: string, offered: (name: string) => boolean): string {
  if (piece === '' || piece === soFar) return soFar;
  if (piece.startsWith(soFar) && offered(piece)) return piece;
  return soFar + piece;
}

function readEntry(value: JsonValue): Entry {
  const entry = isObject(value) ? value : {};
  const called = objectAt(entry, 'function') ?? entry;
  const given = called.arguments;
  const isText = typeof given === 'string';
  return {
    index: readIndex(entry.index),
    id: readId(entry.id),
    name: textAt(called, 'name') ?? '',
    text: isText ? given : '',
    value: isText || given === null ? undefined : given,
    extra: entry.extra_content,
  };
}

function readIndex(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function readId(value: JsonValue | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
