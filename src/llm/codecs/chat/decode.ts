/** Push decoder of Chat Completions streams. */
import { isObject, listAt, objectAt, textAt } from '../../json.ts';
import type { TextDelta } from '../../text-calls.ts';
import type { JsonObject, JsonValue, ReportedUsage } from '../../types.ts';
import { type BlockCollector, createBlockCollector } from '../blocks.ts';
import {
  type DecodedBlock,
  type DecodedStop,
  type DecodedTurn,
  type DecodeInput,
  type Decoder,
  errorAfterFinish,
} from '../codec.ts';
import { readStop } from '../stop.ts';
import { inconsistentUsage, makeUsage } from '../usage.ts';
import { type CallAssembler, createCallAssembler } from './calls.ts';
import { createMessageRecorder, type MessageRecorder } from './message.ts';
import { reasoningOf } from './reasoning.ts';
import { readChatUsage } from './usage.ts';
import { decodedCall, writtenBlocks } from './written-blocks.ts';

export function createChatDecoder(input: DecodeInput): Decoder {
  return new ChatDecoder(input);
}

class ChatDecoder implements Decoder {
  readonly #input: DecodeInput;
  readonly #calls: CallAssembler;
  readonly #blocks: BlockCollector = createBlockCollector();
  readonly #message: MessageRecorder = createMessageRecorder();
  readonly #flags = new Set<string>();
  #stop: DecodedStop | null = null;
  #marked = false;
  #usage: ReportedUsage | null = null;
  #inconsistent = false;
  #servedModel = '';
  #responseId = '';
  #contentCount = 0;

  constructor(input: DecodeInput) {
    this.#input = input;
    this.#calls = createCallAssembler((name) => input.resolve(name) !== null);
  }

  get closed(): boolean {
    return this.#stop !== null || this.#marked;
  }
  get finished(): boolean {
    return this.#marked || this.#stop?.kind === 'error';
  }
  get contentCount(): number {
    return this.#contentCount;
  }

  done(): void {
    this.#marked = true;
  }

  whole(document: JsonObject): void {
    this.push(document);
  }

  push(event: JsonValue): void {
    if (!isObject(event)) return;
    if (isErrorFrame(event)) {
      this.#takeError(event);
      return;
    }
    this.#servedModel = textAt(event, 'model') || this.#servedModel;
    this.#responseId = textAt(event, 'id') || this.#responseId;
    for (const choice of listAt(event, 'choices')) {
      if (isObject(choice) && (choice.index ?? 0) === 0) this.#takeChoice(choice);
    }
    this.#takeUsage(event.usage ?? objectAt(event, 'x_groq')?.usage);
  }

  #takeChoice(choice: JsonObject): void {
    const delta = objectAt(choice, 'delta') ?? objectAt(choice, 'message');
    if (delta !== undefined) this.#takeDelta(delta);
    this.#takeUsage(choice.usage);
    const reason = textAt(choice, 'finish_reason');
    if (reason === undefined || reason === '' || this.#stop?.kind === 'error') return;
    this.#stop = readStop(reason);
    if (isObject(choice.error)) this.#takeError({ error: choice.error });
  }

