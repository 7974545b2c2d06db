// What it takes to come back to a run of a hundred thousand events, by the server's own statements.

import type pg from 'pg';
import { readForFold, readThread, seqOf } from '../../packages/server/src/log/statements.ts';
import { readRun } from '../../packages/server/src/runs/read.ts';
import { buffersOfPrepared, type Statement } from '../measure/buffers.ts';
import { connect, createMigrated } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { judged, type Line, type Row } from './line.ts';

/** What a follower reads at once. */
const PAGE = 500;
/** A prepared statement has settled on its plan by then. */
const TIMES = 7;

const FILL = `
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
  select $1, seq, $2, seq, 1,
    case seq when 1 then 'state' when 2 then 'message_start' else 'token' end,
    case seq when 1 then '{"status":"running","attempt":1}' when 2 then '{"message":"m1","model":"fake"}'
      else '{"text":"t0001 ","message":"m1"}' end::json,
    clock_timestamp()
  from generate_series(1, $3::int) as seq`;

export const resume: Line = {
  key: 'resume',
  measure: async (stage) => {
    const client = await connect(await createMigrated(stage.postgres, 'resume'));
    try {
      return await measure(stage, client);
    } finally {
      await client.end();
      await stage.postgres.drop('resume');
    }
  },
};

async function measure(stage: Stage, client: pg.Client): Promise<Row[]> {
  const events = stage.many(100_000, 20_000);
  const { thread, long, queued } = await fill(client, events);
  const pages = (work: (log: pg.Client) => Promise<unknown>) => pagesOf(client, work);
  const head = await pages((log) => comeBack(log, long, 1));
  const tail = await pages((log) => comeBack(log, long, events));
  const behind = await pages((log) => comeBack(log, queued, 0));
  const claim = await pages((log) => readForFold(log, thread));
  return [
    {
      key: 'resume-tail',
      line: `buffers to resume a run of ${events} events at its tail`,
      target: '≤ at its head',
      measured: `${tail}, at its head ${head}`,
      verdict: judged(tail <= head),
    },
    {
      key: 'resume-queued',
      line: `buffers to follow a run that is queued behind one of ${events} events`,
      target: '≤ at its head',
      measured: `${behind}, at its head ${head}`,
      verdict: judged(behind <= head),
    },
    {
      key: 'resume-claim',
      line: `buffers to take over a thread that holds a run of ${events} events`,
      target: '–',
      measured: String(claim),
      verdict: 'reported',
    },
  ];
}

/** What the server asks when a client comes back with the id of the last event that it saw. */
async function comeBack(client: pg.Client, runId: string, after: number): Promise<void> {
  const run = await readRun(client, runId);
  const seq =
    after === 0 ? run!.startAfter : await seqOf(client, run!.thread_id, runId, run!.startAfter, after);
  await readThread(client, run!.thread_id, seq!, PAGE);
}

/** Pages that the statements of `work` touch together, each with the plan that repeated use leads to. */
async function pagesOf(client: pg.Client, work: (client: pg.Client) => Promise<unknown>): Promise<number> {
  const statements: Statement[] = [];
  const recorder = {
    query: (statement: Statement) => {
      statements.push(statement);
      return client.query({ ...statement, values: [...statement.values] });
    },
  };
  for (let time = 0; time < TIMES; time += 1) {
    statements.length = 0;
    await work(recorder as unknown as pg.Client);
  }
  let pages = 0;
  for (const statement of statements) pages += await buffersOfPrepared(client, statement);
  return pages;
}

async function fill(
  client: pg.Client,
  events: number,
): Promise<{ thread: string; long: string; queued: string }> {
  const { rows } = await client.query<{ thread: string; long: string; queued: string }>(
    'select uuidv7() as thread, uuidv7() as long, uuidv7() as queued',
  );
  const { thread, long, queued } = rows[0]!;
  await client.query('insert into threads (id, workspace_id) select $1, id from workspaces limit 1', [
    thread,
  ]);
  await client.query(
    `insert into runs (id, thread_id, ordinal, message_id, model, role, status, first_seq)
     values ($1, $3, 1, uuidv7(), 'fake', 'assistant', 'running', 1),
       ($2, $3, 2, uuidv7(), 'fake', 'assistant', 'queued', null)`,
    [long, queued, thread],
  );
  await client.query(FILL, [thread, long, events]);
  await client.query('vacuum (analyze)');
  return rows[0]!;
}
