import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY, erase, insert, moveLeft, moveRight, pressEnter, toEnd, toStart } from './editor.ts';

const typed = (text: string) => insert(EMPTY, text);

describe('line editor', () => {
  it('sends what was typed', () => {
    expect(pressEnter(typed('hello'))).toEqual({ send: 'hello' });
  });

  it('opens a new line after a backslash', () => {
    expect(pressEnter(typed('one\\'))).toEqual({ editor: { before: 'one\n', after: '' } });
  });

  it('keeps a pasted line break and a command in one message', () => {
    expect(pressEnter(typed('first\n/exit'))).toEqual({ send: 'first\n/exit' });
  });

  it('erases whole characters', () => {
    expect(erase(typed('a👩‍👩‍👧‍👦')).before).toBe('a');
    expect(erase(EMPTY)).toEqual(EMPTY);
  });

  it('loses nothing however the cursor moves', () => {
    const move = fc.constantFrom(moveLeft, moveRight, toStart, toEnd);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(move), (text, moves) => {
        const end = moves.reduce((editor, step) => step(editor), typed(text));
        expect(end.before + end.after).toBe(text);
      }),
    );
  });
});
