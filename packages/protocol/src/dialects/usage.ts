// Sums of what model calls used.

import type { Usage } from '@continuo/engine';

export function added(a: Usage, b: Usage): Usage {
  const sum: Record<string, number> = { ...a };
  for (const [key, value] of Object.entries(b)) sum[key] = (sum[key] ?? 0) + (value as number);
  return sum as unknown as Usage;
}
