/** The slash commands of a chat. Nothing typed as a command ever goes to the model. */

import type { LLMUsage } from '../../llm/types.ts';
import { nearest } from '../../nearest-name.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../session/session-usage.ts';
import type { ChatState, SpentByUse } from './chat-state.ts';

/** What commands change. The Agent of the chat is one. */
export interface ChatTarget {
  /** The next task starts a new conversation in the same session. */
  clear(): Promise<void>;
  /** The model of the next task. Throws ConfigError for one that cannot be reached. */
  setModel(id: string): Promise<void>;
}

export type ChatInput =
  | { readonly kind: 'task'; readonly text: string }
  | { readonly kind: 'handled' }
  | { readonly kind: 'leave' };

interface Command {
  readonly usage: string;
  readonly about: string;
  /** Lines to print, or null to leave the chat. */
  readonly run: (argument: string) => Promise<readonly string[] | null> | readonly string[] | null;
}

/** Words of trae-cli that work without a slash. */
const BARE_WORDS = new Set(['help', 'status', 'clear', 'exit', 'quit']);

/** Reads one message: a command is run and its lines printed; everything else is a task. */
export async function handleMessage(
  message: string,
  target: ChatTarget,
  state: ChatState,
  print: (text: string) => void,
): Promise<ChatInput> {
  const text = message.trim();
  if (text === '') return { kind: 'handled' };
  if (text.startsWith('//')) return { kind: 'task', text: text.slice(1) };
  const isCommand = text.startsWith('/') || BARE_WORDS.has(text.toLowerCase());
  if (text.includes('\n') || !isCommand) return { kind: 'task', text: message };
  const [name = '', ...rest] = text.replace(/^\//, '').split(/\s+/);
  const commands = chatCommands(target, state);
  const command = commands.get(name.toLowerCase());
  if (command === undefined) {
    print(
      `Unknown command /${name}; the nearest is /${nearest(name, commands.keys())}. See /help.`,
    );
    return { kind: 'handled' };
  }
  const lines = await command.run(rest.join(' '));
  if (lines === null) return { kind: 'leave' };
  if (lines.length > 0) print(lines.join('\n'));
  return { kind: 'handled' };
}

function chatCommands(target: ChatTarget, state: ChatState): ReadonlyMap<string, Command> {
  const leave: Command = { usage: '/exit', about: 'leave the chat', run: () => null };
  const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
    [
      'help',
      {
        usage: '/help [COMMAND]',
        about: 'the commands, or one of them',
        run: (argument): string[] => helpLines(commands, argument.replace(/^\//, '')),
      },
    ],
    [
      'status',
      {
        usage: '/status',
        about: 'session, workspace, model, mode, sandbox, context',
        run: () => statusLines(state),
      },
    ],
    [
      'tools',
      {
        usage: '/tools [NAME]',
        about: 'the tools in force, or the schema of one',
        run: (name) => toolLines(state, name),
      },
    ],
    [
      'model',
      {
        usage: '/model [ID]',
        about: 'show the model, or switch from the next task on',
        run: (id) => modelLines(target, state, id),
      },
    ],
    ['cost', { usage: '/cost', about: 'tokens and cost by model', run: () => costLines(state) }],
    [
      'clear',
      {
        usage: '/clear',
        about: 'a new conversation in the same session; the log keeps the old one',
        run: async () => {
          await target.clear();
          return ['A new conversation begins.'];
        },
      },
    ],
    ['exit', leave],
    ['quit', { ...leave, usage: '/quit' }],
  ]);
  return commands;
}

function helpLines(commands: ReadonlyMap<string, Command>, name: string): string[] {
  const chosen = name === '' ? [...commands.values()] : [commands.get(name)];
  return chosen.map((command) =>
    command === undefined
      ? `Unknown command /${name}; the nearest is /${nearest(name, commands.keys())}.`
      : `${command.usage.padEnd(18)}${command.about}`,
  );
}

function statusLines(state: ChatState): string[] {
  const { run, context, place } = state;
  const used =
    context === null || context.context_window === 0
      ? '-'
      : `${Math.round((100 * context.context_tokens) / context.context_window)} % of ${context.context_window} tokens`;
  const lines: [string, string][] = [
    ['session', state.sessionId ?? 'begins with the first task'],
    ['workspace', place.workspace],
    ['agent', place.agentType],
    ['model', modelText(state)],
    ['mode', run?.permission_mode ?? 'known with the first task'],
    [
      'sandbox',
      run === null ? '-' : `${run.sandbox.kind}, network ${run.sandbox.network ? 'on' : 'off'}`,
    ],
    ['context', used],
  ];
  return lines.map(([name, value]) => `${name.padEnd(12)}${value}`);
}

function modelText(state: ChatState): string {
  const { run, chosenModel } = state;
  if (chosenModel !== null) return `${chosenModel}, from the next task on`;
  return run === null ? 'known with the first task' : `${run.provider} / ${run.model}`;
}

function toolLines(state: ChatState, name: string): string[] {
  const { tools } = state;
  if (tools.length === 0) return ['The tools are known with the first task.'];
  if (name === '') return tools.map((tool) => `${tool.name.padEnd(32)}${tool.class}`);
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined)
    return [`${tool.name} (${tool.class})`, tool.description, JSON.stringify(tool.schema, null, 2)];
  const names = tools.map((one) => one.name);
  return [`No tool "${name}" is in force; the nearest is "${nearest(name, names)}".`];
}

async function modelLines(target: ChatTarget, state: ChatState, id: string): Promise<string[]> {
  if (id === '') return [modelText(state)];
  await target.setModel(id);
  state.chosenModel = id;
  return [`The model is ${id} from the next task on.`];
}

function costLines(state: ChatState): string[] {
  const { earlier } = state.place;
  const session = state.spent('session');
  const whole = new Map<string, Spent>(session);
  if (earlier.usage.input_tokens + earlier.usage.output_tokens > 0)
    whole.set('earlier runs', earlier);
  return ['this task', ...table(state.spent('task')), 'this session', ...table(whole)];
}

function table(uses: SpentByUse): string[] {
  const total = [...uses.values()].reduce(addSpent, NOTHING_SPENT);
  const lines = [...uses, ['all', total] as const];
  return lines.map(([use, spent]) => `  ${use}: ${tokens(spent.usage)}, ${cost(spent)}`);
}

function tokens(usage: LLMUsage): string {
  const input =
    usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  return `${input} in (${usage.cache_read_input_tokens} cached), ${usage.output_tokens} out`;
}

function cost(spent: Spent): string {
  if (spent.cost_usd !== null) return `$${spent.cost_usd.toFixed(4)}`;
  return spent.cost_known_usd > 0 ? `? (known part $${spent.cost_known_usd.toFixed(4)})` : 'cost ?';
}