  #takeDelta(delta: JsonObject): void {
    const { read } = this.#input.profile.reasoning;
    this.#message.reasoning(delta, read);
    this.#takeReasoning(reasoningOf(delta, read));
    this.#takeContent(delta.content);
    this.#takeRefusal(textAt(delta, 'refusal') ?? '');
    for (const entry of listAt(delta, 'tool_calls')) this.#takeCall(entry);
    const legacy = objectAt(delta, 'function_call');
    if (legacy !== undefined) this.#takeCall({ index: 0, function: legacy });
  }

  #takeContent(content: JsonValue | undefined): void {
    if (typeof content === 'string') {
      this.#message.text(content);
      this.#takeText(content);
    } else if (Array.isArray(content)) {
      for (const part of content) this.#takePart(part);
    }
  }

  #takePart(part: JsonValue): void {
    this.#message.part(part);
    const type = textAt(part, 'type');
    if (type === 'text') this.#takeText(textAt(part, 'text') ?? '');
    else if (type === 'thinking') this.#takeReasoning(thinkingText(part));
    else if (type === 'refusal') this.#takeRefusal(textAt(part, 'refusal') ?? '');
    else this.#blocks.add({ type: 'opaque', protocol: 'chat', value: part });
  }

  #takeText(text: string): void {
    if (text === '') return;
    this.#contentCount += 1;
    const { splitter } = this.#input;
    if (splitter === null) this.#blocks.text(text);
    this.#show(splitter === null ? [{ text, reasoning: '' }] : splitter.push(text));
  }

  #takeReasoning(text: string): void {
    if (text === '') return;
    this.#contentCount += 1;
    const { splitter } = this.#input;
    if (splitter === null) this.#blocks.reasoning(text, 'full');
    this.#show(splitter === null ? [{ text: '', reasoning: text }] : splitter.pushReasoning(text));
  }

  #show(deltas: readonly TextDelta[]): void {
    const { emit } = this.#input;
    for (const { text, reasoning } of deltas) {
      if (reasoning !== '') emit({ type: 'reasoning_delta', text: reasoning, kind: 'full' });
      if (text !== '') emit({ type: 'text_delta', text });
    }
  }

  #takeRefusal(text: string): void {
    if (text === '') return;
    this.#contentCount += 1;
    this.#blocks.refusal(text);
  }

  #takeCall(entry: JsonValue): void {
    const delta = this.#calls.add(entry);
    if (delta === undefined) {
      this.#flags.add('duplicate_delta');
      return;
    }
    this.#contentCount += 1;
    const { position: index, ...rest } = delta;
    this.#input.emit({ type: 'tool_call_delta', index, ...rest });
  }

  #takeUsage(value: JsonValue | undefined): void {
    if (!isObject(value)) return;
    const made = makeUsage(readChatUsage(value, this.#input.profile.costField));
    this.#usage = made.usage;
    this.#inconsistent = made.inconsistent;
  }

  #takeError(body: JsonValue): void {
    if (this.#stop?.kind === 'reason' && this.#stop.finish === 'length') {
      this.#input.emit(errorAfterFinish(body));
      return;
    }
    this.#stop = { kind: 'error', raw: this.#stop?.raw ?? null, body };
  }

  turn(): DecodedTurn {
    const written = this.#splitBlocks();
    if (this.#inconsistent) this.#input.emit(inconsistentUsage(this.#usage));
    const { calls } = this.#calls;
    return {
      blocks: [...written, ...this.#blocks.blocks(), ...calls.map(decodedCall)],
      closed: this.closed,
      stop: this.#finalStop(),
      usage: this.#usage,
      discardedUsage: null,
      raw: this.closed ? this.#message.message(calls) : null,
      ...(this.#servedModel === '' ? {} : { servedModel: this.#servedModel }),
      ...(this.#responseId === '' ? {} : { responseId: this.#responseId }),
      flags: [...this.#flags],
      callsConfirmed: false,
    };
  }

  /** What the splitter took apart, as blocks in front of the others. */
  #splitBlocks(): DecodedBlock[] {
    const { splitter } = this.#input;
    if (splitter === null) return [];
    const end = splitter.end({
      closedByStop: this.#stop?.kind === 'reason' && this.#stop.finish === 'stop',
      hasStructured: this.#calls.calls.length > 0,
    });
    this.#show([end.rest]);
    for (const flag of end.flags) this.#flags.add(flag);
    return writtenBlocks(end);
  }

  #finalStop(): DecodedStop | null {
    const stop = this.#stop;
    if (stop === null)
      return this.#marked ? { kind: 'reason', finish: 'unknown', raw: null } : null;
    const refused = stop.kind === 'reason' && stop.finish === 'stop' && this.#blocks.hasRefusal;
    return refused ? { ...stop, finish: 'refusal' } : stop;
  }
}

function isErrorFrame(event: JsonObject): boolean {
  const { error } = event;
  if (error !== undefined && error !== null && error !== false && error !== '') return true;
  if (event.object === 'error' || event.type === 'error') return true;
  return (
    event.choices === undefined &&
    (typeof event.detail === 'string' ||
      (typeof event.message === 'string' && event.code !== undefined))
  );
}

/** Thinking parts hold their text directly or in a list of text parts. */
function thinkingText(part: JsonValue): string {
  const direct = textAt(part, 'thinking');
  if (direct !== undefined) return direct;
  return listAt(part, 'thinking')
    .map((piece) => textAt(piece, 'text') ?? '')
    .join('');
}
