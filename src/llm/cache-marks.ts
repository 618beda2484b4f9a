/** Where an Anthropic request marks its cacheable prefix. */

/** A content block of a wire message as far as marks are concerned. */
export interface MarkableBlock {
  readonly type: string;
  readonly text?: string;
}

export interface MarkInput {
  readonly toolCount: number;
  readonly systemCount: number;
  /** Wire messages in order, each as its content blocks. */
  readonly messages: readonly (readonly MarkableBlock[])[];
  /** Number of blocks, over all messages, of the request before this one; null when there was none. */
  readonly previousTail: number | null;
  readonly retention: 'none' | 'short' | 'long';
}

export interface BlockPosition {
  readonly message: number;
  readonly block: number;
}

export interface CacheMarks {
  readonly lastTool: boolean;
  readonly lastSystem: boolean;
  /** At most two, in order. */
  readonly blocks: readonly BlockPosition[];
  /** Lifetime of the marks on tools and system; marks on messages always have the default. */
  readonly prefixTtl: '5m' | '1h';
}

/** A cached prefix is found at most 20 blocks before a mark; 15 leaves room. */
const REACH = 15;
const UNMARKABLE: readonly string[] = ['thinking', 'redacted_thinking'];

/** At most four marks: last tool, end of system, end of the messages, and one that reaches the previous request. */
export function anthropicMarks(input: MarkInput): CacheMarks {
  const ttl = input.retention === 'long' ? '1h' : '5m';
  if (input.retention === 'none') {
    return { lastTool: false, lastSystem: false, blocks: [], prefixTtl: ttl };
  }
  const positions = input.messages.flatMap((blocks, message) =>
    blocks.map((content, block) => ({ message, block, content })),
  );
  const last = markableUpTo(positions, positions.length - 1);
  const earlier = last < 0 ? -1 : earlierMark(positions, last, input.previousTail);
  const indexes = [earlier, last].filter((index) => index >= 0);
  return {
    lastTool: input.toolCount > 0,
    lastSystem: input.systemCount > 0,
    blocks: indexes.flatMap((index) => {
      const position = positions[index];
      return position === undefined ? [] : [{ message: position.message, block: position.block }];
    }),
    prefixTtl: ttl,
  };
}

/** The last block of the previous request, or one 15 blocks back when that is farther; -1 for none. */
function earlierMark(
  positions: readonly { readonly content: MarkableBlock }[],
  last: number,
  previousTail: number | null,
): number {
  if (previousTail === null || previousTail <= 0) return -1;
  const tail = previousTail - 1;
  const mark = markableUpTo(positions, Math.max(tail, last - REACH));
  return mark < last ? mark : -1;
}

/** The nearest block at or before `index` that may carry a mark; -1 for none. */
function markableUpTo(
  positions: readonly { readonly content: MarkableBlock }[],
  index: number,
): number {
  for (let at = Math.min(index, positions.length - 1); at >= 0; at--) {
    const block = positions[at]?.content;
    if (block !== undefined && isMarkable(block)) return at;
  }
  return -1;
}

function isMarkable(block: MarkableBlock): boolean {
  if (UNMARKABLE.includes(block.type)) return false;
  return block.type !== 'text' || (block.text ?? '').trim() !== '';
}
