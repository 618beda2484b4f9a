import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redactor } from '../../session/types.ts';

/** `.session/errors.log`: stacks of defects and remarks of tools, for people; never for the model. */
export interface Diagnostics {
  defect(where: string, error: unknown): void;
  remark(where: string, message: string): void;
  /** Resolves when everything reported so far is written or given up. */
  flush(): Promise<void>;
}

export function createDiagnostics(stateFolder: string, redactor: Redactor): Diagnostics {
  const file = join(stateFolder, 'errors.log');
  let last: Promise<void> = Promise.resolve();
  const write = (where: string, text: string) => {
    const line = `${new Date().toISOString()} ${where}: ${redactor.strict(text)}\n`;
    // A diagnosis that cannot be stored must not become a second failure.
    last = last.then(() => appendFile(file, line, { mode: 0o600 })).catch(() => {});
  };
  return {
    defect: (where, error) =>
      write(where, error instanceof Error ? (error.stack ?? error.message) : String(error)),
    remark: write,
    flush: () => last,
  };
}
