import { endSystemGrant, systemGrant } from '../../environment/system-grant.ts';
import type { ExecutionEnvironment } from '../../environment/types.ts';

export interface GitPlace {
  readonly environment: ExecutionEnvironment;
  readonly workspace: string;
  /** Top of the working tree; the workspace itself or a folder above it. */
  readonly top: string;
  /** The repository's own git directory, or the private one below `store`. */
  readonly gitDirectory: string;
  /** Where the repository keeps its objects; null for the private repository, which has no other. */
  readonly objects: string | null;
  /** Our folder below `.session/`: index, new objects and lists. */
  readonly store: string;
}

export interface GitOutcome {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Nothing a repository configures may start a program, ask, or reach the network (safety.md section 4). */
const HARDENED = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'core.pager=cat',
  'diff.external=',
  'protocol.allow=never',
  'credential.helper=',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
];

/** What git keeps of the workspace is for the user's eyes only. */
const PRIVATE = 'umask 077\n';

/**
 * Runs a fixed script around git where the files are. Values go in as positional parameters and variables, never
 * into the script text; `git` in it is the hardened one, and what it makes is private.
 */
export async function runGit(
  place: GitPlace,
  script: string,
  options: {
    readonly args?: readonly string[];
    readonly config?: readonly string[];
    readonly timeoutMs: number;
  },
): Promise<GitOutcome> {
  const grant = systemGrant('patch');
  try {
    const child = await place.environment.spawn({
      callId: 'patch',
      grant,
      argv: ['sh', '-c', PRIVATE + script, 'sh', ...(options.args ?? [])],
      cwd: place.workspace,
      env: gitVariables(place, options.config ?? []),
      stdin: 'closed',
      profile: 'git',
      network: false,
      limits: { timeoutMs: options.timeoutMs },
      channelDirs: [place.store, `${place.store}/objects`],
    });
    const [stdout, stderr, exit] = await Promise.all([
      collect(child.stdout),
      collect(child.stderr),
      child.exited,
    ]);
    return { code: exit.code, stdout, stderr: stderr.toString('utf8').trim().slice(0, 500) };
  } finally {
    endSystemGrant(grant);
  }
}

const RESOLVE_MS = 20_000;

/** The full name of a commit, or null when there is none of that name. */
export async function resolveCommit(place: GitPlace, name: string): Promise<string | null> {
  const outcome = await runGit(
    place,
    'git -C "$1" rev-parse --verify --quiet --end-of-options "$2^{commit}"',
    { args: [place.top, name], timeoutMs: RESOLVE_MS },
  );
  return outcome.code === 0 ? outcome.stdout.toString('utf8').trim() : null;
}

function gitVariables(place: GitPlace, config: readonly string[]): Record<string, string> {
  const settings = [...HARDENED, ...config].map((setting) => splitSetting(setting));
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_PAGER: 'cat',
    GIT_DIR: place.gitDirectory,
    GIT_WORK_TREE: place.top,
    GIT_INDEX_FILE: `${place.store}/index`,
    ...(place.objects === null
      ? {}
      : {
          GIT_OBJECT_DIRECTORY: `${place.store}/objects`,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(place.objects),
        }),
    LC_ALL: 'C',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function splitSetting(setting: string): readonly [string, string] {
  const at = setting.lastIndexOf('=');
  return [setting.slice(0, at), setting.slice(at + 1)];
}

/** Git reads this variable as a list separated by colons, unless an entry is quoted. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
