import { ANY_BREAK } from './line-ends.ts';

/**
 * Finds lines that only stand for text somebody left out ("// ... existing code ..."): writing them would delete
 * the real lines. A line that was in the old content already is literal use.
 */

const COMMENT_OPEN = /^(?:\/\/+|\/\*+|\*+(?!\*)|#+|--+|;+|%+|<!--|\{\/\*|"""|''')\s*/;
const COMMENT_CLOSE = /\s*(?:\*\/\}?|-->|"""|''')\s*$/;
const BRACKETS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
  ['（', '）'],
  ['【', '】'],
];
const DOTS = /(?:\.{3,}|…+)/g;
const DOTS_ONCE = /\.{3,}|…/;

const SUBJECT =
  '(?:(?:(?:the|your|all|any|my)\\s+)*(?:rest|remainder|remaining|existing|previous|other|original|same|unchanged|omitted|unmodified|current|more|additional)(?:\\s+(?:of|the|your|this|that|existing|original|remaining|previous|other|unchanged))*)';
const THING =
  '(?:\\s+(?:code|file|files|function|functions|method|methods|class|classes|content|contents|implementation|logic|lines?|text|section|sections|imports?|body|tests?|module|fields?|properties|entries|items|cases|config(?:uration)?|document|script|stuff|here))*';
const STATE =
  '(?:\\s+(?:is|are|was|were|stays?|remains?|goes|go|continues?|kept|left|here|the|same|as|before|unchanged|omitted|unmodified|above|below|identical|intact|for|brevity|untouched|elided|and|so|on))*';
const PHRASE = new RegExp(`^${SUBJECT}${THING}${STATE}$`, 'i');
const SHORT =
  /^(?:(?:code|content|lines?|text|implementation|body|details?) (?:omitted|elided|unchanged|truncated|skipped|removed)(?: for brevity)?|unchanged|omitted(?: for brevity)?|truncated|snip(?:ped)?|no changes?(?: here)?|same as (?:before|above)|etc|and so on|keep (?:the )?(?:rest|existing|remaining)(?: .{0,40})?|for brevity)$/i;
/** Without dots only what says that something stays or was left out. */
const STATES_OMISSION =
  /unchanged|omitted|same|as before|as is|elided|brevity|unmodified|truncated|existing (?:code|content|implementation|logic)|snip|keep/i;
const CHINESE =
  /^(?:其余|其他|其它|剩余|后续|以下|以上|此处|这里|原有|原来|现有|中间|省略|保持|同上|未变|不变)[\p{Script=Han}、，。\s]{0,14}$/u;
const CHINESE_OMISSION =
  /不变|未变|省略|略去|略$|同上|一致|保留|保持|原样|未修改|无变化|现有代码|原有代码/;

/** 1-based numbers in the new text of lines that are placeholders and absent from the old content. */
export function placeholderLines(newText: string, oldContent: string): number[] {
  const found: number[] = [];
  let known: Set<string> | null = null;
  for (const [index, line] of newText.split(ANY_BREAK).entries()) {
    if (!isPlaceholder(line)) continue;
    known ??= new Set(oldContent.split(ANY_BREAK).map((one) => one.trim()));
    if (!known.has(line.trim())) found.push(index + 1);
  }
  return found;
}

export function isPlaceholder(line: string): boolean {
  const text = line.trim();
  if (text === '' || text.length > 160) return false;
  const { inner, wrapped } = unwrap(text);
  const dotted = DOTS_ONCE.test(inner);
  const words = inner
    .replace(DOTS, ' ')
    .replace(/^[\s.:,;*_()-]+|[\s.:,;*_!()-]+$/g, '')
    .replace(/\s+/g, ' ');
  if (words === '') return wrapped && dotted;
  if (CHINESE.test(words)) return CHINESE_OMISSION.test(words) || (dotted && wrapped);
  if (!PHRASE.test(words) && !SHORT.test(words)) return false;
  if (dotted) return wrapped || (startsDotted(inner) && words.includes(' '));
  return wrapped && STATES_OMISSION.test(words) && (words.includes(' ') || SHORT.test(words));
}

function startsDotted(text: string): boolean {
  return /^(?:\.{3,}|…)/.test(text);
}

/** Takes off comment signs and one pair of brackets. */
function unwrap(text: string): { readonly inner: string; readonly wrapped: boolean } {
  const inner = text.replace(COMMENT_OPEN, '').replace(COMMENT_CLOSE, '').trim();
  const commented = inner !== text;
  for (const [open, close] of BRACKETS) {
    if (inner.startsWith(open) && inner.endsWith(close) && inner.length >= 2) {
      return { inner: inner.slice(1, -1).trim(), wrapped: true };
    }
  }
  return { inner, wrapped: commented };
}
