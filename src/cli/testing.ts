/** Helpers of this room's tests: streams that only collect. */
import { PassThrough, Readable } from 'node:stream';
import type { Io } from './io.ts';

export interface TestIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
}

/** An Io without terminals. */
export function testIo(options: { cwd?: string; env?: Io['env']; stdin?: string } = {}): TestIo {
  const collected = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => {
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => {
      collected[name] += chunk.toString('utf8');
    });
    return stream as unknown as NodeJS.WriteStream;
  };
  return {
    stdin: Readable.from([options.stdin ?? '']) as unknown as NodeJS.ReadStream,
    stdout: sink('out'),
    stderr: sink('err'),
    env: options.env ?? {},
    cwd: options.cwd ?? '/nowhere',
    out: () => collected.out,
    err: () => collected.err,
  };
}
