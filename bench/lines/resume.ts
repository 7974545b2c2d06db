// What it takes to come back to a run of a hundred thousand events, by the server's own statements.

import type pg from 'pg';
import { connect, readForFold, readRun, readThreadEvents, seqOf } from '@continuo/server/internals';
import { buffersOfPrepared, type Statement } from '../measure/buffers.ts';
import { createMigrated } from '../postgres.ts';
import { judged, type Line, type Row } from './line.ts';

/** Events to read from either place, so that only what it takes to find them differs. */
const PAGE = 10;
/** Other threads, of 200 events each, that the planner's statistics are about, too. */
const OTHERS = 1000;
/** Postgres plans a statement for its values, and after a while once for all: the worse of both counts. */
const PLANS = ['force_custom_plan', 'force_generic_plan'];

const FILL = `
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
  select $1, seq, $2, seq, 1,
    case seq when 1 then 'state' when 2 then 'message_start' else 'token' end,
    case seq when 1 then '{"status":"running","attempt":1}' when 2 then '{"message":"m1","model":"fake"}'
      else '{"text":"t0001 ","message":"m1"}' end::json,
    clock_timestamp()
  from generate_series(1, $3::int) as seq`;

const FILL_OTHERS = `
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
  select thread, seq, run, seq, 1, 'token', '{"text":"t0001 ","message":"m1"}', clock_timestamp()
  from (select uuidv7() as thread, uuidv7() as run from generate_series(1, $1::int)) as threads,
    generate_series(1, 200) as seq
  order by thread, seq`;

/** Postgres may plan differently for a run that is long and for one that is most of the table. */
const LENGTHS = [20_000, 100_000] as const;

interface Pages {
  /** Of a run of 200 events, what everything else is measured by. */
  readonly short: number;
  readonly head: number;
  readonly tail: number;
  readonly queued: number;
  readonly claim: number;
}

export const resume: Line = {
  key: 'resume',
  measure: async ({ postgres }) => {
    const pages: Pages[] = [];
    for (const events of LENGTHS) {
      const connection = await createMigrated(postgres, 'resume');
      const client = await connect({ connection, applicationName: 'continuo-bench', leaseSeconds: 60 });
      try {
        pages.push(await measure(client, events));
      } finally {
        await client.end();
        await postgres.drop('resume');
      }
    }
    return rows(pages);
  },
};

async function measure(client: pg.Client, events: number): Promise<Pages> {
  const { thread, long, queued, short } = await fill(client, events);
  return {
    short: await pagesOf(client, (log) => comeBack(log, short, 1)),
    head: await pagesOf(client, (log) => comeBack(log, long, 1)),
    tail: await pagesOf(client, (log) => comeBack(log, long, events - PAGE)),
    queued: await pagesOf(client, (log) => comeBack(log, queued, 0)),
    claim: await pagesOf(client, (log) => readForFold(log, thread)),
  };
}

function rows(pages: readonly Pages[]): Row[] {
  const lengths = LENGTHS.map((events) => events.toLocaleString('en')).join(' and ');
  const all = (what: keyof Pages) => pages.map((each) => each[what]).join(' and ');
  return [
    {
      key: 'resume-tail',
      line: `buffers to resume a run of ${lengths} events at its tail`,
      target: '≤ at its head',
      measured: `${all('tail')}; at its head ${all('head')}`,
      verdict: judged(pages.every(({ tail, head }) => tail <= head)),
    },
    {
      key: 'resume-queued',
      line: `buffers to follow a run that is queued behind one of ${lengths} events`,
      target: '≤ at its head',
      measured: `${all('queued')}; at its head ${all('head')}`,
      verdict: judged(pages.every(({ queued, head }) => queued <= head)),
    },
    {
      key: 'resume-head',
      line: `buffers to resume a run of ${lengths} events at its head`,
      target: '≤ 2× a run of 200',
      measured: `${all('head')}; a run of 200 events ${all('short')}`,
      verdict: judged(pages.every(({ head, short }) => head <= short * 2)),
    },
    {
      key: 'resume-claim',
      line: `buffers to take over a thread that holds a run of ${lengths} events`,
      target: '–',
      measured: all('claim'),
      verdict: 'reported',
    },
  ];
}

/** What the server asks when a client comes back with the id of the last event that it saw. */
async function comeBack(client: pg.Client, runId: string, after: number): Promise<void> {
  const run = await readRun(client, runId);
  const seq =
    after === 0 ? run!.startAfter : await seqOf(client, run!.thread_id, runId, run!.startAfter, after);
  await readThreadEvents(client, run!.thread_id, seq!, PAGE);
}

/** Pages that the statements of `work` touch together. */
async function pagesOf(client: pg.Client, work: (client: pg.Client) => Promise<unknown>): Promise<number> {
  const statements: Statement[] = [];
  const recorder = {
    query: (statement: Statement) => {
      statements.push(statement);
      return client.query({ ...statement, values: [...statement.values] });
    },
  };
  await work(recorder as unknown as pg.Client);
  let pages = 0;
  for (const statement of statements) {
    const counts: number[] = [];
    for (const mode of PLANS) {
      await client.query(`set plan_cache_mode = ${mode}`);
      counts.push(await buffersOfPrepared(client, statement));
    }
    pages += Math.max(...counts);
  }
  return pages;
}

interface Filled {
  readonly thread: string;
  readonly long: string;
  readonly queued: string;
  readonly short: string;
}

async function fill(client: pg.Client, events: number): Promise<Filled> {
  const { rows: ids } = await client.query<Filled & { other: string }>(
    'select uuidv7() as thread, uuidv7() as long, uuidv7() as queued, uuidv7() as other, uuidv7() as short',
  );
  const { thread, long, queued, other, short } = ids[0]!;
  await client.query(
    'insert into threads (id, workspace_id) select unnest($1::uuid[]), (select id from workspaces limit 1)',
    [[thread, other]],
  );
  await client.query(
    `insert into runs (id, workspace_id, thread_id, ordinal, message_id, model, role, status, first_seq, principal)
     select r.id, t.workspace_id, t.id, r.ordinal, uuidv7(), 'fake', 'assistant', r.status, r.first_seq, '{"kind":"local"}'
     from (values ($1::uuid, $3::uuid, 1, 'running', 1), ($2, $3, 2, 'queued', null), ($4, $5, 1, 'running', 1))
       as r (id, thread, ordinal, status, first_seq)
     join threads t on t.id = r.thread`,
    [long, queued, thread, short, other],
  );
  await client.query(FILL, [thread, long, events]);
  await client.query(FILL, [other, short, 200]);
  await client.query(FILL_OTHERS, [OTHERS]);
  await client.query('vacuum (analyze)');
  return ids[0]!;
}
