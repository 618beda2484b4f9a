import { homeDirectory } from '../../config/files.ts';
import { addressVariable, BUILTIN_PROVIDERS, keyVariables } from '../../config/providers.ts';
import type { LoadedConfig } from '../../config/types.ts';
import { findProgram } from '../../environment/find-program.ts';
import { probeSandbox } from '../../environment/probe.ts';
import { isToolwrightError } from '../../errors.ts';
import { sanitise } from '../../session/sanitise.ts';
import { EXIT } from '../exit-codes.ts';
import { type FormatFlags, wantsJson } from '../format-flag.ts';
import type { Io } from '../io.ts';
import { prepareConfig } from '../prepare.ts';
import { programVersion } from '../program-version.ts';
import { builtinAddress, reach } from '../reachable.ts';

export interface DoctorFlags extends FormatFlags {
  readonly online?: boolean;
  readonly workingDir?: string;
  readonly configFile?: string;
}

/** `bad` stops every run; `weak` takes something away. */
interface Finding {
  readonly state: 'ok' | 'weak' | 'bad';
  readonly name: string;
  readonly text: string;
}

const MARKS = { ok: 'ok  ', weak: 'weak', bad: 'BAD ' } as const;

/** Prints one line for each thing that is needed. Exit 1 when something stops every run. */
export async function doctorCommand(io: Io, flags: DoctorFlags): Promise<number> {
  const home = homeDirectory(io.env);
  const findings: Finding[] = [
    { state: 'ok', name: 'node', text: `${process.version} (${process.execPath})` },
    ...(await programs(io, home)),
    await sandbox(home),
    ...(await configuration(io, flags)),
  ];
  const works = !findings.some(({ state }) => state === 'bad');
  if (wantsJson(flags)) io.stdout.write(`${JSON.stringify({ works, findings }, null, 2)}\n`);
  else
    for (const { state, name, text } of findings)
      io.stdout.write(sanitise(`${MARKS[state]} ${name}: ${text}`).concat('\n'));
  return works ? EXIT.completed : EXIT.failed;
}

const PYTHONS = ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3'];

async function programs(io: Io, home: string): Promise<Finding[]> {
  const path = io.env.PATH ?? '';
  const look = async (names: readonly string[]): Promise<string | null> => {
    for (const name of names) {
      const program = findProgram(name, path);
      const version = program === null ? null : await programVersion(program, home, path);
      if (version !== null) return `${version} (${program})`;
    }
    return null;
  };
  const [git, python, ripgrep] = await Promise.all([
    look(['git']),
    look(PYTHONS),
    ripgrepFound(path),
  ]);
  return [
    found('git', git, 'not found: there is no patch without it; install git'),
    found('python', python, 'not found: Python tools do not work; install Python 3.10 or newer'),
    found(
      'ripgrep',
      ripgrep,
      'not found: searching is slower; run npm install, or install ripgrep',
    ),
  ];
}

function found(name: string, text: string | null, remedy: string): Finding {
  return text === null ? { state: 'weak', name, text: remedy } : { state: 'ok', name, text };
}

async function ripgrepFound(path: string): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    return findProgram('rg', path);
  }
}

async function sandbox(home: string): Promise<Finding> {
  const probe = await probeSandbox('bwrap', home);
  if (probe.works)
    return {
      state: 'ok',
      name: 'sandbox',
      text: `bubblewrap ${probe.version ?? ''} confines commands`,
    };
  const remedy =
    'unattended runs need a mode: --permission-mode read-only, or both --sandbox none --permission-mode bypass';
  return { state: 'weak', name: 'sandbox', text: `none: ${probe.reason}; ${remedy}` };
}

async function configuration(io: Io, flags: DoctorFlags): Promise<Finding[]> {
  try {
    const { config } = await prepareConfig(io, {
      workingDir: flags.workingDir,
      overrides: flags.configFile === undefined ? {} : { configFile: flags.configFile },
      interactive: false,
      untrusted: 'ignore',
    });
    const files = config.files.length === 0 ? 'no files' : config.files.join(', ');
    return [
      { state: 'ok', name: 'configuration', text: files },
      model(config),
      ...(await providers(io, config, flags.online === true)),
    ];
  } catch (error) {
    if (!isToolwrightError(error)) throw error;
    return [{ state: 'bad', name: 'configuration', text: error.message }];
  }
}

function model(config: LoadedConfig): Finding {
  try {
    const resolved = config.resolveModel('coding');
    return { state: 'ok', name: 'model', text: `${resolved.model} of ${resolved.provider}` };
  } catch (error) {
    return {
      state: 'weak',
      name: 'model',
      text: error instanceof Error ? error.message : String(error),
    };
  }
}

async function providers(io: Io, config: LoadedConfig, online: boolean): Promise<Finding[]> {
  const configured = Object.keys((config.get('model_providers') ?? {}) as object);
  const names = [...new Set([...configured, ...BUILTIN_PROVIDERS])];
  const findings = await Promise.all(
    names.map(async (name): Promise<Finding | null> => {
      const variable = keyVariables(name).find((one) => io.env[one]);
      const inFile = config.text(`model_providers.${name}.api_key`) !== undefined;
      if (variable === undefined && !inFile) return null;
      const key = variable === undefined ? 'key in a file' : `key in ${variable}`;
      if (!online) return { state: 'ok', name: `provider ${name}`, text: key };
      const address =
        io.env[addressVariable(name)] ??
        config.text(`model_providers.${name}.base_url`) ??
        builtinAddress(config.text(`model_providers.${name}.provider`) ?? name);
      if (address === null)
        return { state: 'weak', name: `provider ${name}`, text: `${key}; no address` };
      const reached = await reach(address);
      const state = reached.ok ? 'ok' : 'weak';
      return { state, name: `provider ${name}`, text: `${key}; ${address}: ${reached.text}` };
    }),
  );
  const listed = findings.filter((one) => one !== null);
  return listed.length > 0
    ? listed
    : [
        {
          state: 'weak',
          name: 'providers',
          text: 'no key is set; set OPENAI_API_KEY, ANTHROPIC_API_KEY or another, or use a local server',
        },
      ];
}
