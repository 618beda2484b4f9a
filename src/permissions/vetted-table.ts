/**
 * Programs that only look, with the closed list of their flags. No list contains a flag that writes a file, names a
 * program, follows links out of a tree or never ends. Data only; `vetted.ts` reads it.
 */

/** What the words that are not flags may be. Everything but `text` is checked as a path. */
export type Operands = 'paths' | 'text' | 'text-then-paths' | 'none';

export interface VettedProgram {
  readonly name: string;
  readonly operands: Operands;
  /** Letters that may stand alone or in a cluster. */
  readonly short?: string;
  /** Letters that take a value, attached or as the next word. */
  readonly shortValue?: string;
  readonly long?: readonly string[];
  readonly longValue?: readonly string[];
  /** `-20` is a count. */
  readonly countFlag?: boolean;
  /** Flags whose value stands for the first text operand, as `-e` of grep. */
  readonly patternFlags?: readonly string[];
  /** Every operand must match. */
  readonly operandPattern?: RegExp;
  readonly minOperands?: number;
  readonly maxOperands?: number;
  /** Only in a sandbox or a trusted folder: the repository's configuration can name programs. */
  readonly needsTrust?: boolean;
  /** The whole argument list must be one of these flags and operands, no clusters (`test`). */
  readonly wholeWords?: ReadonlySet<string>;
  readonly examples: { readonly match: readonly string[]; readonly no: readonly string[] };
}

const list = (text: string): readonly string[] => text.split(' ');

const GREP_LONG = list(
  'extended-regexp fixed-strings basic-regexp ignore-case no-ignore-case word-regexp line-regexp count ' +
    'files-with-matches files-without-match only-matching quiet silent no-messages line-number with-filename ' +
    'no-filename invert-match recursive text color null',
);
const GREP_VALUES = list(
  'regexp max-count after-context before-context context include exclude exclude-dir color binary-files',
);
const GREP = {
  operands: 'text-then-paths',
  short: 'EFGivwxclLoqsnHhbrazZI',
  shortValue: 'emABC',
  countFlag: true,
  long: GREP_LONG,
  longValue: GREP_VALUES,
  patternFlags: ['e', 'regexp'],
} as const;
const SUM = {
  operands: 'paths',
  short: 'bt',
  long: list('binary text tag zero'),
} as const;

