import type { ContentBlock, LLMMessage, ToolCall, ToolResultBlock } from '../types.ts';
import { cleanMessage } from './clean-message.ts';
import { createGrowingFold } from './growing-fold.ts';
import { addNotes, type Notes, note } from './notes.ts';
import { reuse } from './reuse.ts';

/**
 * A history in which every call has exactly one result, directly behind its turn and in call order, nothing is
 * empty and no text breaks a request. Independent of any vendor; applying it twice changes nothing more.
 * Messages that need no repair come out as the same objects, repaired ones as the same objects every time.
 */
export function repairMessages(messages: readonly LLMMessage[]): {
  readonly messages: readonly LLMMessage[];
  readonly notes: Notes;
} {
  const repair = repaired(messages);
  const last: Repair = { out: [...repair.out], notes: new Map(repair.notes), open: repair.open };
  close(last);
  return { messages: last.out, notes: last.notes };
}

interface Repair {
  readonly out: LLMMessage[];
  readonly notes: Notes;
  open: OpenTurn | null;
}

const repaired = createGrowingFold<LLMMessage, Repair>(
  () => ({ out: [], notes: new Map(), open: null }),
  addMessage,
);

function addMessage(repair: Repair, stored: LLMMessage): void {
  const { out, notes } = repair;
  const { message, notes: own } = cleanMessage(stored);
  addNotes(notes, own);
  const calls = callsOf(message);
  if (calls.length > 0) close(repair);
  const rest: LLMMessage | null =
    message.role === 'user' ? takeResults(message, repair.open, out.length, notes) : message;
  if (rest !== null && rest.content.length > 0) out.push(rest);
  if (calls.length > 0) repair.open = newTurn(message, calls, out.length);
}

/** No more results come for the open turn: its message of results takes its place. */
function close(repair: Repair): void {
  const { out, notes, open } = repair;
  if (open !== null) out.splice(open.slot, 0, resultsMessage(open, notes));
  repair.open = null;
}

/** A turn with calls whose results are being gathered. */
interface OpenTurn {
  readonly turn: LLMMessage;
  readonly calls: readonly ToolCall[];
  /** Where the message with the results goes. */
  readonly slot: number;
  readonly results: Map<string, ToolResultBlock>;
  /** The stored message directly behind the turn that brings results. */
  carrier: LLMMessage | null;
  /** Something else stood between the turn and one of its results. */
  moved: boolean;
}

function newTurn(turn: LLMMessage, calls: readonly ToolCall[], slot: number): OpenTurn {
  return { turn, calls, slot, results: new Map(), carrier: null, moved: false };
}

interface Parts {
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResultBlock[];
  /** Neither calls nor results. */
  readonly rest: readonly ContentBlock[];
  readonly resultsLead: boolean;
}

const parts = new WeakMap<LLMMessage, Parts>();

/** The blocks of a message by kind; sorted once per message object. */
function partsOf(message: LLMMessage): Parts {
  const known = parts.get(message);
  if (known !== undefined) return known;
  const { content } = message;
  const results = content.filter((block) => block.type === 'tool_result');
  const made: Parts = {
    calls: content.filter((block) => block.type === 'tool_call').map((block) => block.call),
    results,
    rest: content.filter((block) => block.type !== 'tool_call' && block.type !== 'tool_result'),
    resultsLead: results.every((block, index) => block === content[index]),
  };
  parts.set(message, made);
  return made;
}

export function callsOf(message: LLMMessage): readonly ToolCall[] {
  return partsOf(message).calls;
}

/** Moves the results of a user message to the open turn; what is left of the message, or null. */
function takeResults(
  message: LLMMessage,
  open: OpenTurn | null,
  position: number,
  notes: Notes,
): LLMMessage | null {
  const { results, rest } = partsOf(message);
  if (results.length === 0) {
    if (message.content.length === 0) note(notes, 'empty_message');
    return message;
  }
  const stray = results.filter((result) => open === null || !gather(open, result)).length;
  if (stray > 0) note(notes, 'stray_result', stray);
  if (open !== null && open.slot === position && open.carrier === null && stray < results.length) {
    open.carrier = message;
    return null;
  }
  if (open !== null && open.slot !== position && stray < results.length) open.moved = true;
  return rest.length === 0
    ? null
    : reuse(strayCache, message, rest, () => ({ ...message, content: rest }));
}

const strayCache = new WeakMap<object, { parts: readonly unknown[]; value: LLMMessage }>();

/** Keeps a result of the turn: a real one beats a synthetic one, of two real ones the first stays. */
function gather(open: OpenTurn, result: ToolResultBlock): boolean {
  if (!open.calls.some((call) => call.call_id === result.call_id)) return false;
  const present = open.results.get(result.call_id);
  if (present === undefined || (isSynthetic(present) && !isSynthetic(result))) {
    open.results.set(result.call_id, result);
    return true;
  }
  return false;
}

function isSynthetic(result: ToolResultBlock): boolean {
  return !result.success && result.error_kind === 'interrupted';
}

const missing = new WeakMap<ToolCall, ToolResultBlock>();

function missingResult(call: ToolCall): ToolResultBlock {
  const known = missing.get(call);
  if (known !== undefined) return known;
  const result: ToolResultBlock = {
    type: 'tool_result',
    call_id: call.call_id,
    name: call.name,
    success: false,
    error_kind: 'interrupted',
    text: 'ERROR interrupted: no result of this call was recorded. The outcome is unknown; check before repeating.',
  };
  missing.set(call, result);
  return result;
}

const merged = new WeakMap<object, { parts: readonly unknown[]; value: LLMMessage }>();

function resultsMessage(open: OpenTurn, notes: Notes): LLMMessage {
  const { carrier } = open;
  if (carrier !== null && bringsAll(carrier, open)) return carrier;
  const lacking = open.calls.filter((call) => !open.results.has(call.call_id)).length;
  if (lacking > 0) note(notes, 'missing_result', lacking);
  const ordered = open.calls.map((call) => open.results.get(call.call_id) ?? missingResult(call));
  const content = [...ordered, ...(carrier === null ? [] : partsOf(carrier).rest)];
  const arrived = [...open.results.values()];
  const inOrder = arrived.every((block, index) => block === ordered[index]);
  if (lacking === 0 && (open.moved || !inOrder)) note(notes, 'moved_result');
  return reuse(merged, open.turn, content, () => ({
    message_id: carrier?.message_id ?? `${open.turn.message_id}:results`,
    role: 'user',
    content,
    origin: 'tool',
  }));
}

/** The stored message already holds just the results of the turn, leading and in call order. */
function bringsAll(carrier: LLMMessage, { calls, results }: OpenTurn): boolean {
  const stored = partsOf(carrier);
  return (
    stored.resultsLead &&
    stored.results.length === calls.length &&
    calls.every((call, index) => results.get(call.call_id) === stored.results[index])
  );
}
