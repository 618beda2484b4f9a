/** JSON in a small file that several processes change. */
import { ConfigError } from '../errors.ts';
import { readIfThere, updateFile } from './locked-file.ts';

/** The parsed content, or undefined when the file does not exist. Throws ConfigError when it is not JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parsed(file, await readIfThere(file));
}

/** Runs `change` on the present content and stores what it returns, under a lock. */
export async function updateJsonFile(
  file: string,
  change: (present: unknown) => unknown,
): Promise<void> {
  await updateFile(file, (text) => `${JSON.stringify(change(parsed(file, text)), null, 2)}\n`);
}

function parsed(file: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ConfigError(`${file} is damaged (not JSON). Move it away.`, { file }, { cause });
  }
}
