import type { EventConsole } from '../session/console.ts';
import type { EventLog } from '../session/types.ts';

/** Lets a console draw the events of a log. One that fails is told once in the log and changes nothing else. */
export function startConsole(console: EventConsole, log: EventLog): void {
  drawSafely(log, () => console.start());
  log.subscribe((event) => console.onEvent(event));
}

export function drawSafely(log: EventLog, draw: () => void): void {
  try {
    draw();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log.append({ run_id: null }, 'warning', {
      code: 'console_failed',
      message: `The console failed: ${message}.`,
    });
  }
}
