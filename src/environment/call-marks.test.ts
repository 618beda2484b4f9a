import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { CALL_VARIABLE, MarkIndex } from './call-marks.ts';

const started: ChildProcess[] = [];

async function marked(mark: string): Promise<number> {
  const child = spawn('sleep', ['60'], { env: { ...process.env, [CALL_VARIABLE]: mark } });
  started.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

afterEach(async () => {
  for (const child of started.splice(0)) await end(child);
});

describe('processes by call mark', () => {
  it('are found when they came before the first look and after it, and not once they are gone', async () => {
    const index = new MarkIndex();
    const first = await marked('test.a');
    expect(index.find(new Set(['test.a']))).toEqual([first]);
    expect(index.find(new Set(['test.b']))).toEqual([]);
    const second = await marked('test.b');
    expect(index.find(new Set(['test.b']))).toEqual([second]);
    expect(index.findPrefix('test.').sort()).toEqual([first, second].sort());
    await Promise.all(started.map(end));
    expect(index.findPrefix('test.')).toEqual([]);
  });

  it('are found after many others came in between', async () => {
    const index = new MarkIndex();
    expect(index.findPrefix('test.')).toEqual([]);
    const wanted = await marked('test.c');
    await Promise.all(Array.from({ length: 80 }, () => once(spawn('true'), 'exit')));
    expect(index.findPrefix('test.')).toEqual([wanted]);
  });

  it('are no threads of a process', async () => {
    const index = new MarkIndex();
    expect(index.findPrefix('test.')).toEqual([]);
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], {
      env: { ...process.env, [CALL_VARIABLE]: 'test.d' },
    });
    started.push(child);
    await once(child, 'spawn');
    expect(index.findPrefix('test.')).toEqual([child.pid]);
  });

  it('are found among given processes, whatever was looked for before', async () => {
    const index = new MarkIndex();
    const pid = await marked('test.e');
    expect(index.among([pid, process.pid], new Set(['test.e']))).toEqual([pid]);
    expect(index.find(new Set(['test.e']))).toEqual([pid]);
  });
});
