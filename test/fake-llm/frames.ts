import type { ScriptedTurn, WireProtocol } from './types.ts';

const PIECE = 24;

function pieces(text: string): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) out.push(text.slice(at, at + PIECE));
  return out;
}

function argumentText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const sse = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const named = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\n${sse(event)}`;

/** A call id of the vendor's shape, unique over the conversation. */
function callId(protocol: WireProtocol, turn: number, index: number): string {
  const prefix = protocol === 'anthropic' ? 'toolu_' : 'call_';
  return `${prefix}t${turn}c${index}`;
}

function chatFrames(turn: ScriptedTurn, at: number, model: string): string[] {
  const base = { id: `chatcmpl-${at}`, object: 'chat.completion.chunk', created: 1, model };
  const delta = (value: unknown, finish: string | null = null) =>
    sse({ ...base, choices: [{ index: 0, delta: value, finish_reason: finish }] });
  const frames = [delta({ role: 'assistant', content: '' })];
  for (const piece of pieces(turn.reasoning ?? ''))
    frames.push(delta({ reasoning_content: piece }));
  for (const piece of pieces(turn.text ?? '')) frames.push(delta({ content: piece }));
  (turn.calls ?? []).forEach((call, index) => {
    const id = call.id ?? callId('chat', at, index);
    const head = { index, id, type: 'function', function: { name: call.name, arguments: '' } };
    frames.push(delta({ tool_calls: [head] }));
    for (const piece of pieces(argumentText(call.arguments))) {
      frames.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  });
  frames.push(delta({}, turn.finish ?? (turn.calls?.length ? 'tool_calls' : 'stop')));
  const usage = turn.usage ?? { input: 1000, output: 50 };
  frames.push(
    sse({
      ...base,
      choices: [],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
      },
    }),
    'data: [DONE]\n\n',
  );
  return frames;
}

function anthropicFrames(turn: ScriptedTurn, at: number, model: string): string[] {
  const usage = turn.usage ?? { input: 1000, output: 50 };
  const cached = usage.cached ?? 0;
  const message = {
    id: `msg_${at}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input - cached,
      cache_read_input_tokens: cached,
      output_tokens: 1,
    },
  };
  const frames = [named({ type: 'message_start', message })];
  let index = 0;
  const block = (content_block: unknown, deltas: unknown[]) => {
    frames.push(named({ type: 'content_block_start', index, content_block }));
    for (const delta of deltas) frames.push(named({ type: 'content_block_delta', index, delta }));
    frames.push(named({ type: 'content_block_stop', index }));
    index += 1;
  };
  if (turn.reasoning) {
    const deltas = pieces(turn.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }));
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...deltas,
      { type: 'signature_delta', signature: `sig-${at}` },
    ]);
  }
  if (turn.text) {
    const deltas = pieces(turn.text).map((text) => ({ type: 'text_delta', text }));
    block({ type: 'text', text: '' }, deltas);
  }
  (turn.calls ?? []).forEach((call, position) => {
    const id = call.id ?? callId('anthropic', at, position);
    const deltas = pieces(argumentText(call.arguments)).map((partial_json) => ({
      type: 'input_json_delta',
      partial_json,
    }));
    block({ type: 'tool_use', id, name: call.name, input: {} }, deltas);
  });
  const words = {
    stop: 'end_turn',
    tool_calls: 'tool_use',
    length: 'max_tokens',
    refusal: 'refusal',
    content_filter: 'refusal',
  };
  const stop_reason = words[turn.finish ?? (turn.calls?.length ? 'tool_calls' : 'stop')];
  frames.push(
    named({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    named({ type: 'message_stop' }),
  );
  return frames;
}

function responsesFrames(turn: ScriptedTurn, at: number, model: string): string[] {
  const frames: string[] = [];
  let sequence_number = 0;
  const send = (event: { type: string } & Record<string, unknown>) => {
    frames.push(named({ ...event, sequence_number }));
    sequence_number += 1;
  };
  const response = {
    id: `resp_${at}`,
    object: 'response',
    model,
    status: 'in_progress',
    output: [],
  };
  send({ type: 'response.created', response });
  const output: unknown[] = [];
  const item = (
    start: unknown,
    done: unknown,
    deltas: ({ type: string } & Record<string, unknown>)[],
  ) => {
    const output_index = output.length;
    send({ type: 'response.output_item.added', output_index, item: start });
    for (const delta of deltas) send({ ...delta, output_index });
    send({ type: 'response.output_item.done', output_index, item: done });
    output.push(done);
  };
  if (turn.reasoning) {
    const id = `rs_${at}`;
    const summary = [{ type: 'summary_text', text: turn.reasoning }];
    const body = { id, type: 'reasoning', encrypted_content: `enc-${at}` };
    const deltas = pieces(turn.reasoning).map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      item_id: id,
      summary_index: 0,
      delta,
    }));
    item({ ...body, summary: [] }, { ...body, summary }, deltas);
  }
  if (turn.text) {
    const id = `msg_${at}`;
    const body = { id, type: 'message', role: 'assistant' };
    const content = [{ type: 'output_text', text: turn.text, annotations: [] }];
    const deltas = pieces(turn.text).map((delta) => ({
      type: 'response.output_text.delta',
      item_id: id,
      content_index: 0,
      delta,
    }));
    item(
      { ...body, status: 'in_progress', content: [] },
      { ...body, status: 'completed', content },
      deltas,
    );
  }
  (turn.calls ?? []).forEach((call, index) => {
    const id = `fc_${at}_${index}`;
    const call_id = call.id ?? callId('responses', at, index);
    const text = argumentText(call.arguments);
    const body = { id, type: 'function_call', call_id, name: call.name };
    const deltas = pieces(text).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: id,
      delta,
    }));
    item(
      { ...body, arguments: '', status: 'in_progress' },
      { ...body, arguments: text, status: 'completed' },
      deltas,
    );
  });
  const usage = turn.usage ?? { input: 1000, output: 50 };
  const cut = turn.finish === 'length' || turn.finish === 'content_filter';
  const reason = turn.finish === 'length' ? 'max_output_tokens' : 'content_filter';
  send({
    type: cut ? 'response.incomplete' : 'response.completed',
    response: {
      ...response,
      status: cut ? 'incomplete' : 'completed',
      incomplete_details: cut ? { reason } : null,
      output,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached ?? 0 },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    },
  });
  return frames;
}

/** The event-stream frames one turn makes on a wire. `at` numbers the turn, so that its ids are unique. */
export function framesOf(
  protocol: WireProtocol,
  turn: ScriptedTurn,
  at: number,
  model: string,
): string[] {
  if (protocol === 'anthropic') return anthropicFrames(turn, at, model);
  if (protocol === 'responses') return responsesFrames(turn, at, model);
  return chatFrames(turn, at, model);
}
