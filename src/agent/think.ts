import type { LLMResponse } from '../llm/types.ts';
import { type Asked, askModel, isPartial, partialText } from './ask-model.ts';
import { abortExit, outputStop } from './boundary.ts';
import { classifyReply } from './classify-reply.ts';
import { providerFailed, type RunExit } from './exits.ts';
import { replyMessage } from './messages.ts';
import type { RunState } from './run-state.ts';
import type { StepDraft } from './step-draft.ts';
import { inputTotal } from './usage.ts';

/** The accepted reply of a step, the end of the run, or a reply an urgent message cut short. */
export type Thought =
  | { readonly kind: 'reply'; readonly messageId: string; readonly response: LLMResponse }
  | { readonly kind: 'exit'; readonly exit: RunExit }
  | { readonly kind: 'interrupted' };

const MOST_PAUSES = 5;
/** Sent without a limit of its own, an output this long needs no lowering. */
const AMPLE_OUTPUT = 32_768;
const SMALL_ESTIMATE = 4000;

/** Asks the model until a reply is there; an overflow or a pause asks again within the same step. */
export async function think(run: RunState, step: StepDraft): Promise<Thought> {
  let overflows = 0;
  let pauses = 0;
  for (;;) {
    const stop = outputStop(run);
    if (stop !== null) return { kind: 'exit', exit: stop };
    const estimated = run.context.tokens;
    const asked = await ask(run);
    step.add(asked);
    if (isOverflow(asked)) {
      overflows += 1;
      const exit = await recover(run, asked, overflows);
      if (exit !== null) return { kind: 'exit', exit };
      continue;
    }
    if (isPartial(asked) || asked.response === null) return stopped(run, asked);
    accept(run, asked, asked.response, estimated);
    const { messageId, response } = asked;
    if (classifyReply(response) !== 'pause') return { kind: 'reply', messageId, response };
    pauses += 1;
    if (pauses > MOST_PAUSES)
      return { kind: 'reply', messageId, response: { ...response, finish_reason: 'stop' } };
  }
}

async function ask(run: RunState): Promise<Asked> {
  const cap = run.budgets.outputCap(run.client.prices);
  const caps = [cap, run.context.outputLimit].filter((value) => typeof value === 'number');
  const lowest = Math.min(...caps);
  const lowers = lowest < (run.client.outputLimit ?? AMPLE_OUTPUT);
  return askModel(run, {
    purpose: 'step',
    messages: run.conversation.messages,
    ...(lowers ? { maxOutputTokens: lowest } : {}),
  });
}

function isOverflow(asked: Asked): boolean {
  return (
    asked.error?.kind === 'overflow' ||
    asked.response?.raw_finish_reason === 'model_context_window_exceeded'
  );
}

async function recover(run: RunState, asked: Asked, count: number): Promise<RunExit | null> {
  const error = asked.error ?? {
    kind: 'overflow' as const,
    message: 'The reply ended at the end of the window.',
    retryable: false,
  };
  const exit = await run.context.recover(run, error, count);
  return run.controller.signal.aborted ? abortExit(run) : exit;
}

/** The reply did not come to its end: what text there is stays in the conversation, calls do not. */
function stopped(run: RunState, asked: Asked): Thought {
  const text = partialText(asked.response);
  if (text !== '') {
    run.progress.lastText = text;
    const message = {
      message_id: asked.messageId,
      role: 'assistant',
      origin: 'model',
      content: [{ type: 'text', text }],
      complete: false,
    } as const;
    run.conversation.add(message);
    run.context.added(message);
  }
  if (run.controller.signal.aborted) return { kind: 'exit', exit: abortExit(run) };
  if (asked.interrupted) return { kind: 'interrupted' };
  const error = asked.error ?? { kind: 'protocol', message: 'The model sent no reply.' };
  return { kind: 'exit', exit: providerFailed(error.kind, error.message) };
}

function accept(run: RunState, asked: Asked, response: LLMResponse, estimated: number): void {
  const message = replyMessage(asked.messageId, response);
  run.conversation.add(message);
  run.context.added(message);
  run.context.report(response.usage, message);
  if (response.content.trim() !== '') run.progress.lastText = response.content;
  const input = inputTotal(response.usage);
  if (response.usage.estimated || input === 0 || run.progress.silentTruncationTold) return;
  if (estimated > SMALL_ESTIMATE && input < estimated / 2) {
    run.progress.silentTruncationTold = true;
    run.log.append(run.scope, 'warning', {
      code: 'silent_truncation',
      message: `The server counted ${input} input tokens where about ${estimated} were sent; it may cut the front of the conversation. Raise its context size.`,
    });
  }
}
