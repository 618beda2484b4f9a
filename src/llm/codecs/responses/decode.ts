/** Push decoder of OpenAI Responses streams. */
import { isObject, listAt, numberAt, objectAt, textAt } from '../../json.ts';
import type { JsonObject, JsonValue, ReportedUsage } from '../../types.ts';
import type { DecodedBlock, DecodedStop, DecodedTurn, DecodeInput, Decoder } from '../codec.ts';
import { readStop } from '../stop.ts';
import { inconsistentUsage, makeUsage } from '../usage.ts';
import { decodeItem, type GrowingItem, openItem } from './item.ts';
import { readResponsesUsage } from './usage.ts';

export function createResponsesDecoder(input: DecodeInput): Decoder {
  const { emit, profile } = input;
  const items = new Map<number, GrowingItem>();
  let response: JsonObject = {};
  let stop: DecodedStop | null = null;
  let usage: ReportedUsage | null = null;
  let contentCount = 0;

  const ordered = (): GrowingItem[] => [...items].sort(([a], [b]) => a - b).map(([, item]) => item);

  const itemOf = (event: JsonObject): GrowingItem | undefined => {
    const index = numberAt(event, 'output_index');
    if (index !== undefined) return items.get(index);
    const id = textAt(event, 'item_id');
    return ordered().find((item) => textAt(item.wire, 'id') === id);
  };

  const callPosition = (item: GrowingItem): number =>
    ordered()
      .filter((other) => other.wire['type'] === 'function_call')
      .indexOf(item);

  const indexOf = (event: JsonObject): number => numberAt(event, 'output_index') ?? items.size;

  const addItem = (event: JsonObject): void => {
    const wire = objectAt(event, 'item');
    if (wire === undefined) return;
    contentCount += 1;
    const item = openItem(wire);
    items.set(indexOf(event), item);
    if (wire['type'] === 'function_call') {
      const name = textAt(wire, 'name') ?? '';
      emit({ type: 'tool_call_delta', index: callPosition(item), name, text: '' });
    }
  };

  const finishItem = (event: JsonObject): void => {
    const wire = objectAt(event, 'item');
    if (wire === undefined) return;
    contentCount += 1;
    const known = itemOf(event);
    const item = known ?? openItem(wire);
    item.wire = wire;
    item.whole = true;
    if (known === undefined) {
      items.set(indexOf(event), item);
      showWhole(item);
    }
  };

  /** An item that came without deltas is shown at once. */
  const showWhole = (item: GrowingItem): void => {
    for (const block of decodeItem(item, callPosition(item))) {
      if (block.type === 'text') emit({ type: 'text_delta', text: block.text });
      else if (block.type === 'reasoning' && block.text !== '') {
        emit({ type: 'reasoning_delta', text: block.text, kind: block.kind });
      } else if (block.type === 'call') {
        const given = block.argumentsValue;
        const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
        emit({ type: 'tool_call_delta', index: block.index, name: block.name, text });
      }
    }
  };

  const takeReasoning = (event: JsonObject, kind: 'summary' | 'full', text: string): void => {
    const item = itemOf(event);
    if (text === '') return;
    contentCount += 1;
    (kind === 'summary' ? item?.summary : item?.reasoning)?.push(text);
    emit({ type: 'reasoning_delta', text, kind });
  };

  const takeEnd = (event: JsonObject): void => {
    response = objectAt(event, 'response') ?? response;
    const reported = objectAt(response, 'usage');
    if (reported !== undefined) {
      const made = makeUsage(readResponsesUsage(reported, profile.costField));
      usage = made.usage;
      if (made.inconsistent) emit(inconsistentUsage(usage));
    }
    takeOutput(listAt(response, 'output'));
    if (stop?.kind === 'error') return;
    stop = stopOf(response, textAt(event, 'type') ?? '');
  };

  /** Items of the final list fill what the stream did not send whole. */
  const takeOutput = (output: readonly JsonValue[]): void => {
    output.forEach((wire, index) => {
      if (!isObject(wire)) return;
      const known = items.get(index);
      if (known === undefined) finishItem({ output_index: index, item: wire });
      else if (!known.whole && known.wire['type'] === wire['type']) {
        known.wire = wire;
        known.whole = true;
      }
    });
  };

  const takeError = (event: JsonObject): void => {
    if (stop?.kind === 'reason' && stop.finish === 'length') {
      emit({
        type: 'warning',
        code: 'error_after_finish',
        message: 'the endpoint sent an error after the reply had ended at its length limit',
        data: event,
      });
      return;
    }
    stop ??= { kind: 'error', raw: null, body: event };
    if (stop.kind === 'reason') stop = { kind: 'error', raw: stop.raw, body: event };
  };

  const push = (event: JsonValue): void => {
    if (!isObject(event)) return;
    const delta = textAt(event, 'delta') ?? '';
    switch (event['type']) {
      case 'response.created':
      case 'response.in_progress':
        response = objectAt(event, 'response') ?? response;
        return;
      case 'response.output_item.added':
        addItem(event);
        return;
      case 'response.output_item.done':
        finishItem(event);
        return;
      case 'response.output_text.delta':
        if (delta === '') return;
        contentCount += 1;
        itemOf(event)?.text.push(delta);
        emit({ type: 'text_delta', text: delta });
        return;
      case 'response.refusal.delta':
        contentCount += 1;
        itemOf(event)?.refusal.push(delta);
        return;
      case 'response.reasoning_summary_part.added':
        if ((numberAt(event, 'summary_index') ?? 0) > 0) takeReasoning(event, 'summary', '\n\n');
        return;
      case 'response.reasoning_summary_text.delta':
        takeReasoning(event, 'summary', delta);
        return;
      case 'response.reasoning_text.delta':
        takeReasoning(event, 'full', delta);
        return;
      case 'response.function_call_arguments.delta': {
        const item = itemOf(event);
        if (item === undefined) return;
        contentCount += 1;
        item.arguments.push(delta);
        emit({ type: 'tool_call_delta', index: callPosition(item), text: delta });
        return;
      }
      case 'response.function_call_arguments.done': {
        const item = itemOf(event);
        const text = textAt(event, 'arguments');
        if (item !== undefined && text !== undefined) item.arguments = [text];
        return;
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        takeEnd(event);
        return;
      case 'error':
        takeError(event);
        return;
      default:
        if (event['type'] === undefined && isObject(event['error'])) takeError(event);
    }
  };

  const whole = (document: JsonObject): void => {
    if (isObject(document['error'])) takeError({ error: document['error'] });
    else
      takeEnd({
        type: `response.${textAt(document, 'status') ?? 'completed'}`,
        response: document,
      });
  };

  const turn = (): DecodedTurn => {
    const list = ordered();
    const blocks = decodeItems(list);
    const servedModel = textAt(response, 'model');
    const responseId = textAt(response, 'id');
    return {
      blocks,
      closed: stop !== null,
      stop: refused(stop, blocks),
      usage,
      discardedUsage: null,
      raw: stop === null ? null : list.map((item) => item.wire),
      ...(servedModel ? { servedModel } : {}),
      ...(responseId ? { responseId } : {}),
      flags: [],
      callsConfirmed: list.every((item) => item.whole),
    };
  };

  return {
    push,
    whole,
    done: () => {},
    get closed() {
      return stop !== null;
    },
    get finished() {
      return stop !== null;
    },
    get contentCount() {
      return contentCount;
    },
    turn,
  };
}

function decodeItems(items: readonly GrowingItem[]): DecodedBlock[] {
  let calls = 0;
  return items.flatMap((item) => {
    const blocks = decodeItem(item, calls);
    if (item.wire['type'] === 'function_call') calls += 1;
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
  if (status === 'failed' && isObject(response['error'])) {
    return { kind: 'error', raw: 'failed', body: { error: response['error'] } };
  }
  return readStop(status);
}

function refused(stop: DecodedStop | null, blocks: readonly DecodedBlock[]): DecodedStop | null {
  if (stop?.kind !== 'reason' || stop.finish !== 'stop') return stop;
  return blocks.some((block) => block.type === 'refusal') ? { ...stop, finish: 'refusal' } : stop;
}
