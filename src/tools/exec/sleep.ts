import { setTimeout as wait } from 'node:timers/promises';
import { ToolFailure } from '../../errors.ts';
import type { Tool } from '../types.ts';

const MAX_SECONDS = 60;

/** Waits; ends at once when the call is cancelled. */
export const sleepTool: Tool = {
  name: 'sleep',
  group: 'exec',
  description:
    'Wait some seconds. Use for something outside that needs time, such as a server that starts. Not for a command: bash waits for it. At most 60 s for each call.',
  descriptionZh:
    '等待若干秒。用于等待外部事物，例如服务启动。不要用来等命令结束：bash 会等待。每次最多 60 秒。',
  parameters: {
    type: 'object',
    required: ['seconds'],
    properties: {
      seconds: { type: 'number', minimum: 0, maximum: MAX_SECONDS, 'x-clamp': true },
    },
  },
  permission: 'state',
  runsIn: 'host',
  polling: true,
  timeout: { default: MAX_SECONDS + 5, max: MAX_SECONDS + 5 },
  title: ({ seconds }) => `wait ${String(seconds)} s`,
  async run({ seconds }, ctx) {
    try {
      await wait(Number(seconds) * 1000, undefined, { signal: ctx.signal });
    } catch {
      throw new ToolFailure('cancelled', 'The wait was cancelled before its time was over.');
    }
    return { content: `Waited ${String(seconds)} s.`, metadata: { seconds } };
  },
};
