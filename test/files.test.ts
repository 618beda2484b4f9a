import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import type { ScriptedCall } from './fake-llm/types.ts';
import { makePlace, type Place } from './support/place.ts';
import { resultOf, runProgram, UNCONFINED, wireFlags } from './support/program.ts';

const EDIT = 'str_replace_based_edit_tool';
const ALL = 'agents:\n  coding:\n    tools: ["group:file", "group:compat", "group:exec"]\n';

interface ToolResult {
  readonly success: boolean;
  readonly result: string;
  readonly error: string | null;
  readonly error_kind: string | null;
  readonly duration_ms: number;
  readonly metadata: Record<string, unknown>;
}

async function call(place: Place, calls: readonly ScriptedCall[]): Promise<ToolResult[]> {
  const model = await startFakeModel({
    script: [
      ...calls.map((one) => ({ calls: [one] })),
      { calls: [{ name: 'task_done', arguments: {} }] },
    ],
  });
  onTestFinished(() => model.close());
  const config = join(place.root, 'config.yaml');
  writeFileSync(config, ALL);
  const trajectory = join(place.root, `t-${calls.length}-${performance.now()}.json`);
  const outcome = await runProgram(place, [
    ...['run', 'x', '--config-file', config, ...wireFlags('chat', model.url), ...UNCONFINED],
    ...['--output-format', 'json', '--trajectory-file', trajectory],
  ]);
  expect(resultOf(outcome).success, outcome.stderr).toBe(true);
  const steps = JSON.parse(readFileSync(trajectory, 'utf8')).agent_steps;
  return steps.slice(0, -1).map((step: { tool_results: ToolResult[] }) => step.tool_results[0]);
}

const replace = (path: string, old_str: string, new_str: string): ScriptedCall => ({
  name: EDIT,
  arguments: { command: 'str_replace', path, old_str, new_str },
});

describe('edits keep every other byte', () => {
  const cases: readonly (readonly [string, Buffer, string, string, Buffer])[] = [
    [
      'CRLF',
      Buffer.from('one\r\ntwo\r\nthree\r\n'),
      'two',
      '2',
      Buffer.from('one\r\n2\r\nthree\r\n'),
    ],
    [
      'CRLF with LF in the call',
      Buffer.from('one\r\ntwo\r\nthree\r\n'),
      'one\ntwo\n',
      'a\nb\n',
      Buffer.from('a\r\nb\r\nthree\r\n'),
    ],
    ['BOM', Buffer.from('\ufeffone\ntwo\n'), 'one', '1', Buffer.from('\ufeff1\ntwo\n')],
    ['tabs', Buffer.from('a\tb\n\tc\n'), 'b', '\tB', Buffer.from('a\t\tB\n\tc\n')],
    [
      'Latin-1',
      Buffer.from('caf\xe9 one\n\xfcber\n', 'latin1'),
      'one',
      'two',
      Buffer.from('caf\xe9 two\n\xfcber\n', 'latin1'),
    ],
    ['no final newline', Buffer.from('one\ntwo'), 'two', '2', Buffer.from('one\n2')],
    [
      'literal dollars',
      Buffer.from('price\n'),
      'price',
      "$& $1 $$ \\n $'",
      Buffer.from("$& $1 $$ \\n $'\n"),
    ],
    [
      'emoji and NFD',
      Buffer.from('cafe\u0301 👩‍👩‍👧‍👦 x\n'),
      'x',
      'y',
      Buffer.from('cafe\u0301 👩‍👩‍👧‍👦 y\n'),
    ],
  ];
  it.each(cases)('%s', async (_, before, old, next, after) => {
    const place = makePlace();
    place.write('f.txt', before);
    const [result] = await call(place, [replace('f.txt', old, next)]);
    expect(result?.success, result?.result).toBe(true);
    expect(readFileSync(join(place.workspace, 'f.txt'))).toEqual(after);
  });

  it('keeps the mode and follows a link inside the workspace', async () => {
    const place = makePlace();
    const file = place.write('run.sh', '#!/bin/sh\necho one\n');
    chmodSync(file, 0o751);
    symlinkSync('run.sh', join(place.workspace, 'link.sh'));
    await call(place, [replace('link.sh', 'one', 'two')]);
    expect(statSync(file).mode & 0o777).toBe(0o751);
    expect(readFileSync(file, 'utf8')).toContain('two');
  });

  it('refuses no match, two matches, and a file changed behind its back', async () => {
    const place = makePlace();
    place.write('f.txt', 'same\nsame\n');
    place.write('g.txt', 'first\nsecond\n');
    const results = await call(place, [
      replace('f.txt', 'absent', 'x'),
      replace('f.txt', 'same', 'x'),
      { name: EDIT, arguments: { command: 'view', path: 'g.txt' } },
      { name: 'bash', arguments: { command: 'sed -i s/second/changed/ g.txt' } },
      replace('g.txt', 'first', 'x'),
      replace('g.txt', 'first', 'x'),
    ]);
    expect(results.map((result) => result.error_kind)).toEqual([
      'no_match',
      'ambiguous_match',
      null,
      null,
      'stale_file',
      null,
    ]);
    expect(results[4]?.result).toContain('changed');
    expect(readFileSync(join(place.workspace, 'f.txt'), 'utf8')).toBe('same\nsame\n');
    expect(readFileSync(join(place.workspace, 'g.txt'), 'utf8')).toBe('x\nchanged\n');
  });
});

describe('special files', () => {
  it('are refused with a typed error in under 50 ms', async () => {
    const place = makePlace();
    const inside = (name: string) => join(place.workspace, name);
    execFileSync('mkfifo', [inside('fifo')]);
    symlinkSync('/dev/zero', inside('zero'));
    symlinkSync('/etc/hostname', inside('out'));
    place.write('sparse', '');
    truncateSync(inside('sparse'), 2 ** 40);
    place.write('dir/x', '');
    place.write('secret/.env', 'KEY=1\n');
    place.write('normal.txt', 'normal\n');
    const paths = [
      'fifo',
      'zero',
      'out',
      'sparse',
      'dir',
      'secret/.env',
      '../x',
      '/etc/passwd',
      'missing',
    ];
    const reads = paths.map((path) => ({ name: 'read_file', arguments: { path } }));
    const results = await call(place, [
      { name: 'read_file', arguments: { path: 'normal.txt' } },
      ...reads,
    ]);
    expect(results[0]?.success).toBe(true);
    const kinds = Object.fromEntries(paths.map((path, at) => [path, results[at + 1]?.error_kind]));
    expect(kinds).toMatchObject({
      fifo: 'wrong_type',
      out: 'path_outside',
      dir: 'wrong_type',
      'secret/.env': 'path_denied',
      '../x': 'path_outside',
      '/etc/passwd': 'path_outside',
      missing: 'not_found',
    });
    expect(['wrong_type', 'path_outside']).toContain(kinds.zero);
    expect(['too_large', 'unsupported_format', null]).toContain(kinds.sparse);
    for (const result of results.slice(1)) expect(result.duration_ms).toBeLessThan(50);
  });
});
