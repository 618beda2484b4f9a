/** Push decoder of Anthropic Messages streams. */
import { isObject, listAt, numberAt, objectAt, textAt } from '../../json.ts';
import type { JsonObject, JsonValue, ReportedUsage } from '../../types.ts';
import type { DecodedBlock, DecodedStop, DecodedTurn, DecodeInput, Decoder } from '../codec.ts';
import { readStop } from '../stop.ts';
import { addUsage, makeUsage } from '../usage.ts';
import { decodeBlock, type GrowingBlock, growUnknown, openBlock, settle } from './block.ts';
import { mergeUsage, readAnthropicUsage } from './usage.ts';

interface MessageState {
  id: string | undefined;
  model: string | undefined;
  blocks: Map<number, GrowingBlock>;
  usage: JsonObject | null;
  stop: DecodedStop | null;
  refusal: string;
}

const emptyMessage = (): MessageState => ({
  id: undefined,
  model: undefined,
  blocks: new Map(),
  usage: null,
  stop: null,
  refusal: '',
});

export function createAnthropicDecoder(input: DecodeInput): Decoder {
  const { emit } = input;
  let message = emptyMessage();
  let started = false;
  let stopped = false;
  let discardedUsage: ReportedUsage | null = null;
  let contentCount = 0;

  const start = (body: JsonObject): void => {
    const id = textAt(body, 'id');
    if (started) {
      if (id !== undefined && id === message.id && message.blocks.size === 0) return;
      const before = usageOf(message);
      if (before !== null) {
        discardedUsage = discardedUsage === null ? before : addUsage(discardedUsage, before);
      }
      emit({ type: 'discard', reason: 'the endpoint started the message over' });
    }
    started = true;
    message = emptyMessage();
    message.id = id;
    message.model = textAt(body, 'model');
    message.usage = objectAt(body, 'usage') ?? null;
    listAt(body, 'content').forEach((block, index) => {
      if (isObject(block)) openAt(index, block);
    });
  };

  const openAt = (index: number, body: JsonObject): void => {
    const block = openBlock(body);
    message.blocks.set(index, block);
    contentCount += 1;
    if (block.type === 'text') emitText(textAt(body, 'text') ?? '');
    else if (block.type === 'thinking') emitReasoning(textAt(body, 'thinking') ?? '');
    else if (block.type === 'tool_use') {
      const name = textAt(body, 'name') ?? '';
      emit({ type: 'tool_call_delta', index: callPosition(index), name, text: '' });
    }
  };

  const emitText = (text: string): void => {
    if (text !== '') emit({ type: 'text_delta', text });
  };
  const emitReasoning = (text: string): void => {
    if (text !== '') emit({ type: 'reasoning_delta', text, kind: 'full' });
  };

  const callPosition = (index: number): number =>
    [...message.blocks].filter(([at, block]) => at < index && block.type === 'tool_use').length;

  const takeDelta = (index: number, delta: JsonObject): void => {
    const block = message.blocks.get(index);
    if (block === undefined) return;
    contentCount += 1;
    switch (delta['type']) {
      case 'text_delta': {
        const text = textAt(delta, 'text') ?? '';
        block.pieces.text.push(text);
        emitText(text);
        return;
      }
      case 'thinking_delta': {
        const text = textAt(delta, 'thinking') ?? '';
        block.pieces.text.push(text);
        emitReasoning(text);
        return;
      }
      case 'signature_delta':
        block.wire['signature'] = textAt(delta, 'signature') ?? '';
        return;
      case 'input_json_delta': {
        const text = textAt(delta, 'partial_json') ?? '';
        block.pieces.input.push(text);
        if (block.type === 'tool_use' && text !== '') {
          emit({ type: 'tool_call_delta', index: callPosition(index), text });
        }
        return;
      }
      default:
        growUnknown(block, delta);
    }
  };

  const takeEnd = (event: JsonObject): void => {
    const delta = objectAt(event, 'delta') ?? {};
    const usage = objectAt(event, 'usage');
    if (usage !== undefined) message.usage = mergeUsage(message.usage, usage);
    const reason = textAt(delta, 'stop_reason');
    if (reason === undefined || reason === '' || message.stop?.kind === 'error') return;
    message.stop = readStop(reason);
    message.refusal = textAt(objectAt(delta, 'stop_details'), 'explanation') ?? '';
  };

  const takeError = (event: JsonObject): void => {
    if (message.stop?.kind === 'reason' && message.stop.finish === 'length') {
      emit({
        type: 'warning',
        code: 'error_after_finish',
        message: 'the endpoint sent an error after the reply had ended at its length limit',
        data: event,
      });
      return;
    }
    message.stop = { kind: 'error', raw: message.stop?.raw ?? null, body: event };
  };

  const push = (event: JsonValue): void => {
    if (!isObject(event)) return;
    const index = numberAt(event, 'index') ?? 0;
    switch (event['type']) {
      case 'message_start':
        start(objectAt(event, 'message') ?? {});
        return;
      case 'content_block_start':
        openAt(index, objectAt(event, 'content_block') ?? {});
        return;
      case 'content_block_delta':
        takeDelta(index, objectAt(event, 'delta') ?? {});
        return;
      case 'content_block_stop': {
        const block = message.blocks.get(index);
        if (block !== undefined) settle(block);
        return;
      }
      case 'message_delta':
        takeEnd(event);
        return;
      case 'message_stop':
        stopped = true;
        return;
      case 'error':
        takeError(event);
        return;
      default:
        if (isObject(event['error'])) takeError(event);
    }
  };

  const whole = (document: JsonObject): void => {
    if (document['type'] === 'error' || isObject(document['error'])) {
      takeError(document);
      return;
    }
    start(document);
    takeEnd({ delta: document });
    stopped = true;
  };

  const turn = (): DecodedTurn => {
    const closed = stopped || message.stop !== null;
    const ordered = [...message.blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    for (const block of ordered) settle(block);
    return {
      blocks: decodeBlocks(ordered, message),
      closed,
      stop: message.stop ?? (closed ? { kind: 'reason', finish: 'unknown', raw: null } : null),
      usage: usageOf(message),
      discardedUsage,
      raw: closed ? rawBlocks(ordered) : null,
      ...(message.model === undefined ? {} : { servedModel: message.model }),
      ...(message.id === undefined ? {} : { responseId: message.id }),
      flags: [],
      callsConfirmed: false,
    };
  };

  return {
    push,
    whole,
    done: () => {},
    get closed() {
      return stopped || message.stop !== null;
    },
    get finished() {
      return stopped || message.stop?.kind === 'error';
    },
    get contentCount() {
      return contentCount;
    },
    turn,
  };
}

function usageOf(message: MessageState): ReportedUsage | null {
  return message.usage === null ? null : makeUsage(readAnthropicUsage(message.usage)).usage;
}

function decodeBlocks(ordered: readonly GrowingBlock[], message: MessageState): DecodedBlock[] {
  let calls = 0;
  const blocks = ordered.map((block) => {
    const decoded = decodeBlock(block, calls);
    if (decoded.type === 'call') calls += 1;
    return decoded;
  });
  if (message.refusal !== '') blocks.push({ type: 'refusal', text: message.refusal });
  return blocks;
}

/** The blocks for sending back; the endpoint itself refuses blank text blocks it once sent. */
function rawBlocks(ordered: readonly GrowingBlock[]): JsonValue {
  return ordered
    .filter((block) => block.type !== 'text' || (textAt(block.wire, 'text') ?? '').trim() !== '')
    .map((block) => block.wire);
}
