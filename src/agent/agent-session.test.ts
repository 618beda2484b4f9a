import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventConsole } from '../session/console.ts';
import type { SessionEvent } from '../session/events.ts';
import { type AgentPlace, agentPlace } from './testing/agent-place.ts';
import { call, done, reply, type ScriptFunction, wireError } from './testing/scripted-client.ts';

let place: AgentPlace;
beforeEach(() => {
  place = agentPlace();
});
afterEach(() => place.remove());

const finish = (summary = 'ok') => reply({ calls: [done({ summary })] });
const bash = (command: string) => reply({ calls: [call('bash', { command })] });
const look = call('bash', { command: 'echo' });
const warnings = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'warning' ? event.code : []));

function brokenConsole(broken: keyof EventConsole): EventConsole {
  const fail = () => {
    throw new Error(`${broken} is broken`);
  };
  return {
    start: () => undefined,
    stop: async () => undefined,
    onEvent: () => undefined,
    printTaskDetails: () => undefined,
    printSummary: () => undefined,
    print: () => undefined,
    [broken]: fail,
  };
}

describe('what fails beside the run', () => {
  it.each(['start', 'onEvent', 'printTaskDetails', 'stop'] as const)(
    'a console whose %s throws changes nothing',
    async (broken) => {
      const one = place.agent([finish()], { console: brokenConsole(broken) });
      expect(await one.agent.run('x')).toMatchObject({ success: true, final_result: 'ok' });
      await one.agent.close();
      expect(warnings(one.events).length).toBeGreaterThan(0);
    },
  );

  it('a trajectory that cannot be written is one warning, the result names no file', async () => {
    const folder = join(place.root, 'gone');
    const trajectoryFile = join(folder, 't.json');
    const spoil = bash(`rm -rf '${folder}' && touch '${folder}'`);
    const one = place.agent([spoil, finish()], { trajectoryFile });
    expect(await one.agent.run('x')).toMatchObject({ success: true, trajectory_file: null });
    await one.agent.close();
    expect(warnings(one.events).filter((code) => code === 'trajectory_failed')).toHaveLength(1);
  });

  it('a patch that cannot be copied is no success, and the patch is kept', async () => {
    const patchPath = join(place.root, 'out', 'a.diff');
    mkdirSync(join(place.root, 'out'));
    const remove = `echo new > a.txt; rmdir '${join(place.root, 'out')}'`;
    const one = place.agent([bash(remove), finish()], { patchPath, sessionId: 'kept' });
    expect(await one.agent.run('x')).toMatchObject({
      success: false,
      stop_reason: 'internal_error',
      error: { kind: 'patch_write_failed' },
    });
    const kept = join(place.home, 'users/local/sessions/kept/.session/patch.diff');
    expect(readFileSync(kept, 'utf8')).toContain('+new');
  });
});

describe('the final result', () => {
  it.each([
    ['the summary', [reply({ text: 'text', calls: [done({ summary: 'sum' })] })], 'sum'],
    ['the text of that reply', [reply({ text: 'text', calls: [done()] })], 'text'],
    ['the last text there was', [reply({ text: 'old', calls: [look] }), finish('')], 'old'],
    ['nothing but empty', [finish('')], ''],
    ['the last text at a limit', [reply({ text: 'half', calls: [look] }), bash('true')], 'half'],
    [
      'a sentence at a limit without text',
      [bash('true'), bash('false')],
      'Task execution exceeded maximum steps without completion.',
    ],
    ['null after a fault', [wireError('auth')], null],
  ])('is %s', async (_name, script, result) => {
    const one = place.agent(script, { limits: { maxSteps: 2 } });
    expect(await one.agent.run('x')).toMatchObject({ final_result: result });
  });
});

describe('messages', () => {
  it('a follow-up is the next task, of the same session', async () => {
    const one = place.agent([finish('first'), finish('second')]);
    one.agent.followUp('then this');
    await one.agent.run('this');
    await expect.poll(() => one.events.filter(({ type }) => type === 'result').length).toBe(2);
    expect(JSON.stringify(one.client.requests[1]?.messages.at(-1))).toContain('then this');
    const tasks = one.events.flatMap((event) => (event.type === 'run_started' ? event.task : []));
    expect(tasks).toEqual(['this', 'then this']);
  });

  it('one that came too late is told, and delivered in the next run, also after a restart', async () => {
    const late: ScriptFunction = async () => {
      one.agent.steer('do not forget');
      return bash('true');
    };
    const one = place.agent([late], { sessionId: 'late', limits: { maxSteps: 1 } });
    expect(await one.agent.run('x')).toMatchObject({
      stop_reason: 'max_steps',
      undelivered_messages: ['do not forget'],
    });
    await one.agent.close();
    const two = place.agent([finish()], { sessionId: 'late' });
    expect(await two.agent.resume()).toMatchObject({ success: true, undelivered_messages: [] });
    expect(JSON.stringify(two.client.requests[0]?.messages)).toContain('do not forget');
  });
});

describe('the end of an Agent', () => {
  const alive = (file: string) => {
    try {
      process.kill(Number(readFileSync(join(place.work, file), 'utf8')), 0);
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['success', finish(), {}],
    ['a limit', bash('true'), { maxSteps: 1 }],
  ])('after %s no process of it is left', async (_name, last, limits) => {
    const started = bash('sleep 300 & echo $! > pid');
    const one = place.agent([started, last], { limits: { maxSteps: 2, ...limits } });
    await one.agent.run('x');
    expect(existsSync(join(place.work, 'pid'))).toBe(true);
    await one.agent.close();
    await expect.poll(() => alive('pid'), { timeout: 3000 }).toBe(false);
  });
});
