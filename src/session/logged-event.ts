/**
 * One appended event on its way to the log. Its JSON is taken at once, so what the caller changes later changes
 * nothing; redaction and the event object for readers are made when first needed.
 */
import { encodeLine } from './event-line.ts';
import { packEvent, standsAlone } from './event-values.ts';
import type { DurableEvent } from './events.ts';
import type { LogRecord } from './group-commit.ts';
import type { Redactor } from './types.ts';

function redactJson(json: string, redactor: Redactor): string {
  // The search knows the JSON-escaped forms of each secret, so a look at the whole line is enough for most events.
  if (redactor.text(json) === json) return json;
  return JSON.stringify(redactor.value(JSON.parse(json), 'known'));
}

export class LoggedEvent implements LogRecord {
  readonly #redactor: Redactor;
  readonly #epoch: number;
  #json: string;
  #redacted = false;
  #event: DurableEvent | null = null;

  constructor(json: string, epoch: number, redactor: Redactor) {
    this.#json = json;
    this.#epoch = epoch;
    this.#redactor = redactor;
  }

  get json(): string {
    if (!this.#redacted) {
      this.#json = redactJson(this.#json, this.#redactor);
      this.#redacted = true;
    }
    return this.#json;
  }

  /** The event as every reader of the log sees it. */
  get event(): DurableEvent {
    this.#event ??= Object.freeze<DurableEvent>(JSON.parse(this.json));
    return this.#event;
  }

  encode(): { line: string; blobs: readonly Uint8Array[] } {
    if (standsAlone(this.json)) return { line: encodeLine(this.json, this.#epoch), blobs: [] };
    const packed = packEvent(this.event);
    return { line: encodeLine(JSON.stringify(packed.value), this.#epoch), blobs: packed.blobs };
  }
}
