import { Box, Text, useInput, usePaste } from 'ink';
import { useState } from 'react';
import { sanitise } from '../../session/sanitise.ts';
import {
  type Editor,
  EMPTY,
  erase,
  insert,
  moveLeft,
  moveRight,
  pressEnter,
  toEnd,
  toStart,
} from './editor.ts';

interface Props {
  readonly prompt: string;
  readonly onSubmit: (text: string) => void;
  /** Ctrl-D on an empty line. */
  readonly onEnd?: () => void;
  /** Ctrl-C; told whether the line was empty. */
  readonly onInterrupt: (empty: boolean) => void;
}

/** One message being typed. Pasted text is inserted whole and is never taken as a command or as Enter. */
export function LineEditor({ prompt, onSubmit, onEnd, onInterrupt }: Props) {
  const [editor, setEditor] = useState<Editor>(EMPTY);
  const empty = editor.before === '' && editor.after === '';
  usePaste((text) =>
    setEditor((now) => insert(now, text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'))),
  );
  const enter = (now: Editor) => {
    const outcome = pressEnter(now);
    setEditor('editor' in outcome ? outcome.editor : EMPTY);
    if ('send' in outcome) onSubmit(outcome.send);
  };
  /** Fast typing arrives in one piece with the Enter that ends it; pasted text comes another way. */
  const typed = (input: string) => {
    const end = input.indexOf('\r');
    if (end < 0) setEditor((now) => insert(now, input));
    else enter(insert(editor, input.slice(0, end)));
  };
  useInput((input, key) => {
    if (key.ctrl && input === 'c') {
      setEditor(EMPTY);
      onInterrupt(empty);
    } else if (key.ctrl && input === 'd') {
      if (empty) onEnd?.();
    } else if (key.return) {
      enter(editor);
    } else if (key.backspace || key.delete) setEditor(erase);
    else if (key.leftArrow) setEditor(moveLeft);
    else if (key.rightArrow) setEditor(moveRight);
    else if (key.home || (key.ctrl && input === 'a')) setEditor(toStart);
    else if (key.end || (key.ctrl && input === 'e')) setEditor(toEnd);
    else if (key.ctrl && input === 'u') setEditor(EMPTY);
    else if (!key.ctrl && !key.meta && !key.tab && !key.escape && input !== '') typed(input);
  });
  const shown = sanitise(editor.after, { names: false });
  const under = shown.slice(0, 1);
  return (
    <Box>
      <Text bold>{prompt}</Text>
      <Text wrap="wrap">
        {sanitise(editor.before)}
        <Text inverse>{under === '' || under === '\n' ? ' ' : under}</Text>
        {under === '\n' ? shown : shown.slice(1)}
      </Text>
    </Box>
  );
}
