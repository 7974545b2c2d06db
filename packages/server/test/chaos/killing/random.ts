// Chance that can be repeated: CONTINUO_CHAOS_SEED gives a run's choices again (its timing it cannot).

export interface Random {
  readonly seed: number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
}

export function createRandom(
  seed = Number(process.env.CONTINUO_CHAOS_SEED ?? Date.now() % 1_000_000),
): Random {
  let state = seed >>> 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    seed,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(between(0, left.length - 1), 1)[0]!);
    },
  };
}
