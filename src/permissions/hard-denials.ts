import { isHiddenName, isProtectedPath, isSecretName } from '../workspace/protected-names.ts';
import type { ResolvedPath } from '../workspace/types.ts';
import { isInside } from './inside.ts';
import type { PermissionRequest } from './types.ts';

export interface HardPlace {
  /** TOOLWRIGHT_HOME. */
  readonly home: string;
  /** Real paths of configuration files in force. */
  readonly configFiles: readonly string[];
}

/** What no rule, mode or person can allow: a reason, or null. */
export function hardDenial(request: PermissionRequest, place: HardPlace): string | null {
  for (const [index, path] of request.paths.entries()) {
    const real = request.realPaths[index] ?? path.absolute;
    const names = [...path.segments, ...segmentsBelow(path, real)];
    if (names.some((name) => isHiddenName(name))) {
      return `${path.logical} belongs to the runtime's own records; no tool may touch it`;
    }
    if (names.some((name) => /^(docker|podman)\.sock$/.test(name))) {
      return `${path.logical} is a container engine socket; it is never reachable`;
    }
    if (path.intent === 'write' && isOwnConfiguration(path, real, place)) {
      return `${path.logical} configures this program; no tool may write it`;
    }
  }
  return null;
}

function isOwnConfiguration(path: ResolvedPath, real: string, place: HardPlace): boolean {
  if (place.configFiles.includes(real) || place.configFiles.includes(path.absolute)) return true;
  const sessionOwn = isInside(path.root.path, place.home);
  return !sessionOwn && (isInside(real, place.home) || isInside(path.absolute, place.home));
}

/** Components below the path's root, for the literal and the real form. */
function segmentsBelow(path: ResolvedPath, real: string): string[] {
  return isInside(real, path.root.path)
    ? real.slice(path.root.path.length).split('/')
    : real.split('/');
}

function anyForm(
  request: PermissionRequest,
  index: number,
  test: (segments: readonly string[]) => boolean,
): boolean {
  const path = request.paths[index];
  if (path === undefined) return false;
  const real = segmentsBelow(path, request.realPaths[index] ?? path.absolute).filter(Boolean);
  return test(path.segments) || test(real);
}

/** Indexes of the paths with a secret name, literally or behind a link. */
export function secretPaths(request: PermissionRequest): number[] {
  return [...request.paths.keys()].filter((index) =>
    anyForm(request, index, (segments) => isSecretName(segments)),
  );
}

/** Indexes of the paths to be written that are protected, literally or behind a link. */
export function protectedWrites(request: PermissionRequest): number[] {
  return [...request.paths.keys()].filter(
    (index) =>
      request.paths[index]?.intent === 'write' &&
      anyForm(request, index, (segments) => isProtectedPath(segments)),
  );
}

/** The absolute paths a grant must name so that their protected names may be written. */
export function protectedPathsOf(request: PermissionRequest): string[] {
  return protectedWrites(request).flatMap((index) => {
    const path = request.paths[index];
    return path === undefined
      ? []
      : [...new Set([path.absolute, request.realPaths[index] ?? path.absolute])];
  });
}
