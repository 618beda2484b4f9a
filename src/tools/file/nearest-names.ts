import { isToolFailure, ToolFailure } from '../../errors.ts';
import { editDistance } from '../../nearest-name.ts';
import { isSecretName } from '../../workspace/protected-names.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { FileAccess, PathResolver, ResolvedPath } from '../../workspace/types.ts';

/** Runs a file operation; a `not_found` gains the nearest names of the folder it looked in. */
export async function withNearest<T>(
  files: FileAccess,
  resolver: PathResolver,
  path: ResolvedPath,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isToolFailure(error) || error.kind !== 'not_found') throw error;
    const near = await nearestNames(files, resolver, path);
    const listed = near.length === 0 ? '' : `; nearest: ${near.map(showPath).join(', ')}`;
    throw new ToolFailure('not_found', `${error.message}${listed}`, {
      details: { ...error.facts, nearest: near },
    });
  }
}

async function nearestNames(
  files: FileAccess,
  resolver: PathResolver,
  path: ResolvedPath,
): Promise<readonly string[]> {
  const wanted = path.segments.at(-1);
  if (wanted === undefined) return [];
  try {
    const root = resolver.resolve(path.root.path, 'read');
    const parent = path.segments.slice(0, -1).reduce((at, name) => resolver.child(at, name), root);
    const entries = await files.list(parent, { maxEntries: 2000 });
    return entries
      .filter((entry) => !isSecretName([...parent.segments, entry.segment]))
      .map((entry) => ({
        name: entry.segment,
        distance: editDistance(wanted.slice(0, 80), entry.segment.slice(0, 80)),
      }))
      .filter(
        ({ name, distance: steps }) =>
          steps <= Math.max(2, Math.min(wanted.length, name.length) / 2),
      )
      .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
      .slice(0, 3)
      .map(({ name }) => resolver.child(parent, name).logical);
  } catch (error) {
    if (isToolFailure(error)) return [];
    throw error;
  }
}
