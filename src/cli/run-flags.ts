/** The flags of `run`, as data: what each command of the family takes of them. */
import { type Command, Option } from 'commander';
import {
  address,
  agentTypeName,
  bool,
  collect,
  nonEmpty,
  positiveInteger,
  positiveNumber,
  sessionName,
} from './values.ts';

/** `model`: which model and configuration; `run`: what a task may do; `task`: what belongs to one task. */
type Group = 'model' | 'limits' | 'task' | 'docker' | 'safety' | 'output';

interface FlagSpec {
  readonly flags: string;
  readonly about: string;
  readonly group: Group;
  readonly choices?: readonly string[];
  readonly parse?: (text: string, before: never) => unknown;
}

const FLAGS: readonly FlagSpec[] = [
  {
    flags: '-f, --file <path>',
    about: 'read the task from a UTF-8 file; - is standard input',
    group: 'task',
    parse: nonEmpty,
  },
  {
    flags: '-p, --provider <name>',
    about: 'key of model_providers, or a built-in provider',
    group: 'model',
    parse: nonEmpty,
  },
  { flags: '-m, --model <id>', about: 'model id', group: 'model', parse: nonEmpty },
  {
    flags: '--model-base-url <url>',
    about: 'base URL of the endpoint',
    group: 'model',
    parse: address,
  },
  {
    flags: '-k, --api-key <key>',
    about: 'API key; discouraged: the process list shows it, use a variable or a file',
    group: 'model',
    parse: nonEmpty,
  },
  {
    flags: '--max-steps <n>',
    about: 'step limit (default: 200)',
    group: 'limits',
    parse: positiveInteger,
  },
  {
    flags: '-w, --working-dir <dir>',
    about: 'the workspace (default: current directory); made when missing',
    group: 'model',
    parse: nonEmpty,
  },
  {
    flags: '--must-patch',
    about: 'refuse completion while no file but tests has changed (also -mp)',
    group: 'task',
  },
  {
    flags: '--patch-path <file>',
    about: 'write the resulting git patch there (also -pp)',
    group: 'task',
    parse: nonEmpty,
  },
  {
    flags: '--config-file <path>',
    about: 'configuration file; counts as yours, needs no trust',
    group: 'model',
    parse: nonEmpty,
  },
  {
    flags: '-t, --trajectory-file <path>',
    about: 'default: trajectories/trajectory_<time>.json; never overwrites',
    group: 'task',
    parse: nonEmpty,
  },
  {
    flags: '--docker-image <image>',
    about: 'run the tools in a container of this image',
    group: 'docker',
    parse: nonEmpty,
  },
  {
    flags: '--docker-container-id <id>',
    about: 'run the tools in this running container',
    group: 'docker',
    parse: nonEmpty,
  },
  {
    flags: '--dockerfile-path <file>',
    about: 'build the image from this file',
    group: 'docker',
    parse: nonEmpty,
  },
  {
    flags: '--docker-image-file <file>',
    about: 'load the image from this archive',
    group: 'docker',
    parse: nonEmpty,
  },
  {
    flags: '--docker-keep <bool>',
    about: 'keep the container (default: false)',
    group: 'docker',
    parse: bool,
  },
  {
    flags: '--console-type <type>',
    about: 'rich for chat on a terminal, else simple (also -ct)',
    group: 'output',
    choices: ['simple', 'rich'],
  },
  {
    flags: '--agent-type <type>',
    about: 'coding or data; trae_agent is coding (also -at)',
    group: 'model',
    parse: agentTypeName,
  },
  {
    flags: '--output-format <format>',
    about: 'json: one result object; stream-json: one event per line (default: text)',
    group: 'output',
    choices: ['text', 'json', 'stream-json'],
  },
  {
    flags: '--permission-mode <mode>',
    about: 'what needs an approval (default: ask on a terminal, else auto in a sandbox)',
    group: 'safety',
    choices: ['ask', 'read-only', 'accept-edits', 'auto', 'bypass'],
  },
  {
    flags: '--allow <rule>',
    about: 'allow a call: tool or tool(pattern); repeatable',
    group: 'safety',
    parse: collect,
  },
  {
    flags: '--deny <rule>',
    about: 'deny a call: tool or tool(pattern); repeatable',
    group: 'safety',
    parse: collect,
  },
  {
    flags: '--sandbox <kind>',
    about: 'what confines commands (default: auto)',
    group: 'safety',
    choices: ['auto', 'bwrap', 'docker', 'none'],
  },
  {
    flags: '--network <state>',
    about: 'network for commands in the sandbox (default: off)',
    group: 'safety',
    choices: ['on', 'off'],
  },
  {
    flags: '--max-cost <usd>',
    about: 'cost the whole run may reach',
    group: 'limits',
    parse: positiveNumber,
  },
  {
    flags: '--max-tokens <n>',
    about: 'tokens the whole run may use',
    group: 'limits',
    parse: positiveInteger,
  },
  {
    flags: '--timeout <seconds>',
    about: 'time the whole run may take',
    group: 'limits',
    parse: positiveNumber,
  },
  {
    flags: '--session <id>',
    about: 'use this session directory; made when missing',
    group: 'task',
    parse: sessionName,
  },
  {
    flags: '--record <file>',
    about: 'write a recording that the replay provider can play',
    group: 'task',
    parse: nonEmpty,
  },
  {
    flags: '--answer-schema <file>',
    about: 'the final answer must be JSON of this schema',
    group: 'task',
    parse: nonEmpty,
  },
  {
    flags: '--review <how>',
    about: 'data agent: who confirms its stages (default: required)',
    group: 'safety',
    choices: ['required', 'auto'],
  },
];

