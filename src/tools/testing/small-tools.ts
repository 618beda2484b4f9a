/** Tools with one effect each, and a person at the gate, for tests. */
import type { ApprovalAnswer, ApprovalCard, PermissionGate } from '../../permissions/types.ts';
import { fakeTool } from './fake-session.ts';

export const TEXT = { type: 'string' } as const;
export const schema = (properties: Record<string, object>, required: string[] = []) =>
  ({ type: 'object', properties, required }) as never;
export const echo = fakeTool({
  name: 'echo_text',
  parameters: schema({ text: TEXT }, ['text']),
  run: (args) => Promise.resolve({ content: String(args.text) }),
});
export const shell = (run = () => Promise.resolve({ content: 'ran' })) =>
  fakeTool({
    name: 'bash',
    permission: 'shell',
    parameters: schema({ command: TEXT }, ['command']),
    run,
  });
export const writer = (fields: object = {}) =>
  fakeTool({
    name: 'write_it',
    permission: 'write',
    parameters: schema({ path: { ...TEXT, 'x-path': 'write' } }, ['path']),
    ...fields,
  });

/** A gate with a person who answers as told and keeps the cards. */
export function person(
  answer: (card: ApprovalCard) => Partial<ApprovalAnswer>,
): PermissionGate & { cards: ApprovalCard[] } {
  const cards: ApprovalCard[] = [];
  return {
    person: true,
    cards,
    ask: (card) => {
      cards.push(card);
      return Promise.resolve({ decision: 'allow', scope: 'once', by: 'user', ...answer(card) });
    },
  };
}
