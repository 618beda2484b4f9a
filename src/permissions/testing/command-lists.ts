import { readFileSync } from 'node:fs';

/** Command lines, one a line; `⏎ ␍ ␀ ⟨hex⟩` stand for characters a line cannot hold. */
export function commandList(name: 'everyday' | 'hidden'): string[] {
  const text = readFileSync(new URL(`./${name}-commands.txt`, import.meta.url), 'utf8');
  return text.trimEnd().split('\n').map(decoded);
}

function decoded(line: string): string {
  return line
    .replaceAll('⏎', '\n')
    .replaceAll('␍', '\r')
    .replaceAll('␀', '\0')
    .replace(/⟨([0-9a-f]+)⟩/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}
