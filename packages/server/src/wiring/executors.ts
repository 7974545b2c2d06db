// Executors: what writes the answers of this pod's runs, and what serves programs that write answers, of any pod's runs.

import type { Bus } from '../bus/bus.ts';
import { Claims } from '../executors/claims.ts';
import { createExecutors, type Executor } from '../executors/executor.ts';
import { createRemote } from '../executors/remote.ts';
import { AssignmentWatch } from '../executors/topics.ts';
import type { Database } from './database.ts';
import type { ServerOptions } from './options.ts';

export function wireExecutors(
  { config }: ServerOptions,
  { pool, onError }: Database,
  bus: Bus,
): { readonly executor: Executor; readonly claims: Claims } {
  const watch = new AssignmentWatch(bus);
  return {
    executor: createExecutors(createRemote({ pool, bus, watch, now: Date.now, onError })),
    claims: new Claims({ pool, bus, watch, leaseSeconds: config.executorLeaseSeconds }),
  };
}
