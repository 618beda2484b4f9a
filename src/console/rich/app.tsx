import { Box, Static, Text, useAnimation, useWindowSize } from 'ink';
import { useSyncExternalStore } from 'react';
import { sanitise } from '../../session/sanitise.ts';
import { formatArguments, formatSeconds, formatUsage, oneLine } from '../format.ts';
import { type RunView, type StepView, tailLines } from '../run-view.ts';
import type { Style } from '../style.ts';
import { cutToWidth } from '../width.ts';
import { LineEditor } from './line-editor.tsx';
import { ApprovalPrompt, QuestionPrompt } from './prompts.tsx';
import type { Prompt, ScreenStore } from './store.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const STREAM_LINES = 10;

interface Props {
  readonly store: ScreenStore;
  readonly style: Style;
  readonly onSteer: (text: string) => void;
  readonly onInterrupt: (empty: boolean) => void;
}

/** Scrollback above, the live step below it, the usage line, and what waits for the person at the bottom. */
export function App({ store, style, onSteer, onInterrupt }: Props) {
  const screen = useSyncExternalStore(store.subscribe, store.snapshot);
  const { columns } = useWindowSize();
  const width = Math.max(1, columns || 80);
  return (
    <>
      <Static items={[...screen.blocks]}>
        {(block) => <Text key={block.id}>{block.lines.join('\n')}</Text>}
      </Static>
      {screen.running && store.view.step !== null && (
        <LiveStep step={store.view.step} view={store.view} style={style} columns={width} />
      )}
      {screen.running && <Text>{style.dim(cutToWidth(usageLine(store.view), width))}</Text>}
      <PromptArea
        prompt={screen.prompt}
        running={screen.running}
        style={style}
        onSteer={onSteer}
        onInterrupt={onInterrupt}
      />
    </>
  );
}

function usageLine(view: RunView): string {
  const step = `step ${view.step?.number ?? 0}/${view.maxSteps}`;
  const part = view.contextWindow > 0 ? view.contextTokens / view.contextWindow : 0;
  const context = `context ${Math.round(part * 100)} %`;
  return [step, context, view.usage ? formatUsage(view.usage, view.costUsd) : '']
    .filter(Boolean)
    .join(' · ');
}

interface LiveProps {
  readonly step: StepView;
  readonly view: RunView;
  readonly style: Style;
  readonly columns: number;
}

function LiveStep({ step, view, style, columns }: LiveProps) {
  const { frame, time } = useAnimation({ interval: 100 });
  const spinner = FRAMES[frame % FRAMES.length];
  const lines: string[] = [];
  const live = view.stream ?? step;
  const source = live.text === '' ? live.reasoning : live.text;
  const stream = sanitise(source).trimEnd().split('\n').slice(-STREAM_LINES);
  for (const line of stream) if (line !== '') lines.push(style.dim(cutToWidth(line, columns)));
  for (const call of step.calls) {
    const mark =
      call.state === 'running' ? spinner : call.state === 'ok' ? style.green('✓') : style.red('✗');
    const head = `${oneLine(call.name)} ${formatArguments(call.arguments)}`;
    lines.push(`${mark} ${cutToWidth(head, columns - 2)}`);
    if (call.state !== 'running') continue;
    for (const line of tailLines(call)) {
      lines.push(style.dim(cutToWidth(`  | ${sanitise(line)}`, columns)));
    }
  }
  const doing = view.thinking ? 'the model is working' : 'working';
  lines.push(`${spinner} ${doing} (${formatSeconds(Math.floor(time / 1000))})`);
  return <Text>{lines.join('\n')}</Text>;
}

interface PromptAreaProps {
  readonly prompt: Prompt | null;
  readonly running: boolean;
  readonly style: Style;
  readonly onSteer: (text: string) => void;
  readonly onInterrupt: (empty: boolean) => void;
}

function PromptArea({ prompt, running, style, onSteer, onInterrupt }: PromptAreaProps) {
  if (prompt?.kind === 'approval') {
    const { card, submit } = prompt;
    return <ApprovalPrompt key={card.approvalId} card={card} style={style} onAnswer={submit} />;
  }
  if (prompt?.kind === 'question') {
    return <QuestionPrompt question={prompt.question} style={style} onAnswer={prompt.submit} />;
  }
  if (prompt?.kind === 'task') {
    const { submit } = prompt;
    return (
      <Box marginTop={1}>
        <LineEditor
          prompt="> "
          onSubmit={submit}
          onEnd={() => submit(null)}
          onInterrupt={onInterrupt}
        />
      </Box>
    );
  }
  if (!running) return null;
  return <LineEditor prompt="+ " onSubmit={onSteer} onInterrupt={onInterrupt} />;
}
