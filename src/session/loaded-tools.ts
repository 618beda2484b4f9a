/**
 * Deferred tools a session found or used, in that order: they join the list of its next run (tools.md 1.4).
 */
import type { SessionEvent } from './events.ts';

export class LoadedTools {
  readonly #names: Set<string>;
  #offered: ReadonlySet<string> = new Set();

  constructor(names: readonly string[] = []) {
    this.#names = new Set(names);
  }

  /** In the order they were met. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /** Events in order; those of sub-agents, which have lists of their own, change nothing. */
  apply(event: SessionEvent): void {
    if (event.parent_run_id !== undefined) return;
    if (event.type === 'run_started') this.#offered = new Set(event.tools.map(({ name }) => name));
    if (event.type === 'tool_started') this.#met(event.name);
    if (event.type === 'tool_finished' && event.success)
      for (const name of foundIn(event.metadata)) this.#met(name);
  }

  #met(name: string): void {
    if (!this.#offered.has(name)) this.#names.add(name);
  }
}

/** `tool_search` names its hits in its metadata. */
function foundIn(metadata: Readonly<Record<string, unknown>>): readonly string[] {
  const { found_tools: found } = metadata;
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
}
