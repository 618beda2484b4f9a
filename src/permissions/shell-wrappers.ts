import { looseCommands } from './loose-words.ts';
import { parseShellLine } from './shell-words.ts';

/** Programs that start another program named in their arguments. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  (
    'env xargs nohup timeout nice ionice command builtin exec sudo doas su setsid stdbuf time watch find fd ' +
    'parallel chroot unshare nsenter strace ltrace script busybox toybox flock chrt taskset runuser systemd-run npx ' +
    'prlimit setarch linux32 linux64 i386 x86_64 setpriv choom ssh-agent pkexec sg fakeroot numactl unbuffer ' +
    'start-stop-daemon dbus-run-session xvfb-run runcon ld.so'
  ).split(' '),
);
/** Programs that read an argument as shell text. */
export const SHELLS: ReadonlySet<string> = new Set(
  'sh bash rbash dash zsh ksh ash fish eval source . trap su sg script watch parallel flock'.split(
    ' ',
  ),
);
/** Programs with a language inside: a rule for them with a free tail allows anything. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  (
    'python python2 python3 node deno bun perl ruby php lua awk gawk mawk sed ed vi vim emacs less more man tclsh ' +
    'osascript pwsh java Rscript julia make'
  ).split(' '),
);

/** Shells that read their commands from standard input when they are given none. */
const STDIN_SHELLS: ReadonlySet<string> = new Set('sh bash rbash dash zsh ksh ash fish'.split(' '));

const MAX_DEPTH = 16;
const MAX_COMMANDS = 2000;
const EXEC_FLAG = /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;

/** The last path component: `/bin/rm` is compared as `rm`. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

export interface Unwrapped {
  /** Every command the words may start, outermost first. More than really run is fine: it is for denying. */
  readonly commands: readonly (readonly string[])[];
  /** False when shell text inside could not be analysed. */
  readonly analysable: boolean;
}

/** Looks through wrappers, `find -exec` and literal `sh -c` text. */
export function unwrap(words: readonly string[]): Unwrapped {
  const commands: (readonly string[])[] = [];
  const state = { analysable: true };
  collect(words, commands, state, 0);
  return { commands, analysable: state.analysable };
}

function collect(
  words: readonly string[],
  out: (readonly string[])[],
  state: { analysable: boolean },
  depth: number,
): void {
  out.push(words);
  if (depth >= MAX_DEPTH || out.length > MAX_COMMANDS) {
    state.analysable = false;
    return;
  }
  const program = programName(words[0] ?? '');
  if (STDIN_SHELLS.has(program) && readsInput(words.slice(1))) state.analysable = false;
  if (SHELLS.has(program)) collectShellText(words.slice(1), out, state, depth);
  if (program === 'env') collectSplitString(words, out, state, depth);
  if (WRAPPERS.has(program)) collectTails(program, words, out, state, depth);
}

/** Where the inner command begins depends on flags, so every tail counts; `find` only after its exec flags. */
function collectTails(
  program: string,
  words: readonly string[],
  out: (readonly string[])[],
  state: { analysable: boolean },
  depth: number,
): void {
  const byFlag = program === 'find' || program === 'fd';
  for (let index = 1; index < words.length; index += 1) {
    if (byFlag && !EXEC_FLAG.test(words[index - 1] ?? '')) continue;
    const tail = words.slice(index);
    const inner = programName(tail[0] ?? '');
    if (WRAPPERS.has(inner) || SHELLS.has(inner)) {
      const open = tail.slice(1).every((word) => word.startsWith('-'));
      if (program === 'xargs' && open) state.analysable = false;
      collect(tail, out, state, depth + 1);
      if (!byFlag) return;
    } else out.push(tail);
  }
}

function readsInput(args: readonly string[]): boolean {
  return args.every((arg) => arg.startsWith('-')) || args.some((arg) => /^-[a-z]*s/.test(arg));
}

/** `env -S 'rm x'` splits one word into a command. */
function collectSplitString(
  words: readonly string[],
  out: (readonly string[])[],
  state: { analysable: boolean },
  depth: number,
): void {
  const at = words.findIndex((word) => /^(-[A-Za-z0]*S|--split-string)/.test(word));
  if (at < 0) return;
  const attached = (words[at] ?? '').replace(/^(-[A-Za-z0]*?S|--split-string=?)/, '');
  collectShellText([attached, ...words.slice(at + 1)], out, state, depth);
}

function collectShellText(
  args: readonly string[],
  out: (readonly string[])[],
  state: { analysable: boolean },
  depth: number,
): void {
  const plain = args.filter((arg) => arg !== '' && !/^-[\w-]*$/.test(arg));
  for (const text of new Set([...plain, plain.join(' ')])) {
    const line = parseShellLine(text);
    if (line.analysable) {
      for (const command of line.commands) collect(command.words, out, state, depth + 1);
    } else if (text !== '') {
      state.analysable = false;
      out.push(...looseCommands(text));
    }
  }
}
