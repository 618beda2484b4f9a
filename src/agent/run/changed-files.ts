import { createHash } from 'node:crypto';
import { isToolFailure } from '../../errors.ts';
import type { WrittenFile } from '../../session/written-files.ts';
import type { FileAccess, PathResolver } from '../../workspace/types.ts';

const MOST_CHECKED = 2000;
const MOST_NAMED = 50;

/**
 * Files that are not as the session's tools left them, each with what happened to it. What cannot be looked at is
 * passed over.
 */
export async function changedSince(
  written: readonly WrittenFile[],
  files: Pick<FileAccess, 'read'>,
  resolver: Pick<PathResolver, 'resolve'>,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, sha256 } of written.slice(-MOST_CHECKED)) {
    const now = await hashNow(path, files, resolver);
    if (now === undefined || now === sha256) continue;
    if (now === null) changed.push(`${path} (removed)`);
    else changed.push(`${path} (${sha256 === null ? 'there again' : 'changed'})`);
  }
  return changed;
}

/** One sentence for the model, or nothing when every file is as it was. */
export function changedFilesText(changed: readonly string[]): string {
  if (changed.length === 0) return '';
  const more = changed.length - MOST_NAMED;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `Files you changed are not as your file tools left them: ${changed.slice(0, MOST_NAMED).join(', ')}${rest}. Read them again before you rely on them.`;
}

/** Null: there is no such file; undefined: it cannot be told. */
async function hashNow(
  path: string,
  files: Pick<FileAccess, 'read'>,
  resolver: Pick<PathResolver, 'resolve'>,
): Promise<string | null | undefined> {
  try {
    const content = await files.read(resolver.resolve(path, 'read'));
    return createHash('sha256').update(content).digest('hex');
  } catch (error) {
    return isToolFailure(error) && error.kind === 'not_found' ? null : undefined;
  }
}
