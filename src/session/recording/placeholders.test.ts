import { describe, expect, it } from 'vitest';
import { Placeholders } from './placeholders.ts';

const here = {
  workspace: '/tmp/a/project',
  session: '/tmp/a/home/users/local/sessions/ses_1',
  sessionId: 'mine',
  home: '/tmp/a',
  environment: 'System: linux\nWorkspace: /tmp/a/project',
};
const there = {
  workspace: '/var/b/project',
  session: '/var/b/s',
  sessionId: 'other',
  home: '/var/b',
  environment: 'System: darwin',
};
const CALL = 'call_01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('placeholders', () => {
  it('names the most specific place', () => {
    const hide = new Placeholders(() => here);
    expect(hide.hide('/tmp/a/project/x.py /tmp/a/notes')).toBe('{{workspace}}/x.py {{home}}/notes');
  });

  it('replaces the whole environment block', () => {
    expect(new Placeholders(() => here).hide(`${here.environment}\n\nfix it`)).toBe(
      '{{environment}}\n\nfix it',
    );
  });

  it('numbers ids by first appearance and gives them back', () => {
    const hide = new Placeholders(() => here);
    expect(hide.hide(`tool-output/${CALL}.txt`)).toBe('tool-output/{{call:1}}.txt');
    expect(hide.reveal('tool-output/{{call:1}}.txt')).toBe(`tool-output/${CALL}.txt`);
    expect(hide.reveal('{{call:7}}')).toBe('{{call:7}}');
  });

  it('brings a text to another place', () => {
    const text = new Placeholders(() => here).hide('cat /tmp/a/project/a.txt');
    expect(new Placeholders(() => there).reveal(text)).toBe('cat /var/b/project/a.txt');
  });

  it('masks what changes from run to run in results only', () => {
    const hide = new Placeholders(() => here);
    const line = '3 passed in 0.12s at 2026-01-02T03:04:05Z, object at 0x7f00aa11bb';
    expect(hide.hideResult(line)).toBe(
      '3 passed in {{duration}} at {{time}}, object at {{address}}',
    );
    expect(hide.hide(line)).toBe(line);
  });
});
