/**
 * Names with consequences (safety.md 4): protected ones run or configure something, so writing them needs approval;
 * secret ones are refused to every tool. Both count at any depth below a root.
 */

const FOLDS = process.platform === 'darwin' || process.platform === 'win32';

export interface NameOptions {
  /** Compare without case, as on a case-insensitive volume. Default: what is usual on this platform. */
  readonly fold?: boolean;
  /** The path is a directory: only secret directories count, not file name patterns. */
  readonly directory?: boolean;
}

const PROTECTED_FOLDERS = new Set([
  '.vscode',
  '.idea',
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.toolwright',
]);
const PROTECTED_FILES = new Set([
  '.git',
  '.mcp.json',
  '.envrc',
  'toolwright.yaml',
  'trae_config.yaml',
  'trae_config.json',
]);
const GIT_FILES = new Set(['config', 'config.worktree']);

/** True when writing the path (components below a root) needs an approval of its own. */
export function isProtectedPath(segments: readonly string[], options: NameOptions = {}): boolean {
  const names = folded(segments, options.fold ?? FOLDS);
  const last = names.at(-1);
  if (last === undefined) return false;
  if (PROTECTED_FILES.has(last)) return true;
  return names.some(
    (name, at) =>
      PROTECTED_FOLDERS.has(name) || (name === '.git' && isActiveInGit(names.slice(at + 1))),
  );
}

/** Also inside `modules/NAME` (submodules) and `worktrees/NAME`, which are git directories of their own. */
function isActiveInGit(rest: readonly string[]): boolean {
  const nested = rest[0] === 'modules' || rest[0] === 'worktrees';
  const starts = nested ? rest.map((_, at) => at).slice(1) : [0];
  return starts.some((at) => {
    const name = rest[at] ?? '';
    if (name === 'hooks') return true;
    if (at === rest.length - 1) return GIT_FILES.has(name);
    return name === 'info' && rest[at + 1] === 'attributes' && rest.length === at + 2;
  });
}

const SECRET_FOLDERS = new Set(['.aws', '.ssh', '.gnupg']);
const SECRET_IN_FOLDER: ReadonlyMap<string, string> = new Map([
  ['.kube', 'config'],
  ['.docker', 'config.json'],
]);
const SECRET_FILE =
  /^(?:\.env|\.env\..*|.*\.(?:pem|p12)|id_rsa.*|id_ed25519.*|id_ecdsa.*|\.netrc|\.pgpass)$/s;
const SECRET_UNLESS_SOURCE = /^(?:credentials.*|secrets\..*|.*\.key)$/s;
const ENV_TEMPLATE = /^\.env\.(?:.*\.)?(?:example|sample|template)$/s;
/** Names that end so are code, whatever they begin with. */
export const SOURCE_EXTENSIONS =
  'py pyi js mjs cjs jsx ts mts cts tsx vue java kt scala go rs rb php c h cc cpp hpp cs swift dart ex lua pl r'.split(
    ' ',
  );
const SOURCE_EXTENSION = new RegExp(`\\.(?:${SOURCE_EXTENSIONS.join('|')})$`);

/** True when the path (components below a root) names something no tool may read or write. */
export function isSecretName(segments: readonly string[], options: NameOptions = {}): boolean {
  const names = folded(segments, options.fold ?? FOLDS);
  if (names.some((name) => SECRET_FOLDERS.has(name))) return true;
  if (options.directory === true) return false;
  const last = names.at(-1);
  if (last === undefined) return false;
  return SECRET_IN_FOLDER.get(names.at(-2) ?? '') === last || isSecretFileName(last);
}

function isSecretFileName(name: string): boolean {
  if (ENV_TEMPLATE.test(name)) return false;
  if (SECRET_FILE.test(name)) return true;
  return SECRET_UNLESS_SOURCE.test(name) && !SOURCE_EXTENSION.test(name);
}

const HIDDEN_FOLDERS = new Set(['.session', '.data_agent']);

/** Folders of the runtime's own records: no tool ever sees them. */
export function isHiddenName(name: string, fold: boolean = FOLDS): boolean {
  return HIDDEN_FOLDERS.has(fold ? name.toLowerCase() : name);
}

/** The secret names as gitignore globs, without the exemption of source files: what they match must be tested again. */
export const SECRET_GLOBS = [
  '.env',
  '.env.*',
  '*.pem',
  '*.key',
  '*.p12',
  'id_rsa*',
  'id_ed25519*',
  'id_ecdsa*',
  '.netrc',
  '.pgpass',
  'credentials*',
  'secrets.*',
  '.aws',
  '.ssh',
  '.gnupg',
  '.kube/config',
  '.docker/config.json',
] as const;

function folded(segments: readonly string[], fold: boolean): readonly string[] {
  return fold ? segments.map((name) => name.toLowerCase()) : segments;
}
