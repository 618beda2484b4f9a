import { ConfigError } from '../errors.ts';
import { nearest } from '../nearest-name.ts';
import { codingAgent } from './coding-agent.ts';
import type { AgentDefinition } from './types.ts';

const registered = new Map<string, AgentDefinition>([[codingAgent.type, codingAgent]]);
const ALIASES: Readonly<Record<string, string>> = { trae_agent: 'coding' };

/** Adds a kind for this process. A name already taken is a ConfigError. */
export function registerAgentType(definition: AgentDefinition): void {
  if (registered.has(definition.type) || definition.type in ALIASES)
    throw new ConfigError(
      `Agent type "${definition.type}" is already registered; choose another name.`,
      {
        type: definition.type,
      },
    );
  registered.set(definition.type, definition);
}

/** The kind of that name. An unknown one is a ConfigError that names the nearest. */
export function findAgentType(name: string): AgentDefinition {
  const found = registered.get(ALIASES[name] ?? name);
  if (found !== undefined) return found;
  const names = [...registered.keys(), ...Object.keys(ALIASES)];
  throw new ConfigError(
    `Unknown agent type "${name}"; the nearest known one is "${nearest(name, names)}". Known: ${names.join(', ')}.`,
    { type: name },
  );
}
