import type { NewTaskContext } from './types.ts';

/** The blocks of the first user message in their fixed order; later tasks of a session are the bare text. */
export function firstMessageParts(task: string, ctx: NewTaskContext): readonly string[] {
  if (!ctx.firstTask) return [task];
  return [
    ctx.environment,
    ...(ctx.instructions === null ? [] : [ctx.instructions]),
    ...(ctx.skills === null ? [] : [ctx.skills]),
    `[Project root path]:\n${ctx.projectPath}`,
    `[Problem statement]:\n${task}`,
  ];
}
