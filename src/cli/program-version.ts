/** Asks a program for its version, for `doctor`. */
import { processManager } from '../environment/process-manager.ts';

const ANSWER_MS = 3_000;

/** The first line of what `program --version` prints, or null when it does not answer within 3 s. */
export async function programVersion(
  program: string,
  home: string,
  path: string,
): Promise<string | null> {
  const started = await processManager(home).start({
    file: program,
    args: ['--version'],
    cwd: '/',
    env: { PATH: path, LANG: 'C.UTF-8' },
    mark: 'doctor',
    kind: 'probe',
    session: null,
    call: 'doctor',
    stdin: 'closed',
    extraPipes: 0,
    awaitReady: false,
  });
  started.stderr.resume();
  const read = async () => {
    let text = '';
    for await (const bytes of started.stdout) text += String(bytes);
    return text.trim().split('\n')[0] ?? '';
  };
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), ANSWER_MS).unref());
  const line = await Promise.race([read().catch(() => null), late]);
  return line === '' ? null : line;
}
