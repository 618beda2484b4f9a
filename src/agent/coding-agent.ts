import { defineAgent } from './define-agent.ts';
import { CODING_PROMPT } from './prompts/coding.ts';
import type { AgentDefinition } from './types.ts';

/** The coding agent: works in a repository until the task is verifiably done. */
export const codingAgent: AgentDefinition = defineAgent({
  type: 'coding',
  description: 'Reads, edits and runs code in a workspace; the result is a patch and a summary.',
  systemPrompt: () => CODING_PROMPT,
  tools: ['profile:coding'],
  textReply: 'remind_once',
});
