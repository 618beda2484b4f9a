import { ConfigError } from '../errors.ts';
import { firstMessageParts } from './first-message.ts';
import { reflectOnFailures } from './reflection.ts';
import type { AgentDefinition } from './types.ts';

export type AgentDefinitionInput = Pick<
  AgentDefinition,
  'type' | 'description' | 'systemPrompt' | 'tools'
> &
  Partial<AgentDefinition>;

const TYPE_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Fills the defaults of an agent kind. Throws ConfigError for a bad name or an empty tool list. */
export function defineAgent(input: AgentDefinitionInput): AgentDefinition {
  if (!TYPE_NAME.test(input.type))
    throw new ConfigError(
      `Agent type "${input.type}" is not a valid name; use lower-case letters, digits, "_" and "-", at most 32 characters.`,
      { type: input.type },
    );
  return {
    newTask: firstMessageParts,
    usesTaskDone: true,
    textReply: 'final',
    isTaskCompleted: () => ({ done: true }),
    taskIncompleteMessage,
    reflectOnResult: reflectOnFailures,
    maxSteps: 200,
    subAgent: false,
    ...input,
  };
}

function taskIncompleteMessage(reason: string): string {
  const known: Readonly<Record<string, string>> = {
    sibling_failed:
      'Not finished: a call of this reply failed. Look at its result, put it right or say why it does not matter, then call task_done alone.',
    patch_empty:
      'Not finished: no file other than tests was changed, and this task needs a change. Make the change, then call task_done.',
    answer_invalid: 'Not finished: the answer does not fit the required schema.',
  };
  return known[reason] ?? `Not finished: ${reason}.`;
}
