/** Decodes compressed response bodies. Endpoints are asked for `identity`; some compress anyway. */

export class UnknownEncodingError extends Error {
  constructor(encoding: string) {
    super(`the response has content-encoding "${encoding}", which cannot be read`);
    this.name = 'UnknownEncodingError';
  }
}

/** The bytes of a body without its content-encoding. An incomplete compressed body is an error of the iteration. */
export async function* decodeContent(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') {
    yield* body;
    return;
  }
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
  if (stream === undefined) throw new UnknownEncodingError(name);
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
