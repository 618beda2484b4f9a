import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import { makePlace } from './support/place.ts';
import { startProgram, UNCONFINED, wireFlags } from './support/program.ts';

const FLOOD = 300_000_000;

/** Runs one command and returns the highest resident memory of the program, in MiB. */
async function peakWith(command: string): Promise<number> {
  const model = await startFakeModel({
    script: [
      { calls: [{ name: 'bash', arguments: { command } }] },
      { calls: [{ name: 'task_done', arguments: {} }] },
    ],
  });
  onTestFinished(() => model.close());
  const place = makePlace();
  const flags = [...wireFlags('chat', model.url), ...UNCONFINED];
  const { child, done } = startProgram(place, ['run', 'x', ...flags]);
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 20);
  const outcome = await done;
  clearInterval(timer);
  expect(outcome.code, outcome.stderr).toBe(0);
  return peak;
}

function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const linux = process.platform === 'linux';

it.skipIf(!linux).each([
  ['lines', `yes 'a line of some output, as long as many' | head -c ${FLOOD}`],
  ['one line without end', `head -c ${FLOOD} /dev/zero | tr '\\0' x`],
])('300 MB of output (%s) raise the memory by at most 64 MiB', async (_, command) => {
  const quiet = await peakWith('echo a');
  const flooded = await peakWith(`${command}; echo THE END`);
  console.log(`peak: ${quiet.toFixed(0)} MiB, with the flood ${flooded.toFixed(0)} MiB`);
  expect(flooded - quiet).toBeLessThan(64);
});
