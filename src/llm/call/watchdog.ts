/** The time limits of one attempt, in one timer. */
import type { LLMErrorInfo } from '../types.ts';

/** Milliseconds; 0 = off. */
export interface TimeLimits {
  readonly connect: number;
  readonly firstByte: number;
  readonly idle: number;
  readonly progress: number;
  readonly total: number;
}

export interface Watchdog {
  /** Bytes of the body arrived. */
  byte(): void;
  /** They held content, not only pings or comments. */
  content(): void;
  /** The turn is closed; only trailing reports may follow. */
  closed(): void;
  stop(): void;
}

export interface WatchdogInput {
  readonly limits: TimeLimits;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** The clock is not the machine's own, so it is looked at often. */
  readonly foreignClock: boolean;
  /** When the whole call started. */
  readonly callStart: number;
  readonly onLimit: (error: LLMErrorInfo) => void;
  /** A closed turn waited long enough for what may follow. */
  readonly onTrailing: () => void;
}

const TRAILING_MS = 2000;
const FOREIGN_POLL_MS = 20;

interface Due {
  readonly at: number;
  readonly fire: () => void;
}

export function createWatchdog(input: WatchdogInput): Watchdog {
  return new LimitTimer(input);
}

class LimitTimer implements Watchdog {
  readonly #input: WatchdogInput;
  readonly #start: number;
  #lastByte: number | undefined;
  #lastContent: number;
  #closedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(input: WatchdogInput) {
    this.#input = input;
    this.#start = input.now();
    this.#lastContent = this.#start;
    this.#arm();
  }

  byte(): void {
    const first = this.#lastByte === undefined;
    this.#lastByte = this.#input.now();
    if (!first) return;
    this.#lastContent = this.#lastByte;
    if (this.#dues().some((due) => due.at < this.#armedFor)) this.#arm();
  }

  content(): void {
    this.#lastContent = this.#input.now();
  }

  closed(): void {
    if (this.#closedAt !== undefined) return;
    this.#closedAt = this.#input.now();
    this.#arm();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #dues(): Due[] {
    const { limits, callStart, onTrailing } = this.#input;
    const total = this.#limit(callStart, limits.total, 'total', 'the call did not end');
    if (this.#closedAt !== undefined) {
      return [...total, { at: this.#closedAt + TRAILING_MS, fire: onTrailing }];
    }
    if (this.#lastByte === undefined) {
      const silence = 'no byte of the answer came';
      return [...total, ...this.#limit(this.#start, limits.firstByte, 'first_byte', silence)];
    }
    return [
      ...total,
      ...this.#limit(this.#lastByte, limits.idle, 'idle', 'no byte came'),
      ...this.#limit(this.#lastContent, limits.progress, 'progress', 'only pings came'),
    ];
  }

  #limit(since: number, ms: number, detail: string, text: string): Due[] {
    if (ms === 0) return [];
    const error: LLMErrorInfo = {
      kind: 'timeout',
      detail,
      retryable: detail !== 'total',
      phase: this.#lastByte === undefined ? 'headers' : 'stream',
      message: `${text} within ${ms / 1000} s`,
    };
    return [{ at: since + ms, fire: () => this.#input.onLimit(error) }];
  }

  /** Armed for the nearest limit as it stands now; when it fires too early, it is armed again. */
  #arm(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Math.min(...this.#dues().map((due) => due.at));
    if (this.#armedFor === Number.POSITIVE_INFINITY) return;
    const wait = Math.max(0, this.#armedFor - this.#input.now());
    const delay = this.#input.foreignClock ? Math.min(wait, FOREIGN_POLL_MS) : Math.ceil(wait);
    this.#timer = setTimeout(() => this.#check(), delay);
  }

  #check(): void {
    const time = this.#input.now();
    const due = this.#dues().find((entry) => entry.at <= time);
    if (due === undefined) this.#arm();
    else due.fire();
  }
}
