import type { ApprovalAnswer, ApprovalCard } from '../../permissions/types.ts';
import type { RunView } from '../run-view.ts';
import type { Question } from '../types.ts';

/** What waits for the person at the bottom of the screen. */
export type Prompt =
  | { readonly kind: 'task'; readonly submit: (text: string | null) => void }
  | {
      readonly kind: 'approval';
      readonly card: ApprovalCard;
      readonly submit: (answer: ApprovalAnswer) => void;
    }
  | {
      readonly kind: 'question';
      readonly question: Question;
      readonly submit: (text: string | null) => void;
    };

/** One finished block of the scrollback, already styled and cut. */
export interface Block {
  readonly id: number;
  readonly lines: readonly string[];
}

export interface Screen {
  readonly blocks: readonly Block[];
  readonly prompt: Prompt | null;
  readonly running: boolean;
  /** Grows with each change of the run view, which is mutated in place. */
  readonly revision: number;
}

/** State of the screen outside of React: events change it, components read snapshots of it. */
export interface ScreenStore {
  readonly view: RunView;
  snapshot(): Screen;
  subscribe(listener: () => void): () => void;
  update(change: Partial<Screen>): void;
  addBlock(lines: readonly string[]): void;
}

export function createScreenStore(view: RunView): ScreenStore {
  let screen: Screen = { blocks: [], prompt: null, running: false, revision: 0 };
  let nextId = 1;
  const listeners = new Set<() => void>();
  const update = (change: Partial<Screen>) => {
    screen = { ...screen, ...change, revision: screen.revision + 1 };
    for (const listener of listeners) listener();
  };
  return {
    view,
    snapshot: () => screen,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update,
    addBlock: (lines) => {
      update({ blocks: [...screen.blocks, { id: nextId, lines }] });
      nextId += 1;
    },
  };
}
