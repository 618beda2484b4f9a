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
  const { limits, now } = input;
  const start = now();
  let lastByte: number | undefined;
  let lastContent = start;
  let closedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let armedFor = Number.POSITIVE_INFINITY;

  const limit = (at: number, ms: number, detail: string, text: string): Due[] => {
    if (ms === 0) return [];
    const info = (): LLMErrorInfo => ({
      kind: 'timeout',
      detail,
      retryable: detail !== 'total',
      phase: lastByte === undefined ? 'headers' : 'stream',
      message: `${text} within ${ms / 1000} s`,
    });
    return [{ at: at + ms, fire: () => input.onLimit(info()) }];
  };

  const dues = (): Due[] => {
    const all = limit(input.callStart, limits.total, 'total', 'the call did not end');
    if (closedAt !== undefined) {
      return [...all, { at: closedAt + TRAILING_MS, fire: input.onTrailing }];
    }
    if (lastByte === undefined) {
      return [
        ...all,
        ...limit(start, limits.firstByte, 'first_byte', 'no byte of the answer came'),
      ];
    }
    return [
      ...all,
      ...limit(lastByte, limits.idle, 'idle', 'no byte came'),
      ...limit(lastContent, limits.progress, 'progress', 'only pings and comments came'),
    ];
  };

  const arm = (): void => {
    clearTimeout(timer);
    armedFor = Math.min(...dues().map((due) => due.at));
    if (armedFor === Number.POSITIVE_INFINITY) return;
    const wait = Math.max(0, armedFor - now());
    timer = setTimeout(
      check,
      input.foreignClock ? Math.min(wait, FOREIGN_POLL_MS) : Math.ceil(wait),
    );
  };

  const check = (): void => {
    const time = now();
    const due = dues().find((entry) => entry.at <= time);
    if (due === undefined) arm();
    else due.fire();
  };

  arm();
  return {
    byte: () => {
      const first = lastByte === undefined;
      lastByte = now();
      if (first) lastContent = lastByte;
      if (first && nextDueIsEarlier()) arm();
    },
    content: () => {
      lastContent = now();
    },
    closed: () => {
      if (closedAt !== undefined) return;
      closedAt = now();
      arm();
    },
    stop: () => clearTimeout(timer),
  };

  function nextDueIsEarlier(): boolean {
    return dues().some((due) => due.at < armedFor);
  }
}
