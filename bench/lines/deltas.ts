// One run at a time: every token arrives as it came, and what of it is stored.

import type { Driven } from '../load/drive.ts';
import { digits, quantile } from '../measure/numbers.ts';
import { connect } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { continuoModel } from '../systems/continuo.ts';
import { modelFor, TOKENS } from '../systems/system.ts';
import { judged, type Line, type Row } from './line.ts';

export const deltas: Line = {
  key: 'deltas',
  measure: (stage) =>
    stage.withPods('deltas', 1, async ([pod], databaseUrl) => [
      await unmerged(stage, pod!.url, databaseUrl, { delayMs: 0, runs: stage.many(30, 5) }),
      await unmerged(stage, pod!.url, databaseUrl, { delayMs: 10, runs: stage.many(5, 1) }),
    ]),
};

async function unmerged(
  { load }: Stage,
  base: string,
  databaseUrl: string,
  { delayMs, runs }: { delayMs: number; runs: number },
): Promise<Row> {
  await load.ask('prepare', { base, count: runs });
  const before = await storedEvents(databaseUrl);
  const driven = await load.ask<Driven>('drive', {
    system: 'continuo',
    base,
    model: continuoModel(modelFor({ delayMs })),
    tokens: TOKENS,
    runs,
    concurrency: 1,
    seconds: 60,
    strict: true,
  });
  const stored = ((await storedEvents(databaseUrl)) - before) / driven.completed;
  const fewest = quantile(driven.deltas, 0);
  const failed =
    driven.failures.length > 0 ? `; ${driven.failures.length} failed: ${driven.failures[0]}` : '';
  return {
    key: `deltas-${delayMs}`,
    line: `deltas that arrive unmerged, one run at a time, ${delayMs} ms a token`,
    target: `${TOKENS} of ${TOKENS}`,
    measured: `${digits(fewest).replace('.00', '')} of ${TOKENS} in each of ${driven.completed} runs; ${digits(stored)} events stored a run${failed}`,
    verdict: judged(fewest === TOKENS && driven.failures.length === 0),
  };
}

async function storedEvents(databaseUrl: string): Promise<number> {
  const client = await connect(databaseUrl);
  try {
    return (await client.query<{ count: number }>('select count(*)::int as count from events')).rows[0]!
      .count;
  } finally {
    await client.end();
  }
}
