import type { GrepMode } from './grep-types.ts';
import type { HitCollector } from './hit-collector.ts';

export interface RecordReader {
  push(chunk: Buffer): void;
  end(): void;
}

/** Takes ripgrep's output apart: JSON lines for content, `path NUL` for files, `path NUL count LF` for counts. */
export function createRecordReader(mode: GrepMode, collector: HitCollector): RecordReader {
  const separator = mode === 'files' ? 0 : 10;
  const take = { content: takeJson, files: takeFile, count: takeCount }[mode];
  let rest: Buffer[] = [];
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(separator); at >= 0; at = chunk.indexOf(separator, from)) {
        const part = chunk.subarray(from, at);
        const record = rest.length === 0 ? part : Buffer.concat([...rest, part]);
        from = at + 1;
        // A line break in a file name is no end of a count.
        const isWhole = mode !== 'count' || record.includes(0);
        rest = isWhole ? [] : [record, Buffer.from('\n')];
        if (isWhole) take(record, collector);
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    },
    end() {
      if (rest.length > 0) take(Buffer.concat(rest), collector);
      rest = [];
    },
  };
}

interface JsonText {
  readonly text?: string;
  readonly bytes?: string;
}

interface JsonRecord {
  readonly type: string;
  readonly data: {
    readonly path?: JsonText;
    readonly lines?: JsonText;
    readonly line_number?: number;
    readonly absolute_offset?: number;
    readonly binary_offset?: number | null;
    readonly submatches?: readonly { readonly start: number }[];
  };
}

function takeJson(record: Buffer, collector: HitCollector): void {
  const parsed = parse(record);
  if (parsed === null) return;
  const { type, data } = parsed;
  if (type === 'begin') collector.openFile(bytesOf(data.path));
  else if (type === 'end') collector.closeFile(typeof data.binary_offset === 'number');
  else if (type === 'match' || type === 'context') {
    collector.addLine({
      line: data.line_number ?? 0,
      text: bytesOf(data.lines),
      offset: data.absolute_offset ?? 0,
      matchAt: type === 'match' ? (data.submatches?.[0]?.start ?? 0) : null,
    });
  }
}

/** Null for a line that was cut when the program was ended. */
function parse(record: Buffer): JsonRecord | null {
  try {
    return JSON.parse(record.toString('utf8')) as JsonRecord;
  } catch {
    return null;
  }
}

function bytesOf(value: JsonText | undefined): Buffer {
  if (value?.text !== undefined) return Buffer.from(value.text, 'utf8');
  return Buffer.from(value?.bytes ?? '', 'base64');
}

function takeFile(record: Buffer, collector: HitCollector): void {
  if (record.length > 0) collector.addFile(record, 1);
}

/** The count follows the last NUL. */
function takeCount(record: Buffer, collector: HitCollector): void {
  const at = record.lastIndexOf(0);
  if (at > 0) collector.addFile(record.subarray(0, at), Number(record.subarray(at + 1)));
}
