import { describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../errors.ts';
import { ERROR_LINES, errorLine } from './error-lines.ts';
import { fakeTool } from './testing/fake-session.ts';
import type { OfferedList, Tool } from './types.ts';

function offered(...names: string[]): OfferedList {
  const [now, later] = [
    names.filter((name) => !name.startsWith('?')),
    names.filter((name) => name.startsWith('?')),
  ];
  const tools = (list: string[]): Tool[] =>
    list.map((name) => fakeTool({ name: name.replace('?', '') }));
  return { offered: tools(now), deferred: tools(later), find: () => null, nearest: () => [] };
}

const tool = fakeTool({ name: 'write_file', alternatives: ['python_exec', 'bash'] });

describe('errorLine', () => {
  it('has a line for every kind', () => {
    expect(Object.keys(ERROR_LINES).sort()).toEqual([...ERROR_KINDS].sort());
  });

  it('names the first alternative the session may use, how to find a deferred one, and no other', () => {
    const line = (list: OfferedList) => errorLine('too_large', tool, list);
    expect(line(offered('python_exec', 'bash'))).toBe('Work on a part, or use python_exec.');
    expect(line(offered('bash'))).toBe('Work on a part, or use bash.');
    expect(line(offered('bash', '?python_exec'))).toBe('Work on a part, or use bash.');
    expect(line(offered('tool_search', '?python_exec'))).toBe(
      'Work on a part, or use python_exec (find it with tool_search).',
    );
    expect(line(offered())).toBe('Work on a part.');
    expect(errorLine('wrong_type', tool, offered())).toBeNull();
    expect(errorLine('policy_denied', null, offered('bash'))).toBe(
      'The rule is named above; go on without it.',
    );
  });
});
