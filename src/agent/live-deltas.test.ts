import { describe, expect, it } from 'vitest';
import type { LLMEvent } from '../llm/types.ts';
import { LiveDeltas } from './live-deltas.ts';
import { testRun } from './testing/test-run.ts';

const SECRET = 'canary-7f3a-91bc';

function deltasOver(events: readonly LLMEvent[]) {
  const { state, log } = testRun({ script: [] });
  state.redactor.add('TOKEN', SECRET);
  const deltas = new LiveDeltas(state, 'msg_1');
  const from = log.all.length;
  for (const event of events) deltas.show(event);
  const live = log.all.slice(from).map((event) => ('text' in event ? event.text : event.type));
  deltas.end();
  return { live, all: log.all.slice(from), log };
}

const text = (part: string): LLMEvent => ({ type: 'text_delta', text: part });
const argument = (index: number, part: string): LLMEvent => ({
  type: 'tool_call_delta',
  index,
  text: part,
});

function pieces(whole: string, count: number): string[] {
  const size = Math.ceil(whole.length / count);
  return Array.from({ length: count }, (_, n) => whole.slice(n * size, (n + 1) * size));
}

describe('the live pieces of a reply', () => {
  it.each([1, 2, 3, 5, 8])('a secret split over %i pieces is not shown', (count) => {
    const whole = `before ${SECRET} after`;
    const { all } = deltasOver(pieces(whole, count).map(text));
    const shown = all.map((event) => ('text' in event ? event.text : '')).join('');
    expect(shown).toBe('before [redacted:TOKEN] after');
  });

  it('only a tail that could become a secret waits', () => {
    const { live, all } = deltasOver([text('all of this '), text('and this can'), text('dle')]);
    expect(live).toEqual(['all of this ', 'and this ', 'candle']);
    expect(all).toHaveLength(3);
  });

  it('what waits of the reasoning is shown before the text begins', () => {
    const thought: LLMEvent = { type: 'reasoning_delta', text: 'I can', kind: 'full' };
    const { live } = deltasOver([thought, text('Yes')]);
    expect(live).toEqual(['I ', 'can', 'Yes']);
  });

  it('arguments of interleaved calls are parts of their own; a name is shown at once', () => {
    const { all } = deltasOver([
      { type: 'tool_call_delta', index: 0, name: 'bash', text: '{"command":"canary-' },
      argument(1, '{"command":"can'),
      argument(0, '7f3a-91bc"}'),
      argument(1, 'ary"}'),
    ]);
    expect(all[0]).toMatchObject({ type: 'tool_call_delta', name: 'bash', text: '{"command":"' });
    const of = (index: number) =>
      all
        .flatMap((event) =>
          event.type === 'tool_call_delta' && event.index === index ? event.text : [],
        )
        .join('');
    expect(of(0)).toBe('{"command":"[redacted:TOKEN]"}');
    expect(of(1)).toBe('{"command":"canary"}');
  });

  it('what waits is void when the deltas are', () => {
    const { all } = deltasOver([text('can'), { type: 'discard', reason: 'lost' }, text('new')]);
    expect(all.map((event) => ('text' in event ? event.text : event.type))).toEqual([
      'discard',
      'new',
    ]);
  });
});
