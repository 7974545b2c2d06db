// Automation: what is done at a time, and not because of a request.

import type { Pod } from '../actors/pod.ts';
import type { Agents } from '../agents/agent.ts';
import { createScheduler } from '../automation/schedules.ts';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import type { ServerOptions } from './options.ts';

interface AutomationOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly pod: Pod;
  readonly agents: Agents;
  readonly onError: (error: Error) => void;
}

export interface Automation {
  start(): void;
  /** Resolves when work in progress has ended. */
  stop(): Promise<void>;
}

export function wireAutomation({ faults }: ServerOptions, options: AutomationOptions): Automation {
  const scheduler = createScheduler({ ...options, faults });
  return {
    start: () => scheduler.start(),
    stop: () => scheduler.stop(),
  };
}
