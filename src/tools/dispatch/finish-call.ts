import type { ToolResultRecord } from '../../session/events.ts';
import { forModel } from '../../session/sanitise.ts';
import type { ToolCall } from '../../session/types.ts';
import type { PermissionClass } from '../../workspace/types.ts';
import { errorLine } from '../error-lines.ts';
import { isActing } from '../permission-class.ts';
import { cutText } from '../truncate.ts';
import type { ExecutedCall, ExecutorContext, SpillWriter, Tool } from '../types.ts';
import { auditOutcome } from './audit-lines.ts';
import { type Dispatcher, scopeOf } from './dispatcher.ts';
import type { Outcome } from './outcome.ts';
import type { ReadyCall } from './prepare.ts';
import { createSpill } from './spill.ts';

/** What is known of a call when it ends; `ready` is null for a malformed one. */
export interface EndedCall {
  readonly call: ToolCall;
  readonly tool: Tool | null;
  readonly ready: ReadyCall | null;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly spill: SpillWriter | null;
  /** Text after the result that must not be cut: the schema of a malformed call. */
  readonly appendix: string | null;
  readonly denial: ExecutedCall['denial'];
  readonly plainRefusal: boolean;
  readonly argsSha256: string;
  /** True when `tool_started` was written. */
  readonly started: boolean;
}

const MESSAGE_CHARS = 2000;
const UNTRUSTED: ReadonlySet<PermissionClass> = new Set([
  'shell',
  'python',
  'package',
  'network',
  'mcp',
  'agent',
]);

/** Step 10: redaction, sanitising, cut, spill, `tool_finished`, audit. The promise covers the log write too. */
export async function finishCall(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ended: EndedCall,
): Promise<ExecutedCall> {
  const { session } = dispatcher;
  const { outcome, ready } = ended;
  const body = await boundedText(dispatcher, ended);
  const notes = (ready?.notes ?? []).map((note) => `[${note}]`);
  const content = [body.text, ...notes, ended.appendix ?? '']
    .filter((part) => part !== '')
    .join('\n');
  const message =
    outcome.failure === null
      ? null
      : clean(dispatcher, outcome.failure.message).slice(0, MESSAGE_CHARS);
  const record: ToolResultRecord = {
    call_id: ended.call.call_id,
    name: ended.tool?.name ?? ended.call.name,
    success: outcome.failure === null,
    result: content === '' && outcome.failure !== null ? null : content,
    error: message,
    id: ended.call.id,
    error_kind: outcome.failure?.kind ?? null,
    metadata: session.redactor.value(metadataOf(ended, body.truncated), 'known'),
    duration_ms: ended.durationMs,
    spill: body.spill,
  };
  const modelText = modelTextOf(dispatcher, ended, message, content);
  if (ready !== null && ended.started)
    auditOutcome(dispatcher, ctx, ready, outcome, ended.durationMs);
  await store(dispatcher, ctx, record, modelText, outcome);
  const name = ready?.class ?? null;
  return {
    result: record,
    images: outcome.images,
    modelText,
    resolvedName: ended.tool?.name ?? null,
    malformed: ready === null,
    class: name,
    acting: name !== null && isActing(name),
    denial: ended.denial,
    plainRefusal: ended.plainRefusal,
    argsSha256: ended.argsSha256,
  };
}

const clean = (dispatcher: Dispatcher, text: string) =>
  forModel(dispatcher.session.redactor.text(text.toWellFormed()));

interface Bounded {
  readonly text: string;
  readonly spill: string | null;
  readonly truncated: { readonly omitted_chars: number; readonly total_chars: number } | null;
}

/** The content as the model may read it; what is cut stays whole in the spill file. */
async function boundedText(dispatcher: Dispatcher, ended: EndedCall): Promise<Bounded> {
  const { outcome, tool } = ended;
  const raw = outcome.content.toWellFormed();
  const text = clean(dispatcher, raw);
  const own = ended.spill === null ? null : await ended.spill.finish();
  if (outcome.bounded) return { text, spill: own, truncated: null };
  const limit = tool?.outputChars ?? dispatcher.session.limits.toolOutputChars;
  const options = { limit, keep: outcome.cut, missing: outcome.missingChars };
  if (cutText(text, { ...options, address: null }) === null)
    return { text, spill: own, truncated: null };
  const spill = own ?? (await spillWhole(dispatcher, ended.call.call_id, raw));
  const cut = cutText(text, { ...options, address: spill });
  if (cut === null) return { text, spill, truncated: null };
  return {
    text: cut.text,
    spill,
    truncated: { omitted_chars: cut.omitted, total_chars: cut.total },
  };
}

function spillWhole(dispatcher: Dispatcher, callId: string, text: string): Promise<string | null> {
  const spill = createSpill(dispatcher.session, callId);
  spill.write(Buffer.from(text));
  return spill.finish();
}

function metadataOf(ended: EndedCall, truncated: Bounded['truncated']): Record<string, unknown> {
  const { outcome, ready, tool } = ended;
  const name = ready?.class;
  const reads = name === 'read' && outcome.metadata.path !== undefined;
  const untrusted = (name !== undefined && UNTRUSTED.has(name)) || reads;
  return {
    action: tool?.name ?? ended.call.raw_name.slice(0, 80),
    source:
      typeof outcome.metadata.path === 'string'
        ? outcome.metadata.path
        : (tool?.name ?? 'dispatcher'),
    trust: untrusted ? 'untrusted' : 'own',
    ...outcome.metadata,
    ...(ready !== null && ready.coercions.length > 0 ? { coercions: ready.coercions } : {}),
    ...(ready !== null && ready.resolvedFrom !== null ? { resolved_from: ready.resolvedFrom } : {}),
    ...(truncated === null ? {} : { truncated }),
  };
}

/** `ERROR kind: message`, the line for the kind, then what output there is; plain text on success. */
function modelTextOf(
  dispatcher: Dispatcher,
  ended: EndedCall,
  message: string | null,
  content: string,
): string {
  const { failure } = ended.outcome;
  if (failure === null) return content;
  const line = errorLine(failure.kind, ended.tool, dispatcher.offered);
  const parts = [`ERROR ${failure.kind}: ${message ?? ''}`, line ?? '', content];
  return parts.filter((part) => part !== '').join('\n');
}

/** The result is in the log before it goes into a request; a log that fails ends the run elsewhere. */
async function store(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  record: ToolResultRecord,
  modelText: string,
  outcome: Outcome,
): Promise<void> {
  const { session } = dispatcher;
  try {
    const appended = session.log.append(scopeOf(ctx), 'tool_finished', {
      ...record,
      files_changed: outcome.filesChanged,
      model_text: modelText,
      ...(outcome.images.length === 0 ? {} : { images: outcome.images }),
    });
    appended.acknowledged.catch(() => {});
    await appended.written;
  } catch (error) {
    dispatcher.diagnostics.defect('tool_finished', error);
  }
}
