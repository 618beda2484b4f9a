import { createHash } from 'node:crypto';
import { isToolFailure } from '../../errors.ts';
import { commandDetail } from '../../permissions/command-card.ts';
import { protectedPathsOf } from '../../permissions/hard-denials.ts';
import type {
  ApprovalAnswer,
  ApprovalCard,
  Decision,
  PermissionRequest,
} from '../../permissions/types.ts';
import { newApprovalId } from '../../session/ids.ts';
import { sanitise } from '../../session/sanitise.ts';
import type { Grant } from '../../workspace/types.ts';
import type { ExecutorContext } from '../types.ts';
import { auditDecision } from './audit-lines.ts';
import { type CallPaths, resolveCallPaths } from './call-paths.ts';
import { type Dispatcher, scopeOf } from './dispatcher.ts';
import { failed, type Outcome } from './outcome.ts';
import type { ReadyCall } from './prepare.ts';
import { titleOf } from './title.ts';

export interface Allowed {
  readonly grant: Grant;
  readonly paths: CallPaths;
  readonly decision: { readonly by: string; readonly rule: string | null };
}
export interface Denied {
  readonly outcome: Outcome;
  readonly denial: { readonly rule: string | null; readonly scope: string | null } | null;
  /** A person refused without a note. */
  readonly plain: boolean;
}
export type Permit =
  | { readonly allowed: Allowed; readonly denied?: never }
  | { readonly denied: Denied; readonly allowed?: never };

const QUESTIONS_PER_CALL = 5;

/**
 * Steps 6 and 7: paths, decision, question. Everything is looked at anew after an answer, so that the grant is for
 * what is there now. With `use` false a given answer is kept for the start of the call.
 */
export async function permit(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  signal: AbortSignal,
  use: boolean,
): Promise<Permit> {
  for (let asked = 0; ; asked += 1) {
    const paths = await resolveCallPaths(dispatcher.session, ready);
    const plain = requestFor(dispatcher, ready, paths);
    const decision = dispatcher.session.policy.decide(plain);
    if (decision.outcome === 'allow') {
      return allow(dispatcher, ctx, ready, plain, paths, decision, use);
    }
    if (decision.outcome === 'deny') return deny(dispatcher, ctx, ready, plain, decision);
    const request = { ...plain, beforeHashes: await hashesOf(dispatcher, paths) };
    const digest = dispatcher.session.policy.digest(request);
    if (dispatcher.approvals.take(digest, ready.call.call_id)) {
      if (!use) dispatcher.approvals.give(digest, ready.call.call_id);
      const approved = { ...decision, by: 'approval' };
      return allow(dispatcher, ctx, ready, request, paths, approved, use);
    }
    if (asked >= QUESTIONS_PER_CALL) {
      const message = 'what was approved kept changing before the call could start';
      return {
        denied: { outcome: failed('permission_denied', message), denial: null, plain: false },
      };
    }
    const refusal = await ask(dispatcher, ctx, ready, request, decision, signal);
    if (refusal !== null) return { denied: refusal };
    dispatcher.approvals.give(digest, ready.call.call_id);
  }
}

function requestFor(dispatcher: Dispatcher, ready: ReadyCall, paths: CallPaths): PermissionRequest {
  const { session } = dispatcher;
  const command = ready.args.command;
  const isShell = ready.class === 'shell' && typeof command === 'string';
  return {
    callId: ready.call.call_id,
    tool: ready.tool.name,
    class: ready.class,
    arguments: ready.args,
    paths: paths.list,
    realPaths: paths.real,
    cwd: ready.tool.cwd?.(session, ready.args) ?? session.workspace,
    beforeHashes: paths.list.map(() => null),
    source: ready.tool.name,
    ...(isShell ? { command } : {}),
  };
}

/** Present content of the paths, so that an approval does not fit after a change. */
function hashesOf(dispatcher: Dispatcher, paths: CallPaths): Promise<(string | null)[]> {
  return Promise.all(
    paths.list.map(async (path) => {
      try {
        const content = await dispatcher.session.files.read(path);
        return createHash('sha256').update(content).digest('hex');
      } catch {
        return null;
      }
    }),
  );
}

async function allow(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  request: PermissionRequest,
  paths: CallPaths,
  decision: Decision,
  use: boolean,
): Promise<Permit> {
  if (use) {
    const made = { ...decision, outcome: 'allow' as const };
    try {
      await auditDecision(dispatcher, ctx, ready, request, made);
    } catch {
      return { denied: { outcome: unaudited(), denial: null, plain: false } };
    }
  }
  const grant = dispatcher.session.policy.grantFor(request, protectedPathsOf(request));
  return { allowed: { grant, paths, decision: { by: decision.by, rule: decision.rule } } };
}

function unaudited(): Outcome {
  return failed(
    'internal_error',
    'the audit log cannot be written (is the disk full?), so only looking is possible',
  );
}

async function deny(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  request: PermissionRequest,
  decision: Decision,
): Promise<Permit> {
  await auditDecision(dispatcher, ctx, ready, request, decision).catch(() => {});
  const outcome = failed(decision.errorKind ?? 'policy_denied', decision.reason);
  return {
    denied: { outcome, denial: { rule: decision.rule, scope: decision.scope }, plain: false },
  };
}

