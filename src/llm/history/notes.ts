/** What was changed in a history for the wire, as counts by kind. */
export type NoteKind =
  | 'missing_result'
  | 'stray_result'
  | 'moved_result'
  | 'empty_turn'
  | 'cut_turn'
  | 'empty_message'
  | 'characters'
  | 'long_result';
export type Notes = Map<NoteKind, number>;

const TEXTS: Readonly<Record<NoteKind, string>> = {
  missing_result: 'tool calls without a result got a failed one',
  stray_result: 'tool results without a call were left out',
  moved_result: 'tool results were put behind their turn',
  empty_turn: 'empty turns were left out',
  cut_turn: 'cut turns were reduced to their text',
  empty_message: 'empty user messages were left out',
  characters: 'texts had characters no request may carry',
  long_result: 'results above 256 KiB were cut',
};

export function note(notes: Notes, kind: NoteKind, count = 1): void {
  notes.set(kind, (notes.get(kind) ?? 0) + count);
}

export function addNotes(notes: Notes, more: Notes): void {
  for (const [kind, count] of more) note(notes, kind, count);
}

/** One sentence, the same for the same changes. */
export function describeNotes(notes: Notes): string {
  const parts = [...notes].sort().map(([kind, count]) => `${TEXTS[kind]} (${count})`);
  return `The request differs from the stored history: ${parts.join('; ')}.`;
}
