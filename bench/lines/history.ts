// What it takes to rebuild a long thread's history from its log: read it, fold it, and make what a model is shown.

import {
  connect as connectAsServer,
  EMPTY,
  foldAll,
  readForFold,
  shownHistory,
  type Queryable,
} from '@continuo/server/internals';
import { dialects, newThread, postMessage, streaming } from '../load/dialects.ts';
import { firstMark } from '../load/first-mark.ts';
import { connections } from '../load/request.ts';
import { treeCpuMs } from '../measure/cpu.ts';
import { pause } from '../measure/clock.ts';
import { bytes, digits, median, ratio } from '../measure/numbers.ts';
import { connect, createMigrated } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { judged, type Line, type Row } from './line.ts';

const TURNS = 500;
const TOKENS = 200;
const REBUILDS = 20;
const THREAD = '00000000-0000-7000-8000-00000000abcd';

/** Each turn: a person's message, and the model's answer of 200 tokens, which came in so many pieces. */
const fillOf = (thread: string, turns: number, pieces: number) => `
  with lines as (
    select turn, line, md5('${thread}' || turn)::uuid as run
    from generate_series(1, ${turns}) as turn, generate_series(1, ${pieces + 7}) as line
  ), typed as (
    select *, case line when 1 then 'state' when 2 then 'message' when 3 then 'message_start'
      when ${pieces + 4} then 'message_end' when ${pieces + 5} then 'usage' when ${pieces + 6} then 'final'
      when ${pieces + 7} then 'state' else 'token' end as type
    from lines
  )
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
  select '${thread}', (turn - 1) * ${pieces + 7} + line, run, line, turn, type, case
      when line = 1 then json_build_object('status', 'running', 'attempt', 1)
      when line = 2 then json_build_object('id', run, 'role', 'user', 'content', repeat('What about it? ', 10))
      when line = 3 then json_build_object('message', 'm1', 'model', 'openai/gpt')
      when line = ${pieces + 4} then json_build_object('message', 'm1', 'text', repeat('t0001 ', ${TOKENS}),
        'parts', json_build_array(json_build_object('kind', 'text', 'text', repeat('t0001 ', ${TOKENS}))), 'ended', 'complete')
      when line = ${pieces + 5} then json_build_object('message', 'm1', 'model', 'openai/gpt',
        'usage', json_build_object('input', 10, 'output', ${TOKENS}), 'cost', null, 'duration_ms', 5)
      when line = ${pieces + 6} then json_build_object('text', repeat('t0001 ', ${TOKENS}), 'sources', json_build_array(), 'message', 'm1')
      when line = ${pieces + 7} then json_build_object('status', 'done')
      else json_build_object('text', 't0001 ', 'message', 'm1') end, clock_timestamp()
  from typed order by turn, line`;

export const history: Line = {
  key: 'history',
  measure: async (stage) => {
    const url = await createMigrated(stage.postgres, 'history');
    const client = await connectAsServer({ connection: url, applicationName: 'bench', leaseSeconds: 60 });
    try {
      await client.query(fillOf(THREAD, TURNS, TOKENS));
      await client.query('vacuum (analyze) events');
      await rebuild(client);
      const spent: { server: number; postgres: number }[] = [];
      for (let round = 0; round < stage.options.rounds; round += 1) {
        const before = { server: process.cpuUsage(), postgres: treeCpuMs(stage.postgres.postmaster) };
        for (let done = 0; done < REBUILDS; done += 1) await rebuild(client);
        const { user, system } = process.cpuUsage(before.server);
        const postgres = treeCpuMs(stage.postgres.postmaster) - before.postgres;
        spent.push({ server: (user + system) / 1000 / REBUILDS, postgres: postgres / REBUILDS });
      }
      const server = median(spent.map((each) => each.server));
      const postgres = median(spent.map((each) => each.postgres));
      return [
        {
          key: 'history-rebuild',
          line: `CPU to rebuild a history of ${TURNS * 2} messages from a log of ${(TURNS * (TOKENS + 7)).toLocaleString('en')} events`,
          target: '≤ 50 ms',
          measured: `${digits(server + postgres, 'ms')} (server ${digits(server)}, Postgres ${digits(postgres)})`,
          verdict: judged(server + postgres <= 50),
        },
        await freshPod(stage),
      ];
    } finally {
      await client.end();
      await stage.postgres.drop('history');
    }
  },
};

