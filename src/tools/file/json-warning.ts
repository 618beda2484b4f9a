import type { TextEncoding } from '../../workspace/encoding.ts';
import { decodeForView } from '../../workspace/encoding.ts';
import { lineNumberAt } from '../../workspace/line-ends.ts';

/** A sentence when a file whose name promises JSON does not parse, or null. Never fails an edit. */
export function jsonWarning(name: string, content: Buffer, encoding: TextEncoding): string | null {
  const kind = /\.(json|jsonl|ipynb)$/i.exec(name)?.[1]?.toLowerCase();
  if (kind === undefined) return null;
  const text = decodeForView(content.subarray(encoding.bomBytes), encoding);
  if (kind !== 'jsonl') {
    const fault = parseFault(text);
    return fault === null ? null : `Warning: the file is not valid JSON now: ${fault}`;
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fault = parseFault(line);
    if (fault !== null) return `Warning: line ${index + 1} is not valid JSON now: ${fault}`;
  }
  return null;
}

function parseFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    if (position === undefined) return `${message} (line ${lineNumberAt(text, text.length)})`;
    return `${message.replace(/ \(line \d+ column \d+\)$/, '')} (line ${lineNumberAt(text, Number(position))})`;
  }
}
