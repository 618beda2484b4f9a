import type { ApprovalAnswer, ApprovalCard } from '../permissions/types.ts';
import { sanitise } from '../session/sanitise.ts';
import { oneLine } from './format.ts';
import type { Style } from './style.ts';

const CARD_LINES = 30;

export interface ApprovalChoice {
  readonly key: string;
  readonly label: string;
}

/** The keys of the question. `a` only where a rule may be stored; there is no default on Enter. */
export function approvalChoices(card: ApprovalCard, cut: boolean): ApprovalChoice[] {
  const always = card.alwaysPossible && card.offeredRule !== null;
  return [
    { key: 'y', label: 'yes, once' },
    { key: 's', label: 'yes, for this session' },
    ...(always ? [{ key: 'a', label: `always: store ${oneLine(card.offeredRule ?? '')}` }] : []),
    { key: 'e', label: 'no, and tell the model why' },
    { key: 'n', label: 'no, and stop' },
    ...(cut ? [{ key: 'v', label: 'view all' }] : []),
  ];
}

/** What is asked: the exact command or diff, where, and why. A shell command is never cut. */
export function approvalLines(
  card: ApprovalCard,
  style: Style,
  all: boolean,
): { readonly lines: string[]; readonly cut: boolean } {
  const who = card.agent === null ? '' : ` (sub-agent ${oneLine(card.agent)})`;
  const detail = sanitise(card.detail, { names: true }).split('\n');
  const whole = all || card.class === 'shell' || detail.length <= CARD_LINES;
  const shown = whole ? detail : detail.slice(0, CARD_LINES);
  const lines = [
    style.yellow(`Permission needed: ${oneLine(card.tool)} [${card.class}]${who}`),
    ...(detail.length === 1 && detail[0] === card.summary ? [] : [`  ${oneLine(card.summary)}`]),
    ...shown.map((line) => `  | ${line}`),
    ...(whole ? [] : [style.dim(`  … ${detail.length - CARD_LINES} more lines: v shows all`)]),
    `  in ${oneLine(card.cwd)}; sandbox ${card.sandbox}, network ${card.network ? 'on' : 'off'}`,
    `  why: ${oneLine(card.why)}`,
  ];
  return { lines, cut: !whole };
}

/** The answer a key stands for; null for keys that need more (`e`, `v`). */
export function answerOf(key: string): ApprovalAnswer | null {
  if (key === 'y') return { decision: 'allow', scope: 'once', by: 'user' };
  if (key === 's') return { decision: 'allow', scope: 'session', by: 'user' };
  if (key === 'a') return { decision: 'allow', scope: 'always', by: 'user' };
  if (key === 'n') return { decision: 'deny', scope: 'once', by: 'user' };
  return null;
}
