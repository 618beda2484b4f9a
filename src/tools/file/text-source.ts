import { TextDecoder } from 'node:util';
import { ToolFailure } from '../../errors.ts';
import { decodeForView, decodeLegacy, detectEncoding } from '../../workspace/encoding.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import { sha256Of } from '../../workspace/write-file.ts';
import type { ToolContext } from '../types.ts';
import { binaryKind } from './image-size.ts';
import { statMark } from './seen-file.ts';

const WHOLE_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;
const PROBE_BYTES = 64 * 1024;
const BINARY_PROBE_BYTES = 8 * 1024;
/** Counting the lines of anything larger takes longer than a call may. */
const MOST_BYTES = 4 * 1024 ** 3;

/** A text file to be read once from the beginning, whole when small, in pieces when large. */
export interface TextSource {
  readonly bytes: number;
  /** Name for people: `utf-8`, `utf-8 with BOM`, `gb18030 (guessed)`. */
  readonly encoding: string;
  /** Null above 32 MiB. */
  readonly sha256: string | null;
  /** The bytes themselves when the file was read whole. */
  readonly content: Buffer | null;
  pieces(): AsyncIterable<string>;
}

/** Throws ToolFailure; `unsupported_format` for binary content, `invalid_arguments` for an unknown label. */
export async function openText(
  ctx: ToolContext,
  path: ResolvedPath,
  label: string | undefined,
): Promise<TextSource> {
  const stat = await ctx.files.stat(path);
  if (stat.type === 'file' && stat.size > WHOLE_BYTES)
    return openLarge(ctx, path, stat.size, label);
  const content = await ctx.files.read(path, { signal: ctx.signal });
  const { text, encoding } = decode(content, path, label);
  return {
    bytes: content.length,
    encoding,
    sha256: sha256Of(content),
    content,
    async *pieces() {
      yield text;
    },
  };
}

function decode(
  content: Buffer,
  path: ResolvedPath,
  label: string | undefined,
): { readonly text: string; readonly encoding: string } {
  if (label !== undefined) {
    const decoder = decoderFor(label);
    return { text: decoder.decode(content), encoding: decoder.encoding };
  }
  const found = detectEncoding(content);
  if (found === null) throw binary(path, content, content.length);
  const body = content.subarray(found.bomBytes);
  if (found.name === 'legacy') {
    const guess = decodeLegacy(body);
    return { text: guess.text, encoding: `${guess.label} (guessed)` };
  }
  return { text: decodeForView(body, found), encoding: named(found.name, found.bomBytes) };
}

function named(name: string, bomBytes: number): string {
  return name === 'utf-8' && bomBytes > 0 ? 'utf-8 with BOM' : name;
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    throw new ToolFailure(
      'invalid_arguments',
      `"${showPath(label.slice(0, 40))}" is no known encoding; examples: utf-8, gb18030, shift_jis, windows-1252`,
    );
  }
}

function binary(path: ResolvedPath, head: Buffer, size: number): ToolFailure {
  return new ToolFailure(
    'unsupported_format',
    `${showPath(path.logical)} is ${binaryKind(head)} of ${size} bytes, not text`,
    { details: { path: path.logical, bytes: size } },
  );
}

function tooLarge(path: ResolvedPath, size: number): ToolFailure {
  return new ToolFailure(
    'too_large',
    `${showPath(path.logical)} has ${size} bytes; files above ${MOST_BYTES} bytes are not paged`,
    { details: { path: path.logical, bytes: size } },
  );
}

async function openLarge(
  ctx: ToolContext,
  path: ResolvedPath,
  size: number,
  label: string | undefined,
): Promise<TextSource> {
  const probe = await ctx.files.readRange(path, 0, PROBE_BYTES, ctx.signal);
  if (size > MOST_BYTES) throw tooLarge(path, size);
  const encoding = label === undefined ? guessFrom(probe, path, size) : decoderFor(label).encoding;
  return {
    bytes: size,
    encoding,
    sha256: null,
    content: null,
    async *pieces() {
      const decoder = decoderFor(encoding.split(' ')[0] ?? 'utf-8');
      for (let offset = 0; ; ) {
        const piece = await ctx.files.readRange(path, offset, PIECE_BYTES, ctx.signal);
        if (piece.length === 0) break;
        offset += piece.length;
        yield decoder.decode(piece, { stream: true });
      }
      yield decoder.decode();
    },
  };
}

function guessFrom(probe: Buffer, path: ResolvedPath, size: number): string {
  const found = detectEncoding(probe, false);
  const nul = probe.subarray(0, BINARY_PROBE_BYTES).includes(0);
  if (found === null || (nul && found.bomBytes === 0)) throw binary(path, probe, size);
  if (found.name !== 'legacy') return named(found.name, found.bomBytes);
  for (let cut = 0; cut < 4; cut += 1) {
    const { label } = decodeLegacy(probe.subarray(0, probe.length - cut));
    if (label === 'gb18030') return 'gb18030 (guessed)';
  }
  return 'windows-1252 (guessed)';
}

/** Notes that the session has seen this file. */
export async function markRead(
  ctx: ToolContext,
  path: ResolvedPath,
  source: TextSource,
): Promise<void> {
  const real = await ctx.files.realPath(path);
  const stat = await ctx.files.stat(path);
  const mark = source.sha256 ?? statMark(stat);
  ctx.session.knowledge.record(real, mark, stat.size, stat.mtimeNs, stat.ino);
  if (source.content !== null) ctx.session.knowledge.keep?.(real, source.content);
}
