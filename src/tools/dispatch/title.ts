import { sanitise } from '../../session/sanitise.ts';
import type { Redactor } from '../../session/types.ts';
import type { ReadyCall } from './prepare.ts';

const LONGEST = 120;

/** One line for people: what the call does, at most 120 characters, nothing invisible. */
export function titleOf(ready: Pick<ReadyCall, 'tool' | 'args'>, redactor: Redactor): string {
  const line = redactor.text(rawTitle(ready)).replace(/\s+/g, ' ').trim();
  const characters = [...sanitise(line.slice(0, 4 * LONGEST), { names: true })];
  if (characters.length <= LONGEST) return characters.join('');
  return `${characters.slice(0, LONGEST - 3).join('')}...`;
}

function rawTitle({ tool, args }: Pick<ReadyCall, 'tool' | 'args'>): string {
  try {
    const title = tool.title?.(args);
    if (title !== undefined && title !== '') return title;
  } catch {
    // A title is decoration; the call goes on under the plain one.
  }
  const first = Object.values(args).find((value) => typeof value === 'string');
  return first === undefined ? tool.name : `${tool.name} ${first}`;
}
