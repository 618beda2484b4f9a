import { posix } from 'node:path';

/**
 * Paths named as `@path` in a text, resolved against the folder of `file` and inside the same tree; code blocks and
 * spans are left out, and so is everything that would lead above the tree.
 */
export function importsOf(file: string, text: string): string[] {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, '').replace(/`[^`\n]*`/g, '');
  const found = [...prose.matchAll(/(?:^|\s)@([A-Za-z0-9_./-]+)/g)].map((match) => match[1] ?? '');
  const folder = posix.dirname(file);
  return [...new Set(found)]
    .map((name) => name.replace(/\.+$/, ''))
    .filter((name) => name !== '' && !name.startsWith('/'))
    .map((name) => posix.join(folder, name))
    .filter((path) => path !== '.' && path !== '..' && !path.startsWith('../'));
}
