import { render } from 'ink';
import { sanitise } from '../../session/sanitise.ts';
import { noticeOf } from '../notices.ts';
import { applyEvent, createRunView } from '../run-view.ts';
import { createSimpleConsole } from '../simple-console.ts';
import { stepLines } from '../step-lines.ts';
import { createStyle, wantsColour } from '../style.ts';
import { detailLines, summaryLines } from '../summary.ts';
import type { CLIConsole, ConsoleOptions } from '../types.ts';
import { cutToWidth } from '../width.ts';
import { App } from './app.tsx';
import { createScreenStore, type Prompt } from './store.ts';

/** Puts a question on the screen and waits for its answer; takes it away again when the signal fires. */
function promptFor<T>(
  show: (prompt: Prompt | null) => void,
  signal: AbortSignal,
  make: (submit: (answer: T) => void) => Prompt,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      show(null);
      reject(signal.reason);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    show(
      make((answer) => {
        signal.removeEventListener('abort', onAbort);
        show(null);
        resolve(answer);
      }),
    );
  });
}

/**
 * The console with a live screen (Ink) on stderr. A drawing failure falls back to the simple console for the rest
 * of the session; it never reaches the run.
 */
export function createRichConsole(options: ConsoleOptions): CLIConsole {
  const { stderr, stdin, env } = options;
  const style = createStyle(wantsColour(env, true));
  const view = createRunView();
  const store = createScreenStore(view);
  const steerListeners = new Set<(text: string) => void>();
  const columns = () => Math.max(1, stderr.columns || 80);
  let fallback: CLIConsole | null = null;
  let screen: ReturnType<typeof render> | null = null;
  let interrupted = 0;

  const guarded = <T,>(draw: () => T, plain: (console: CLIConsole) => T): T => {
    if (fallback !== null) return plain(fallback);
    try {
      return draw();
    } catch {
      screen?.unmount();
      fallback = createSimpleConsole(options);
      return plain(fallback);
    }
  };

  const onInterrupt = (empty: boolean) => {
    const prompt = store.snapshot().prompt;
    if (prompt?.kind !== 'task') {
      process.kill(process.pid, 'SIGINT');
      return;
    }
    interrupted = empty ? interrupted + 1 : 0;
    if (interrupted >= 2) prompt.submit(null);
    else if (empty) store.addBlock([style.dim('Ctrl-C again, Ctrl-D or /exit leaves.')]);
  };
  const onSteer = (text: string) => {
    if (text.trim() === '') return;
    store.addBlock([style.cyan(`+ ${sanitise(text)}`)]);
    for (const listener of steerListeners) listener(text);
  };

  const onEvent: CLIConsole['onEvent'] = (event) => {
    applyEvent(view, event);
    const notice = noticeOf(event);
    if (notice !== null) store.addBlock([style.yellow(cutToWidth(notice, columns()))]);
    if (event.parent_run_id !== undefined) return;
    if (event.type === 'run_started') store.update({ running: true });
    else if (event.type === 'run_finished') store.update({ running: false });
    else if (event.type === 'step_finished' && view.step !== null) {
      const lines = stepLines(view.step, view.maxSteps, style, columns());
      view.step = null;
      store.addBlock(lines);
    } else store.update({});
  };

  const show = (prompt: Prompt | null) => {
    interrupted = 0;
    store.update({ prompt });
  };

  /** Draws the screen if it is not there yet: a chat asks for its first task before any run starts. */
  const start = () => {
    if (screen !== null) return;
    guarded(
      () => {
        const app = <App store={store} style={style} onSteer={onSteer} onInterrupt={onInterrupt} />;
        screen = render(app, {
          stdout: stderr,
          stdin,
          exitOnCtrlC: false,
          patchConsole: false,
          interactive: true,
        });
      },
      (plain) => plain.start(),
    );
  };
  const ask = <T,>(
    signal: AbortSignal,
    make: (submit: (answer: T) => void) => Prompt,
    plain: (console: CLIConsole) => Promise<T>,
  ): Promise<T> => {
    start();
    return fallback === null ? promptFor(show, signal, make) : plain(fallback);
  };

  return {
    start,
    stop: async () => {
      screen?.unmount();
      await screen?.waitUntilExit();
      screen = null;
    },
    onEvent: (event) =>
      guarded(
        () => onEvent(event),
        (plain) => plain.onEvent(event),
      ),
    printTaskDetails: (details) =>
      guarded(
        () => store.addBlock(detailLines(details, style, columns())),
        (plain) => plain.printTaskDetails(details),
      ),
    printSummary: (summary) =>
      guarded(
        () => store.addBlock(summaryLines(summary, style, columns())),
        (plain) => plain.printSummary(summary),
      ),
    print: (text) =>
      guarded(
        () => store.addBlock([sanitise(text)]),
        (plain) => plain.print(text),
      ),
    askApproval: (card, signal) =>
      ask(
        signal,
        (submit) => ({ kind: 'approval', card, submit }),
        (plain) => plain.askApproval(card, signal),
      ),
    askQuestion: (question, signal) =>
      ask(
        signal,
        (submit) => ({ kind: 'question', question, submit }),
        (plain) => plain.askQuestion(question, signal),
      ),
    getTaskInput: (signal) =>
      ask(
        signal,
        (submit) => ({ kind: 'task', submit }),
        (plain) => plain.getTaskInput(signal),
      ),
    onSteer: (listener) => {
      steerListeners.add(listener);
      return () => steerListeners.delete(listener);
    },
  };
}
