/** Calls of a Chat turn as decoded blocks: those of the protocol, and those the model wrote into its text. */
import type { TextCallsEnd } from '../../text-calls.ts';
import type { DecodedBlock } from '../codec.ts';
import type { AssembledCall } from './calls.ts';

export function decodedCall(call: AssembledCall, index: number): DecodedBlock {
  return {
    type: 'call',
    id: call.id,
    name: call.name,
    argumentsValue: call.value ?? (call.text === '' ? undefined : call.text),
    index,
  };
}

/** Reasoning first, then text, then the calls found in either. */
export function writtenBlocks(end: TextCallsEnd): DecodedBlock[] {
  const found = [
    ...end.calls.map((call) => ({ call, cut: false })),
    ...end.cut.map((call) => ({ call, cut: true })),
  ];
  const calls = found.map(({ call, cut }, index): DecodedBlock => {
    const { id, name, rawArguments, source } = call;
    return { type: 'call', id, name, argumentsValue: rawArguments, index, source, cut };
  });
  return [
    ...(end.reasoning === ''
      ? []
      : [{ type: 'reasoning', text: end.reasoning, kind: 'full' } as const]),
    ...(end.text === '' ? [] : [{ type: 'text', text: end.text } as const]),
    ...calls,
  ];
}
