import { Box, Text, useInput } from 'ink';
import { useState } from 'react';
import type { ApprovalAnswer, ApprovalCard } from '../../permissions/types.ts';
import { answerOf, approvalChoices, approvalLines } from '../approval.ts';
import { oneLine } from '../format.ts';
import type { Style } from '../style.ts';
import type { Question } from '../types.ts';
import { LineEditor } from './line-editor.tsx';

const DEAF_MS = 300;
const interrupt = () => process.kill(process.pid, 'SIGINT');

interface ApprovalProps {
  readonly card: ApprovalCard;
  readonly style: Style;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
}

/** The approval question. Keys of the first 300 ms are ignored, so typing ahead never answers it. */
export function ApprovalPrompt({ card, style, onAnswer }: ApprovalProps) {
  const [opened] = useState(() => performance.now());
  const [all, setAll] = useState(false);
  const [noting, setNoting] = useState(false);
  const { lines, cut } = approvalLines(card, style, all);
  const choices = approvalChoices(card, cut);
  useInput(
    (input, key) => {
      if (key.ctrl && input === 'c') interrupt();
      if (performance.now() - opened < DEAF_MS) return;
      const typed = input.toLowerCase();
      if (!choices.some((choice) => choice.key === typed)) return;
      if (typed === 'v') setAll(true);
      else if (typed === 'e') setNoting(true);
      else {
        const answer = answerOf(typed);
        if (answer !== null) onAnswer(answer);
      }
    },
    { isActive: !noting },
  );
  const submitNote = (note: string) => {
    if (note.trim() !== '')
      onAnswer({ decision: 'deny', scope: 'once', note: note.trim(), by: 'user' });
  };
  return (
    <Box flexDirection="column">
      <Text>{lines.join('\n')}</Text>
      {noting ? (
        <LineEditor prompt="  note to the model: " onSubmit={submitNote} onInterrupt={interrupt} />
      ) : (
        <Text>{choices.map(({ key, label }) => `  ${style.bold(key)}  ${label}`).join('\n')}</Text>
      )}
    </Box>
  );
}

interface QuestionProps {
  readonly question: Question;
  readonly style: Style;
  readonly onAnswer: (text: string | null) => void;
}

export function QuestionPrompt({ question, style, onAnswer }: QuestionProps) {
  const [fault, setFault] = useState('');
  const submit = (text: string) => {
    const typed = text.trim();
    const chosen =
      question.choices[Number(typed) - 1] ?? question.choices.find((one) => one === typed);
    if (chosen !== undefined) onAnswer(chosen);
    else if (typed !== '' && (question.allowFreeText || question.choices.length === 0))
      onAnswer(typed);
    else setFault(`Answer with a number from 1 to ${question.choices.length}.`);
  };
  const choices = question.choices.map((choice, index) => `  ${index + 1}  ${oneLine(choice)}`);
  return (
    <Box flexDirection="column">
      <Text>
        {[style.yellow(oneLine(question.text)), ...choices, fault].filter(Boolean).join('\n')}
      </Text>
      <LineEditor
        prompt="> "
        onSubmit={submit}
        onEnd={() => onAnswer(null)}
        onInterrupt={interrupt}
      />
    </Box>
  );
}
