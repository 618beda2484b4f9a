import { isToolFailure } from '../../errors.ts';
import type { ToolContext } from '../types.ts';
import { type GrepRequest, MAX_FILE_BYTES } from './grep-types.ts';
import { searchTree } from './search-tree.ts';

/** Entries looked at to count what a search leaves out; beyond, the counts are lower bounds. */
const MAX_ENTRIES = 1500;
const MAX_PROBED = 200;
const PROBE_BYTES = 8192;

export interface LeftOut {
  readonly secret: number;
  readonly large: number;
  readonly binary: number;
  readonly outside: number;
  /** The counts may be too low: the tree is larger than what was counted. */
  readonly atLeast: boolean;
}

export const NOTHING_LEFT_OUT: LeftOut = {
  secret: 0,
  large: 0,
  binary: 0,
  outside: 0,
  atLeast: false,
};

/** Counts the files of a tree that a search does not look into, the same way for every engine. */
export async function countLeftOut(ctx: ToolContext, request: GrepRequest): Promise<LeftOut> {
  if (request.isFile) return NOTHING_LEFT_OUT;
  const counts = { secret: 0, large: 0, binary: 0, outside: 0, atLeast: false };
  let probed = 0;
  const tree = searchTree(ctx.files, ctx.resolver, request.start, {
    includeIgnored: request.includeIgnored,
    includeHidden: request.includeHidden,
    stat: true,
    maxEntries: MAX_ENTRIES,
    signal: ctx.signal,
    onPartial: () => {
      counts.atLeast = true;
    },
    onSecret: () => {
      counts.secret += 1;
    },
  });
  for await (const { path, type, size } of tree) {
    if (type === 'link') {
      counts.outside += await outcomeOf(() => ctx.files.stat(path), 'path_outside');
    } else if (type === 'file' && size > MAX_FILE_BYTES) {
      counts.large += 1;
    } else if (type === 'file' && size > 0) {
      probed += 1;
      if (probed > MAX_PROBED) counts.atLeast = true;
      else
        counts.binary += await isBinary(() =>
          ctx.files.readRange(path, 0, PROBE_BYTES, ctx.signal),
        );
    }
  }
  return counts;
}

async function outcomeOf(run: () => Promise<unknown>, kind: string): Promise<number> {
  try {
    await run();
    return 0;
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return error.kind === kind ? 1 : 0;
  }
}

async function isBinary(read: () => Promise<Buffer>): Promise<number> {
  try {
    const head = await read();
    const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
    return !wide && head.includes(0) ? 1 : 0;
  } catch (error) {
    if (isToolFailure(error) && error.kind !== 'cancelled') return 0;
    throw error;
  }
}

/** One line for the model, or none. */
export function leftOutNote(left: LeftOut): readonly string[] {
  const parts = [
    left.binary > 0 ? `${left.binary} binary` : '',
    left.secret > 0 ? `${left.secret} with names of secrets` : '',
    left.large > 0 ? `${left.large} over 50 MiB` : '',
    left.outside > 0 ? `${left.outside} links that lead outside` : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return [];
  return [`[not searched: ${left.atLeast ? 'at least ' : ''}${parts.join(', ')}]`];
}
