/** Untracked names that are no part of a patch, unless `agents.<kind>.patch.exclude` says otherwise. */
export const DEFAULT_EXCLUDE: readonly string[] = [
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '*.pyc',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.DS_Store',
];

/**
 * What counts as a test path. `dir:` is a whole directory name, `name:` a file name, `stem:` a file name without its
 * last extension, all without case; `stem.EXT,EXT:` with case, for files of these extensions. `*` is any text.
 */
export const DEFAULT_TEST_PATHS: readonly string[] = [
  'dir:test',
  'dir:tests',
  'dir:testing',
  'dir:__tests__',
  'name:test_*',
  'name:*.test.*',
  'name:*.spec.*',
  'stem:*_test',
  'stem:*_spec',
  'name:conftest.py',
  'name:tox.ini',
  'stem.java,kt,cs,swift,scala,php:*Test',
  'stem.java,kt,cs,swift,scala,php:*Tests',
];

/** Whether one of the rules makes this path (with `/`, from the repository root) a test path. */
export function isTestPath(path: string, rules: readonly string[] = DEFAULT_TEST_PATHS): boolean {
  const directories = path.split('/');
  const name = directories.pop() ?? '';
  return rules.some((rule) => matchesRule(rule, directories, name));
}

function matchesRule(rule: string, directories: readonly string[], name: string): boolean {
  const colon = rule.indexOf(':');
  const kind = rule.slice(0, colon);
  const glob = rule.slice(colon + 1);
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  if (kind === 'dir') return directories.some((directory) => matchesGlob(glob, directory, 'i'));
  if (kind === 'name') return matchesGlob(glob, name, 'i');
  if (kind === 'stem') return matchesGlob(glob, stem, 'i');
  if (!kind.startsWith('stem.') || dot <= 0) return false;
  const extensions = kind.slice('stem.'.length).split(',');
  return extensions.includes(name.slice(dot + 1)) && matchesGlob(glob, stem, '');
}

function matchesGlob(glob: string, text: string, flags: string): boolean {
  const pattern = glob.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`, `s${flags}`).test(text);
}
