import { expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

it('keeps the value and holds nothing a terminal obeys', () => {
  const value = { text: 'a\u009b2J \u001b]0;x\u0007 \u007f \u202e 中文 🎉' };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toMatch(/^[\u0020-\u007e中文🎉]+$/u);
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
});
