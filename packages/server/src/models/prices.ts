// What model calls cost, and how much a model's window holds, from a maintained table of prices that is only data.

import type { Usage } from '@continuo/engine';

export function costOf(_modelId: string, _usage: Usage): number | null {
  return null;
}

export function contextLimitOf(_modelId: string): number | null {
  return null;
}
