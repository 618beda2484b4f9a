/** The commands and their flags. Each command's code is loaded only when it runs. */
import { Command, CommanderError } from 'commander';
import { VERSION } from '../llm/version.ts';
import type { DemoFlags } from './commands/demo.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import { EXIT } from './exit-codes.ts';
import { type FormatFlags, formatOption } from './format-flag.ts';
import type { Io } from './io.ts';
import { addRunFlags, type RunFlags } from './run-flags.ts';
import { expandShortForms } from './short-forms.ts';
import { usageError } from './usage-error.ts';
import { sessionName } from './values.ts';

/** Runs one command line to its end and says which exit code it has. Throws for everything that is one error line. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const outcome: Outcome = { code: EXIT.completed };
  const program = buildProgram(io, outcome);
  const expanded = expandShortForms(args);
  if (expanded.length === 0) {
    io.stderr.write(program.helpInformation());
    return EXIT.usage;
  }
  try {
    await program.parseAsync(expanded, { from: 'user' });
    return outcome.code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.completed;
    throw usageError(
      `${oneLine(error.message)} Help: toolwright ${helpFor(program, expanded)}--help`,
    );
  }
}

interface Outcome {
  code: number;
}

function oneLine(message: string): string {
  const line = message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  return /[.)?]$/.test(line) ? line : `${line}.`;
}

function helpFor(program: Command, args: readonly string[]): string {
  const [first] = args;
  const known = program.commands.some((one) => one.name() === first || one.alias() === first);
  return known ? `${first} ` : '';
}

/** The whole command tree; also what shell completion is made from. */
export function buildProgram(io: Io, outcome: Outcome = { code: 0 }): Command {
  const program = new Command('toolwright')
    .description('An agent that does real work on code and data with the model you choose')
    .version(`toolwright ${VERSION}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => undefined,
    })
    .addHelpText(
      'after',
      examples([
        'toolwright run "fix the failing test"',
        'toolwright run --file task.md --provider anthropic --model claude-sonnet-4-5 -w ./project',
        'toolwright chat',
        'toolwright doctor',
      ]),
    );
  const context: Context = {
    io,
    set: (code) => {
      outcome.code = code;
    },
  };
  addRun(program, context);
  addChat(program, context);
  addResume(program, context);
  addSessions(program, context);
  addTrust(program, context);
  addTools(program, context);
  addShowConfig(program, context);
  addDoctor(program, context);
  addDemo(program, context);
  addCompletion(program, context);
  return program;
}

interface Context {
  readonly io: Io;
  readonly set: (code: number) => void;
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function addRun(program: Command, { io, set }: Context): void {
  const command = program
    .command('run')
    .description('do one task to its end')
    .argument('[task]', 'what to do');
  addRunFlags(command)
    .addHelpText(
      'after',
      examples([
        'toolwright run "add a --json flag to the report command"',
        'toolwright run --file issue.md --must-patch --patch-path fix.patch',
        'toolwright run "explain this repository" --permission-mode read-only > answer.txt',
        'toolwright run "update the docs" --output-format json --max-cost 2 --timeout 900',
        'toolwright run "hello" --provider local --model qwen3 --model-base-url http://localhost:8000/v1',
      ]),
    )
    .action(async (task: string | undefined, flags: RunFlags) => {
      const { runCommand } = await import('./commands/run.ts');
      set(await runCommand(io, task, flags));
    });
}

function addChat(program: Command, { io, set }: Context): void {
  const command = program
    .command('chat')
    .alias('interactive')
    .description('a conversation in the terminal: several tasks in one session');
  addRunFlags(command, ['file', 'output-format', 'must-patch', 'patch-path', 'answer-schema'])
    .addHelpText(
      'after',
      examples([
        'toolwright chat',
        'toolwright chat --provider openai --model gpt-5 --max-steps 30',
        'toolwright chat --session my-session --console-type simple',
      ]),
    )
    .action(async (flags: RunFlags) => {
      const { chatCommand } = await import('./commands/chat.ts');
      set(await chatCommand(io, flags));
    });
}

function addResume(program: Command, { io, set }: Context): void {
  const command = program
    .command('resume')
    .description('go on with a stored session after a crash, an interrupt, or a finished task')
    .argument('[session]', 'session id (default: the latest)', sessionName)
    .argument('[task]', 'a new task in the same conversation (default: go on with the last one)');
  addRunFlags(command, ['session', 'working-dir'])
    .addHelpText(
      'after',
      examples([
        'toolwright resume',
        'toolwright resume ses_01JZX3M8Q5T6V7W8X9Y0Z1A2B3',
        'toolwright resume my-session "now write the tests too"',
      ]),
    )
    .action(async (session: string | undefined, task: string | undefined, flags: RunFlags) => {
      const { resumeCommand } = await import('./commands/resume.ts');
      set(await resumeCommand(io, session, task, flags));
    });
}

function addSessions(program: Command, { io, set }: Context): void {
  const sessions = program.command('sessions').description('stored sessions');
  const load = () => import('./commands/sessions.ts');
  sessions
    .command('list')
    .description('all sessions, the latest first')
    .addOption(formatOption('json: one array'))
    .action(async (flags: FormatFlags) => set(await (await load()).listSessions(io, flags)));
  sessions
    .command('show')
    .description('what a session did, step by step')
    .argument('<id>', 'session id', sessionName)
    .addOption(formatOption('json: the whole state'))
    .action(async (id: string, flags: FormatFlags) =>
      set(await (await load()).showSession(io, id, flags)),
    );
  sessions
    .command('export')
    .description('write a session to standard output or a file')
    .argument('<id>', 'session id', sessionName)
    .option('--format <format>', 'md, json or trajectory', 'md')
    .option('--run <id>', 'one run (default: for trajectory the last task, else all)')
    .option('--output <file>', 'write there; never overwrites')
    .action(async (id: string, flags: { format: string; run?: string; output?: string }) =>
      set(await (await load()).exportSession(io, id, flags)),
    );
  sessions
    .command('verify')
    .description('check the audit chain and print its final hash')
    .argument('<id>', 'session id', sessionName)
    .addOption(formatOption('json: everything that was found'))
    .action(async (id: string, flags: FormatFlags) =>
      set(await (await load()).verifySession(io, id, flags)),
    );
  sessions
    .command('delete')
    .description('remove a session with all its files')
    .argument('<id>', 'session id', sessionName)
    .option('--yes', 'do not ask')
    .action(async (id: string, flags: { yes?: boolean }) =>
      set(await (await load()).deleteSession(io, id, flags)),
    );
  sessions.addHelpText(
    'after',
    examples([
      'toolwright sessions list',
      'toolwright sessions show my-session',
      'toolwright sessions export my-session --format trajectory --output run.json',
      'toolwright sessions verify my-session',
    ]),
  );
}

function addTrust(program: Command, { io, set }: Context): void {
  program
    .command('trust')
    .description("show and accept a folder's configuration, hooks, MCP servers, skills and agents")
    .argument('[dir]', 'the folder (default: current directory)')
    .option('--list', 'show the accepted folders')
    .option('--revoke', 'take the acceptance back')
    .option('--yes', 'accept what is shown without a question')
    .addHelpText(
      'after',
      examples([
        'toolwright trust',
        'toolwright trust ../project --yes',
        'toolwright trust --list',
        'toolwright trust ../project --revoke',
      ]),
    )
    .action(
      async (
        dir: string | undefined,
        flags: { list?: boolean; revoke?: boolean; yes?: boolean },
      ) => {
        const { trustCommand } = await import('./commands/trust.ts');
        set(await trustCommand(io, dir, flags));
      },
    );
}

function addTools(program: Command, { io, set }: Context): void {
  const tools = program
    .command('tools')
    .description('the tools: name, group, permission class, description')
    .option('--profile <name>', 'what a profile offers, and its size in bytes')
    .addOption(formatOption('json: with the schemas'))
    .addHelpText(
      'after',
      examples([
        'toolwright tools',
        'toolwright tools --profile coding',
        'toolwright tools show bash',
      ]),
    )
    .action(async (flags: FormatFlags & { profile?: string }) => {
      const { listTools } = await import('./commands/tools.ts');
      set(await listTools(io, flags));
    });
  tools
    .command('show')
    .description('one tool with its JSON schema')
    .argument('<name>', 'name of the tool')
    .addOption(formatOption('both print JSON'))
    .action(async (name: string) => {
      const { showTool } = await import('./commands/tools.ts');
      set(await showTool(io, name));
    });
}

function addShowConfig(program: Command, { io, set }: Context): void {
  const command = program
    .command('show-config')
    .description('the configuration in force, each value with where it came from');
  addRunFlags(command, ['file', 'session', 'must-patch', 'patch-path', 'answer-schema'])
    .addHelpText(
      'after',
      examples([
        'toolwright show-config',
        'toolwright show-config --config-file my.yaml --model gpt-5',
      ]),
    )
    .action(async (flags: RunFlags) => {
      const { showConfigCommand } = await import('./commands/show-config.ts');
      set(await showConfigCommand(io, flags));
    });
}

function addDoctor(program: Command, { io, set }: Context): void {
  program
    .command('doctor')
    .description('what works here, with the remedy for what does not')
    .option('--online', 'also try to reach the providers whose keys are set')
    .option('-w, --working-dir <dir>', 'the workspace (default: current directory)')
    .option('--config-file <path>', 'configuration file')
    .addOption(formatOption('json: one object, with every finding'))
    .addHelpText('after', examples(['toolwright doctor', 'toolwright doctor --online']))
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./commands/doctor.ts');
      set(await doctorCommand(io, flags));
    });
}

function addDemo(program: Command, { io, set }: Context): void {
  const demo = program
    .command('demo')
    .description('the main job on bundled material, with no account and no network');
  demo
    .command('coding', { isDefault: true })
    .description('a coding agent with a scripted model fixes a small Python project')
    .option(
      '--dir <folder>',
      'where project, patch and trajectory go (default: a temporary folder)',
    )
    .addHelpText(
      'after',
      examples(['toolwright demo coding', 'toolwright demo coding --dir ./demo']),
    )
    .action(async (flags: DemoFlags) => {
      const { demoCodingCommand } = await import('./commands/demo.ts');
      set(await demoCodingCommand(io, flags));
    });
}

function addCompletion(program: Command, { io, set }: Context): void {
  program
    .command('completion')
    .description('a completion script for the shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      examples([
        'toolwright completion bash >> ~/.bashrc',
        'toolwright completion zsh > ~/.zfunc/_toolwright',
        'toolwright completion fish > ~/.config/fish/completions/toolwright.fish',
      ]),
    )
    .action(async (shell: string) => {
      const { completionCommand } = await import('./commands/completion.ts');
      set(completionCommand(io, program, shell));
    });
}
