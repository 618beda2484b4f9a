import type { ErrorKind } from '../../errors.ts';
import type { ToolCall } from '../../llm/types.ts';
import { canonicalDigest } from '../../session/canonical-json.ts';
import type { EventLog } from '../../session/types.ts';
import type {
  ExecutedCall,
  ExecutorContext,
  OfferedList,
  Tool,
  ToolExecutor,
} from '../../tools/types.ts';
import type { PermissionClass } from '../../workspace/types.ts';

export interface FakeResult {
  readonly text?: string;
  readonly kind?: ErrorKind;
  readonly denied?: boolean;
  readonly plainRefusal?: boolean;
}
export interface FakeTool {
  readonly permission: PermissionClass;
  readonly polling?: boolean;
  readonly run?: (
    args: Readonly<Record<string, unknown>>,
    ctx: ExecutorContext,
  ) => FakeResult | Promise<FakeResult>;
}
export type FakeTools = Readonly<Record<string, FakeTool>>;

export function offeredTools(tools: FakeTools): OfferedList {
  const offered = Object.entries({ ...tools, task_done: { permission: 'state' as const } }).map(
    ([name, fake]): Tool => ({
      name,
      group: 'exec',
      description: name,
      descriptionZh: name,
      parameters: { type: 'object', properties: {} },
      permission: fake.permission,
      runsIn: 'host',
      timeout: { default: 10, max: 10 },
      ...('polling' in fake && fake.polling === true ? { polling: true } : {}),
      run: async () => ({ content: '' }),
    }),
  );
  return {
    offered,
    deferred: [],
    find: (name) => {
      const tool = offered.find((candidate) => candidate.name === name);
      return tool === undefined ? null : { tool, resolvedFrom: null, deferred: false };
    },
    nearest: () => offered.map((tool) => tool.name),
  };
}

/** An executor with the contract of the real one, over tools that are functions. */
export class FakeExecutor implements ToolExecutor {
  readonly ran: string[] = [];
  private readonly tools: FakeTools;
  private readonly log: EventLog;

  constructor(tools: FakeTools, log: EventLog) {
    this.tools = tools;
    this.log = log;
  }

  async execute(calls: readonly ToolCall[], ctx: ExecutorContext): Promise<ExecutedCall[]> {
    const results = new Map<string, ExecutedCall>();
    for (const call of calls.filter((one) => one.name !== 'task_done'))
      results.set(call.call_id, await this.one(call, ctx));
    for (const call of calls.filter((one) => one.name === 'task_done'))
      results.set(call.call_id, await this.taskDone(call, ctx, [...results.values()]));
    return calls.flatMap((call) => results.get(call.call_id) ?? []);
  }

  async closeTools(): Promise<readonly string[]> {
    return [];
  }

  private async one(call: ToolCall, ctx: ExecutorContext): Promise<ExecutedCall> {
    const tool = this.tools[call.name];
    if (call.status === 'cut') return this.failed(call, 'truncated_arguments', true);
    if (call.status !== 'ok') return this.failed(call, 'invalid_arguments', true);
    if (tool === undefined) return this.failed(call, 'unknown_tool', true);
    const refuse = ctx.guard?.(call.name, call.arguments).refuse ?? null;
    if (refuse !== null) return this.failed(call, 'repeated_call', false);
    if (ctx.signal.aborted) return this.failed(call, 'cancelled', false);
    if (ctx.stopBefore?.() === 'skipped') return this.failed(call, 'skipped', false);
    this.ran.push(call.name);
    const result = (await tool.run?.(call.arguments, ctx)) ?? { text: 'ok' };
    if (ctx.signal.aborted) return this.failed(call, 'cancelled', false);
    return this.finished(call, tool.permission, result, false);
  }

  private async taskDone(
    call: ToolCall,
    ctx: ExecutorContext,
    siblings: readonly ExecutedCall[],
  ): Promise<ExecutedCall> {
    if (call.status !== 'ok') return this.failed(call, 'truncated_arguments', true);
    const others = siblings.filter((one) => one.result.name !== 'task_done');
    const verdict = await ctx.taskDone(
      call.arguments,
      others.map((one) => one.result),
    );
    const kind = verdict.errorKind;
    const result = kind === null ? { text: verdict.text } : { text: verdict.text, kind };
    return this.finished(call, 'state', result, false);
  }

  private failed(call: ToolCall, kind: ErrorKind, malformed: boolean): ExecutedCall {
    return this.finished(call, null, { kind, text: kind }, malformed);
  }

  private finished(
    call: ToolCall,
    permission: PermissionClass | null,
    result: FakeResult,
    malformed: boolean,
  ): ExecutedCall {
    const kind = result.kind ?? null;
    const text = result.text ?? '';
    const record = {
      call_id: call.call_id,
      name: call.name,
      success: kind === null,
      result: text,
      error: kind === null ? null : text,
      id: call.id,
      error_kind: kind,
      metadata: {},
      duration_ms: 1,
      spill: null,
    };
    this.log.append({ run_id: 'run_test' }, 'tool_finished', { ...record, files_changed: [] });
    return {
      result: record,
      images: [],
      modelText: kind === null ? text : `ERROR ${kind}: ${text}`,
      resolvedName: permission === null ? null : call.name,
      malformed,
      class: permission,
      acting: permission !== null && !['read', 'state', 'user'].includes(permission),
      denial: result.denied === true ? { rule: null, scope: null } : null,
      plainRefusal: result.plainRefusal === true,
      argsSha256: canonicalDigest(call.arguments),
    };
  }
}
