/** The text being typed and where the cursor stands in it, in grapheme steps. */
export interface Editor {
  readonly before: string;
  readonly after: string;
}

export const EMPTY: Editor = { before: '', after: '' };

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function lastGrapheme(text: string): string {
  return [...segmenter.segment(text)].at(-1)?.segment ?? '';
}

function firstGrapheme(text: string): string {
  return segmenter.segment(text)[Symbol.iterator]().next().value?.segment ?? '';
}

export function insert(editor: Editor, text: string): Editor {
  return { before: editor.before + text, after: editor.after };
}

export function erase(editor: Editor): Editor {
  const gone = lastGrapheme(editor.before);
  return {
    before: editor.before.slice(0, editor.before.length - gone.length),
    after: editor.after,
  };
}

export function moveLeft(editor: Editor): Editor {
  const step = lastGrapheme(editor.before);
  const before = editor.before.slice(0, editor.before.length - step.length);
  return { before, after: step + editor.after };
}

export function moveRight(editor: Editor): Editor {
  const step = firstGrapheme(editor.after);
  return { before: editor.before + step, after: editor.after.slice(step.length) };
}

export function toStart(editor: Editor): Editor {
  return { before: '', after: editor.before + editor.after };
}

export function toEnd(editor: Editor): Editor {
  return { before: editor.before + editor.after, after: '' };
}

/** What Enter does: a trailing backslash opens a new line, else the text is sent. */
export function pressEnter(
  editor: Editor,
): { readonly send: string } | { readonly editor: Editor } {
  const text = editor.before + editor.after;
  if (editor.after === '' && text.endsWith('\\')) {
    return { editor: { before: `${text.slice(0, -1)}\n`, after: '' } };
  }
  return { send: text };
}
