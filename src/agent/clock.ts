/** Time as the loop sees it. Injected, so that limits and durations can be tested. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Wall time, for timestamps only. */
  date(): Date;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
};
