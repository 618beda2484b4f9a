import { SECRET_GLOBS, SOURCE_EXTENSIONS } from '../../workspace/protected-names.ts';

/** Ignore rules of folders above a search, rewritten to be read at the root: ripgrep takes them as one file. */
export function rebaseIgnore(
  files: readonly { readonly base: readonly string[]; readonly text: string }[],
): string {
  return files
    .flatMap(({ base, text }) => text.split(/\r?\n/).map((line) => rebaseLine(base, line)))
    .join('\n');
}

function rebaseLine(base: readonly string[], line: string): string {
  if (base.length === 0 || line.trim() === '' || line.startsWith('#')) return line;
  const negated = line.startsWith('!');
  const pattern = negated ? line.slice(1) : line;
  const folder = base.map(escapeGlob).join('/');
  const anchored = /\/(?!\s*$)/.test(pattern);
  const below = anchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return `${negated ? '!' : ''}/${folder}/${below}`;
}

export function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]{}!#]/g, '\\$&');
}

const EXEMPT = ['credentials*', 'secrets.*'];

/**
 * Secret names as ignore rules, so that their content is not even read. They rank below a repository's own rules;
 * what those let through is dropped by name afterwards.
 */
export const SECRET_IGNORE = [
  ...SECRET_GLOBS,
  ...['.env', '.env.*', ...EXEMPT].map((glob) => `!${glob}/`),
  ...['example', 'sample', 'template'].map((ending) => `!.env.${ending}`),
  ...EXEMPT.flatMap((glob) => SOURCE_EXTENSIONS.map((ending) => `!${glob}.${ending}`)),
].join('\n');
