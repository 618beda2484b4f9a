import type { Tool, ToolContext } from '../types.ts';

interface ThoughtHistory {
  readonly runId: string;
  length: number;
  readonly branches: string[];
}

const SLOT = 'sequentialthinking';

/** The history of the task; a new run starts a new one. */
function historyOf(ctx: ToolContext): ThoughtHistory {
  const known = ctx.session.slots.get(SLOT) as ThoughtHistory | undefined;
  if (known?.runId === ctx.runId) return known;
  const fresh: ThoughtHistory = { runId: ctx.runId, length: 0, branches: [] };
  ctx.session.slots.set(SLOT, fresh);
  return fresh;
}

/** Records a thought; no other effect. */
export const sequentialThinking: Tool = {
  name: 'sequentialthinking',
  group: 'compat',
  description:
    'Record one step of thinking. Use for problems of several linked steps. Not for simple tasks, nor instead of looking: grep_search.',
  descriptionZh:
    '记录一步思考。用于需要多步推理的问题。简单任务不要用，也不能代替查看：grep_search。',
  parameters: {
    type: 'object',
    required: ['thought', 'next_thought_needed', 'thought_number', 'total_thoughts'],
    properties: {
      thought: { type: 'string' },
      next_thought_needed: { type: 'boolean' },
      thought_number: { type: 'integer', minimum: 1 },
      total_thoughts: { type: 'integer', minimum: 1 },
      is_revision: { type: 'boolean' },
      needs_more_thoughts: { type: 'boolean' },
      revises_thought: { type: 'integer', minimum: 0 },
      branch_from_thought: { type: 'integer', minimum: 0 },
      branch_id: { type: 'string' },
    },
  },
  permission: 'read',
  runsIn: 'host',
  timeout: { default: 5, max: 5 },
  title: (args) => `thought ${String(args.thought_number)}`,
  run(args, ctx) {
    const history = historyOf(ctx);
    const number = Number(args.thought_number);
    const branch = args.branch_id;
    history.length += 1;
    const branches = Number(args.branch_from_thought ?? 0) > 0 && typeof branch === 'string';
    if (branches && !history.branches.includes(branch)) history.branches.push(branch);
    const answer = {
      thought_number: number,
      total_thoughts: Math.max(number, Number(args.total_thoughts)),
      next_thought_needed: args.next_thought_needed,
      branches: [...history.branches],
      thought_history_length: history.length,
    };
    return Promise.resolve({ content: JSON.stringify(answer), metadata: { trust: 'own' } });
  },
};
