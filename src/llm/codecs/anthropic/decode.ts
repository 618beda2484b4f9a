/** Push decoder of Anthropic Messages streams. */
import { isObject, listAt, numberAt, objectAt, textAt } from '../../json.ts';
import type { JsonObject, JsonValue, ReportedUsage } from '../../types.ts';
import {
  type DecodedBlock,
  type DecodedStop,
  type DecodedTurn,
  type DecodeInput,
  type Decoder,
  errorAfterFinish,
} from '../codec.ts';
import { readStop } from '../stop.ts';
import { addUsage, inconsistentUsage, makeUsage } from '../usage.ts';
import { decodeBlock, type GrowingBlock, growUnknown, openBlock, settle } from './block.ts';
import { mergeUsage, readAnthropicUsage } from './usage.ts';

/** Everything a `message_start` begins anew. */
interface MessageState {
  id: string | undefined;
  model: string | undefined;
  readonly blocks: Map<number, GrowingBlock>;
  usage: JsonObject | null;
  stop: DecodedStop | null;
  refusal: string;
}

function emptyMessage(): MessageState {
  return {
    id: undefined,
    model: undefined,
    blocks: new Map(),
    usage: null,
    stop: null,
    refusal: '',
  };
}

export function createAnthropicDecoder(input: DecodeInput): Decoder {
  return new AnthropicDecoder(input);
}

class AnthropicDecoder implements Decoder {
  readonly #input: DecodeInput;
  #message = emptyMessage();
  #started = false;
  #stopped = false;
  #discardedUsage: ReportedUsage | null = null;
  #contentCount = 0;

  constructor(input: DecodeInput) {
    this.#input = input;
  }

  get closed(): boolean {
    return this.#stopped || this.#message.stop !== null;
  }
  get finished(): boolean {
    return this.#stopped || this.#message.stop?.kind === 'error';
  }
  get contentCount(): number {
    return this.#contentCount;
  }

  /** Proxies add Chat's end mark; the protocol has its own. */
  done(): void {}

  push(event: JsonValue): void {
    if (!isObject(event)) return;
    const index = numberAt(event, 'index') ?? 0;
    switch (event.type) {
      case 'message_start':
        this.#start(objectAt(event, 'message') ?? {});
        return;
      case 'content_block_start':
        this.#open(index, objectAt(event, 'content_block') ?? {});
        return;
      case 'content_block_delta':
        this.#takeDelta(index, objectAt(event, 'delta') ?? {});
        return;
      case 'content_block_stop': {
        const block = this.#message.blocks.get(index);
        if (block !== undefined) settle(block);
        return;
      }
      case 'message_delta':
        this.#takeEnd(objectAt(event, 'delta') ?? {}, objectAt(event, 'usage'));
        return;
      case 'message_stop':
        this.#stopped = true;
        return;
      default:
        if (event.type === 'error' || isObject(event.error)) this.#takeError(event);
    }
  }

  whole(document: JsonObject): void {
    if (document.type === 'error' || isObject(document.error)) {
      this.#takeError(document);
      return;
    }
    this.#start(document);
    this.#takeEnd(document, undefined);
    this.#stopped = true;
  }

  /** A second start of the same message before any content is a repetition; any other starts over. */
  #start(body: JsonObject): void {
    const id = textAt(body, 'id');
    if (this.#started) {
      const same = id !== undefined && id === this.#message.id;
      if (same && this.#message.blocks.size === 0) return;
      this.#discard();
    }
    this.#started = true;
    this.#message = emptyMessage();
    this.#message.id = id;
    this.#message.model = textAt(body, 'model');
    this.#message.usage = objectAt(body, 'usage') ?? null;
    listAt(body, 'content').forEach((block, index) => {
      if (isObject(block)) this.#open(index, block);
    });
  }

