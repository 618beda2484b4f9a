/**
 * The environment of children: built from an allow-list, never filtered from ours (safety.md section 6).
 */
const PASSED = ['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR', 'NO_COLOR', 'CI'] as const;
const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'false',
  EDITOR: 'false',
  DEBIAN_FRONTEND: 'noninteractive',
};
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];
const NEVER =
  /^(LD_|DYLD_|PYTHON|GIT_|DOCKER_|NODE_OPTIONS$|BASH_ENV$|ENV$|BASH_FUNC_|TOOLWRIGHT_)/;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ChildEnvironmentOptions {
  /** Our own environment. */
  readonly parent: Variables;
  /** `sandbox.env` of user scope: exact names, the only way for a name that looks like a secret. */
  readonly allowed: readonly string[];
  readonly network: boolean;
}

function passedNames(options: ChildEnvironmentOptions): string[] {
  const names = Object.keys(options.parent).filter((name) => name.startsWith('LC_'));
  names.push(...PASSED, ...options.allowed.filter((name) => !NEVER.test(name)));
  if (options.network) names.push(...PROXIES, ...PROXIES.map((name) => name.toLowerCase()));
  return names;
}

/** The base environment of every child; the caller adds the tool's own variables and the marks. */
export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const result: Record<string, string> = { ...FIXED };
  for (const name of passedNames(options)) {
    const value = options.parent[name];
    if (value !== undefined && !value.includes('\0')) result[name] = value;
  }
  result.PATH = absoluteEntries(result.PATH ?? DEFAULT_PATH).join(':') || DEFAULT_PATH;
  return result;
}

/** The folders of a PATH value without empty and relative ones, which would mean the working directory. */
export function absoluteEntries(path: string): string[] {
  return [...new Set(path.split(':').filter((entry) => entry.startsWith('/')))];
}
