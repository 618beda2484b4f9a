/** What a command reads from and writes to. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The shell's working directory. */
  readonly cwd: string;
}

/** Somebody sits in front: questions can be asked on stderr and answered on stdin. */
export function hasPerson(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Resolves when what was written has left the process, so that a pipe gets all of it. */
export function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });
}
