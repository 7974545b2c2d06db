// Ten thousand runs in one process: what is left of them in memory, and what of them lies on disk.

import type { Driven } from '../load/drive.ts';
import { bytes, digits, median } from '../measure/numbers.ts';
import { connect } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { modelFor, TOKENS } from '../systems/system.ts';
import { judged, type Line, type Row } from './line.ts';

const STRETCHES = 10;
/** Growth that is noise: caches fill, pages are half empty. */
const FLAT = 1.1;

interface Mark {
  readonly memory: NodeJS.MemoryUsage;
  readonly disk: number;
  readonly wal: number;
}

const SIZES = `select pg_database_size(current_database())::float8 as disk,
  pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal`;

export const endurance: Line = {
  key: 'endurance',
  measure: (stage) =>
    stage.withPods('endurance', 1, async ([pod], databaseUrl) => {
      const alone = stage.many(100, 10);
      const runs = stage.many(1000, 60);
      const marks = [await mark(pod!, databaseUrl)];
      await drive(stage, pod!, alone, 1);
      marks.push(await mark(pod!, databaseUrl));
      for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
        await drive(stage, pod!, runs, 50);
        marks.push(await mark(pod!, databaseUrl));
      }
      return [memoryRow(marks, runs), ...diskRows(marks, runs, alone)];
    }),
};

/** Over the later stretches: the first one still compiles and fills caches. */
function memoryRow(marks: readonly Mark[], runs: number): Row {
  const heaps = marks.map(({ memory }) => memory.heapUsed + memory.external);
  const early = median(heaps.slice(3, 6));
  const late = median(heaps.slice(-3));
  const rss = (place: number) => bytes(marks.at(place)!.memory.rss);
  return {
    key: 'memory-flat',
    line: `memory after ${(runs * STRETCHES).toLocaleString('en')} runs`,
    target: 'flat (≤ 1.1×)',
    measured: `${bytes(late)} in use, ${bytes(early)} after ${runs * 3}; resident ${rss(-1)}, ${rss(4)} after ${runs * 3}`,
    verdict: judged(late <= early * FLAT),
  };
}

function diskRows(marks: readonly Mark[], runs: number, alone: number): Row[] {
  const per = (from: number, to: number, count: number, what: 'disk' | 'wal') =>
    ((marks.at(to)![what] - marks.at(from)![what]) / (count * TOKENS)) * 1000;
  const early = per(2, 6, runs * 4, 'disk');
  const late = per(-5, -1, runs * 4, 'disk');
  return [
    {
      key: 'disk-alone',
      line: 'bytes on disk per 1,000 tokens, one run at a time (no token merged)',
      target: '–',
      measured: `${bytes(per(0, 1, alone, 'disk'))}, and ${bytes(per(0, 1, alone, 'wal'))} of write-ahead log, which is reused`,
      verdict: 'reported',
    },
    {
      key: 'disk-flat',
      line: 'bytes on disk per 1,000 tokens, 50 at once',
      target: 'flat (≤ 1.1×)',
      measured: `${bytes(late)} in the last stretches, ${bytes(early)} in the first: ${digits(late / early)}×; ${bytes(per(-5, -1, runs * 4, 'wal'))} of write-ahead log`,
      verdict: judged(late <= early * FLAT),
    },
  ];
}

async function drive({ load }: Stage, pod: Pod, runs: number, concurrency: number): Promise<void> {
  await load.ask('prepare', { base: pod.url, count: runs });
  const order = { system: 'continuo', base: pod.url, tokens: TOKENS, runs, concurrency, seconds: 120 };
  const model = continuoModel(modelFor({ delayMs: 0 }));
  const { failures, completed } = await load.ask<Driven>('drive', { ...order, model });
  if (failures.length > 0 || completed < runs)
    throw new Error(`${completed} of ${runs} runs were completed; ${failures[0] ?? 'the time was up'}`);
}

async function mark(pod: Pod, databaseUrl: string): Promise<Mark> {
  const client = await connect(databaseUrl);
  try {
    const { rows } = await client.query<{ disk: number; wal: number }>(SIZES);
    return { ...rows[0]!, memory: await pod.program.ask<NodeJS.MemoryUsage>('memory') };
  } finally {
    await client.end();
  }
}
