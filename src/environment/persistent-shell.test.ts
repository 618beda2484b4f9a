import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PersistentShell } from './persistent-shell.ts';
import { makeEnvironment } from './testing/environments.ts';

let made: ReturnType<typeof makeEnvironment>;
let shell: PersistentShell;
beforeAll(() => {
  made = makeEnvironment('none');
  shell = new PersistentShell({
    environment: made.environment,
    runFolder: join(made.home, 'channels'),
    folder: made.paths.workspace,
    network: false,
  });
});
afterAll(async () => {
  await shell.close();
  await made.dispose();
});

let calls = 0;
async function run(command: string, timeoutMs = 20_000) {
  let bytes = 0;
  let text = '';
  const result = await shell.run({
    callId: `call_${++calls}`,
    grant: made.grant,
    command,
    timeoutMs,
    signal: new AbortController().signal,
    onOutput: (_stream, chunk) => {
      bytes += chunk.length;
      if (bytes < 10_000) text += Buffer.from(chunk).toString();
    },
  });
  return { ...result, bytes, text };
}

describe('PersistentShell', () => {
  it('reads 300 MB without keeping memory', async () => {
    await run('true');
    const before = process.memoryUsage().rss;
    const result = await run('head -c 300000000 /dev/zero');
    expect(result).toMatchObject({ code: 0, bytes: 300_000_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('goes on in a new shell when the pipes of the present one were removed', async () => {
    await run('KEPT=1; export SEEN=2');
    rmSync(join(made.home, 'channels'), { recursive: true, force: true });
    const result = await run('echo "$SEEN"');
    expect(result).toMatchObject({ code: 0, replaced: true });
  });

  it('gives no result of an earlier command to a later one', async () => {
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, at) => run(`echo ${at}; (exit ${at})`)),
    );
    expect(results.map(({ code, text }) => `${code} ${text}`)).toEqual(
      results.map((_, at) => `${at} ${at}\n`),
    );
  });
});
