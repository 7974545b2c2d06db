// Sums the usage and the cost of model calls.

import type { Usage } from '@continuo/engine';

export interface Spent {
  readonly usage: Usage;
  /** US dollars, for calls with a known price; null until there is one. */
  readonly cost: number | null;
}

/** The sum of two usages. A count that only one of them has is kept. */
export function addUsage(sum: Usage | null, more: Usage): Usage {
  if (sum === null) return more;
  const total: Record<string, number> = { ...sum };
  const counts = more as unknown as Readonly<Record<string, number | undefined>>;
  for (const key in counts) total[key] = (total[key] ?? 0) + (counts[key] ?? 0);
  return total as unknown as Usage;
}

export function addSpent(
  sum: { readonly usage: Usage | null; readonly cost: number | null },
  more: Spent,
): Spent {
  return { usage: addUsage(sum.usage, more.usage), cost: addCost(sum.cost, more.cost) };
}

/** An unknown cost does not change the sum. */
function addCost(sum: number | null, more: number | null): number | null {
  return more === null ? sum : (sum ?? 0) + more;
}
