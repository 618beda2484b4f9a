import type { SimpleCommand } from './shell-words.ts';
import { parseShellLine } from './shell-words.ts';
import { INTERPRETERS, programName, SHELLS, unwrap, WRAPPERS } from './shell-wrappers.ts';

/** `npm test`: exactly these words. `npm run *`: these words, then any. `*`: every command. */
export interface CommandPattern {
  readonly words: readonly string[];
  readonly anyTail: boolean;
  /** Lets any program run: `*`, or an interpreter or wrapper with a free tail. */
  readonly broad: boolean;
}

/** Parses the pattern of a `bash(...)` rule; a sentence part says what is wrong with it. */
export function parseCommandPattern(text: string): CommandPattern | string {
  if (text === '*') return { words: [], anyTail: true, broad: true };
  const anyTail = text.endsWith(' *');
  const line = parseShellLine(anyTail ? text.slice(0, -2) : text);
  if (!line.analysable) {
    return `is not a plain command (${line.reason}); " *" is possible at the end only`;
  }
  const [command, ...more] = line.commands;
  if (command === undefined || more.length > 0) return 'must be one simple command';
  if (command.redirections.length > 0) return 'must not redirect';
  const program = programName(command.words[0] ?? '');
  const runsOthers = [WRAPPERS, SHELLS, INTERPRETERS].some((names) => names.has(program));
  return { words: command.words, anyTail, broad: anyTail && runsOthers };
}

function fits(pattern: CommandPattern, words: readonly string[]): boolean {
  if (words.length < pattern.words.length) return false;
  if (!pattern.anyTail && words.length !== pattern.words.length) return false;
  return pattern.words.every((word, index) => words[index] === word);
}

/** For allow rules: the words as written, program included. */
export function allowsCommand(pattern: CommandPattern, command: SimpleCommand): boolean {
  return fits(pattern, command.words);
}

/** For deny and ask rules: the program by its last path component, wrappers and `sh -c` text looked through. */
export function coversCommand(
  pattern: CommandPattern,
  words: readonly string[],
): { readonly covered: boolean; readonly analysable: boolean } {
  const { commands, analysable } = unwrap(words);
  const bare = (list: readonly string[]) => [programName(list[0] ?? ''), ...list.slice(1)];
  const wanted = pattern.words.length === 0 ? pattern : { ...pattern, words: bare(pattern.words) };
  return { covered: commands.some((inner) => fits(wanted, bare(inner))), analysable };
}