  #discard(): void {
    const before = this.#usage();
    if (before !== null) {
      this.#discardedUsage =
        this.#discardedUsage === null ? before : addUsage(this.#discardedUsage, before);
    }
    this.#input.emit({ type: 'discard', reason: 'the endpoint started the message over' });
  }

  #open(index: number, body: JsonObject): void {
    const block = openBlock(body);
    this.#message.blocks.set(index, block);
    this.#contentCount += 1;
    if (block.type === 'text') this.#showText(textAt(body, 'text') ?? '');
    else if (block.type === 'thinking') this.#showReasoning(textAt(body, 'thinking') ?? '');
    else if (block.type === 'tool_use') {
      this.#input.emit({
        type: 'tool_call_delta',
        index: this.#callPosition(index),
        name: textAt(body, 'name') ?? '',
        text: '',
      });
    }
  }

  #takeDelta(index: number, delta: JsonObject): void {
    const block = this.#message.blocks.get(index);
    if (block === undefined) return;
    this.#contentCount += 1;
    switch (delta.type) {
      case 'text_delta': {
        const text = textAt(delta, 'text') ?? '';
        block.pieces.text.push(text);
        this.#showText(text);
        return;
      }
      case 'thinking_delta': {
        const text = textAt(delta, 'thinking') ?? '';
        block.pieces.text.push(text);
        this.#showReasoning(text);
        return;
      }
      case 'signature_delta':
        block.wire.signature =
          (textAt(block.wire, 'signature') ?? '') + (textAt(delta, 'signature') ?? '');
        return;
      case 'input_json_delta':
        this.#takeInput(index, block, textAt(delta, 'partial_json') ?? '');
        return;
      default:
        growUnknown(block, delta);
    }
  }

  #takeInput(index: number, block: GrowingBlock, text: string): void {
    block.pieces.input.push(text);
    if (block.type !== 'tool_use' || text === '') return;
    this.#input.emit({ type: 'tool_call_delta', index: this.#callPosition(index), text });
  }

  #showText(text: string): void {
    if (text !== '') this.#input.emit({ type: 'text_delta', text });
  }

  #showReasoning(text: string): void {
    if (text !== '') this.#input.emit({ type: 'reasoning_delta', text, kind: 'full' });
  }

  #callPosition(index: number): number {
    let position = 0;
    for (const [at, block] of this.#message.blocks) {
      if (at < index && block.type === 'tool_use') position += 1;
    }
    return position;
  }

  #takeEnd(delta: JsonObject, usage: JsonObject | undefined): void {
    const message = this.#message;
    if (usage !== undefined) message.usage = mergeUsage(message.usage, usage);
    const reason = textAt(delta, 'stop_reason');
    if (reason === undefined || reason === '' || message.stop?.kind === 'error') return;
    message.stop = readStop(reason);
    message.refusal = textAt(objectAt(delta, 'stop_details'), 'explanation') ?? '';
  }

  #takeError(event: JsonObject): void {
    const { stop } = this.#message;
    if (stop?.kind === 'reason' && stop.finish === 'length') {
      this.#input.emit(errorAfterFinish(event));
      return;
    }
    this.#message.stop = { kind: 'error', raw: stop?.raw ?? null, body: event };
  }

  #usage(): ReportedUsage | null {
    if (this.#message.usage === null) return null;
    const made = makeUsage(readAnthropicUsage(this.#message.usage));
    if (made.inconsistent) this.#input.emit(inconsistentUsage(made.usage));
    return made.usage;
  }

  turn(): DecodedTurn {
    const { id, model, stop } = this.#message;
    const ordered = [...this.#message.blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    for (const block of ordered) settle(block);
    return {
      blocks: decodeBlocks(ordered, this.#message.refusal),
      closed: this.closed,
      stop: stop ?? (this.closed ? { kind: 'reason', finish: 'unknown', raw: null } : null),
      usage: this.#usage(),
      discardedUsage: this.#discardedUsage,
      raw: this.closed ? rawBlocks(ordered) : null,
      ...(model === undefined ? {} : { servedModel: model }),
      ...(id === undefined ? {} : { responseId: id }),
      flags: [],
      callsConfirmed: false,
    };
  }
}

function decodeBlocks(ordered: readonly GrowingBlock[], refusal: string): DecodedBlock[] {
  let calls = 0;
  const blocks = ordered.map((block) => {
    const decoded = decodeBlock(block, calls);
    if (decoded.type === 'call') calls += 1;
    return decoded;
  });
  if (refusal !== '') blocks.push({ type: 'refusal', text: refusal });
  return blocks;
}

/** The blocks for sending back; the endpoint itself refuses blank text blocks it once sent. */
function rawBlocks(ordered: readonly GrowingBlock[]): JsonValue {
  return ordered
    .filter((block) => block.type !== 'text' || (textAt(block.wire, 'text') ?? '').trim() !== '')
    .map((block) => block.wire);
}