async function rebuild(client: Queryable): Promise<void> {
  const state = foldAll(EMPTY, await readForFold(client, THREAD));
  const shown = shownHistory(state.history, { runId: '', summaryLines: 5, budget: null });
  if (shown.messages.length !== TURNS * 2)
    throw new Error(`${shown.messages.length} messages instead of ${TURNS * 2}`);
}

const LONG_TURNS = 3000;
const MOST_OF_SHORT = 3;

/** The first token of a message on a pod that does not know its thread: a thread of 3,000 runs against a new one. */
async function freshPod(stage: Stage): Promise<Row> {
  const name = 'history_fresh';
  const databaseUrl = await stage.postgres.create(name);
  const count = stage.many(10, 3);
  try {
    const { long, short } = await stage.withPodsOn(databaseUrl, 1, async ([pod]) => {
      const threads = { long: await newThreads(pod!, count), short: await newThreads(pod!, count) };
      const client = await connect(databaseUrl);
      try {
        for (const thread of threads.long) await client.query(fillOf(thread, LONG_TURNS, 1));
        await client.query('vacuum (analyze) events');
        // Each has a message that the next pod did not hear of. It makes the snapshot, too.
        for (const thread of [...threads.long, ...threads.short]) await firstTokenIn(pod!, thread);
        const stored = async () =>
          (await client.query<{ n: number }>('select count(*)::int as n from thread_snapshots')).rows[0]!.n;
        for (let look = 0; (await stored()) < count; look += 1) {
          if (look > 300) throw new Error('the snapshots were not stored');
          await pause(100);
        }
      } finally {
        await client.end();
      }
      return threads;
    });
    return await stage.withPodsOn(databaseUrl, 1, async ([pod]) => {
      for (const thread of await newThreads(pod!, stage.many(20, 5))) await firstTokenIn(pod!, thread);
      const memory = async () => (await pod!.program.ask<NodeJS.MemoryUsage>('memory')).heapUsed;
      const before = await memory();
      const times: { long: number; short: number }[] = [];
      for (const [at, thread] of long.entries())
        times.push({
          short: await firstTokenIn(pod!, short[at]!),
          long: await firstTokenIn(pod!, thread),
        });
      const grown = ((await memory()) - before) / count;
      const own = median(times.map((each) => each.long));
      const base = median(times.map((each) => each.short));
      return {
        key: 'history-fresh-pod',
        line: `first token on a pod that does not know the thread, ${LONG_TURNS.toLocaleString('en')} runs against one`,
        target: `≤ ${MOST_OF_SHORT}×`,
        measured: `${digits(own, 'ms')}, a short thread ${digits(base, 'ms')}: ${ratio(own / base)}; ${bytes(grown)} of memory a long thread`,
        verdict: judged(own <= base * MOST_OF_SHORT),
      };
    });
  } finally {
    await stage.postgres.drop(name);
  }
}

const agent = connections();

function newThreads(pod: Pod, count: number): Promise<string[]> {
  const signal = AbortSignal.timeout(60_000);
  return Promise.all(Array.from({ length: count }, () => newThread(pod.url, agent, signal)));
}

/** Milliseconds from the message to its first token; resolves when the run has ended. */
async function firstTokenIn({ url: base }: Pod, thread: string): Promise<number> {
  const signal = AbortSignal.timeout(60_000);
  const began = performance.now();
  const run = await postMessage({
    base,
    model: continuoModel('fake-0-20'),
    content: 'hello',
    thread,
    agent,
    signal,
  });
  return firstMark(await streaming({ agent, url: `${base}/api/runs/${run}/events`, signal }), {
    mark: dialects.continuo.delta,
    began,
  });
}
