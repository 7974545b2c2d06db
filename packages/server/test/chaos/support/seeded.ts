// Random choices that can be repeated: all of them come from the seed, which the test prints. (Its timing cannot be repeated.)

export interface Chance {
  readonly seed: number;
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** A whole number below `limit`. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
}

/** The seed is CONTINUO_CHAOS_SEED, or the same every day. */
export function seeded(fallback = 1): Chance {
  const seed = Number(process.env.CONTINUO_CHAOS_SEED ?? fallback);
  let state = seed >>> 0;
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    next,
    between: (least, most) => least + below(most - least + 1),
    below,
    pick: (from) => from[below(from.length)]!,
    shuffled: (items) => {
      const deck = [...items];
      for (let last = deck.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        [deck[last], deck[other]] = [deck[other]!, deck[last]!];
      }
      return deck;
    },
  };
}

/** The seed is CONTINUO_CHAOS_SEED, or another one each time. */
export function createRandom(): Chance {
  return seeded(Date.now() % 1_000_000);
}

/** The long run has more rounds: `npm run test:chaos`. */
export const long = process.env.CONTINUO_CHAOS === 'long';
