/** Push decoder of OpenAI Responses streams. */
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
import { inconsistentUsage, makeUsage } from '../usage.ts';
import { decodeItem, type GrowingItem, openItem } from './item.ts';
import { readResponsesUsage } from './usage.ts';

export function createResponsesDecoder(input: DecodeInput): Decoder {
  return new ResponsesDecoder(input);
}

class ResponsesDecoder implements Decoder {
  readonly #input: DecodeInput;
  readonly #items = new Map<number, GrowingItem>();
  #response: JsonObject = {};
  #stop: DecodedStop | null = null;
  #usage: ReportedUsage | null = null;
  #contentCount = 0;

  constructor(input: DecodeInput) {
    this.#input = input;
  }

  get closed(): boolean {
    return this.#stop !== null;
  }
  get finished(): boolean {
    return this.#stop !== null;
  }
  get contentCount(): number {
    return this.#contentCount;
  }

  /** Proxies add Chat's end mark; the protocol has its own. */
  done(): void {}

  push(event: JsonValue): void {
    if (!isObject(event)) return;
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        this.#response = objectAt(event, 'response') ?? this.#response;
        return;
      case 'response.output_item.added':
        this.#addItem(event);
        return;
      case 'response.output_item.done':
        this.#finishItem(event);
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#takeEnd(event);
        return;
      case 'error':
        this.#takeError(event);
        return;
      case undefined:
        if (isObject(event.error)) this.#takeError(event);
        return;
      default:
        this.#takeDelta(event, textAt(event, 'delta') ?? '');
    }
  }

  whole(document: JsonObject): void {
    if (isObject(document.error)) this.#takeError({ error: document.error });
    else this.#takeEnd({ type: 'response.completed', response: document });
  }

  #takeDelta(event: JsonObject, delta: string): void {
    switch (event.type) {
      case 'response.output_text.delta':
        if (delta === '') return;
        this.#contentCount += 1;
        this.#itemOf(event)?.text.push(delta);
        this.#input.emit({ type: 'text_delta', text: delta });
        return;
      case 'response.refusal.delta':
        this.#contentCount += 1;
        this.#itemOf(event)?.refusal.push(delta);
        return;
      case 'response.reasoning_summary_part.added':
        if ((numberAt(event, 'summary_index') ?? 0) > 0) {
          this.#takeReasoning(event, 'summary', '\n\n');
        }
        return;
      case 'response.reasoning_summary_text.delta':
        this.#takeReasoning(event, 'summary', delta);
        return;
      case 'response.reasoning_text.delta':
        this.#takeReasoning(event, 'full', delta);
        return;
      case 'response.function_call_arguments.delta':
        this.#takeArguments(event, delta);
        return;
      case 'response.function_call_arguments.done':
        this.#confirmArguments(event);
        return;
      default:
    }
  }

  #takeReasoning(event: JsonObject, kind: 'summary' | 'full', text: string): void {
    if (text === '') return;
    this.#contentCount += 1;
    const item = this.#itemOf(event);
    (kind === 'summary' ? item?.summary : item?.reasoning)?.push(text);
    this.#input.emit({ type: 'reasoning_delta', text, kind });
  }

  #takeArguments(event: JsonObject, delta: string): void {
    const item = this.#itemOf(event);
    if (item === undefined) return;
    this.#contentCount += 1;
    item.arguments.push(delta);
    this.#input.emit({ type: 'tool_call_delta', index: this.#callPosition(item), text: delta });
  }

  #confirmArguments(event: JsonObject): void {
    const item = this.#itemOf(event);
    const text = textAt(event, 'arguments');
    if (item !== undefined && text !== undefined) item.arguments = [text];
  }

  #ordered(): GrowingItem[] {
    return [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  /** Some gateways change item ids from event to event, so the position counts before the id. */
  #itemOf(event: JsonObject): GrowingItem | undefined {
    const index = numberAt(event, 'output_index');
    if (index !== undefined) return this.#items.get(index);
    const id = textAt(event, 'item_id');
    return this.#ordered().find((item) => textAt(item.wire, 'id') === id);
  }

  #callPosition(item: GrowingItem): number {
    const calls = this.#ordered().filter((other) => other.wire.type === 'function_call');
    return calls.indexOf(item);
  }

  #indexOf(event: JsonObject): number {
    return numberAt(event, 'output_index') ?? this.#items.size;
  }

  #addItem(event: JsonObject): void {
    const wire = objectAt(event, 'item');
    if (wire === undefined) return;
    this.#contentCount += 1;
    const item = openItem(wire);
    this.#items.set(this.#indexOf(event), item);
    if (wire.type !== 'function_call') return;
    const name = textAt(wire, 'name') ?? '';
    this.#input.emit({ type: 'tool_call_delta', index: this.#callPosition(item), name, text: '' });
  }

  /** The whole form is authoritative over the deltas, and enough alone. */
  #finishItem(event: JsonObject): void {
    const wire = objectAt(event, 'item');
    if (wire === undefined) return;
    this.#contentCount += 1;
    const known = this.#itemOf(event);
    const item = known ?? openItem(wire);
    item.wire = wire;
    item.whole = true;
    if (known !== undefined) return;
    this.#items.set(this.#indexOf(event), item);
    this.#showWhole(item);
  }

  /** An item that came without deltas is shown at once. */
  #showWhole(item: GrowingItem): void {
    const { emit } = this.#input;
    for (const block of decodeItem(item, this.#callPosition(item))) {
      if (block.type === 'text') emit({ type: 'text_delta', text: block.text });
      else if (block.type === 'reasoning' && block.text !== '') {
        emit({ type: 'reasoning_delta', text: block.text, kind: block.kind });
      } else if (block.type === 'call') {
        const given = block.argumentsValue;
        const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
        emit({ type: 'tool_call_delta', index: block.index, name: block.name, text });
      }
    }
  }

  #takeEnd(event: JsonObject): void {
    this.#response = objectAt(event, 'response') ?? this.#response;
    const reported = objectAt(this.#response, 'usage');
    if (reported !== undefined) this.#takeUsage(reported);
    this.#fillFrom(listAt(this.#response, 'output'));
    if (this.#stop?.kind === 'error') return;
    this.#stop = stopOf(this.#response, textAt(event, 'type') ?? '');
  }

  #takeUsage(reported: JsonObject): void {
    const made = makeUsage(readResponsesUsage(reported, this.#input.profile.costField));
    this.#usage = made.usage;
    if (made.inconsistent) this.#input.emit(inconsistentUsage(made.usage));
  }

  /** Items of the final list fill what the stream did not send whole. */
  #fillFrom(output: readonly JsonValue[]): void {
    output.forEach((wire, index) => {
      if (!isObject(wire)) return;
      const known = this.#items.get(index);
      if (known === undefined) this.#finishItem({ output_index: index, item: wire });
      else if (!known.whole && known.wire.type === wire.type) {
        known.wire = wire;
        known.whole = true;
      }
    });
  }

  #takeError(event: JsonObject): void {
    const stop = this.#stop;
    if (stop?.kind === 'reason' && stop.finish === 'length') {
      this.#input.emit(errorAfterFinish(event));
    } else if (stop === null || stop.kind === 'reason') {
      this.#stop = { kind: 'error', raw: stop?.raw ?? null, body: event };
    }
  }

  turn(): DecodedTurn {
    const items = this.#ordered();
    const blocks = decodeItems(items);
    const servedModel = textAt(this.#response, 'model');
    const responseId = textAt(this.#response, 'id');
    return {
      blocks,
      closed: this.closed,
      stop: refused(this.#stop, blocks),
      usage: this.#usage,
      discardedUsage: null,
      raw: this.closed ? items.map((item) => item.wire) : null,
      ...(servedModel ? { servedModel } : {}),
      ...(responseId ? { responseId } : {}),
      flags: [],
      callsConfirmed: items.every((item) => item.whole),
    };
  }
}

function decodeItems(items: readonly GrowingItem[]): DecodedBlock[] {
  let calls = 0;
  return items.flatMap((item) => {
    const blocks = decodeItem(item, calls);
    if (item.wire.type === 'function_call') calls += 1;
    return blocks;
  });
}

function stopOf(response: JsonObject, eventType: string): DecodedStop {
  const status = textAt(response, 'status') ?? eventType.replace('response.', '');
  if (status === 'completed') return { kind: 'reason', finish: 'stop', raw: 'completed' };
  if (status === 'incomplete') {
    const reason = textAt(objectAt(response, 'incomplete_details'), 'reason');
    return reason === undefined
      ? { kind: 'reason', finish: 'unknown', raw: 'incomplete' }
      : readStop(reason);
  }
  if (status === 'failed' && isObject(response.error)) {
    return { kind: 'error', raw: 'failed', body: { error: response.error } };
  }
  return readStop(status);
}

function refused(stop: DecodedStop | null, blocks: readonly DecodedBlock[]): DecodedStop | null {
  if (stop?.kind !== 'reason' || stop.finish !== 'stop') return stop;
  return blocks.some((block) => block.type === 'refusal') ? { ...stop, finish: 'refusal' } : stop;
}
