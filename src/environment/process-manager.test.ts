import { expect, it } from 'vitest';
import { processManager } from './process-manager.ts';

it('many homes in one process share one listener, so that Node does not warn of a leak', () => {
  const before = process.listenerCount('exit');
  for (let home = 0; home < 20; home++) processManager(`/nowhere/${home}`);
  expect(process.listenerCount('exit') - before).toBeLessThanOrEqual(1);
  expect(processManager('/nowhere/1')).toBe(processManager('/nowhere/1'));
});
