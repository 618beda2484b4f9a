import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { absoluteEntries, type Variables } from './child-env.ts';
import { isInside } from './inside.ts';

/** A folder below the home that holds programs and no credentials, with the variable that points to it. */
interface Toolchain {
  readonly folder: string;
  readonly variable?: string;
  /** Folders its programs read, below the home. */
  readonly needs?: readonly string[];
}

const TOOLCHAINS: readonly Toolchain[] = [
  { folder: '.nvm', variable: 'NVM_DIR' },
  { folder: '.pyenv', variable: 'PYENV_ROOT' },
  { folder: '.cargo/bin', needs: ['.rustup'] },
  { folder: '.rustup', variable: 'RUSTUP_HOME' },
  {
    folder: '.local/bin',
    needs: ['.local/share/uv', '.local/pipx', '.local/share/pipx', '.local/lib'],
  },
  { folder: '.local/share/fnm' },
  { folder: '.local/share/mise' },
  { folder: '.local/share/pnpm', variable: 'PNPM_HOME' },
  { folder: '.fnm' },
  { folder: '.volta', variable: 'VOLTA_HOME' },
  { folder: '.asdf', variable: 'ASDF_DATA_DIR' },
  { folder: '.sdkman', variable: 'SDKMAN_DIR' },
  { folder: '.rbenv', variable: 'RBENV_ROOT' },
  { folder: '.nodenv', variable: 'NODENV_ROOT' },
  { folder: '.goenv', variable: 'GOENV_ROOT' },
  { folder: '.jenv' },
  { folder: '.bun/bin' },
  { folder: '.deno/bin' },
  { folder: '.dotnet', variable: 'DOTNET_ROOT' },
  { folder: '.ghcup' },
  { folder: '.juliaup' },
  { folder: '.pixi' },
  { folder: '.poetry' },
  { folder: '.npm-global' },
  { folder: 'miniconda3' },
  { folder: 'anaconda3' },
  { folder: 'miniforge3' },
  { folder: 'mambaforge' },
  { folder: 'go/bin' },
];
const OUTSIDE_HOME = ['/home/linuxbrew/.linuxbrew'];
const SYSTEM = ['/usr', '/bin', '/sbin', '/opt', '/nix'];

export interface VisibleToolchains {
  /** Folders to show read-only. */
  readonly folders: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** PATH with only the folders that exist inside. */
  readonly path: string;
}

/** Which folders outside the system tree the PATH of `env` needs, from a closed list. */
export function visibleToolchains(env: Variables, visible: readonly string[]): VisibleToolchains {
  const home = env.HOME ?? '/nonexistent';
  const entries = absoluteEntries(env.PATH ?? '');
  const used = TOOLCHAINS.filter(({ folder }) =>
    entries.some((entry) => isInside(join(home, folder), entry)),
  );
  const names = new Set(used.flatMap(({ folder, needs = [] }) => [folder, ...needs]));
  const folders = [...names].map((name) => join(home, name));
  folders.push(...OUTSIDE_HOME.filter((root) => entries.some((entry) => isInside(root, entry))));
  const present = folders.filter((folder) => existsSync(folder));
  const shown = [...present, ...SYSTEM, ...visible];
  const variables: Record<string, string> = {};
  for (const { folder, variable } of TOOLCHAINS) {
    if (variable !== undefined && names.has(folder)) variables[variable] = join(home, folder);
  }
  return {
    folders: withTargets(present),
    variables,
    path: entries.filter((entry) => shown.some((root) => isInside(root, entry))).join(':'),
  };
}

/** A toolchain folder may be a link: its target must be visible too. */
function withTargets(folders: readonly string[]): string[] {
  return [...new Set(folders.flatMap((folder) => [folder, realpathSync(folder)]))];
}
