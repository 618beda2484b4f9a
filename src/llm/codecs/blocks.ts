/** Collects the blocks of a turn in arrival order; neighbours of one kind grow together. */
import type { ReasoningBlock, RefusalBlock, TextBlock } from '../types.ts';
import type { DecodedBlock } from './codec.ts';

interface Open {
  readonly type: 'text' | 'reasoning' | 'refusal';
  readonly kind: ReasoningBlock['kind'];
  readonly pieces: string[];
}

export interface BlockCollector {
  text(piece: string): void;
  refusal(piece: string): void;
  reasoning(piece: string, kind: ReasoningBlock['kind']): void;
  add(block: DecodedBlock): void;
  readonly hasRefusal: boolean;
  blocks(): DecodedBlock[];
}

export function createBlockCollector(): BlockCollector {
  const list: (DecodedBlock | Open)[] = [];
  let hasRefusal = false;

  const grow = (type: Open['type'], kind: Open['kind'], piece: string): void => {
    const last = list.at(-1);
    if (last !== undefined && 'pieces' in last && last.type === type && last.kind === kind) {
      last.pieces.push(piece);
    } else {
      list.push({ type, kind, pieces: [piece] });
    }
  };

  return {
    text: (piece) => grow('text', 'full', piece),
    reasoning: (piece, kind) => grow('reasoning', kind, piece),
    refusal: (piece) => {
      hasRefusal = true;
      grow('refusal', 'full', piece);
    },
    add: (block) => {
      list.push(block);
    },
    get hasRefusal() {
      return hasRefusal;
    },
    blocks: () => list.map((entry) => ('pieces' in entry ? closeBlock(entry) : entry)),
  };
}

function closeBlock(open: Open): TextBlock | ReasoningBlock | RefusalBlock {
  const text = open.pieces.join('');
  if (open.type === 'reasoning') return { type: 'reasoning', text, kind: open.kind };
  return { type: open.type, text };
}
