import { isToolFailure } from '../../errors.ts';
import { sha256, sortedJson } from '../../permissions/digest.ts';
import { sanitise } from '../../session/sanitise.ts';
import type { ToolCall } from '../../session/types.ts';
import type { PermissionClass } from '../../workspace/types.ts';
import { callTool } from '../basic/call-tool.ts';
import { TASK_DONE } from '../basic/task-done.ts';
import { classOfCall } from '../permission-class.ts';
import type { Tool } from '../types.ts';
import type { Dispatcher } from './dispatcher.ts';
import { failed, type Outcome } from './outcome.ts';

/** A call that was found and whose arguments are valid. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly argsSha256: string;
  readonly class: PermissionClass;
  readonly resolvedFrom: string | null;
  readonly deferred: boolean;
  readonly coercions: readonly string[];
  readonly notes: readonly string[];
}

/** A malformed call: what the model is told, and the tool it meant when that is known. */
export interface Malformed {
  readonly call: ToolCall;
  readonly tool: Tool | null;
  readonly deferred: boolean;
  readonly outcome: Outcome;
}

export type Prepared =
  | { readonly ready: ReadyCall; readonly malformed?: never }
  | { readonly malformed: Malformed; readonly ready?: never };

type Found = { readonly tool: Tool; readonly deferred: boolean };

/** Steps 2 to 4 of tools.md 2.1: parse, find, validate. Waits for nothing but the validator's first load. */
export async function prepareCall(dispatcher: Dispatcher, call: ToolCall): Promise<Prepared> {
  const found = dispatcher.offered.find(call.name) ?? dispatcher.offered.find(call.raw_name);
  const refuse = (outcome: Outcome, at: Found | null = found): Prepared => ({
    malformed: { call, tool: at?.tool ?? null, deferred: at?.deferred ?? false, outcome },
  });
  if (call.status !== 'ok') return refuse(unusable(call));
  if (found === null) return refuse(unknownTool(dispatcher, call.raw_name));
  if (found.tool.name !== callTool.name) return validated(dispatcher, call, found, call.arguments);
  const wrapper = await dispatcher.validator.validate(callTool, call.arguments);
  if (!wrapper.ok) return refuse(failed('invalid_arguments', wrapper.message));
  const name = String(wrapper.args.name);
  const target = dispatcher.offered.find(name);
  if (target === null) return refuse(unknownTool(dispatcher, name));
  if (target.tool.name === callTool.name || target.tool.name === TASK_DONE) {
    return refuse(failed('invalid_arguments', `call_tool cannot run ${target.tool.name}`));
  }
  const inner = JSON.parse(String(wrapper.args.arguments)) as Record<string, unknown>;
  return validated(dispatcher, call, target, inner);
}

function unusable(call: ToolCall): Outcome {
  const message = call.fault?.message ?? 'the arguments of this call did not arrive whole';
  return failed(call.status === 'cut' ? 'truncated_arguments' : 'invalid_arguments', message);
}

function unknownTool(dispatcher: Dispatcher, name: string): Outcome {
  const near = dispatcher.offered.nearest(name);
  const names = near.length > 0 ? near : dispatcher.offered.offered.map((tool) => tool.name);
  const shown = sanitise(name.slice(0, 80), { names: true });
  const label = near.length > 0 ? 'nearest' : 'the tools are';
  return failed('unknown_tool', `there is no tool "${shown}" here; ${label}: ${names.join(', ')}`);
}

async function validated(
  dispatcher: Dispatcher,
  call: ToolCall,
  found: Found,
  given: Readonly<Record<string, unknown>>,
): Promise<Prepared> {
  const { tool, deferred } = found;
  const refuse = (message: string): Prepared => ({
    malformed: { call, tool, deferred, outcome: failed('invalid_arguments', message) },
  });
  const result = await dispatcher.validator.validate(tool, given);
  if (!result.ok) return refuse(result.message);
  try {
    tool.check?.(result.args);
  } catch (error) {
    if (isToolFailure(error)) return refuse(error.message);
    throw error;
  }
  return {
    ready: {
      call,
      tool,
      deferred,
      args: result.args,
      argsSha256: sha256(sortedJson(result.args)),
      class: classOfCall(tool, result.args),
      resolvedFrom: tool.name === call.raw_name ? null : call.raw_name,
      coercions: result.coercions,
      notes: result.notes,
    },
  };
}
