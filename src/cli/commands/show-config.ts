import { describeOrigin } from '../../config/settings.ts';
import { sanitise } from '../../session/sanitise.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { checkFlags, overridesOf } from '../overrides.ts';
import { prepareConfig } from '../prepare.ts';
import type { RunFlags } from '../run-flags.ts';

/** Every key with its value and source; keys and tokens only as set or not set. */
export async function showConfigCommand(io: Io, flags: RunFlags): Promise<number> {
  checkFlags(flags);
  const { config } = await prepareConfig(io, {
    workingDir: flags.workingDir,
    overrides: overridesOf(flags),
    interactive: false,
    untrusted: 'ignore',
  });
  const lines = config.report();
  if (flags.outputFormat === 'json') {
    const value = { home: config.home, files: config.files, settings: lines };
    io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    return EXIT.completed;
  }
  const shown = lines.map(({ key, value, origin }) => {
    const scope = origin.from === null ? 'default' : `${origin.scope}: ${describeOrigin(origin)}`;
    return sanitise(`${key} = ${value}  (${scope})`);
  });
  const files =
    config.files.length === 0 ? ['files = none'] : config.files.map((f) => `file = ${f}`);
  io.stdout.write(`${[`home = ${config.home}`, ...files, ...shown].join('\n')}\n`);
  return EXIT.completed;
}
