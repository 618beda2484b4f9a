import type { ImageBlock } from '../types.ts';
import { reuse } from './reuse.ts';
import type { NormalisedTurn, UserBlock, UserTurn } from './turns.ts';

/** For vendors that want strictly alternating roles and no user message after a tool message. */

const joined = new WeakMap<object, { parts: readonly unknown[]; value: NormalisedTurn }>();

/** Equal neighbours as one turn; what follows results becomes part of the last result. */
export function alternateTurns(turns: readonly NormalisedTurn[]): NormalisedTurn[] {
  const groups: NormalisedTurn[][] = [];
  for (const turn of turns) {
    const last = groups.at(-1);
    if (last?.[0]?.role === turn.role) last.push(turn);
    else groups.push([turn]);
  }
  return groups.flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [reuse(joined, first, group, () => joinTurns(group))];
  });
}

function joinTurns(group: readonly NormalisedTurn[]): NormalisedTurn {
  const [first] = group;
  if (first?.role === 'assistant') {
    if (group.length === 1) return first;
    return {
      role: 'assistant',
      blocks: group.flatMap((turn) => (turn.role === 'assistant' ? turn.blocks : [])),
    };
  }
  const users = group.filter((turn) => turn.role === 'user');
  return intoLastResult({
    role: 'user',
    results: users.flatMap((turn) => turn.results),
    blocks: users.flatMap((turn) => turn.blocks),
  });
}

function intoLastResult(turn: UserTurn): UserTurn {
  const last = turn.results.at(-1);
  if (last === undefined || turn.blocks.length === 0) return turn;
  const text = [last.text, ...turn.blocks.map(textOfBlock)].join('\n\n');
  return { role: 'user', results: [...turn.results.slice(0, -1), { ...last, text }], blocks: [] };
}

function textOfBlock(block: UserBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'image'
    ? imageText(block)
    : `[document removed: ${block.name}, this model takes none after tool results]`;
}

function imageText(image: ImageBlock): string {
  return `[image removed: ${image.width}x${image.height}, this model takes none after tool results]`;
}
