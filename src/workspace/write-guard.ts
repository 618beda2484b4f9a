import { ToolFailure } from '../errors.ts';
import { pathFailure } from './failures.ts';
import { isLiveGrant } from './grant.ts';
import { type SecretException, secretFailure } from './name-guard.ts';
import type { PathWalk } from './path-walk.ts';
import { isProtectedPath, isSecretName } from './protected-names.ts';
import type { OpenRoot } from './root-table.ts';
import { checkNewName } from './segments.ts';
import type { Grant, ResolvedPath } from './types.ts';

/** A call without a live grant never writes. Throws ToolFailure `permission_denied`. */
export function requireGrant(grant: Grant): void {
  if (!isLiveGrant(grant)) {
    throw new ToolFailure('permission_denied', 'this call has no live permission to write');
  }
}

/**
 * Whether the real place (components below its root) may be written in this grant's name. Called before the first
 * effect, for the place itself. Throws ToolFailure `path_denied`.
 */
export function guardWrite(
  path: ResolvedPath,
  root: OpenRoot,
  segments: readonly string[],
  grant: Grant,
  secretAllowed: SecretException,
): void {
  if (!path.root.write || !root.root.write) {
    throw pathFailure('path_denied', path.logical, 'lies in a read-only place');
  }
  const options = { fold: root.fold };
  const real = joined(root.real, segments);
  if (
    (isSecretName(path.segments, options) || isSecretName(segments, options)) &&
    !secretAllowed(real)
  ) {
    throw secretFailure(path.logical);
  }
  const approved = (absolute: string): boolean => grant.protectedPaths.includes(absolute);
  const realApproved = approved(real) || approved(joined(root.root.path, segments));
  const literalApproved = realApproved || approved(path.absolute);
  const denied =
    (isProtectedPath(segments, options) && !realApproved) ||
    (isProtectedPath(path.segments, options) && !literalApproved);
  if (denied) {
    throw pathFailure(
      'path_denied',
      path.logical,
      'is a protected path; writing it needs an approval of its own',
    );
  }
}

/** The folder maker of a write with `makeParents`; each name it makes is new and checked as such. */
export function guardNewFolders(
  walk: PathWalk,
  name: string,
  guard: (full: readonly string[]) => void,
): void {
  const missing = [name, ...walk.remaining];
  guard([...walk.segments, ...missing]);
  for (const part of missing) checkNewName(part);
}

function joined(root: string, segments: readonly string[]): string {
  const below = segments.join('/');
  if (below === '') return root;
  return root === '/' ? `/${below}` : `${root}/${below}`;
}
