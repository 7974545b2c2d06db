// How long a run waits for its next pod: kill -9 of the pod that runs it, and SIGSTOP, by the times of the log itself.

import { until } from '@continuo/testkit';
import { digits, median } from '../measure/numbers.ts';
import { pause } from '../measure/clock.ts';
import { connect } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { judged, type Line, type Row } from './line.ts';

/** The server's default, in seconds. */
const LEASE = 5;
const WAIT = { within: 30_000, every: 50 };

const ENDS = [
  { key: 'takeover-kill', signal: 'SIGKILL', what: 'kill -9', target: '≤ 2 s', most: 2000 },
  {
    key: 'takeover-stop',
    signal: 'SIGSTOP',
    what: 'SIGSTOP',
    target: `≤ lease + 1 s (${LEASE + 1} s)`,
    most: (LEASE + 1) * 1000,
  },
] as const;

/** From the last event of the first attempt to the first of the second. */
const SILENCE = `select extract(epoch from n.at - (select max(e.at) from events e where e.run_id = n.run_id and e.run_seq < n.run_seq))::float8 * 1000 as ms
  from events n where n.run_id = $1 and n.type = 'state' and (n.data ->> 'attempt')::int = 2`;
const TOKENS = "select from events where run_id = $1 and type = 'token' limit 1";

export const takeover: Line = {
  key: 'takeover',
  measure: async (stage) => {
    const rows: Row[] = [];
    for (const end of ENDS) rows.push(await measured(stage, end));
    return rows;
  },
};

async function measured(stage: Stage, end: (typeof ENDS)[number]): Promise<Row> {
  const times: number[] = [];
  const count = stage.many(5, 2);
  const name = end.key.replace('-', '_');
  await stage.withPods(name, 1, async (_survivors, databaseUrl) => {
    for (let turn = 0; turn < count; turn += 1)
      times.push(
        await stage.withPodsOn(databaseUrl, 1, ([victim]) => silence(victim!, databaseUrl, end.signal, turn)),
      );
  });
  const worst = Math.max(...times);
  return {
    key: end.key,
    line: `takeover after ${end.what} of a pod, worst of ${count}, lease of ${LEASE} s`,
    target: end.target,
    measured: `${digits(worst, 'ms')} (median ${digits(median(times), 'ms')})`,
    verdict: judged(worst <= end.most),
  };
}

async function silence(
  victim: Pod,
  databaseUrl: string,
  signal: 'SIGKILL' | 'SIGSTOP',
  turn: number,
): Promise<number> {
  const client = await connect(databaseUrl);
  try {
    const { id: thread } = await post<{ id: string }>(`${victim.url}/api/threads`, {});
    const message = { content: 'on and on', model: continuoModel('fake-10-10000') };
    const { run } = await post<{ run: { id: string } }>(
      `${victim.url}/api/threads/${thread}/messages`,
      message,
    );
    await until(
      'the run has streamed a token',
      async () => (await client.query(TOKENS, [run.id])).rows.length > 0,
      WAIT,
    );
    // Pods look at each other once a second: each time at another moment between two looks.
    await pause(turn * 200);
    process.kill(victim.program.pid, signal);
    const ms = await until(
      'another pod has gone on with the run',
      async () => (await client.query<{ ms: number }>(SILENCE, [run.id])).rows[0]?.ms,
      WAIT,
    );
    await client.query(
      "update runs set cancel_requested_at = clock_timestamp(), cancel_reason = 'measured' where id = $1",
      [run.id],
    );
    await client.query('update threads set wake_at = clock_timestamp() where id = $1', [thread]);
    return ms;
  } finally {
    if (signal === 'SIGSTOP') process.kill(victim.program.pid, 'SIGCONT');
    await client.end();
  }
}

async function post<T>(url: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
