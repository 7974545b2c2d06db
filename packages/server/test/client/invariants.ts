// What must be true of every log, checked on the database itself.

import type pg from 'pg';

interface Row {
  thread_id: string;
  seq: number;
  run_id: string | null;
  run_seq: number | null;
  attempt: number;
  type: string;
  data: { status?: string };
}

/** L1, L3, L4 and RUN-3, over everything in the database. Returns what is broken, in words. */
export async function brokenInvariants(pool: pg.Pool): Promise<string[]> {
  const broken: string[] = [];
  const { rows } = await pool.query<Row>(
    'select thread_id, seq, run_id, run_seq, attempt, type, data from events order by thread_id, seq',
  );
  const threads = Map.groupBy(rows, (row) => row.thread_id);
  for (const [thread, events] of threads) {
    events.forEach((event, index) => {
      if (event.seq !== index + 1) broken.push(`L1 thread ${thread}: seq ${event.seq} in place ${index + 1}`);
      const before = events[index - 1];
      if (before && event.attempt < before.attempt)
        broken.push(
          `L3 thread ${thread}: attempt ${event.attempt} after ${before.attempt} at seq ${event.seq}`,
        );
    });
  }
  const status = new Map<string, string>();
  for (const [run, events] of Map.groupBy(
    rows.filter((row) => row.run_id !== null),
    (row) => row.run_id!,
  )) {
    const ends = events.filter((event) => event.type === 'state' && event.data.status !== 'running');
    events.forEach((event, index) => {
      if (event.run_seq !== index + 1)
        broken.push(`L1 run ${run}: run_seq ${event.run_seq} in place ${index + 1}`);
    });
    if (ends.length > 1) broken.push(`L4 run ${run} ended ${ends.length} times`);
    if (ends[0] && events.at(-1) !== ends[0])
      broken.push(`L4 run ${run}: ${events.at(-1)!.type} after its end`);
    if (events.some((event) => event.type === 'canceled') && events.some((event) => event.type === 'final'))
      broken.push(`L4 run ${run} is canceled and final`);
    status.set(run, (ends[0] ?? events.findLast((event) => event.type === 'state'))?.data.status ?? 'queued');
  }
  const runs = await pool.query<{ id: string; status: string }>('select id, status from runs');
  for (const run of runs.rows) {
    const folded = status.get(run.id) ?? 'queued';
    if (folded !== run.status) broken.push(`RUN-3 run ${run.id} is ${run.status}, its log says ${folded}`);
  }
  broken.push(...(await foreignRows(pool)));
  return broken;
}

/** A row that belongs to a thread or to a file says the same workspace as that. */
async function foreignRows(pool: pg.Pool): Promise<string[]> {
  const of = (table: string, owner: string, key: string) =>
    `select '${table} ' || x.${key} as row from ${table} x join ${owner} o on o.id = x.${key} where o.workspace_id <> x.workspace_id`;
  const { rows } = await pool.query<{ row: string }>(
    [
      of('runs', 'threads', 'thread_id'),
      of('messages', 'threads', 'thread_id'),
      of('sessions', 'threads', 'thread_id'),
      of('approvals', 'threads', 'thread_id'),
      of('file_versions', 'files', 'file_id'),
      of('file_words', 'files', 'file_id'),
    ].join(' union all '),
  );
  return rows.map(({ row }) => `${row} is of another workspace`);
}
