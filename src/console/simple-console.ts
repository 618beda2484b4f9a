import type { ApprovalAnswer, ApprovalCard } from '../permissions/types.ts';
import type { RunSummary, TaskDetails } from '../session/console.ts';
import type { SessionEvent } from '../session/events.ts';
import { sanitise } from '../session/sanitise.ts';
import { answerOf, approvalChoices, approvalLines } from './approval.ts';
import { oneLine } from './format.ts';
import { readKey } from './keys.ts';
import { readLine, readMessage } from './line-input.ts';
import { noticeOf } from './notices.ts';
import { applyEvent, createRunView } from './run-view.ts';
import { stepLines } from './step-lines.ts';
import { createStyle, wantsColour } from './style.ts';
import { detailLines, summaryLines } from './summary.ts';
import type { CLIConsole, ConsoleOptions, Question } from './types.ts';
import { cutToWidth } from './width.ts';

const PLAIN_COLUMNS = 120;

/** Plain lines on stderr: one block for each finished step. No cursor movement, so it also fits pipes and logs. */
export function createSimpleConsole(options: ConsoleOptions): CLIConsole {
  const { stderr, stdin, env } = options;
  const terminal = stderr.isTTY === true && env.TERM !== 'dumb';
  const style = createStyle(wantsColour(env, stderr.isTTY === true));
  const view = createRunView();
  const columns = () => (terminal ? Math.max(1, stderr.columns || PLAIN_COLUMNS) : PLAIN_COLUMNS);
  const write = (lines: readonly string[]) => stderr.write(`${lines.join('\n')}\n`);

  const onEvent = (event: SessionEvent) => {
    applyEvent(view, event);
    const notice = noticeOf(event);
    if (notice !== null) write([style.yellow(cutToWidth(notice, columns()))]);
    if (event.parent_run_id !== undefined) return;
    if (event.type === 'step_started' && terminal) {
      write([style.dim(`step ${event.step_number}: the model is working …`)]);
    }
    if (event.type === 'step_finished' && view.step !== null) {
      write(stepLines(view.step, view.maxSteps, style, columns()));
    }
  };

  const askApproval = async (card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> => {
    let all = false;
    for (;;) {
      const { lines, cut } = approvalLines(card, style, all);
      const choices = approvalChoices(card, cut);
      write([...lines, ...choices.map(({ key, label }) => `  ${style.bold(key)}  ${label}`)]);
      const key = await readKey(
        { stdin, stderr },
        choices.map((choice) => choice.key),
        signal,
      );
      if (key === 'v') {
        all = true;
        continue;
      }
      const answer = answerOf(key);
      if (answer !== null) return answer;
      const note = await readLine({ stdin, stderr }, '  note to the model: ', signal);
      if (note?.trim()) return { decision: 'deny', scope: 'once', note: note.trim(), by: 'user' };
    }
  };

  const askQuestion = async (question: Question, signal: AbortSignal): Promise<string | null> => {
    write([style.yellow(oneLine(question.text))]);
    write(question.choices.map((choice, index) => `  ${index + 1}  ${oneLine(choice)}`));
    for (;;) {
      const typed = (await readLine({ stdin, stderr }, '> ', signal))?.trim();
      if (typed === undefined) return null;
      const chosen =
        question.choices[Number(typed) - 1] ?? question.choices.find((c) => c === typed);
      if (chosen !== undefined) return chosen;
      if (typed !== '' && (question.allowFreeText || question.choices.length === 0)) return typed;
      write([`Answer with a number from 1 to ${question.choices.length}.`]);
    }
  };

  return {
    start: () => undefined,
    stop: async () => undefined,
    onEvent,
    printTaskDetails: (details: TaskDetails) => write(detailLines(details, style, columns())),
    printSummary: (summary: RunSummary) => write(summaryLines(summary, style, columns())),
    print: (text) => write([sanitise(text)]),
    askApproval,
    askQuestion,
    getTaskInput: (signal) => readMessage({ stdin, stderr }, style.bold('> '), signal),
    onSteer: () => () => undefined,
  };
}
