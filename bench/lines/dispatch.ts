// How long a run waits to be begun while two hundred come in every second.

import type { Arrived } from '../load/arrivals.ts';
import { pause } from '../measure/clock.ts';
import { digits, median, quantile } from '../measure/numbers.ts';
import { connect } from '../postgres.ts';
import type { Seen } from '../programs/fake-model.ts';
import { continuoModel } from '../systems/continuo.ts';
import { judged, type Line } from './line.ts';

const PER_SECOND = 200;
const MOST_MS = 5;

/** The log's `at` is cut to the millisecond: half of one, on average, is added back. */
const WAITS = `select extract(epoch from started_at - queued_at)::float8 * 1000 + 0.5 as ms
  from runs where id = any($1::uuid[])`;

const OPEN = "select from runs where status in ('queued', 'running') limit 1";
const LOOKS = 300;

export const dispatch: Line = {
  key: 'dispatch',
  measure: (stage) =>
    stage.withPods('dispatch', 1, async ([pod], databaseUrl) => {
      const [begun, asked, rates]: number[][] = [[], [], []];
      const p99: number[] = [];
      const order = { base: pod!.url, model: continuoModel('fake-0-1'), perSecond: PER_SECOND };
      await stage.load.ask('arrive', { ...order, seconds: 1 });
      for (let round = 0; round < stage.options.rounds; round += 1) {
        await stage.model.ask('seen');
        const arrived = await stage.load.ask<Arrived>('arrive', { ...order, seconds: stage.many(10, 2) });
        if (arrived.failures.length > 0) throw new Error(`posting failed: ${arrived.failures[0]}`);
        const waits = await waitsOf(databaseUrl, arrived);
        begun!.push(median(waits));
        p99.push(quantile(waits, 0.99));
        rates!.push(arrived.sent.length / arrived.seconds);
        const askedAt = new Map(
          (await stage.model.ask<Seen[]>('seen')).map((call) => [call.tag, call.askedAt]),
        );
        asked!.push(median(arrived.sent.map(({ tag, sentAt }) => (askedAt.get(tag) ?? Infinity) - sentAt)));
      }
      return [
        {
          key: 'dispatch',
          line: `message stored to run begun, p50, at ${PER_SECOND} runs/s`,
          target: `≤ ${MOST_MS} ms`,
          measured: `${digits(median(begun!), 'ms')} (p99 ${digits(median(p99), 'ms')}); POST sent to model asked ${digits(median(asked!), 'ms')}; ${digits(median(rates!))} runs/s`,
          verdict: judged(median(begun!) <= MOST_MS),
        },
      ];
    }),
};

async function waitsOf(databaseUrl: string, { sent }: Arrived): Promise<number[]> {
  const client = await connect(databaseUrl);
  try {
    // A server that did not keep up works off what is left, so that the next round begins at rest.
    for (let look = 0; look < LOOKS && (await client.query(OPEN)).rows.length > 0; look += 1)
      await pause(200);
    const { rows } = await client.query<{ ms: number | null }>(WAITS, [sent.map(({ run }) => run)]);
    return rows.map(({ ms }) => ms ?? Infinity);
  } finally {
    await client.end();
  }
}
