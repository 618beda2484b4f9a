import { posix } from 'node:path';
import { looseCommands } from './loose-words.ts';
import { programName, unwrap } from './shell-wrappers.ts';

/** Whether a command loses or publishes the user's work, so that even `auto` asks. */
interface DestructiveRule {
  readonly what: string;
  readonly test: (words: readonly string[], place: { cwd: string; workspace: string }) => boolean;
}

const has = (words: readonly string[], letter: string, long: string) =>
  words.some((word) => word === long || new RegExp(`^-[A-Za-z]*${letter}`).test(word));
const operands = (words: readonly string[]) => words.filter((word) => !word.startsWith('-'));

/** The words after the subcommand of git, its own flags skipped; null when it is another subcommand. */
function gitArguments(words: readonly string[], subcommand: string): readonly string[] | null {
  if (programName(words[0] ?? '') !== 'git') return null;
  let index = 1;
  while (words[index]?.startsWith('-')) {
    index += ['-C', '-c', '--git-dir', '--work-tree'].includes(words[index] ?? '') ? 2 : 1;
  }
  return words[index] === subcommand ? words.slice(index + 1) : null;
}

const gitRule = (
  what: string,
  subcommand: string,
  test: (args: readonly string[]) => boolean,
): DestructiveRule => ({
  what,
  test: (words) => {
    const args = gitArguments(words, subcommand);
    return args !== null && test(args);
  },
});

const wholeTree = (args: readonly string[]) =>
  operands(args).some((word) => ['.', './', ':/', '*'].includes(word));

/** The table of safety.md section 3. */
export const DESTRUCTIVE: readonly DestructiveRule[] = [
  {
    what: 'removes the workspace or its history',
    test: (words, { cwd, workspace }) => {
      if (programName(words[0] ?? '') !== 'rm') return false;
      const args = words.slice(1);
      if (!has(args, '[rR]', '--recursive')) return false;
      return operands(args).some((word) => {
        const target = posix.resolve(
          cwd,
          word.replace(/\/?\*+$/, '') || (word[0] === '/' ? '/' : '.'),
        );
        const above = posix.relative(target, workspace);
        const holdsWorkspace = above === '' || !above.startsWith('..');
        return holdsWorkspace || posix.basename(target) === '.git';
      });
    },
  },
  gitRule('discards uncommitted work', 'reset', (args) => args.includes('--hard')),
  gitRule('deletes untracked files', 'clean', (args) => has(args, 'f', '--force')),
  gitRule('discards uncommitted work', 'checkout', wholeTree),
  gitRule('discards uncommitted work', 'restore', wholeTree),
  gitRule('drops stashed work', 'stash', (args) => ['drop', 'clear'].includes(args[0] ?? '')),
  gitRule('publishes commits', 'push', () => true),
  {
    what: 'writes to a device',
    test: (words) =>
      programName(words[0] ?? '') === 'dd' &&
      words.some((word) => word.startsWith('of=/dev/') && word !== 'of=/dev/null'),
  },
  { what: 'makes a file system', test: (words) => programName(words[0] ?? '').startsWith('mkfs') },
  {
    what: 'stops the machine',
    test: (words) => ['shutdown', 'reboot'].includes(programName(words[0] ?? '')),
  },
];

/**
 * What is destructive about a line, or null. Works on the rough split, so that an expansion elsewhere in the line
 * does not hide a plain `git push`.
 */
export function destructiveReason(
  command: string,
  place: { readonly cwd: string; readonly workspace: string },
): string | null {
  for (const words of looseCommands(command)) {
    const start = words.findIndex(
      (word) => !/^[A-Za-z_]\w*=|^[!{]$|^(then|do|else|time)$/.test(word),
    );
    for (const candidate of unwrap(words.slice(Math.max(start, 0))).commands) {
      const rule = DESTRUCTIVE.find(({ test }) => test(candidate, place));
      if (rule !== undefined) return rule.what;
    }
  }
  return null;
}