/** Puts the question to the gate and stores question and answer. Null: allowed. */
async function ask(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  request: PermissionRequest,
  decision: Decision,
  signal: AbortSignal,
): Promise<Denied | null> {
  const { session } = dispatcher;
  const card = await cardFor(dispatcher, ctx, ready, request, decision);
  const requested = session.log.append(scopeOf(ctx), 'approval_requested', {
    approval_id: card.approvalId,
    call_id: card.callId,
    tool: card.tool,
    class: card.class,
    summary: card.summary,
    detail: card.detail,
    cwd: card.cwd,
    args_sha256: ready.argsSha256,
    why: card.why,
    ...(card.offeredRule === null ? {} : { offered_rule: card.offeredRule }),
  });
  requested.acknowledged.catch(() => {});
  await requested.written;
  const answer = await answerOf(dispatcher, card, signal);
  const scope = scopeOfAnswer(decision, answer);
  const stored = answer.decision === 'allow' && scope !== 'once' ? decision.offeredRule : null;
  const resolved = session.log.append(scopeOf(ctx), 'approval_resolved', {
    approval_id: card.approvalId,
    decision: answer.decision,
    scope,
    by: answer.by,
    ...(stored === null ? {} : { rule: stored }),
    ...(answer.note === undefined ? {} : { note: answer.note }),
  });
  resolved.acknowledged.catch(() => {});
  await resolved.written;
  await auditDecision(dispatcher, ctx, ready, request, {
    outcome: answer.decision,
    by: answer.by,
    rule: stored,
    scope,
    approvalId: card.approvalId,
  });
  if (answer.decision === 'deny') return refusal(decision, answer);
  if (stored !== null) await storeRule(dispatcher, ctx, stored, scope === 'always');
  return null;
}

/** An answer holds for longer only where a rule was offered, and for always only where that was possible. */
function scopeOfAnswer(decision: Decision, answer: ApprovalAnswer): ApprovalAnswer['scope'] {
  if (decision.offeredRule === null) return 'once';
  return answer.scope === 'always' && !decision.alwaysPossible ? 'session' : answer.scope;
}

/** The person allowed this call in any case; a rule that cannot be stored only means another question later. */
async function storeRule(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  text: string,
  forAlways: boolean,
): Promise<void> {
  const { session } = dispatcher;
  try {
    session.policy.addSessionRule(text);
  } catch (error) {
    dispatcher.diagnostics.defect(`the session rule ${text}`, error);
  }
  if (!forAlways) return;
  const stored = session.storeRule?.(text) ?? Promise.reject(new Error('there is no user file'));
  await stored.catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    session.log.append(scopeOf(ctx), 'warning', {
      code: 'rule_not_stored',
      message: `The rule ${text} holds for this session only: ${why}`,
    });
  });
}

async function answerOf(
  dispatcher: Dispatcher,
  card: ApprovalCard,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  try {
    return await dispatcher.session.gate.ask(card, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    dispatcher.diagnostics.defect('permission gate', error);
    return {
      decision: 'deny',
      scope: 'once',
      by: 'no_person',
      note: 'the question could not be asked',
    };
  }
}

function refusal(decision: Decision, answer: ApprovalAnswer): Denied {
  const denial = { rule: decision.rule, scope: decision.scope };
  if (answer.by !== 'user') {
    const message = `${decision.reason}, and nobody could answer`;
    return { outcome: failed('permission_denied', message), denial, plain: false };
  }
  const note = answer.note?.trim() ?? '';
  const message =
    note === '' ? 'the user refused this call' : `the user refused this call: ${note}`;
  return { outcome: failed('permission_denied', message), denial, plain: note === '' };
}

async function cardFor(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  request: PermissionRequest,
  decision: Decision,
): Promise<ApprovalCard> {
  const { session } = dispatcher;
  const shown = (text: string) => sanitise(session.redactor.text(text), { names: true });
  return {
    approvalId: newApprovalId(),
    callId: ready.call.call_id,
    tool: ready.tool.name,
    class: ready.class,
    summary: titleOf(ready, session.redactor),
    detail: shown(await detailOf(dispatcher, ready, request)),
    cwd: shown(request.cwd),
    sandbox: session.sandbox,
    network: session.network,
    why: shown(decision.reason),
    offeredRule: decision.offeredRule,
    alwaysPossible: decision.alwaysPossible,
    agent: ctx.parentRunId === undefined ? null : session.agentType,
  };
}

/** The whole of what will happen. A preview that fails must not hide the arguments. */
async function detailOf(
  dispatcher: Dispatcher,
  ready: ReadyCall,
  request: PermissionRequest,
): Promise<string> {
  if (request.command !== undefined) return commandDetail(request.command);
  const plain = JSON.stringify(ready.args, null, 2);
  if (ready.tool.preview === undefined) return plain;
  const paths = Object.fromEntries(request.paths.map((path) => [path.logical, path]));
  try {
    const named = (await resolveCallPaths(dispatcher.session, ready)).named;
    const context = { files: dispatcher.session.files, paths: { ...paths, ...named } };
    return await ready.tool.preview(ready.args, context);
  } catch (error) {
    if (!isToolFailure(error))
      dispatcher.diagnostics.defect(`preview of ${ready.tool.name}`, error);
    return plain;
  }
}
