import { firstChars } from './line-collector.ts';

const OUTPUT_CHARS = 1000;

/** Cells of a notebook as text: index, id, type, source, text outputs. Null when the text is no notebook. */
export function notebookView(
  text: string,
): { readonly text: string; readonly cells: number } | null {
  const cells = cellsOf(text);
  if (cells === null) return null;
  const parts = cells.map((cell, index) => {
    const id = typeof cell.id === 'string' ? `, id ${cell.id}` : '';
    const outputs = outputText(cell.outputs);
    const shown = outputs === '' ? '' : `\n[output]\n${outputs}`;
    return `[cell ${index}${id}, ${String(cell.cell_type)}]\n${joined(cell.source)}${shown}`;
  });
  return { text: parts.join('\n'), cells: cells.length };
}

function cellsOf(text: string): readonly Record<string, unknown>[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isRecord(parsed) || !Array.isArray(parsed.cells)) return null;
    return parsed.cells.every(isRecord) ? parsed.cells : null;
  } catch {
    return null;
  }
}

function outputText(outputs: unknown): string {
  if (!Array.isArray(outputs)) return '';
  return outputs
    .filter(isRecord)
    .map((output) => {
      const data = isRecord(output.data) ? output.data : {};
      const kinds = Object.keys(data).filter((kind) => kind !== 'text/plain');
      const text = joined(output.text) || joined(data['text/plain']) || joined(output.traceback);
      const more = kinds.length > 0 ? `[also: ${kinds.join(', ')}]` : '';
      return [cut(text), more].filter((part) => part !== '').join('\n');
    })
    .filter((part) => part !== '')
    .join('\n');
}

function cut(text: string): string {
  const head = firstChars(text, OUTPUT_CHARS);
  return head.length < text.length ? `${head}\n[... output cut]` : text;
}

function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('') : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