export const VETTED: readonly VettedProgram[] = [
  {
    name: 'cat',
    operands: 'paths',
    short: 'AbeEnstTuv',
    long: list('number number-nonblank show-all squeeze-blank show-ends show-tabs'),
    examples: { match: ['cat a.txt', 'cat -n src/a.ts'], no: ['cat /etc/passwd', 'cat .env'] },
  },
  {
    name: 'head',
    operands: 'paths',
    short: 'qvz',
    shortValue: 'nc',
    countFlag: true,
    long: list('quiet verbose'),
    longValue: list('lines bytes'),
    examples: { match: ['head -20 a', 'head -n 5 a'], no: ['head ../../a'] },
  },
  {
    name: 'tail',
    operands: 'paths',
    short: 'qvz',
    shortValue: 'nc',
    countFlag: true,
    long: list('quiet verbose'),
    longValue: list('lines bytes'),
    examples: { match: ['tail -n +3 a', 'tail -5 a'], no: ['tail -f a', 'tail --follow a'] },
  },
  {
    name: 'wc',
    operands: 'paths',
    short: 'clmwL',
    long: list('lines words bytes chars max-line-length'),
    examples: { match: ['wc -l a b'], no: ['wc --files0-from=list'] },
  },
  {
    name: 'ls',
    operands: 'paths',
    short: 'aAlhrtSR1dFipgGnosUXcuBqQxCmN',
    long: list(
      'all almost-all human-readable reverse recursive directory classify inode size color group-directories-first',
    ),
    longValue: list('color sort time time-style format'),
    examples: { match: ['ls', 'ls -la src', 'ls --color=never'], no: ['ls /', 'ls -L src'] },
  },
  {
    name: 'pwd',
    operands: 'none',
    short: 'PL',
    examples: { match: ['pwd'], no: ['pwd x'] },
  },
  {
    name: 'cd',
    operands: 'paths',
    short: 'PL',
    minOperands: 1,
    maxOperands: 1,
    examples: { match: ['cd src'], no: ['cd', 'cd -', 'cd /', 'cd ..'] },
  },
  {
    name: 'echo',
    operands: 'text',
    short: 'neE',
    examples: { match: ['echo hello', "echo '$x; rm a'"], no: ['echo $x'] },
  },
  {
    name: 'printf',
    operands: 'text',
    minOperands: 1,
    examples: { match: ["printf '%s\\n' a"], no: ['printf -v x a', "printf '%n' x"] },
  },
  { name: 'true', operands: 'none', examples: { match: ['true'], no: ['true x'] } },
  { name: 'false', operands: 'none', examples: { match: ['false'], no: ['false x'] } },
  {
    name: 'test',
    operands: 'paths',
    wholeWords: new Set(
      list(
        '-e -f -d -r -w -x -s -z -n -L -h -b -c -p -S -nt -ot -ef -eq -ne -lt -le -gt -ge -a -o',
      ),
    ),
    examples: { match: ['test -f package.json', 'test a = b'], no: ["test -v 'a[1]'"] },
  },
  {
    name: 'grep',
    ...GREP,
    examples: {
      match: ['grep -rn "a|b" src', 'grep -e x a', "grep 'a; rm b' c"],
      no: ['grep -f list a', 'grep -R x .', 'grep x /etc/passwd', 'grep x .env'],
    },
  },
  { name: 'egrep', ...GREP, examples: { match: ['egrep x a'], no: ['egrep x /etc'] } },
  { name: 'fgrep', ...GREP, examples: { match: ['fgrep x a'], no: ['fgrep -R x a'] } },
  {
    name: 'rg',
    operands: 'text-then-paths',
    short: 'isSnNlcvwxoFUHIqpabu0',
    shortValue: 'eABCmgtTd',
    long: list(
      'ignore-case smart-case case-sensitive line-number no-line-number files-with-matches files-without-match ' +
        'count count-matches invert-match word-regexp line-regexp only-matching fixed-strings multiline hidden ' +
        'no-ignore no-heading heading no-filename with-filename files quiet json stats trim vimgrep no-config',
    ),
    longValue: list(
      'regexp after-context before-context context max-count glob iglob type type-not max-depth color sort max-columns',
    ),
    patternFlags: ['e', 'regexp', 'files'],
    examples: {
      match: ['rg -n x src', 'rg --files src'],
      no: ['rg --pre cat x', 'rg -L x', 'rg -z x'],
    },
  },
  {
    name: 'stat',
    operands: 'paths',
    short: 'ft',
    shortValue: 'c',
    longValue: list('format printf'),
    examples: { match: ['stat -c %s a'], no: ['stat /etc'] },
  },
  {
    name: 'file',
    operands: 'paths',
    short: 'bhi',
    long: list('brief mime mime-type mime-encoding'),
    examples: { match: ['file -b a'], no: ['file -C -m x', 'file -z a'] },
  },
  {
    name: 'du',
    operands: 'paths',
    short: 'abchkmsxS0',
    shortValue: 'd',
    long: list('all bytes human-readable summarize total apparent-size'),
    longValue: list('max-depth'),
    examples: { match: ['du -sh .'], no: ['du -L .', 'du --files0-from=a'] },
  },
  {
    name: 'df',
    operands: 'paths',
    short: 'ahHiklTP',
    long: list('human-readable inodes'),
    examples: { match: ['df -h'], no: ['df /mnt'] },
  },
  {
    name: 'basename',
    operands: 'text',
    short: 'az',
    shortValue: 's',
    examples: { match: ['basename a/b.txt .txt'], no: ['basename $x'] },
  },
  {
    name: 'dirname',
    operands: 'text',
    short: 'z',
    examples: { match: ['dirname a/b'], no: ['dirname $(x)'] },
  },
  {
    name: 'sort',
    operands: 'paths',
    short: 'bdfghinRrVuszcCmM',
    shortValue: 'kt',
    long: list('reverse unique numeric-sort human-numeric-sort version-sort stable ignore-case'),
    longValue: list('key field-separator'),
    examples: {
      match: ['sort -u a', 'sort -k 2 -t , a'],
      no: ['sort -o a b', 'sort --compress-program=x a', 'sort -ro a b', 'sort --output=a b'],
    },
  },
  {
    name: 'uniq',
    operands: 'paths',
    short: 'cdDiuz',
    shortValue: 'fsw',
    maxOperands: 1,
    long: list('count repeated unique ignore-case'),
    examples: { match: ['uniq -c a'], no: ['uniq a b'] },
  },
  {
    name: 'cut',
    operands: 'paths',
    short: 'snz',
    shortValue: 'bcdf',
    long: list('complement only-delimited'),
    longValue: list('bytes characters delimiter fields output-delimiter'),
    examples: { match: ['cut -d , -f 1 a'], no: ['cut -f1 /etc/passwd'] },
  },
  {
    name: 'tr',
    operands: 'text',
    short: 'cCdst',
    long: list('delete squeeze-repeats complement'),
    examples: { match: ["tr -d '\\n'", 'tr a-z A-Z'], no: ['tr a $b'] },
  },
  {
    name: 'nl',
    operands: 'paths',
    short: 'p',
    shortValue: 'bhfvinlsw',
    examples: { match: ['nl -ba a'], no: ['nl /etc/passwd'] },
  },
  {
    name: 'diff',
    operands: 'paths',
    short: 'uqwbBiyca',
    shortValue: 'UCW',
    long: list('brief unified ignore-case ignore-all-space ignore-space-change side-by-side color'),
    longValue: list('unified color width'),
    examples: { match: ['diff -u a b'], no: ['diff -r a b', 'diff a /etc/passwd'] },
  },
  {
    name: 'cmp',
    operands: 'paths',
    short: 'bls',
    shortValue: 'n',
    examples: { match: ['cmp -s a b'], no: ['cmp a /etc/passwd'] },
  },
  { name: 'md5sum', ...SUM, examples: { match: ['md5sum a'], no: ['md5sum -c a'] } },
  { name: 'sha1sum', ...SUM, examples: { match: ['sha1sum a'], no: ['sha1sum --check a'] } },
  { name: 'sha256sum', ...SUM, examples: { match: ['sha256sum a b'], no: ['sha256sum -c a'] } },
  {
    name: 'date',
    operands: 'text',
    short: 'uIR',
    shortValue: 'd',
    long: list('utc iso-8601 rfc-email'),
    longValue: list('date iso-8601 rfc-3339'),
    operandPattern: /^\+/,
    maxOperands: 1,
    examples: {
      match: ['date', 'date +%s', 'date -u'],
      no: ['date -s x', 'date 01010000', 'date -f a'],
    },
  },
  {
    name: 'uname',
    operands: 'none',
    short: 'asnrvmpio',
    long: list('all kernel-name kernel-release machine'),
    examples: { match: ['uname -a'], no: ['uname x'] },
  },
  { name: 'whoami', operands: 'none', examples: { match: ['whoami'], no: ['whoami x'] } },
  {
    name: 'which',
    operands: 'text',
    short: 'a',
    operandPattern: /^[A-Za-z0-9._+-]+$/,
    examples: { match: ['which node'], no: ['which /bin/x'] },
  },
];

