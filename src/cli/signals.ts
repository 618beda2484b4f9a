/** Signals during a run: the first asks it to end, the second SIGINT ends the process at once. */
import { exitCodeOfSignal } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A terminal sends Ctrl-C to the launcher and to us, and the launcher forwards what it gets: the same key press twice,
 * a moment apart. Nobody presses twice that fast.
 */
const SAME_PRESS_MS = 100;

export interface SignalHandlers {
  /** The first signal. */
  cancel(signal: string): void;
  /** SIGINT again: end children, flush the log. The process exits when it settles, or after half a second; that ends what is left. */
  kill(): Promise<void>;
}

export interface SignalWatch {
  /** The signal that came first, or null. */
  readonly received: string | null;
  /** Forgets what came, for the next task of a chat. */
  reset(): void;
  stop(): void;
}

const KILL_WAIT_MS = 500;

/** Watches from now on. `viaLauncher`: another process forwards the signals it gets to us. */
export function watchSignals(
  handlers: SignalHandlers,
  viaLauncher: boolean,
  exit: (code: number) => void = process.exit,
): SignalWatch {
  let received: string | null = null;
  let last = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: string) => {
    const now = performance.now();
    const repeated = viaLauncher && now - last < SAME_PRESS_MS;
    last = now;
    if (repeated) return;
    if (received === null) {
      received = signal;
      handlers.cancel(signal);
    } else if (signal === 'SIGINT') {
      const code = exitCodeOfSignal(received);
      const wait = new Promise((resolve) => setTimeout(resolve, KILL_WAIT_MS));
      void Promise.race([handlers.kill().catch(() => undefined), wait]).then(() => exit(code));
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    get received() {
      return received;
    },
    reset() {
      received = null;
    },
    stop() {
      for (const signal of SIGNALS) process.removeListener(signal, onSignal);
    },
  };
}

/** True when an older Node's launcher started us; see bin/toolwright.js. */
export function startedByLauncher(env: Readonly<Record<string, string | undefined>>): boolean {
  return env.TOOLWRIGHT_LAUNCHER === String(process.ppid);
}
