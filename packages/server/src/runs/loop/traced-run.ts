// A run as traces describe it.

import type { TracedRun } from '../../telemetry/traces/span.ts';
import type { QueuedRun } from './decide.ts';

export function tracedRun(
  { id, workspaceId, role, queuedAt, family }: QueuedRun,
  threadId: string,
): TracedRun {
  const parent = family?.parentRun ?? null;
  return { id, root: family?.rootRun ?? id, parent, threadId, workspaceId, role, queuedAt };
}
