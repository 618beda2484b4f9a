import type { JsonObject } from '../../llm/types.ts';
import type { ExecutedCall } from '../../tools/types.ts';
import type { RunExit } from '../exits.ts';
import { Denials } from './denials.ts';
import { MalformedCalls } from './malformed-calls.ts';
import { NoProgress } from './no-progress.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import type { GuardFinding } from './types.ts';

export interface GuardReport {
  readonly notes: readonly string[];
  readonly end: RunExit | null;
  readonly events: readonly NonNullable<GuardFinding['event']>[];
}

/** All guards of one run (agent.md 2.6). They look at our own results only, never at provider call ids. */
export class LoopGuards {
  private readonly repeated = new RepeatedCalls();
  private readonly progress = new NoProgress();
  private readonly malformed = new MalformedCalls();
  private readonly denials = new Denials();
  private readonly isPolling: (tool: string) => boolean;

  constructor(isPolling: (tool: string) => boolean) {
    this.isPolling = isPolling;
  }

  /** Asked by the executor for each valid call, in order. */
  beforeCall(tool: string, args: JsonObject): { readonly refuse: string | null } {
    return { refuse: this.isPolling(tool) ? null : this.repeated.beforeCall(tool, args) };
  }

  afterCalls(calls: readonly ExecutedCall[]): GuardReport {
    const perCall = calls.flatMap((call) => this.afterCall(call));
    const findings = [...this.repeated.takeFindings(), ...perCall, ...this.afterStep(calls)];
    return {
      notes: findings.flatMap((finding) => (finding.note === null ? [] : [finding.note])),
      end: findings.find((finding) => finding.end !== null)?.end ?? null,
      events: findings.flatMap((finding) => (finding.event === null ? [] : [finding.event])),
    };
  }

  private afterCall(call: ExecutedCall): GuardFinding[] {
    const tool = call.resolvedName ?? call.result.name;
    const key = `${tool}:${call.argsSha256}`;
    if (call.acting && call.result.success) this.repeated.actingCallSucceeded(key);
    const wrong = this.malformed.afterCall(tool, call.malformed);
    const found = [
      this.malformed.finding(tool, wrong),
      ran(call) && !this.isPolling(tool)
        ? this.progress.afterCall(tool, key, call.modelText)
        : null,
      call.denial === null ? null : this.denials.afterDenied(tool, key),
      call.result.error_kind === 'needs_user' ? this.denials.afterUnanswered(tool) : null,
    ];
    return found.filter((finding) => finding !== null);
  }

  private afterStep(calls: readonly ExecutedCall[]): GuardFinding[] {
    const every = (test: (call: ExecutedCall) => boolean) => calls.length > 0 && calls.every(test);
    const found = [
      this.malformed.afterStep(every((call) => call.malformed)),
      this.denials.afterStep(every((call) => call.denial !== null)),
    ];
    return found.filter((finding) => finding !== null);
  }
}

/** Did the tool itself give this result? */
function ran(call: ExecutedCall): boolean {
  const kind = call.result.error_kind;
  const before = ['repeated_call', 'skipped', 'cancelled', 'completion_refused'];
  return !call.malformed && call.denial === null && (kind === null || !before.includes(kind));
}
