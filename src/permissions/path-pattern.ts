import { homedir } from 'node:os';
import picomatch from 'picomatch';

/** A compiled gitignore-style glob of a rule. */
export interface PathPattern {
  /** The last component has a literal character: it names files, not just everything below a folder. */
  readonly specific: boolean;
  /** Whether a path, or a folder above it, is named. `logical` is relative to the workspace when it lies in it. */
  matches(path: { readonly absolute: string; readonly logical: string }): boolean;
}

const OPTIONS = { dot: true, nobrace: true, noextglob: true, nonegate: true } as const;

/**
 * `src/**` and `./a` from the workspace root, `*.pem` (no slash) at any depth, `/abs/**` absolute, `~/x` in the home
 * directory. A pattern that names a folder covers all below it. Returns null when it is malformed.
 */
export function compilePathPattern(pattern: string, home = homedir()): PathPattern | null {
  if (!isWellFormed(pattern)) return null;
  const specific = /[^*?]/.test(pattern.split('/').at(-1) ?? '');
  const trimmed = pattern.length > 1 ? pattern.replace(/\/+$/, '') : pattern;
  if (trimmed.startsWith('/') || trimmed === '~' || trimmed.startsWith('~/')) {
    const absolute = trimmed.startsWith('~') ? `${escapeGlob(home)}${trimmed.slice(1)}` : trimmed;
    const test = withBelow(absolute);
    return { specific, matches: (path) => test(path.absolute) };
  }
  const anchored = trimmed.startsWith('./') ? trimmed.slice(2) : trimmed;
  const anywhere = !trimmed.includes('/');
  const test = withBelow(anywhere ? `**/${anchored}` : anchored);
  return {
    specific,
    matches: (path) => test(path.logical) || (anywhere && test(path.absolute)),
  };
}

/** `**` at the end also covers the folder itself in picomatch, which a rule means too. */
function withBelow(glob: string): (path: string) => boolean {
  const self = picomatch(glob, OPTIONS);
  const below = picomatch(`${glob.replace(/\/\*\*$/, '')}/**`, OPTIONS);
  return (path) => self(path) || below(path);
}

function isWellFormed(pattern: string): boolean {
  if (pattern === '' || pattern.length > 1000 || /[\u0000-\u001f]/.test(pattern)) return false;
  if (pattern.startsWith('!') || /(^|\/)\.\.(\/|$)/.test(pattern)) return false;
  if (/\/\/|(^|[^\\])(\\\\)*\\$/.test(pattern) || /^~[^/]/.test(pattern)) return false;
  const brackets = pattern.replace(/\\./g, '').replace(/\[[^\]]+\]/g, '');
  return !/[[\]]/.test(brackets);
}

/** Text that a glob takes literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');
}
