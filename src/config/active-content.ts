/** The files of a folder that would act if they were used: what trust in the folder is bound to. */
import { createHash } from 'node:crypto';
import { type Dirent, constants as fsConstants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Configuration files found by search, the first of them that exists is used. */
export const CONFIG_FILE_NAMES = [
  'toolwright.yaml',
  'trae_config.yaml',
  'trae_config.json',
] as const;

const ACTIVE_FILES = [...CONFIG_FILE_NAMES, '.mcp.json'];
/** Folders with skills, agents, workflows and hooks. */
const ACTIVE_FOLDERS = ['.toolwright', '.agents', '.claude/skills', 'skills'];

const MAX_FILES = 5_000;
const MAX_DEPTH = 8;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface ActiveFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly sha256: string;
  readonly content: Uint8Array;
}

/**
 * All active files of a folder in the order of their paths, read once, so that what is hashed is what is used.
 * Links, devices and pipes are not active: they are never read. Files above 8 MiB count with their first 8 MiB and
 * size.
 */
export async function readActiveContent(folder: string): Promise<ActiveFile[]> {
  const paths = [...ACTIVE_FILES];
  for (const directory of ACTIVE_FOLDERS) await collect(folder, directory, 0, paths);
  const files: ActiveFile[] = [];
  for (const path of paths.sort()) {
    const content = await readRegular(join(folder, path));
    if (content !== null) files.push({ path, sha256: sha256(content), content });
  }
  return files;
}

async function collect(
  folder: string,
  directory: string,
  depth: number,
  paths: string[],
): Promise<void> {
  const entries = await listFolder(join(folder, directory));
  for (const entry of entries) {
    if (paths.length >= MAX_FILES) return;
    const path = `${directory}/${entry.name}`;
    if (entry.isFile()) paths.push(path);
    if (entry.isDirectory() && depth < MAX_DEPTH) await collect(folder, path, depth + 1, paths);
  }
}

async function listFolder(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function readRegular(path: string): Promise<Uint8Array | null> {
  const flags = fsConstants.O_RDONLY | fsConstants.O_NOFOLLOW | fsConstants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => null);
  if (handle === null) return null;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(stat.size, MAX_FILE_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const tail = stat.size > MAX_FILE_BYTES ? Buffer.from(`\n${stat.size} bytes`) : Buffer.of();
    return Buffer.concat([buffer.subarray(0, bytesRead), tail]);
  } finally {
    await handle.close();
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** One hash over names and contents, in order. */
export function contentDigest(files: readonly ActiveFile[]): string {
  return sha256(files.map((file) => `${file.sha256} ${file.path}\n`).join(''));
}
