// Stops a pod past its lease, until others have taken over, and wakes it up again.

import { follow, until } from '@continuo/testkit';
import type { TestDatabase, TestPod } from '@continuo/testkit/fixtures';
import { registeredAs } from './fleet.ts';
import type { Load } from './load.ts';

export interface StoppedPod {
  readonly pod: TestPod;
  /** As what it was registered, and what it held. */
  readonly ids: readonly string[];
  readonly held: readonly { readonly id: string; readonly attempt: number }[];
}

/** The pod stops itself at the point; nothing of it happens after that. */
export async function stopAt(database: TestDatabase, pod: TestPod, fault: string): Promise<StoppedPod> {
  const before = pod.hits.length;
  pod.arm(fault, 'SIGSTOP');
  await until(`the pod has come to ${fault}`, () => pod.hits.length > before);
  return whileStopped(database, pod);
}

export function stopNow(database: TestDatabase, pod: TestPod): Promise<StoppedPod> {
  pod.kill('SIGSTOP');
  return whileStopped(database, pod);
}

/** Stops the pod from outside while it is in the middle of a transactional tool. */
export async function stopInsideTool(
  database: TestDatabase,
  pod: TestPod,
  load: Load,
  other: string,
): Promise<StoppedPod> {
  const call = { tool: 'transactional', input: { note: 'slow', delay_ms: 700 } } as const;
  for (;;) {
    const { id } = await load.play(pod.url, {
      steps: [
        { text: 'slowly ', calls: [call], delay_ms: 0 },
        { text: 'ended', delay_ms: 0 },
      ],
    });
    for await (const frame of follow(other, id)) if (frame.event === 'tool_start') break;
    const stopped = await stopNow(database, pod);
    const { rows } = await database.pool.query("select from events where run_id = $1 and type = 'tool_end'", [
      id,
    ]);
    if (rows.length === 0) return stopped;
    // Too late: this machine was busy with something else.
    pod.kill('SIGCONT');
  }
}

async function whileStopped(database: TestDatabase, pod: TestPod): Promise<StoppedPod> {
  const ids = await registeredAs(database, pod);
  const { rows } = await database.pool.query<{ id: string; attempt: number }>(
    'select id, attempt from threads where owner = any ($1)',
    [ids],
  );
  return { pod, ids, held: rows };
}

/** Resolves when the pod has been given up, and every open run that it held has its next attempt in the log. */
export async function takenOver(database: TestDatabase, { ids, held }: StoppedPod): Promise<void> {
  await until('others have taken over', async () => {
    const { rows } = await database.pool.query(
      `select from pods where id = any ($1)
       union all
       select from threads where owner = any ($1)
       union all
       select from unnest($2::uuid[], $3::int[]) as h (id, attempt)
       where exists (select from runs r where r.thread_id = h.id and r.status = 'running')
         and not exists (select from events e where e.thread_id = h.id and e.attempt > h.attempt)`,
      [ids, held.map(({ id }) => id), held.map(({ attempt }) => attempt)],
    );
    return rows.length === 0;
  });
}

/** Wakes the pod up; resolves when it has registered anew. */
export async function wake(database: TestDatabase, { pod, ids }: StoppedPod): Promise<void> {
  pod.kill('SIGCONT');
  await until('the pod has registered anew', async () =>
    (await registeredAs(database, pod)).some((id) => !ids.includes(id)),
  );
}
