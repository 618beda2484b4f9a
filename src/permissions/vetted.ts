import { isAbsolute, posix } from 'node:path';
import { isHiddenName, isSecretName } from '../workspace/protected-names.ts';
import { isInside } from './inside.ts';
import type { SimpleCommand } from './shell-words.ts';
import { VETTED, VETTED_GIT, type VettedProgram } from './vetted-table.ts';

export interface VettingPlace {
  readonly cwd: string;
  /** Absolute directories whose content may be looked at. */
  readonly roots: readonly string[];
  /** A sandbox is on or the folder is trusted: read-only git may run unasked. */
  readonly trusted: boolean;
  /** Where an absolute path leads when the kernel follows its links: relative to its root, null outside the roots. */
  readonly behindLinks: (absolute: string) => string | null;
}

const PROGRAMS = new Map([...VETTED, ...VETTED_GIT].map((entry) => [entry.name, entry]));
const PRINTF_FORMAT = /^(?:[^%]|%%|%[-0-9. ]*[sdiuxXcqb])*$/;
const MAX_PLACES = 8;

/**
 * Which commands of a line may run unasked: one answer per command, `cd` followed. As a `cd` may or may not have
 * happened (`||`, a pipeline), later paths must be inside from every directory the shell could be in.
 */
export function vetCommands(commands: readonly SimpleCommand[], place: VettingPlace): boolean[] {
  let cwds: string[] = [place.cwd];
  let lost = false;
  return commands.map(({ words }) => {
    const vetted = !lost && vetOne(words, cwds, place);
    if (words[0] === 'cd') {
      const target = words.find((word, index) => index > 0 && !word.startsWith('-'));
      if (!vetted || target === undefined) lost = true;
      else cwds = [...new Set([...cwds, ...cwds.flatMap((cwd) => placesOfCd(cwd, target))])];
      if (cwds.length > MAX_PLACES) lost = true;
    } else if (MOVERS.has(words[0] ?? '')) lost = true;
    return vetted;
  });
}

/** `cd` takes `..` off the text, `cd -P` off the place behind the links. */
function placesOfCd(cwd: string, target: string): string[] {
  return [posix.resolve(cwd, target), asWritten(target, cwd)];
}

function asWritten(word: string, cwd: string): string {
  return isAbsolute(word) ? word : `${cwd}/${word}`;
}

/** Builtins that change the directory or the meaning of later words; after one nothing is vetted any more. */
const MOVERS = new Set(
  'pushd popd alias unalias shopt set enable hash export declare typeset readonly local unset source . eval'.split(
    ' ',
  ),
);

function vetOne(words: readonly string[], cwds: readonly string[], place: VettingPlace): boolean {
  const isGit = words[0] === 'git';
  const entry = PROGRAMS.get(isGit ? `git ${words[1] ?? ''}` : (words[0] ?? ''));
  if (entry === undefined || (entry.needsTrust === true && !place.trusted)) return false;
  const args = words.slice(isGit ? 2 : 1);
  const paths = entry.wholeWords === undefined ? pathWords(entry, args) : testWords(entry, args);
  return paths?.every((word) => cwds.every((cwd) => mayLook(word, cwd, place))) ?? false;
}

/** `test` has operators instead of clusters: a word with a dash must be one of them. */
function testWords(entry: VettedProgram, args: readonly string[]): string[] | null {
  const operands = args.filter((word) => !entry.wholeWords?.has(word));
  return operands.some((word) => word.startsWith('-')) ? null : operands;
}

interface Parsed {
  readonly operands: string[];
  readonly values: string[];
  patternGiven: boolean;
}

/** The words that can be paths, or null when a flag or the number of operands is not in the closed list. */
function pathWords(entry: VettedProgram, args: readonly string[]): string[] | null {
  const parsed: Parsed = { operands: [], values: [], patternGiven: false };
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--') {
      parsed.operands.push(...args.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      parsed.operands.push(word);
      continue;
    }
    const taken = word.startsWith('--')
      ? longFlag(entry, word, args[index + 1], parsed)
      : shortFlags(entry, word, args[index + 1], parsed);
    if (taken === null) return null;
    index += taken;
  }
  return operandsFit(entry, parsed) ? pathsOf(entry, parsed) : null;
}

/** How many following words belong to the flag, or null when it is not listed. */
function longFlag(
  entry: VettedProgram,
  word: string,
  next: string | undefined,
  parsed: Parsed,
): number | null {
  const [name = '', ...rest] = word.slice(2).split('=');
  if (entry.patternFlags?.includes(name)) parsed.patternGiven = true;
  if (rest.length > 0) {
    if (!entry.longValue?.includes(name)) return null;
    if (!entry.patternFlags?.includes(name)) parsed.values.push(rest.join('='));
    return 0;
  }
  if (entry.long?.includes(name)) return 0;
  if (!entry.longValue?.includes(name) || next === undefined) return null;
  if (!entry.patternFlags?.includes(name)) parsed.values.push(next);
  return 1;
}

function shortFlags(
  entry: VettedProgram,
  word: string,
  next: string | undefined,
  parsed: Parsed,
): number | null {
  if (entry.countFlag === true && /^-\d+$/.test(word)) return 0;
  for (let index = 1; index < word.length; index += 1) {
    const letter = word[index] ?? '';
    if (entry.short?.includes(letter)) continue;
    if (!entry.shortValue?.includes(letter)) return null;
    const attached = word.slice(index + 1);
    const value = attached === '' ? next : attached;
    if (value === undefined) return null;
    if (entry.patternFlags?.includes(letter)) parsed.patternGiven = true;
    else parsed.values.push(value);
    return attached === '' ? 1 : 0;
  }
  return 0;
}

function operandsFit(entry: VettedProgram, { operands }: Parsed): boolean {
  const most = entry.operands === 'none' ? 0 : (entry.maxOperands ?? Number.POSITIVE_INFINITY);
  if (operands.length < (entry.minOperands ?? 0) || operands.length > most) return false;
  if (entry.name === 'printf' && !PRINTF_FORMAT.test(operands[0] ?? '')) return false;
  if (entry.name === 'cd' && operands[0] === '-') return false;
  return operands.every((word) => entry.operandPattern?.test(word) ?? true);
}

function pathsOf(entry: VettedProgram, parsed: Parsed): string[] {
  if (entry.operands === 'text' || entry.operands === 'none') return [];
  const skip = entry.operands === 'text-then-paths' && !parsed.patternGiven ? 1 : 0;
  return [...parsed.operands.slice(skip), ...parsed.values];
}

/** `HEAD:src/a.ts` and `+x=y` hide a path behind a mark, so each piece is looked at too. */
function mayLook(word: string, cwd: string, place: VettingPlace): boolean {
  const pieces = new Set([word, ...word.split(/[:=,]/)]);
  return [...pieces].every((piece) => piece === '' || mayLookAt(piece, cwd, place));
}

/** Judged by its text and by where its links lead: `link/../x` is not `x`. */
function mayLookAt(word: string, cwd: string, place: VettingPlace): boolean {
  if (word === '/dev/null') return true;
  const written = asWritten(word, cwd);
  const absolute = posix.normalize(written);
  const root = place.roots.find((path) => isInside(absolute, path));
  if (root === undefined) return false;
  const named = posix.relative(root, absolute);
  const forms = [named, posix.basename(absolute)];
  return [...forms, place.behindLinks(absolute), place.behindLinks(written)].every(isOpenName);
}

function isOpenName(path: string | null): boolean {
  if (path === null) return false;
  const segments = path.split('/');
  return !segments.some((name) => isHiddenName(name)) && !isSecretName(segments);
}
