/** Seeded numbers in [0, 1), so that a failing sample can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** The seed of this run: TW_SEED, else the clock. Printed, so that a failure can be repeated. */
export function printedSeed(name: string, size: number): number {
  const seed = Number(process.env.TW_SEED ?? Date.now() % 1_000_000);
  console.log(`${name}: seed ${seed}, size ${size}`);
  return seed;
}
