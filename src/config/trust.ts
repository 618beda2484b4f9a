/**
 * Trust in a folder's active content. Kept in `$TOOLWRIGHT_HOME/trust.json`, keyed by where the folder really is
 * (real path, device, inode) and the hash of its active files; any change of either asks again.
 */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { type ActiveFile, contentDigest, readActiveContent, sha256 } from './active-content.ts';
import { readJsonFile, updateJsonFile } from './locked-json.ts';

export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  /** A short hash of each line, so that a change can be shown without keeping the text; absent for big files. */
  readonly lines?: readonly string[];
}

export interface TrustRecord {
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  readonly digest: string;
  readonly accepted_at: string;
  readonly files: readonly TrustedFile[];
}

export interface FolderTrust {
  readonly folder: string;
  readonly trusted: boolean;
  readonly files: readonly ActiveFile[];
  /** What was accepted here before, when that is something else. */
  readonly accepted: TrustRecord | null;
}

interface Identity {
  readonly path: string;
  readonly device: string;
  readonly inode: string;
}

const MAX_LINES = 2_000;

function storeFile(home: string): string {
  return join(home, 'trust.json');
}

async function identify(folder: string): Promise<Identity | null> {
  try {
    const path = await realpath(folder);
    const info = await stat(path, { bigint: true });
    return { path, device: String(info.dev), inode: String(info.ino) };
  } catch {
    return null;
  }
}

function sameFolder(record: Identity, identity: Identity): boolean {
  return (
    record.path === identity.path &&
    record.device === identity.device &&
    record.inode === identity.inode
  );
}

/** All accepted folders. */
export async function listTrust(home: string): Promise<TrustRecord[]> {
  return recordsOf(await readJsonFile(storeFile(home)));
}

function recordsOf(store: unknown): TrustRecord[] {
  const folders = (store as { readonly folders?: unknown } | undefined)?.folders;
  return Array.isArray(folders) ? (folders as TrustRecord[]) : [];
}

/** Whether the folder was accepted as it is now. Reads its files only when it was accepted before. */
export async function isTrusted(home: string, folder: string): Promise<boolean> {
  const records = await listTrust(home);
  if (records.length === 0) return false;
  const identity = await identify(folder);
  if (identity === null || !records.some((one) => sameFolder(one, identity))) return false;
  return (await folderTrust(home, folder)).trusted;
}

/** Reads the folder's active files and whether exactly these were accepted. A missing folder has none. */
export async function folderTrust(home: string, folder: string): Promise<FolderTrust> {
  const identity = await identify(folder);
  if (identity === null) return { folder, trusted: false, files: [], accepted: null };
  const files = await readActiveContent(identity.path);
  const records = await listTrust(home);
  const record = records.find((one) => sameFolder(one, identity)) ?? null;
  const trusted = record !== null && record.digest === contentDigest(files);
  return { folder: identity.path, trusted, files, accepted: trusted ? null : record };
}

/** Accepts exactly the files that were shown; what changed since then is not accepted. */
export async function acceptTrust(
  home: string,
  folder: string,
  shown: readonly ActiveFile[],
): Promise<void> {
  const identity = await identify(folder);
  if (identity === null) throw new ConfigError(`${folder} is not a folder.`, { path: folder });
  const record: TrustRecord = {
    ...identity,
    digest: contentDigest(shown),
    accepted_at: new Date().toISOString(),
    files: shown.map(remember),
  };
  await updateJsonFile(storeFile(home), (store) => ({
    version: 1,
    folders: [...recordsOf(store).filter((one) => one.path !== identity.path), record],
  }));
}

/** Forgets a folder; false when it was not trusted. Works for a folder that is gone, by its path. */
export async function revokeTrust(home: string, folder: string): Promise<boolean> {
  const path = (await identify(folder))?.path ?? folder;
  if (!(await listTrust(home)).some((one) => one.path === path)) return false;
  await updateJsonFile(storeFile(home), (store) => ({
    version: 1,
    folders: recordsOf(store).filter((one) => one.path !== path),
  }));
  return true;
}

function linesOf(content: Uint8Array): string[] {
  return Buffer.from(content).toString('utf8').split('\n');
}

function hashLine(line: string): string {
  return sha256(line).slice(0, 12);
}

function remember(file: ActiveFile): TrustedFile {
  const lines = linesOf(file.content);
  const known = { path: file.path, sha256: file.sha256 };
  return lines.length > MAX_LINES ? known : { ...known, lines: lines.map(hashLine) };
}

export interface FileDifference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Lines that were not in the accepted file, with their numbers. */
  readonly newLines: readonly { readonly number: number; readonly text: string }[];
  readonly removedLines: number;
}

/** What is different from the accepted files. */
export function trustDifference(
  accepted: TrustRecord,
  present: readonly ActiveFile[],
): FileDifference[] {
  const before = new Map(accepted.files.map((file) => [file.path, file]));
  const now = new Set(present.map((file) => file.path));
  const changes = present.flatMap((file) => {
    const old = before.get(file.path);
    return old?.sha256 === file.sha256 ? [] : [fileDifference(file, old)];
  });
  const removed = accepted.files.filter((file) => !now.has(file.path));
  return [
    ...changes,
    ...removed.map(({ path, lines = [] }) => ({
      path,
      change: 'removed' as const,
      newLines: [],
      removedLines: lines.length,
    })),
  ];
}

function fileDifference(file: ActiveFile, old: TrustedFile | undefined): FileDifference {
  const counts = new Map<string, number>();
  for (const hash of old?.lines ?? []) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const newLines = linesOf(file.content).flatMap((text, index) => {
    const left = counts.get(hashLine(text)) ?? 0;
    counts.set(hashLine(text), left - 1);
    return left > 0 ? [] : [{ number: index + 1, text }];
  });
  const removedLines = [...counts.values()].reduce((sum, left) => sum + Math.max(left, 0), 0);
  const change = old === undefined ? 'added' : 'changed';
  return { path: file.path, change, newLines, removedLines };
}
