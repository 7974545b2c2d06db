// What it takes to rebuild a long thread's history from its log: read it, fold it, and make what a model is shown.

import type { Queryable } from '../../packages/server/src/db/pool.ts';
import { connect as connectAsServer } from '../../packages/server/src/db/pool.ts';
import { readForFold } from '../../packages/server/src/log/statements.ts';
import { EMPTY, foldAll } from '../../packages/server/src/runs/fold.ts';
import { shownHistory } from '../../packages/server/src/runs/history.ts';
import { treeCpuMs } from '../measure/cpu.ts';
import { digits, median } from '../measure/numbers.ts';
import { createMigrated } from '../postgres.ts';
import { judged, type Line } from './line.ts';

const TURNS = 500;
const TOKENS = 200;
const REBUILDS = 20;
const THREAD = '00000000-0000-7000-8000-00000000abcd';

/** Each turn: a person's message, and the model's answer in 200 tokens. */
const FILL = `
  with lines as (
    select turn, line, md5(turn::text)::uuid as run
    from generate_series(1, ${TURNS}) as turn, generate_series(1, ${TOKENS + 7}) as line
  ), typed as (
    select *, case line when 1 then 'state' when 2 then 'message' when 3 then 'message_start'
      when ${TOKENS + 4} then 'message_end' when ${TOKENS + 5} then 'usage' when ${TOKENS + 6} then 'final'
      when ${TOKENS + 7} then 'state' else 'token' end as type
    from lines
  )
  insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
  select '${THREAD}', (turn - 1) * ${TOKENS + 7} + line, run, line, turn, type, case
      when line = 1 then json_build_object('status', 'running', 'attempt', 1)
      when line = 2 then json_build_object('id', run, 'role', 'user', 'content', repeat('What about it? ', 10))
      when line = 3 then json_build_object('message', 'm1', 'model', 'openai/gpt')
      when line = ${TOKENS + 4} then json_build_object('message', 'm1', 'text', repeat('t0001 ', ${TOKENS}),
        'parts', json_build_array(json_build_object('kind', 'text', 'text', repeat('t0001 ', ${TOKENS}))), 'ended', 'complete')
      when line = ${TOKENS + 5} then json_build_object('message', 'm1', 'model', 'openai/gpt',
        'usage', json_build_object('input', 10, 'output', ${TOKENS}), 'cost', null, 'duration_ms', 5)
      when line = ${TOKENS + 6} then json_build_object('text', repeat('t0001 ', ${TOKENS}), 'sources', json_build_array(), 'message', 'm1')
      when line = ${TOKENS + 7} then json_build_object('status', 'done')
      else json_build_object('text', 't0001 ', 'message', 'm1') end, clock_timestamp()
  from typed order by turn, line`;

export const history: Line = {
  key: 'history',
  measure: async (stage) => {
    const url = await createMigrated(stage.postgres, 'history');
    const client = await connectAsServer({ connection: url, applicationName: 'bench', leaseSeconds: 60 });
    try {
      await client.query(FILL);
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
