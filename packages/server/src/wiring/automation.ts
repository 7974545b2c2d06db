// Automation: schedules and deliveries, which this pod does when they are due, and triggers, which requests call.

import type { Pod } from '../actors/pod.ts';
import type { Agents } from '../agents/agent.ts';
import { createDeliveries } from '../automation/deliveries.ts';
import { createScheduler } from '../automation/schedules.ts';
import type { PlanStarts } from '../automation/start-run.ts';
import { createTriggers, type Triggers } from '../automation/triggers.ts';
import type { Bus } from '../bus/bus.ts';
import { CONTENT_PUBLISHED } from '../content/topics.ts';
import type { Pool } from '../db/pool.ts';
import { VERSION } from '../http/kernel/version.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Sealing } from '../workspaces/sealing.ts';
import type { ServerOptions } from './options.ts';

interface AutomationOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly pod: Pod;
  readonly agents: Agents;
  readonly plans: PlanStarts;
  readonly outgoing: Outgoing;
  readonly sealing: Sealing;
  readonly workspaceOf: (threadId: string) => Promise<string | null> | string | null;
  readonly onError: (error: Error) => void;
}

export interface Automation {
  readonly triggers: Triggers;
  start(): Promise<void>;
  /** Resolves when work in progress has ended. */
  stop(): Promise<void>;
}

export function wireAutomation({ config, faults }: ServerOptions, options: AutomationOptions): Automation {
  const scheduler = createScheduler({ ...options, faults });
  const deliveries = createDeliveries({
    ...options,
    wakers: [CONTENT_PUBLISHED],
    retrySeconds: config.webhookRetrySeconds,
    version: VERSION,
    faults,
  });
  return {
    triggers: createTriggers(options),
    start: async () => {
      scheduler.start();
      await deliveries.start();
    },
    stop: async () => {
      await Promise.all([scheduler.stop(), deliveries.stop()]);
    },
  };
}
