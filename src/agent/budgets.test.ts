import { describe, expect, it } from 'vitest';
import { Budgets } from './budgets.ts';
import { usage } from './testing/scripted-client.ts';

const none = { max_steps: 10, max_cost: null, max_tokens: null, timeout_seconds: null };
const clockAt = (time: { now: number }) => ({ now: () => time.now, date: () => new Date(0) });

describe('budgets', () => {
  it('one call of unknown price makes the total unknown and keeps the known part', () => {
    const budgets = new Budgets(none, clockAt({ now: 0 }));
    expect(budgets.addCall(usage(1_000_000, 0), { input: 3, output: 15 })).toBe(3);
    expect(budgets.addCall(usage(5, 5), null)).toBeNull();
    expect(budgets.cost.usd).toBeNull();
    expect(budgets.cost.knownUsd).toBe(3);
  });

  it('looks at time, cost, tokens, steps in this order', () => {
    const time = { now: 0 };
    const limits = { max_steps: 1, max_cost: 1, max_tokens: 10, timeout_seconds: 5 };
    const budgets = new Budgets(limits, clockAt(time));
    budgets.steps = 1;
    expect(budgets.exceeded()).toBe('max_steps');
    budgets.addCall(usage(6, 4), { input: 0, output: 0 });
    expect(budgets.exceeded()).toBe('max_tokens');
    budgets.addCall(usage(1_000_000, 0), { input: 1, output: 0 });
    expect(budgets.exceeded()).toBe('max_cost');
    time.now = 5000;
    expect(budgets.exceeded()).toBe('timeout');
  });

  it('lowers the output limit to what is left, and stops below 256', () => {
    const budgets = new Budgets({ ...none, max_tokens: 1000 }, clockAt({ now: 0 }));
    expect(budgets.outputCap(null)).toBe(1000);
    budgets.addCall(usage(500, 0), null);
    expect(budgets.outputCap(null)).toBe(500);
    budgets.addCall(usage(300, 0), null);
    expect(budgets.outputCap(null)).toBe('max_tokens');
    const costly = new Budgets({ ...none, max_cost: 1 }, clockAt({ now: 0 }));
    expect(costly.outputCap({ input: 1, output: 100 })).toBe(10_000);
    expect(costly.outputCap({ input: 1, output: 100_000 })).toBe('max_cost');
  });

  it('warns once at 80 % of each budget', () => {
    const budgets = new Budgets({ ...none, max_tokens: 100 }, clockAt({ now: 0 }));
    budgets.addCall(usage(79, 0), null);
    expect(budgets.newWarnings()).toEqual([]);
    budgets.addCall(usage(1, 0), null);
    expect(budgets.newWarnings()).toEqual([{ budget: 'tokens', used: 80, limit: 100 }]);
    expect(budgets.newWarnings()).toEqual([]);
  });

  it('time stands still while a person is asked, also when two waits overlap', () => {
    const time = { now: 0 };
    const budgets = new Budgets({ ...none, timeout_seconds: 10 }, clockAt(time));
    time.now = 1000;
    budgets.personWaitStarted();
    time.now = 3000;
    budgets.personWaitStarted();
    time.now = 60_000;
    expect(budgets.elapsedSeconds()).toBe(1);
    budgets.personWaitEnded();
    budgets.personWaitEnded();
    time.now = 61_000;
    expect(budgets.elapsedSeconds()).toBe(2);
    expect(budgets.deadline).toBe(69_000);
  });
});
