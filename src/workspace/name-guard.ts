import { pathFailure } from './failures.ts';
import type { PathWalk } from './path-walk.ts';
import { isSecretName, type NameOptions } from './protected-names.ts';
import type { ResolvedPath } from './types.ts';

/** Says whether a rule of the user lets this secret-named file be used; the argument is its real absolute path. */
export type SecretException = (absolute: string) => boolean;

/** Refuses a secret name, as written or behind links. Throws ToolFailure `path_denied`. */
export function guardSecret(
  path: ResolvedPath,
  walk: PathWalk,
  kind: 'file' | 'directory',
  exception: SecretException,
): void {
  const options: NameOptions = { fold: walk.root.fold, directory: kind === 'directory' };
  const secret =
    isSecretName(path.segments, options) ||
    (walk.redirected && isSecretName(walk.segments, options));
  if (secret && !exception(walk.real)) throw secretFailure(path.logical);
}

export function secretFailure(logical: string): Error {
  return pathFailure(
    'path_denied',
    logical,
    'has the name of a file with secrets; tools may not use it',
  );
}
