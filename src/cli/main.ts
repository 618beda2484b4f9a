import { exitCodeOfError } from './exit-codes.ts';
import { drained, type Io } from './io.ts';
import { runProgram } from './program.ts';
import { errorLine } from './usage-error.ts';

/** A reader that went away (`| head`) is no fault of the run: what cannot be shown is dropped. */
function ignoreClosedPipes(io: Io): void {
  for (const stream of [io.stdout, io.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: { ...process.env },
  cwd: process.cwd(),
};
ignoreClosedPipes(io);
const code = await runProgram(process.argv.slice(2), io).catch((error: unknown) => {
  io.stderr.write(`${errorLine(error)}\n`);
  return exitCodeOfError(error);
});
await Promise.all([drained(io.stdout), drained(io.stderr)]);
process.exit(code);
