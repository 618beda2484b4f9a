import { ToolFailure } from '../../errors.ts';
import type { Tool } from '../types.ts';

/**
 * Runs a tool that is not in the list of the run. The dispatcher unwraps it: class, rules, guards and result are
 * those of the target. A wrapper, because a list that grows inside a run would break the prompt cache.
 */
export const callTool: Tool = {
  name: 'call_tool',
  group: 'agent',
  description:
    'Run a tool found with tool_search. Use its exact name and schema. Not for listed tools: call those directly.',
  descriptionZh:
    '运行用 tool_search 找到的工具，用其名称与参数格式。已列出的工具不要用它，直接调用。',
  parameters: {
    type: 'object',
    required: ['name', 'arguments'],
    properties: {
      name: { type: 'string' },
      arguments: {
        type: 'string',
        description: 'JSON object of its arguments',
        'x-json': 'object',
      },
    },
  },
  permission: 'read',
  runsIn: 'host',
  timeout: { default: 5, max: 5 },
  run: () => Promise.reject(new ToolFailure('invalid_arguments', 'call_tool cannot call itself')),
};
