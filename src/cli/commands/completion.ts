/** Completion scripts, made from the command tree, so that they never lag behind it. */
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { usageError } from '../usage-error.ts';

interface Words {
  /** `''` for the program, `sessions show` for a command below another. */
  readonly path: string;
  readonly about: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly {
    readonly long: string;
    readonly short: string | null;
    readonly about: string;
    readonly takesValue: boolean;
    readonly choices: readonly string[];
  }[];
}

export function completionCommand(io: Io, program: Command, shell: string): number {
  const words = collectWords(program, '');
  const scripts: Readonly<Record<string, (all: readonly Words[]) => string>> = {
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
  };
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw usageError(`No completion for the shell "${shell}": give bash, zsh or fish.`);
  io.stdout.write(script(words));
  return EXIT.completed;
}

function collectWords(command: Command, path: string): Words[] {
  const commands = command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].map((name) => ({ name, about: one.description() })),
  );
  const flags = command.options.map((option) => ({
    long: option.long ?? '',
    short: option.short ?? null,
    about: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  }));
  const own: Words = { path, about: command.description(), commands, flags };
  const below = command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].flatMap((name) =>
      collectWords(one, path === '' ? name : `${path} ${name}`),
    ),
  );
  return [own, ...below];
}

function bashScript(all: readonly Words[]): string {
  const cases = all.map((words) => {
    const list = [
      ...words.commands.map(({ name }) => name),
      ...words.flags.map(({ long }) => long),
      '--help',
    ];
    return `    ${quote(words.path)}) words=${quote(list.join(' '))} ;;`;
  });
  const choices = new Map(all.flatMap((words) => words.flags.map((flag) => [flag.long, flag])));
  const values = [...choices.values()]
    .filter((flag) => flag.choices.length > 0)
    .map((flag) => `    ${flag.long}) words=${quote(flag.choices.join(' '))} ;;`);
  const files = [...choices.values()]
    .filter((flag) => flag.takesValue && flag.choices.length === 0)
    .map((flag) => flag.long);
  const names = all.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `# bash completion for toolwright
_toolwright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${names.join('|')}) path="\${path:+$path }$word" ;; esac
  done
  case "$previous" in
${values.join('\n')}
    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  [ -n "$words" ] || case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _toolwright toolwright tw
`;
}

function zshScript(all: readonly Words[]): string {
  const cases = all.map((words) => {
    const commands = words.commands.map(({ name, about }) => quote(`${name}:${about}`));
    const flags = [
      ...words.flags.map(({ long, about }) => quote(`${long}:${about}`)),
      quote('--help:show help'),
    ];
    return `    ${quote(words.path)}) candidates=(${[...commands, ...flags].join(' ')}) ;;`;
  });
  const names = all.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `#compdef toolwright tw
_toolwright() {
  local path_so_far="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_so_far:+$path_so_far }$word" in
      ${names.join('|')}) path_so_far="\${path_so_far:+$path_so_far }$word" ;;
    esac
  done
  case "$path_so_far" in
${cases.join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* || \${#candidates} -gt 0 ]]; then _describe 'toolwright' candidates; fi
  _files
}
compdef _toolwright toolwright tw
`;
}

function fishScript(all: readonly Words[]): string {
  const lines = all.flatMap((words) => {
    const condition =
      words.path === ''
        ? '__fish_use_subcommand'
        : words.path
            .split(' ')
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and ');
    const start = `complete -c toolwright -n ${quote(condition)}`;
    return [
      ...words.commands.map(
        ({ name, about }) => `${start} -f -a ${quote(name)} -d ${quote(about)}`,
      ),
      ...words.flags.map((flag) => `${start} ${fishFlag(flag)}`),
    ];
  });
  return `# fish completion for toolwright\n${lines.join('\n')}\ncomplete -c tw -w toolwright\n`;
}

function fishFlag(flag: Words['flags'][number]): string {
  const short = flag.short === null ? '' : ` -s ${flag.short.slice(1)}`;
  const value = flag.choices.length > 0 ? ` -x -a ${quote(flag.choices.join(' '))}` : ' -r';
  return `-l ${flag.long.slice(2)}${short}${flag.takesValue ? value : ''} -d ${quote(flag.about)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
