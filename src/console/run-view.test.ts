import { expect, it } from 'vitest';
import type { SessionEvent } from '../session/events.ts';
import { applyEvent, createRunView, tailLines } from './run-view.ts';

it('keeps a bounded end of live output, also of a line that never ends', () => {
  const view = createRunView();
  const say = (event: object) => applyEvent(view, event as SessionEvent);
  say({ type: 'step_started', step: 1 });
  say({ type: 'tool_started', step: 1, call_id: 'c', name: 'bash', arguments: {} });
  const output = (text: string) => say({ type: 'tool_output', step: 1, call_id: 'c', text });
  output('first\nsecond ');
  output('half\n');
  const call = view.step?.calls[0];
  if (call === undefined) throw new Error('The call is not in the view.');
  expect(tailLines(call)).toEqual(['first', 'second half']);
  for (let at = 0; at < 100; at += 1) output('x'.repeat(1000));
  expect(call.tail.join('').length).toBeLessThan(3000);
  output('\nlast');
  expect(tailLines(call).at(-1)).toBe('last');
});
