/** Decodes compressed response bodies. Endpoints are asked for `identity`; some compress anyway. */

import { LLMError } from '../errors.ts';

export function isPlain(encoding: string): boolean {
  const name = encoding.trim().toLowerCase();
  return name === '' || name === 'identity';
}

/**
 * The bytes of a body without its content-encoding. An incomplete compressed body is an error of the iteration,
 * an encoding nobody here knows an LLMError.
 */
export async function* decodeContent(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const name = encoding.trim().toLowerCase();
  const zlib = await import('node:zlib');
  const { Readable } = await import('node:stream');
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH };
  const stream =
    name === 'gzip' || name === 'x-gzip'
      ? zlib.createGunzip(flush)
      : name === 'deflate'
        ? zlib.createInflate(flush)
        : name === 'br'
          ? zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })
          : undefined;
  if (stream === undefined) {
    throw new LLMError({
      kind: 'protocol',
      detail: 'encoding',
      phase: 'decode',
      retryable: true,
      message: `the response has content-encoding "${name}", which cannot be read`,
    });
  }
  const source = Readable.from(body, { objectMode: false });
  source.on('error', (error) => stream.destroy(error));
  source.pipe(stream);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
    stream.destroy();
  }
}