const GIT_LOG = {
  operands: 'paths',
  short: 'pus',
  shortValue: 'nUSGL',
  countFlag: true,
  needsTrust: true,
  long: list(
    'oneline stat shortstat numstat name-only name-status graph decorate no-decorate all patch no-patch summary ' +
      'abbrev-commit merges no-merges first-parent reverse follow cached staged no-color color no-pager check ' +
      'word-diff ignore-space-change ignore-all-space no-renames no-ext-diff no-textconv exit-code quiet raw',
  ),
  longValue: list(
    'max-count since until after before author committer grep format pretty date unified diff-filter abbrev ' +
      'decorate color stat skip',
  ),
} as const;

/** Subcommands of `git` in their listing forms; the name is `git ` and the subcommand. */
export const VETTED_GIT: readonly VettedProgram[] = [
  {
    name: 'git status',
    operands: 'paths',
    short: 'sbuvz',
    long: list('short branch porcelain long ignored untracked-files show-stash'),
    longValue: list('porcelain untracked-files ignored'),
    needsTrust: true,
    examples: { match: ['git status -sb'], no: ['git -c a=b status', 'git -C / status'] },
  },
  {
    name: 'git log',
    ...GIT_LOG,
    examples: {
      match: ['git log --oneline -n 5', 'git log -3 -- src'],
      no: ['git log --output=a', 'git log --ext-diff -p', 'git log --textconv'],
    },
  },
  {
    name: 'git show',
    ...GIT_LOG,
    examples: { match: ['git show HEAD', 'git show HEAD:src/a.ts'], no: ['git show HEAD:.env'] },
  },
  {
    name: 'git diff',
    ...GIT_LOG,
    examples: {
      match: ['git diff', 'git diff --stat HEAD~1'],
      no: ['git diff --no-index a b', 'git diff /etc/passwd a', 'git diff --output=a'],
    },
  },
  {
    name: 'git branch',
    operands: 'none',
    short: 'arv',
    long: list('all remotes list show-current verbose no-color'),
    needsTrust: true,
    examples: { match: ['git branch -a', 'git branch'], no: ['git branch -D x', 'git branch new'] },
  },
  {
    name: 'git rev-parse',
    operands: 'paths',
    long: list(
      'show-toplevel abbrev-ref short verify quiet is-inside-work-tree git-dir show-prefix symbolic-full-name',
    ),
    longValue: list('short abbrev-ref'),
    needsTrust: true,
    examples: { match: ['git rev-parse --short HEAD'], no: ['git rev-parse --parseopt'] },
  },
  {
    name: 'git ls-files',
    operands: 'paths',
    short: 'cdmoisutvz',
    long: list(
      'cached deleted modified others ignored stage unmerged exclude-standard full-name error-unmatch',
    ),
    needsTrust: true,
    examples: { match: ['git ls-files -m', 'git ls-files src'], no: ['git ls-files -X a'] },
  },
  {
    name: 'git blame',
    operands: 'paths',
    short: 'lstwefnpM',
    shortValue: 'L',
    long: list('porcelain line-porcelain show-name show-number show-email'),
    needsTrust: true,
    examples: { match: ['git blame -L 1,5 a.ts'], no: ['git blame --contents=/etc/passwd a'] },
  },
];
