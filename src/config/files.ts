/** Finds and reads the configuration files. */
import { constants as fsConstants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { CONFIG_FILE_NAMES } from './active-content.ts';
import type { Entry } from './entries.ts';
import type { Layer } from './layers.ts';
import { type FolderTrust, folderTrust } from './trust.ts';
import type { LoadConfigOptions } from './types.ts';

export const MANAGED_FILE = '/etc/toolwright/policy.yaml';
const MAX_FILE_BYTES = 1024 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

/** `TOOLWRIGHT_HOME`, else `~/.toolwright`; absolute. */
export function homeDirectory(env: Env): string {
  const given = env.TOOLWRIGHT_HOME;
  if (given !== undefined && given !== '') return resolve(given);
  return join(env.HOME || homedir(), '.toolwright');
}

/** The settings of one text. The YAML reader is loaded only here, so that no file means no reader. */
export async function readText(file: string, text: string): Promise<Entry[]> {
  const [{ parseDocument }, { readEntries }, { convertLegacy, isLegacy }] = await Promise.all([
    import('./document.ts'),
    import('./entries.ts'),
    import('./legacy.ts'),
  ]);
  const document = await parseDocument(file, text);
  return readEntries(isLegacy(document) ? convertLegacy(document) : document);
}

function refuse(file: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(`Configuration file ${file} ${why}.`, { file }, { cause });
}

/** The text of a file, or null when it does not exist. Throws ConfigError when it cannot be read. */
async function readTextFile(file: string): Promise<string | null> {
  const flags = fsConstants.O_RDONLY | fsConstants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw refuse(file, `cannot be read: ${error.message}`, error);
  });
  if (handle === null) return null;
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw refuse(file, 'is not a file');
    if (info.size > MAX_FILE_BYTES) throw refuse(file, 'is larger than 1 MiB');
    return decode(file, await handle.readFile());
  } finally {
    await handle.close();
  }
}

function decode(file: string, content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (cause) {
    throw refuse(file, 'is not UTF-8 text', cause);
  }
}

export async function readLayer(
  scope: 'managed' | 'user',
  file: string,
  required: boolean,
): Promise<Layer | null> {
  const text = await readTextFile(file);
  if (text === null && required) throw refuse(file, 'does not exist');
  return text === null ? null : { scope, from: file, entries: await readText(file, text) };
}

/** Where values of an object given by a program come from, for error messages. */
const GIVEN_DOCUMENT = 'options.config';

/** A configuration given as an object: same keys, same checks as a file. */
export async function documentLayer(document: Readonly<Record<string, unknown>>): Promise<Layer> {
  const entries = await readText(GIVEN_DOCUMENT, JSON.stringify(document, null, 2));
  return { scope: 'user', from: GIVEN_DOCUMENT, entries };
}

/** The file named by flag or variable, or null. */
export function namedFile(options: LoadConfigOptions): string | null {
  const name =
    options.overrides?.configFile || options.env.TOOLWRIGHT_CONFIG || options.env.TRAE_CONFIG_FILE;
  return name ? resolve(options.shellDirectory ?? options.cwd, name) : null;
}

export interface FoundFile {
  readonly file: string;
  readonly layer: Layer;
  readonly trust: FolderTrust;
  readonly notices: readonly string[];
}

/** The configuration file of the working directory with the trust its folder has, or only notices. */
export async function findProjectFile(
  home: string,
  cwd: string,
): Promise<FoundFile | { readonly notices: readonly string[] }> {
  const present = await Promise.all(CONFIG_FILE_NAMES.map((name) => kindOf(join(cwd, name))));
  const notices = CONFIG_FILE_NAMES.flatMap((name, index) =>
    present[index] === 'other'
      ? [`${join(cwd, name)} is not a regular file and is not read; name it with --config-file.`]
      : [],
  );
  const names = CONFIG_FILE_NAMES.filter((_, index) => present[index] === 'file');
  const [name, ...others] = names;
  if (name === undefined) return { notices };
  const trust = await folderTrust(home, cwd);
  const file = join(cwd, name);
  const content = trust.files.find((one) => one.path === name)?.content;
  if (content === undefined) throw refuse(file, 'cannot be read');
  const entries = await readText(file, decode(file, content));
  const hidden = others.map((other) => `${join(cwd, other)} is not read: ${name} comes first.`);
  return {
    file,
    layer: { scope: 'project', from: file, entries },
    trust,
    notices: [...notices, ...hidden],
  };
}

async function kindOf(path: string): Promise<'absent' | 'file' | 'other'> {
  const info = await lstat(path).catch(() => null);
  if (info === null) return 'absent';
  return info.isFile() ? 'file' : 'other';
}
