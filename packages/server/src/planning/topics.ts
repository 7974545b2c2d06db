// The topics that plans publish on the bus.

import { defineTopic, oneField, type Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';

/** A plan has new statuses, another state, or a new approval. */
export const PLANS_CHANGED = defineTopic('plans.changed', oneField('planId'));

interface PlanRunsOptions {
  readonly bus: Bus;
  readonly pool: Pool;
  readonly wake: (threadId: string) => void;
  readonly onError: (error: Error) => void;
}

/** Wakes the run of a plan that was changed by others. If the message is lost, a tick finds the thread, which is due. */
export function subscribePlanRuns({ bus, pool, wake, onError }: PlanRunsOptions): void {
  const find = async (planId: string): Promise<void> => {
    const { rows } = await pool.query<{ id: string }>({
      name: 'woken_plan_run',
      text: 'select t.id from plans p join threads t on t.id = p.chat_id and t.wake_at <= clock_timestamp() where p.id = $1',
      values: [planId],
    });
    for (const { id } of rows) wake(id);
  };
  bus.subscribe(PLANS_CHANGED, {
    message: ({ planId }) => void find(planId).catch(onError),
    rescan: () => undefined,
  });
}
