/** Push decoder of Chat Completions streams. */
import { isObject, listAt, objectAt, textAt } from '../../json.ts';
import type { TextCallsEnd, TextDelta } from '../../text-calls.ts';
import type { JsonObject, JsonValue, ReportedUsage } from '../../types.ts';
import { createBlockCollector } from '../blocks.ts';
import type { DecodedBlock, DecodedStop, DecodedTurn, DecodeInput, Decoder } from '../codec.ts';
import { readStop } from '../stop.ts';
import { inconsistentUsage, makeUsage } from '../usage.ts';
import { type AssembledCall, createCallAssembler } from './calls.ts';
import { createMessageRecorder } from './message.ts';
import { reasoningOf } from './reasoning.ts';
import { readChatUsage } from './usage.ts';

export function createChatDecoder(input: DecodeInput): Decoder {
  const { profile, emit, splitter } = input;
  const blocks = createBlockCollector();
  const assembler = createCallAssembler((name) => input.resolve(name) !== null);
  const recorder = createMessageRecorder();
  const flags = new Set<string>();
  let stop: DecodedStop | null = null;
  let marked = false;
  let usage: ReportedUsage | null = null;
  let inconsistent = false;
  let servedModel: string | undefined;
  let responseId: string | undefined;
  let contentCount = 0;

  const show = ({ text, reasoning }: TextDelta): void => {
    if (reasoning !== '') emit({ type: 'reasoning_delta', text: reasoning, kind: 'full' });
    if (text !== '') emit({ type: 'text_delta', text });
  };

  const takeText = (text: string): void => {
    if (text === '') return;
    contentCount += 1;
    if (splitter !== null) {
      for (const delta of splitter.push(text)) show(delta);
      return;
    }
    blocks.text(text);
    show({ text, reasoning: '' });
  };

  const takeReasoning = (text: string): void => {
    if (text === '') return;
    contentCount += 1;
    if (splitter !== null) {
      for (const delta of splitter.pushReasoning(text)) show(delta);
      return;
    }
    blocks.reasoning(text, 'full');
    show({ text: '', reasoning: text });
  };

  const takePart = (part: JsonValue): void => {
    const type = textAt(part, 'type');
    recorder.part(part);
    if (type === 'text') takeText(textAt(part, 'text') ?? '');
    else if (type === 'thinking') takeReasoning(thinkingText(part));
    else if (type === 'refusal') takeRefusal(textAt(part, 'refusal') ?? '');
    else blocks.add({ type: 'opaque', protocol: 'chat', value: part });
  };

  const takeRefusal = (text: string): void => {
    if (text === '') return;
    contentCount += 1;
    blocks.refusal(text);
  };

  const takeContent = (content: JsonValue | undefined): void => {
    if (typeof content === 'string') {
      recorder.text(content);
      takeText(content);
    } else if (Array.isArray(content)) {
      for (const part of content) takePart(part);
    }
  };

  const takeCall = (entry: JsonValue): void => {
    const delta = assembler.add(entry);
    if (delta === undefined) {
      flags.add('duplicate_delta');
      return;
    }
    contentCount += 1;
    const { position: index, ...rest } = delta;
    emit({ type: 'tool_call_delta', index, ...rest });
  };

  const takeDelta = (delta: JsonObject): void => {
    const reasoning = reasoningOf(delta, profile.reasoning.read);
    recorder.reasoning(delta, profile.reasoning.read);
    takeReasoning(reasoning);
    takeContent(delta['content']);
    takeRefusal(textAt(delta, 'refusal') ?? '');
    for (const entry of listAt(delta, 'tool_calls')) takeCall(entry);
    const legacy = objectAt(delta, 'function_call');
    if (legacy !== undefined) takeCall({ index: 0, function: legacy });
  };

  const takeUsage = (value: JsonValue | undefined): void => {
    if (!isObject(value)) return;
    const made = makeUsage(readChatUsage(value, profile.costField));
    usage = made.usage;
    inconsistent = made.inconsistent;
  };

  const takeError = (body: JsonValue): void => {
    if (stop?.kind === 'reason' && stop.finish === 'length') {
      emit({
        type: 'warning',
        code: 'error_after_finish',
        message: 'the endpoint sent an error after the reply had ended at its length limit',
        data: body,
      });
      return;
    }
    stop = { kind: 'error', raw: stop?.raw ?? null, body };
  };

  const takeChoice = (choice: JsonObject): void => {
    const delta = objectAt(choice, 'delta') ?? objectAt(choice, 'message');
    if (delta !== undefined) takeDelta(delta);
    takeUsage(choice['usage']);
    const reason = textAt(choice, 'finish_reason');
    if (reason === undefined || reason === '' || stop?.kind === 'error') return;
    stop = readStop(reason);
    if (isObject(choice['error'])) takeError({ error: choice['error'] });
  };

  const push = (event: JsonValue): void => {
    if (!isObject(event)) return;
    if (isErrorFrame(event)) {
      takeError(event);
      return;
    }
    servedModel = textAt(event, 'model') || servedModel;
    responseId = textAt(event, 'id') || responseId;
    for (const choice of listAt(event, 'choices')) {
      if (isObject(choice) && (choice['index'] ?? 0) === 0) takeChoice(choice);
    }
    takeUsage(event['usage'] ?? objectAt(event, 'x_groq')?.['usage']);
  };

  const finalStop = (): DecodedStop | null => {
    if (stop === null) return marked ? { kind: 'reason', finish: 'unknown', raw: null } : null;
    if (stop.kind === 'reason' && stop.finish === 'stop' && blocks.hasRefusal) {
      return { ...stop, finish: 'refusal' };
    }
    return stop;
  };

  /** Text the splitter took apart, as blocks in front of the others. */
  const splitBlocks = (): DecodedBlock[] => {
    if (splitter === null) return [];
    const end = splitter.end({
      closedByStop: stop?.kind === 'reason' && stop.finish === 'stop',
      hasStructured: assembler.calls.length > 0,
    });
    show(end.rest);
    for (const flag of end.flags) flags.add(flag);
    return writtenBlocks(end);
  };

  const turn = (): DecodedTurn => {
    const written = splitBlocks();
    if (inconsistent) emit(inconsistentUsage(usage));
    const closed = stop !== null || marked;
    return {
      blocks: [...written, ...blocks.blocks(), ...assembler.calls.map(decodedCall)],
      closed,
      stop: finalStop(),
      usage,
      discardedUsage: null,
      raw: closed ? recorder.message(assembler.calls) : null,
      ...(servedModel === undefined ? {} : { servedModel }),
      ...(responseId === undefined ? {} : { responseId }),
      flags: [...flags],
      callsConfirmed: false,
    };
  };

  return {
    push,
    whole: push,
    done: () => {
      marked = true;
    },
    get closed() {
      return stop !== null || marked;
    },
    get finished() {
      return marked || stop?.kind === 'error';
    },
    get contentCount() {
      return contentCount;
    },
    turn,
  };
}

