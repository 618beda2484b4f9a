import type { PermissionClass } from '../workspace/types.ts';
import type { PermissionMode } from './types.ts';

export type MatrixCell = 'allow' | 'ask' | 'deny' | 'vetted' | 'allow-but-destructive';

const LOOKING = {
  ask: 'allow',
  'read-only': 'allow',
  'accept-edits': 'allow',
  auto: 'allow',
  bypass: 'allow',
} as const;
const ASKED = {
  ask: 'ask',
  'read-only': 'deny',
  'accept-edits': 'ask',
  auto: 'allow',
  bypass: 'allow',
} as const;

/** What each mode does with each class (safety.md section 2). */
export const MATRIX: Readonly<
  Record<PermissionClass, Readonly<Record<PermissionMode, MatrixCell>>>
> = {
  read: LOOKING,
  state: LOOKING,
  user: LOOKING,
  write: { ...ASKED, 'accept-edits': 'allow' },
  shell: {
    ask: 'vetted',
    'read-only': 'deny',
    'accept-edits': 'vetted',
    auto: 'allow-but-destructive',
    bypass: 'allow',
  },
  python: ASKED,
  package: ASKED,
  network: ASKED,
  mcp: { ...ASKED, auto: 'ask' },
  config: ASKED,
  agent: { ...LOOKING, 'read-only': 'deny' },
  review: { ...ASKED, auto: 'ask', bypass: 'ask' },
};

/** `auto` exists only with a sandbox; without one its column is that of `accept-edits`, never looser. */
export function cellOf(
  name: PermissionClass,
  mode: PermissionMode,
  sandboxed: boolean,
): MatrixCell {
  return MATRIX[name][mode === 'auto' && !sandboxed ? 'accept-edits' : mode];
}
