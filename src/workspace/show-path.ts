const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A path as people and models may see it on one line: control, invisible and undecodable characters escaped. */
export function showPath(path: string): string {
  return path.replace(HIDDEN, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (char === '\n') return '\\n';
    if (char === '\t') return '\\t';
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
    return `\\u{${code.toString(16)}}`;
  });
}
