/**
 * A fold over a list that grows at its end from request to request: it goes on where it stopped for the shorter list
 * and begins anew for any other. The list it stopped at is found by its first item.
 */
export function createGrowingFold<Item extends object, State>(
  begin: () => State,
  push: (state: State, item: Item) => void,
): (items: readonly Item[]) => State {
  const folds = new WeakMap<Item, { readonly items: Item[]; readonly state: State }>();
  return (items) => {
    const [first] = items;
    if (first === undefined) return begin();
    const known = folds.get(first);
    const fold =
      known !== undefined && beginsWith(items, known.items) ? known : { items: [], state: begin() };
    // Whatever a failing `push` leaves behind is not gone on with.
    folds.delete(first);
    for (const item of items.slice(fold.items.length)) {
      push(fold.state, item);
      fold.items.push(item);
    }
    folds.set(first, fold);
    return fold.state;
  };
}

function beginsWith<Item>(list: readonly Item[], start: readonly Item[]): boolean {
  return start.length <= list.length && start.every((item, index) => item === list[index]);
}
