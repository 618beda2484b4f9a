import { join } from 'node:path';
import { createBwrapEnvironment } from './bwrap.ts';
import { createHostEnvironment } from './host.ts';
import { noFiles } from './no-files.ts';
import { systemGrant } from './system-grant.ts';
import type { SandboxKind } from './types.ts';

export interface OneCommand {
  readonly kind: SandboxKind;
  /** TOOLWRIGHT_HOME. */
  readonly home: string;
  readonly workspace: string;
  /** A folder of ours for the environment's own files. */
  readonly folder: string;
  readonly argv: readonly string[];
  readonly purpose: string;
  readonly timeoutMs: number;
}

/** Runs one command of our own in an environment of its own. Output is stdout and stderr as they came. */
export async function runOneCommand(
  command: OneCommand,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const inFolder = (name: string) => join(command.folder, name);
  const options = {
    home: command.home,
    paths: {
      workspace: command.workspace,
      scratchpad: inFolder('scratchpad'),
      output: inFolder('output'),
      input: inFolder('input'),
      stateDir: inFolder('state'),
      venv: inFolder('venv'),
    },
    files: noFiles,
    limits: {},
    network: false,
  };
  const environment =
    command.kind === 'bwrap' ? createBwrapEnvironment(options) : createHostEnvironment(options);
  await environment.start();
  try {
    const child = await environment.spawn({
      callId: command.purpose,
      grant: systemGrant(command.purpose),
      argv: command.argv,
      cwd: command.workspace,
      stdin: 'closed',
      profile: 'command',
      limits: { timeoutMs: command.timeoutMs },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const { code } = await child.exited;
    return { code, output };
  } finally {
    await environment.stop();
  }
}
