import { type ErrorKind, isToolFailure } from '../../errors.ts';
import type { FileChange } from '../../session/events.ts';
import type { ImageBlock } from '../../session/types.ts';
import type { ToolOutput } from '../types.ts';

/** How one call ended, before redaction, cutting and storing. */
export interface Outcome {
  readonly failure: { readonly kind: ErrorKind; readonly message: string } | null;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly images: readonly ImageBlock[];
  readonly filesChanged: readonly FileChange[];
  readonly machine: unknown;
  readonly bounded: boolean;
  readonly cut: 'head' | 'ends';
  readonly missingChars: number;
}

const EMPTY = {
  metadata: {},
  images: [],
  filesChanged: [],
  machine: undefined,
  bounded: false,
  cut: 'head',
  missingChars: 0,
} as const;

export function succeeded(content: string): Outcome {
  return { ...EMPTY, failure: null, content };
}

export function failed(kind: ErrorKind, message: string, content = ''): Outcome {
  return { ...EMPTY, failure: { kind, message }, content, cut: 'ends' };
}

/** The outcome of what `run` returned; null when it is no ToolOutput, which is a defect of the tool. */
export function returned(output: ToolOutput | undefined): Outcome | null {
  if (typeof output?.content !== 'string') return null;
  return {
    failure: output.failure ?? null,
    content: output.content,
    metadata: output.metadata ?? {},
    images: output.images ?? [],
    filesChanged: output.filesChanged ?? [],
    machine: output.machine,
    bounded: output.bounded === true,
    cut: output.cut ?? 'head',
    missingChars: output.missingChars ?? 0,
  };
}

/** An expected failure keeps its kind; null for anything else, which is a defect. */
export function expectedFailure(error: unknown): Outcome | null {
  if (!isToolFailure(error)) return null;
  const outcome = failed(error.kind, error.message, error.content ?? '');
  return { ...outcome, metadata: { ...error.facts }, machine: error.machine };
}
