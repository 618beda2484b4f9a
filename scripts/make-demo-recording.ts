/**
 * Writes examples/demo-coding/recording.jsonl: the scripted model of `toolwright demo coding`. It is written by hand
 * for the demo, not recorded from a model; its exchanges name no request, so they fit any. Beside it goes
 * commands.json, the shell commands of the script: where no sandbox works, exactly these are allowed.
 */
import { writeFileSync } from 'node:fs';
import { framesOf } from '../test/fake-llm/frames.ts';
import type { ScriptedTurn } from '../test/fake-llm/types.ts';

const TEST = 'python3 -m unittest';
const CHECK = 'python3 -m ledger Taxi 2000 Ana Bo Cem';

const turns: readonly ScriptedTurn[] = [
  {
    text: 'I look at the project first.',
    calls: [
      { name: 'glob_search', arguments: { pattern: '**/*.py' } },
      { name: 'grep_search', arguments: { pattern: 'split_evenly' } },
    ],
    usage: { input: 2100, output: 60 },
  },
  {
    text: 'Now the function, its tests, and a run of the tests to reproduce the report.',
    calls: [
      {
        name: 'str_replace_based_edit_tool',
        arguments: { command: 'view', path: 'ledger/split.py' },
      },
      {
        name: 'str_replace_based_edit_tool',
        arguments: { command: 'view', path: 'tests/test_split.py' },
      },
      { name: 'bash', arguments: { command: TEST } },
    ],
    usage: { input: 2400, output: 110, cached: 2000 },
  },
  {
    text: 'Reproduced: every share is rounded alone, so the shares do not sum to the total (3 x 33 = 99). The quotient goes to everybody and the remainder to the first people.',
    calls: [
      {
        name: 'str_replace_based_edit_tool',
        arguments: {
          command: 'str_replace',
          path: 'ledger/split.py',
          old_str: '    share = round(total_cents / people)\n    return [share] * people\n',
          new_str:
            '    share, odd = divmod(total_cents, people)\n    return [share + 1] * odd + [share] * (people - odd)\n',
        },
      },
    ],
    usage: { input: 4100, output: 190, cached: 2400 },
  },
  {
    text: 'The tests again, and one statement by hand.',
    calls: [
      { name: 'bash', arguments: { command: TEST } },
      { name: 'bash', arguments: { command: CHECK } },
    ],
    usage: { input: 4500, output: 90, cached: 4100 },
  },
  {
    calls: [
      {
        name: 'task_done',
        arguments: {
          summary:
            'split_evenly rounded each share on its own and lost or made cents. It now gives everybody the quotient and the first people one of the odd cents, so the shares always sum to the total, for refunds too. All 8 tests pass; before the change 19 checks failed.',
        },
      },
    ],
    usage: { input: 4800, output: 80, cached: 4500 },
  },
];

function eventsOf(turn: ScriptedTurn, at: number): unknown[] {
  return framesOf('chat', turn, at, 'scripted')
    .map((frame) => frame.replace(/^data: /, '').trim())
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as unknown);
}

const header = {
  kind: 'toolwright-recording',
  v: 1,
  normaliser: 1,
  wire: 'chat',
  profile: 'openai_compatible',
  provider: 'scripted',
  model: 'scripted-model',
  agent_type: 'coding',
  settings: { tools: [], limits: {}, permission_mode: 'auto', sandbox: 'bwrap' },
  created: '2026-11-30T00:00:00.000Z',
};

const exchanges = turns.map((turn, index) => ({
  t: 'llm',
  lane: 'main',
  n: index + 1,
  digest: '',
  request: null,
  response: {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    events: eventsOf(turn, index),
  },
  timing_ms: 400,
}));

const lines = [header, ...exchanges].map((line) => JSON.stringify(line));
const commands = turns
  .flatMap((turn) => turn.calls ?? [])
  .flatMap((call) =>
    call.name === 'bash' ? [(call.arguments as { command: string }).command] : [],
  );

const folder = new URL('../examples/demo-coding/', import.meta.url);
writeFileSync(new URL('recording.jsonl', folder), `${lines.join('\n')}\n`);
writeFileSync(
  new URL('commands.json', folder),
  `${JSON.stringify([...new Set(commands)], null, 2)}\n`,
);
