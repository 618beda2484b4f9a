import { basename, dirname, isAbsolute, join } from 'node:path';
import type { LoadedConfig } from '../../config/types.ts';
import { ConfigError } from '../../errors.ts';
import { TextReader } from '../instructions/text-reader.ts';

/** The system prompt a kind's `prompt_file` names; null without one. Throws ConfigError when it cannot be read. */
export async function promptFile(config: LoadedConfig, agentType: string): Promise<string | null> {
  const file = config.agent(agentType).prompt_file;
  if (file === undefined) return null;
  const path = isAbsolute(file) ? file : join(config.cwd, file);
  const read = await readText(path);
  if (read !== null) return read;
  throw new ConfigError(`The prompt file ${path} cannot be read; correct prompt_file.`, { path });
}

async function readText(path: string): Promise<string | null> {
  const reader = new TextReader(dirname(path));
  try {
    const read = await reader.read(basename(path));
    return read.kind === 'text' ? read.text : null;
  } finally {
    reader.close();
  }
}