function writtenBlocks(end: TextCallsEnd): DecodedBlock[] {
  const found = [
    ...end.calls.map((call) => ({ call, cut: false })),
    ...end.cut.map((call) => ({ call, cut: true })),
  ];
  return [
    ...(end.reasoning === ''
      ? []
      : [{ type: 'reasoning', text: end.reasoning, kind: 'full' } as const]),
    ...(end.text === '' ? [] : [{ type: 'text', text: end.text } as const]),
    ...found.map(({ call, cut }, index) => ({
      type: 'call' as const,
      id: call.id,
      name: call.name,
      argumentsValue: call.rawArguments,
      index,
      source: call.source,
      cut,
    })),
  ];
}

function decodedCall(call: AssembledCall, index: number): DecodedBlock {
  return {
    type: 'call',
    id: call.id,
    name: call.name,
    argumentsValue: call.value ?? (call.text === '' ? undefined : call.text),
    index,
  };
}

function isErrorFrame(event: JsonObject): boolean {
  const error = event['error'];
  if (error !== undefined && error !== null && error !== false && error !== '') return true;
  if (event['object'] === 'error' || event['type'] === 'error') return true;
  return (
    event['choices'] === undefined &&
    (typeof event['detail'] === 'string' ||
      (typeof event['message'] === 'string' && event['code'] !== undefined))
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