const HEADINGS: Readonly<Record<Group, string>> = {
  task: 'Task:',
  model: 'Model and workspace:',
  safety: 'Permissions and sandbox:',
  limits: 'Limits:',
  docker: 'Container:',
  output: 'Output:',
};

/** Flags that make no sense for a command. */
export type LeftOut =
  | 'file'
  | 'session'
  | 'output-format'
  | 'working-dir'
  | 'must-patch'
  | 'patch-path'
  | 'answer-schema';

function toOption(spec: FlagSpec): Option {
  const option = new Option(spec.flags, spec.about).helpGroup(HEADINGS[spec.group]);
  if (spec.choices !== undefined) option.choices(spec.choices);
  if (spec.parse !== undefined) option.argParser(spec.parse as (text: string) => unknown);
  return option;
}

/** Adds the flags of `run` to a command, but for those it cannot use. */
export function addRunFlags(command: Command, leaveOut: readonly LeftOut[] = []): Command {
  for (const spec of FLAGS) {
    const option = toOption(spec);
    if (!(leaveOut as readonly string[]).includes(option.name())) command.addOption(option);
  }
  return command;
}

/** What the parser hands over. Absent means not given; defaults are applied where the value is used. */
export interface RunFlags {
  readonly file?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly modelBaseUrl?: string;
  readonly apiKey?: string;
  readonly maxSteps?: number;
  readonly workingDir?: string;
  readonly mustPatch?: boolean;
  readonly patchPath?: string;
  readonly configFile?: string;
  readonly trajectoryFile?: string;
  readonly dockerImage?: string;
  readonly dockerContainerId?: string;
  readonly dockerfilePath?: string;
  readonly dockerImageFile?: string;
  readonly dockerKeep?: boolean;
  readonly consoleType?: 'simple' | 'rich';
  readonly agentType?: string;
  readonly outputFormat?: 'text' | 'json' | 'stream-json';
  readonly permissionMode?: 'ask' | 'read-only' | 'accept-edits' | 'auto' | 'bypass';
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly sandbox?: 'auto' | 'bwrap' | 'docker' | 'none';
  readonly network?: 'on' | 'off';
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly timeout?: number;
  readonly session?: string;
  readonly record?: string;
  readonly answerSchema?: string;
  readonly review?: 'required' | 'auto';
}
