import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createGrowingFold } from './growing-fold.ts';

it('gives for every list what a fold from its start gives, whatever lists came before', () => {
  const items = Array.from({ length: 5 }, (_, number) => ({ number }));
  const list = fc.array(fc.constantFrom(...items), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
      const fold = createGrowingFold<{ number: number }, number[]>(
        () => [],
        (state, item) => state.push(item.number),
      );
      for (const one of lists) expect(fold(one)).toEqual(one.map(({ number }) => number));
    }),
  );
});

it('looks only at what is new of a list that grew', () => {
  let pushed = 0;
  const fold = createGrowingFold<object, null>(
    () => null,
    () => {
      pushed += 1;
    },
  );
  const list = [{}, {}, {}];
  fold(list);
  fold([...list, {}, {}]);
  expect(pushed).toBe(5);
});
