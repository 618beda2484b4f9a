import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBwrapEnvironment } from './bwrap.ts';
import { findProgram } from './find-program.ts';
import { noFiles } from './no-files.ts';
import { cachedVersion, probeKey, rememberProbe } from './probe-cache.ts';
import { processManager } from './process-manager.ts';
import { systemGrant } from './system-grant.ts';
import type { SandboxKind, SandboxProbe } from './types.ts';

const CONFINED = 77;
/** Each check that fails has a code of its own; a confined shell ends with `CONFINED`. */
const CHECK = `
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || exit 11
(: > /usr/.toolwright-probe) 2>/dev/null && exit 12
mount -t tmpfs none /tmp 2>/dev/null && exit 13
mount -o remount,rw /usr 2>/dev/null && exit 13
unshare -U true 2>/dev/null && exit 14
grep -v -e '|' -e '^ *lo:' /proc/net/dev | grep -q . && exit 15
exit ${CONFINED}`;
const FAULTS: Readonly<Record<number, string>> = {
  11: 'commands keep capabilities',
  12: 'the system can be written',
  13: 'commands can mount',
  14: 'commands can make user namespaces',
  15: 'commands have a network',
};
const PROBE_MS = 5000;
const INSTALL = 'install bubblewrap 0.8 or newer';

const probes = new Map<string, Promise<SandboxProbe>>();

/**
 * Whether a sandbox of this kind confines here: runs a check under the argument list of real commands, once per
 * process; a success is remembered on disk for the same program, kernel and user. Never rejects.
 */
export function probeSandbox(kind: SandboxKind, home: string): Promise<SandboxProbe> {
  const key = `${kind}:${home}`;
  const known = probes.get(key);
  if (known !== undefined) return known;
  const probe = kind === 'bwrap' ? probeBwrap(home) : Promise.resolve(withoutProbe(kind));
  probes.set(key, probe);
  return probe;
}

function withoutProbe(kind: SandboxKind): SandboxProbe {
  if (kind === 'none') return { kind, works: true, reason: null, version: null };
  return failed(kind, 'docker environments are not supported by this build; use bwrap or none');
}

function failed(kind: SandboxKind, reason: string, version: string | null = null): SandboxProbe {
  return { kind, works: false, reason, version };
}

async function probeBwrap(home: string): Promise<SandboxProbe> {
  if (process.platform !== 'linux') return failed('bwrap', 'bubblewrap runs on Linux only');
  const program = findProgram('bwrap', process.env.PATH);
  if (program === null) return failed('bwrap', `bwrap was not found on PATH: ${INSTALL}`);
  const key = probeKey(program);
  const cached = cachedVersion(home, key);
  if (cached !== null) return { kind: 'bwrap', works: true, reason: null, version: cached };
  let version: string | null = null;
  // Not below the home: a start that is refused because of the result has made nothing there.
  const place = mkdtempSync(join(tmpdir(), 'toolwright-probe-'));
  try {
    version = await versionOf(program, place);
    const fault = await checkConfinement(program, place);
    if (fault !== null) return failed('bwrap', fault, version);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failed('bwrap', `${message} (${remedyFor(message)})`, version);
  } finally {
    processManager(place).registry.remove();
    rmSync(place, { recursive: true, force: true });
  }
  rememberProbe(home, key, version);
  return { kind: 'bwrap', works: true, reason: null, version };
}

async function versionOf(program: string, home: string): Promise<string> {
  const started = await processManager(home).start({
    file: program,
    args: ['--version'],
    cwd: '/',
    env: {},
    mark: 'probe',
    kind: 'probe',
    session: null,
    call: 'probe',
    stdin: 'closed',
    extraPipes: 0,
    awaitReady: false,
  });
  started.stderr.resume();
  let text = '';
  for await (const bytes of started.stdout) text += String(bytes);
  return text.replace('bubblewrap', '').trim();
}

/** Null when a command is confined, else what it could do. */
async function checkConfinement(program: string, home: string): Promise<string | null> {
  const inFolder = (name: string) => join(home, name);
  const workspace = inFolder('workspace');
  mkdirSync(workspace, { recursive: true, mode: 0o700 });
  const environment = createBwrapEnvironment({
    home,
    bwrapPath: program,
    paths: {
      workspace,
      scratchpad: inFolder('scratchpad'),
      output: inFolder('output'),
      input: inFolder('input'),
      stateDir: inFolder('state'),
      venv: inFolder('venv'),
    },
    files: noFiles,
    limits: {},
    network: false,
  });
  try {
    const child = await environment.spawn({
      callId: 'probe',
      grant: systemGrant('probe'),
      argv: ['sh', '-c', CHECK],
      cwd: workspace,
      stdin: 'closed',
      profile: 'command',
      limits: { timeoutMs: PROBE_MS },
    });
    child.stdout.resume();
    child.stderr.resume();
    const { code, ended_by } = await child.exited;
    if (code === CONFINED) return null;
    return FAULTS[code ?? 0] ?? `the check ended with ${ended_by} ${code}`;
  } finally {
    await environment.stop();
  }
}

function remedyFor(message: string): string {
  if (/unknown option|disable-userns/i.test(message)) return INSTALL;
  if (/namespace|uid map|permitted|permission/i.test(message)) {
    return (
      'allow user namespaces: an AppArmor profile for bwrap or ' +
      'kernel.apparmor_restrict_unprivileged_userns=0; in a container, let it make user namespaces'
    );
  }
  return 'run `bwrap --ro-bind / / true` to see what is missing';
}
