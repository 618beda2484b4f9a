import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinedEntries } from './joined-entries.ts';

it('gives the bytes of the joined text for every list, whatever list came before', () => {
  const entry = fc.oneof(
    fc.constantFrom('', '{}', '"é中😀"', 'x'.repeat(20_000)),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 6 }), (lists) => {
      const owner = {};
      const seen: string[] = [];
      for (const list of lists) {
        // Mostly a list that grows, at times one that is another from some point on.
        const next = [...seen.slice(0, seen.length - (list.length % 3)), ...list];
        const bytes = Buffer.from(joinedEntries(owner, next));
        expect(bytes.equals(Buffer.from(next.join(','), 'utf8'))).toBe(true);
        seen.splice(0, seen.length, ...next);
      }
    }),
  );
});
