// The log: the pod's writer, the followers of threads, and the cache of what was written last.

import type { Bus } from '../bus/bus.ts';
import { CONTEXT_CHANGES } from '../context/manifest.ts';
import { EXECUTOR_CHANGES } from '../executors/changes.ts';
import type { Faults } from '../faults.ts';
import { Writer } from '../log/append.ts';
import { Followers } from '../log/follow.ts';
import { announceOn, subscribeFollowers } from '../log/notice.ts';
import { LogTailCache } from '../log/tail-cache.ts';
import { PLAN_CHANGES } from '../planning/changes.ts';
import { RUN_CHANGES } from '../runs/changes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { THREAD_CHANGES } from '../threads/changes.ts';
import type { Database } from './database.ts';

export interface Log {
  readonly writer: Writer;
  readonly followers: Followers;
  readonly recent: LogTailCache;
}

interface LogOptions {
  readonly database: Database;
  readonly bus: Bus;
  readonly metrics: Metrics;
  readonly faults: Faults | undefined;
}

export function wireLog({ database, bus, metrics, faults }: LogOptions): Log {
  const { pool, settings, onError } = database;
  const recent = new LogTailCache();
  const followers = new Followers(pool, onError, recent);
  subscribeFollowers(bus, followers);
  const writer = new Writer({
    database: settings,
    pool,
    now: Date.now,
    changes: { ...THREAD_CHANGES, ...CONTEXT_CHANGES, ...RUN_CHANGES, ...PLAN_CHANGES, ...EXECUTOR_CHANGES },
    ...announceOn(bus),
    recent,
    onFlush: (flush) => metrics.flushed(flush),
    faults,
  });
  return { writer, followers, recent };
}
