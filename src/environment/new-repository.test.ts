import { describe, expect, it } from 'vitest';
import { configurationKeys, isHarmlessConfiguration } from './new-repository.ts';

const FRESH =
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[user]\n\tname = A B\n[remote "origin"]\n\turl = https://x/y\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';

describe('git configurations', () => {
  it('are read into keys', () => {
    expect(configurationKeys('[a]\n b = c # x\n; note\n[d "E.f"]\n\tg = h')).toEqual([
      'a.b',
      'd.E.f.g',
    ]);
  });

  it('are harmless when fresh', () => {
    expect(isHarmlessConfiguration(FRESH)).toBe(true);
    expect(isHarmlessConfiguration('')).toBe(true);
  });

  it.each([
    '[core]\n\tfsmonitor = ./x',
    '[core]\n\thooksPath = x',
    '[core] fsmonitor = x',
    '[core]\n\tbare = false\\\nfsmonitor = x',
    '[include]\n\tpath = x',
    '[filter "x"]\n\tclean = evil',
    '[alias]\n\tx = !evil',
    '[core]\n\tFSMonitor = x',
    '[core "a]\n\tbare"]\n\tx = y',
    'bare = false',
  ])('are not harmless with %j', (text) => {
    expect(isHarmlessConfiguration(FRESH + text)).toBe(false);
  });
});
