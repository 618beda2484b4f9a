/** Ignore rules of folders above a search, rewritten to be read at the root: ripgrep takes them as one file. */
export function rebaseIgnore(
  files: readonly { readonly base: readonly string[]; readonly text: string }[],
): string {
  return files.flatMap(({ base, text }) => text.split(/\r?\n/).map((line) => rebaseLine(base, line))).join('\n');
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
