import type { RecordingPlace } from './types.ts';

const IDS = /\b(ses|run|call|msg|apr)_[0-9A-HJKMNP-TV-Z]{26}\b/g;
const PLACEHOLDER =
  /\{\{(workspace|session|home|environment|session_id|(?:ses|run|call|msg|apr):\d+)\}\}/g;

/** What a tool result may say differently on each run without meaning anything else. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '{{time}}'],
  [/\b\d+(?:\.\d+)? ?(?:ms|us|µs|ns|s|sec|seconds?|minutes?|min)\b/g, '{{duration}}'],
  [/\b0x[0-9a-f]{6,16}\b/gi, '{{address}}'],
];

/**
 * Replaces what belongs to one place by placeholders, and back. Ids are numbered by first appearance, so two runs of
 * the same conversation give the same text though every id differs.
 */
export class Placeholders {
  readonly #place: () => RecordingPlace;
  readonly #numbers = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(place: () => RecordingPlace) {
    this.#place = place;
  }

  /** Real text to placeholders. */
  hide(text: string): string {
    let hidden = text;
    for (const [value, name] of this.#literals()) {
      if (value !== '' && hidden.includes(value))
        hidden = hidden.replaceAll(value, () => `{{${name}}}`);
    }
    return hidden.replace(IDS, (id, kind: string) => `{{${this.#number(id, kind)}}}`);
  }

  /** As `hide`, for the text of a tool result: times, durations and addresses are masked too. */
  hideResult(text: string): string {
    return VOLATILE.reduce(
      (masked, [pattern, name]) => masked.replace(pattern, name),
      this.hide(text),
    );
  }

  /** Placeholders to the values of this place; an id nobody has met yet stays as it is. */
  reveal(text: string): string {
    if (!text.includes('{{')) return text;
    const literals = new Map(this.#literals().map(([value, name]) => [name, value]));
    return text.replace(PLACEHOLDER, (whole, name: string) => {
      return literals.get(name) ?? this.#values.get(name) ?? whole;
    });
  }

  /** Longest first, because one place often lies inside another. */
  #literals(): [string, string][] {
    const { workspace, session, sessionId, home, environment } = this.#place();
    const paths: [string, string][] = [
      [workspace, 'workspace'],
      [session, 'session'],
      [home, 'home'],
    ];
    const usable = paths.filter(([path]) => path.length > 1);
    usable.sort(([a], [b]) => b.length - a.length);
    return [[environment, 'environment'], ...usable, [sessionId, 'session_id']];
  }

  #number(id: string, kind: string): string {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `${kind}:${count}`;
    this.#numbers.set(id, name);
    this.#values.set(name, id);
    return name;
  }
}
