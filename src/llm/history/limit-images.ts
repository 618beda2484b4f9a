import type { ImageRules } from '../profile-types.ts';
import type { ImageBlock } from '../types.ts';
import { reuse } from './reuse.ts';
import type { NormalisedTurn, UserTurn } from './turns.ts';

/** Keeps a request within a vendor's image limits; the oldest images that break them become a line of text. */

export interface LimitedImages {
  readonly turns: readonly NormalisedTurn[];
  readonly removed: readonly string[];
}

export function limitImages(
  turns: readonly NormalisedTurn[],
  limits: ImageRules['limits'],
): LimitedImages {
  const images = turns.flatMap(imagesOfTurn);
  if (images.length === 0) return { turns, removed: [] };
  const reasons = chooseRemoved(images, limits);
  if (reasons.size === 0) return { turns, removed: [] };
  return {
    turns: turns.map((turn) => (turn.role === 'user' ? withoutImages(turn, reasons) : turn)),
    removed: [...reasons].map(([image, reason]) => placeholder(image, reason)),
  };
}

const imagesByTurn = new WeakMap<NormalisedTurn, readonly ImageBlock[]>();

function imagesOfTurn(turn: NormalisedTurn): readonly ImageBlock[] {
  if (turn.role === 'assistant') return [];
  const known = imagesByTurn.get(turn);
  if (known !== undefined) return known;
  const own = turn.blocks.filter((block): block is ImageBlock => block.type === 'image');
  const images = [...turn.results.flatMap((result) => result.images), ...own];
  imagesByTurn.set(turn, images);
  return images;
}

function decodedBytes(image: ImageBlock): number {
  return Math.floor((image.data.length * 3) / 4);
}

function longestSide(image: ImageBlock): number {
  return Math.max(image.width, image.height);
}

/** Images to remove with the reason for each, from the oldest on. */
function chooseRemoved(
  images: readonly ImageBlock[],
  limits: ImageRules['limits'],
): Map<ImageBlock, string> {
  const removed = new Map<ImageBlock, string>();
  for (const image of images) {
    if (decodedBytes(image) > limits.bytes) removed.set(image, `over ${limits.bytes} bytes`);
    else if (longestSide(image) > limits.pixels) removed.set(image, `over ${limits.pixels} pixels`);
  }
  let kept = images.filter((image) => !removed.has(image));
  const drop = (image: ImageBlock, reason: string) => {
    removed.set(image, reason);
    kept = kept.filter((item) => item !== image);
  };
  for (const image of kept.slice(0, Math.max(0, kept.length - limits.count))) {
    drop(image, `more than ${limits.count} images`);
  }
  while (kept.length > limits.many) {
    const large = kept.find((image) => longestSide(image) > limits.manyPixels);
    if (large === undefined) break;
    const victim = large === kept.at(-1) ? (kept[0] ?? large) : large;
    drop(victim, `more than ${limits.many} images with one over ${limits.manyPixels} pixels`);
  }
  return removed;
}

function placeholder(image: ImageBlock, reason: string): string {
  return `[image removed: ${image.width}x${image.height}, ${reason}]`;
}

const limited = new WeakMap<object, { parts: readonly unknown[]; value: UserTurn }>();

function withoutImages(turn: UserTurn, reasons: ReadonlyMap<ImageBlock, string>): UserTurn {
  const lines = imagesOfTurn(turn).map((image) => reasons.get(image));
  if (lines.every((line) => line === undefined)) return turn;
  return reuse(limited, turn, lines, () => ({
    role: 'user',
    results: turn.results.map((result) => {
      const gone = result.images.filter((image) => reasons.has(image));
      const texts = gone.map((image) => placeholder(image, reasons.get(image) ?? ''));
      const images = result.images.filter((image) => !reasons.has(image));
      return { ...result, text: [result.text, ...texts].join('\n'), images };
    }),
    blocks: turn.blocks.map((block) => {
      const reason = block.type === 'image' ? reasons.get(block) : undefined;
      return block.type === 'image' && reason !== undefined
        ? { type: 'text', text: placeholder(block, reason) }
        : block;
    }),
  }));
}
