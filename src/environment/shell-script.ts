/**
 * The texts sent to the persistent shell. Each is made of whole lines, read by the shell from its standard input, so
 * what follows a command is not seen by the shell before the command has ended.
 */

/** One shell word, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Makes the pipes, says so on standard output, and lets go of both outputs: nothing started later may hold them. */
export function openingText(pipes: readonly string[]): string {
  const names = pipes.map(quoted).join(' ');
  return `shopt -s expand_aliases\ncommand -p mkfifo -m 600 -- ${names} && builtin printf 'ready\\n'\nexec >/dev/null 2>&1\n`;
}

/** Brings a new shell into the state that another saved, and to its folder. */
export function restoringText(stateFile: string | null, folder: string): string {
  const state = stateFile === null ? '' : `. ${quoted(stateFile)} >/dev/null 2>&1 </dev/null\n`;
  return `builtin cd -- ${quoted(folder)} 2>/dev/null\n${state}`;
}

export interface CommandText {
  readonly command: string;
  readonly mark: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly status: string;
  /** Unknown to the command: it is read after the command has ended. */
  readonly token: string;
  readonly stateFile: string;
}

/**
 * Runs a command in the shell itself, reports token, status and folder, then saves the shell's state.
 */
export function commandText(parts: CommandText): string {
  return [
    `TOOLWRIGHT_CALL=${quoted(parts.mark)}`,
    `eval ${quoted(parts.command)} </dev/null >${quoted(parts.stdout)} 2>${quoted(parts.stderr)}`,
    `builtin printf '%s\\0%s\\0%s\\0' ${parts.token} "$?" "$PWD" >${quoted(parts.status)}`,
    `{ builtin declare -px; builtin declare -fp; builtin alias -p; builtin shopt -p; builtin set +o; ` +
      `builtin printf '${STATE_END}\\n'; } >|${quoted(parts.stateFile)} 2>/dev/null`,
    '',
  ].join('\n');
}

/** Last line of a state file that was written to its end. */
export const STATE_END = '# complete';
