import type { LLMMessage } from '../../llm/types.ts';

/**
 * The messages of a session as the next request needs them. A message object is never changed once it is here, and
 * kept as it is from one request to the next, so that its encoding can be reused.
 */
export class ConversationMessages {
  private list: LLMMessage[];
  private watcher: () => void = () => undefined;

  constructor(messages: readonly LLMMessage[] = []) {
    this.list = [...messages];
  }

  get messages(): readonly LLMMessage[] {
    return this.list;
  }

  add(message: LLMMessage): void {
    this.list.push(message);
  }

  /** Another list from here on: after a trim, a compaction, a clear or a rewind. */
  replace(messages: readonly LLMMessage[]): void {
    this.list = [...messages];
    this.watcher();
  }

  /** The one watcher: the meter of the present run. */
  onReplace(watcher: () => void): void {
    this.watcher = watcher;
  }
}
