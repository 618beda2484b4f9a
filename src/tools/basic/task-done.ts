import { ToolFailure } from '../../errors.ts';
import type { JsonObject } from '../../session/types.ts';
import type { Tool } from '../types.ts';

export const TASK_DONE = 'task_done';

/**
 * Ends the task. The dispatcher runs it after all siblings and hands it to the agent, which accepts or refuses it.
 * With an answer schema the parameters gain `answer`.
 */
export function taskDoneTool(answerSchema?: JsonObject): Tool {
  const schema = (members: JsonObject): JsonObject => ({
    type: 'object',
    properties: {
      summary: { type: 'string', description: 'what was done, checked, left open' },
      outcome: { type: 'string', enum: ['done', 'failed', 'blocked'], description: 'default done' },
      ...members,
    },
  });
  // An answer that does not fit is a refused completion, told by the agent, not a malformed call.
  const checked = answerSchema === undefined ? {} : { validated: schema({ answer: {} }) };
  return {
    name: TASK_DONE,
    group: 'compat',
    description:
      'End the task. Use only after you verified the result; outcome failed or blocked when you could not do it. Not to report progress: write text.',
    descriptionZh:
      '结束任务。仅在验证结果后使用；做不到时 outcome 用 failed 或 blocked。不用于汇报进度：直接写文字。',
    parameters: schema(answerSchema === undefined ? {} : { answer: answerSchema }),
    ...checked,
    permission: 'read',
    runsIn: 'host',
    timeout: { default: 600, max: 600 },
    title: (args) => `task ${String(args.outcome ?? 'done')}`,
    run: () =>
      Promise.reject(new ToolFailure('internal_error', 'task_done is run by the agent itself')),
  };
}
