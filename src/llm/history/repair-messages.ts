import type {
  ContentBlock,
  LLMMessage,
  ToolCall,
  ToolCallBlock,
  ToolResultBlock,
} from '../types.ts';
import { cleanMessage } from './clean-message.ts';
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
  const notes: Notes = new Map();
  const out: LLMMessage[] = [];
  let open: OpenTurn | null = null;
  const close = () => {
    if (open !== null) out.splice(open.slot, 0, resultsMessage(open, notes));
    open = null;
  };
  for (const stored of messages) {
    const { message, notes: own } = cleanMessage(stored);
    addNotes(notes, own);
    const calls = callsOf(message);
    if (calls.length > 0) close();
    const rest: LLMMessage | null =
      message.role === 'user' ? takeResults(message, open, out.length, notes) : message;
    if (rest !== null && rest.content.length > 0) out.push(rest);
    if (calls.length > 0) open = newTurn(message, calls, out.length);
  }
  close();
  return { messages: out, notes };
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

export function callsOf(message: LLMMessage): readonly ToolCall[] {
  return message.content
    .filter((block): block is ToolCallBlock => block.type === 'tool_call')
    .map((block) => block.call);
}

function isResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === 'tool_result';
}

/** Moves the results of a user message to the open turn; what is left of the message, or null. */
function takeResults(
  message: LLMMessage,
  open: OpenTurn | null,
  position: number,
  notes: Notes,
): LLMMessage | null {
  const results = message.content.filter(isResult);
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
  const content = message.content.filter((block) => !isResult(block));
  return content.length === 0
    ? null
    : reuse(strayCache, message, content, () => ({ ...message, content }));
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
  const lacking = open.calls.filter((call) => !open.results.has(call.call_id)).length;
  if (lacking > 0) note(notes, 'missing_result', lacking);
  const ordered = open.calls.map((call) => open.results.get(call.call_id) ?? missingResult(call));
  const rest = open.carrier?.content.filter((block) => !isResult(block)) ?? [];
  const content = [...ordered, ...rest];
  const { carrier } = open;
  if (carrier !== null && isSameList(content, carrier.content)) return carrier;
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

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
