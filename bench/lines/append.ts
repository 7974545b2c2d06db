// The log's own insert, in turns, into a table that is almost empty and into one that holds ten million events.

import type pg from 'pg';
import { bind, INSERT, type StoredEvent } from '@continuo/server/internals';
import { tokenText } from '../load/text.ts';
import { buffersOf } from '../measure/buffers.ts';
import { digits, median, ratio } from '../measure/numbers.ts';
import { connect, createMigrated } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { judged, type Line, type Row } from './line.ts';

/** A flush of a server with fifty runs: two tokens of each. */
const THREADS = 50;
const TOKENS = 2;
const APPENDS_A_TURN = 20;
/** Events in the smaller table: enough for its index to have the depth that it keeps up to tens of millions. */
const FEW = 100_000;
const FILL = `insert into events (thread_id, seq, run_id, run_seq, attempt, type, data, at)
  select thread, seq, run, seq, 1, 'token', '{"text":"t0001 ","message":"m1"}', clock_timestamp()
  from (select uuidv7(make_interval(secs => $1 + g - 1000000)) as thread, uuidv7() as run
    from generate_series(1, $2) as g) as threads, generate_series(1, 200) as seq
  order by thread, seq`;

export const append: Line = {
  key: 'append',
  measure: async (stage) => {
    const many = stage.many(10_000_000, 300_000);
    const few = await Log.open(await createMigrated(stage.postgres, 'append_few'), FEW);
    const full = await Log.open(await createMigrated(stage.postgres, 'append_many'), many);
    try {
      return await compare(stage, few, full, many);
    } finally {
      await few.close();
      await full.close();
      await stage.postgres.drop('append_few');
      await stage.postgres.drop('append_many');
    }
  },
};

async function compare(stage: Stage, few: Log, full: Log, many: number): Promise<Row[]> {
  const ratios: number[] = [];
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < stage.options.rounds; round += 1) {
    const spent: [number[], number[]] = [[], []];
    for (let turn = 0; turn < stage.many(60, 10); turn += 1) {
      spent[0].push(...(await few.append(APPENDS_A_TURN)));
      spent[1].push(...(await full.append(APPENDS_A_TURN)));
    }
    times[0].push(median(spent[0]));
    times[1].push(median(spent[1]));
    ratios.push(median(spent[0]) / median(spent[1]));
  }
  const [fewPages, manyPages] = [await few.pages(), await full.pages()];
  const rows = THREADS * TOKENS;
  const million = `${Number((many / 1e6).toFixed(1))} million events`;
  return [
    {
      key: 'append-rate',
      line: `appends/s with ${million} in the table, against ${FEW.toLocaleString('en')}`,
      target: '≥ 0.8×',
      measured: `${ratio(median(ratios))} (${digits(median(times[1]), 'ms')} against ${digits(median(times[0]), 'ms')} for ${rows} events)`,
      verdict: judged(median(ratios) >= 0.8),
    },
    {
      key: 'append-buffers',
      line: `buffers of an append of ${rows} events, by EXPLAIN`,
      target: 'equal',
      measured: `${digits(manyPages)} with ${million}, ${digits(fewPages)} with ${FEW.toLocaleString('en')}`,
      verdict: judged(manyPages <= fewPages * 1.01),
    },
  ];
}

class Log {
  readonly #client: pg.Client;
  readonly #threads: { id: string; run: string; seq: number }[];

  static async open(url: string, events: number): Promise<Log> {
    const client = await connect(url);
    const threads = events / 200;
    for (let done = 0; done < threads; done += 2500)
      await client.query(FILL, [done, Math.min(2500, threads - done)]);
    await client.query('vacuum (analyze) events');
    await client.query('checkpoint');
    const { rows } = await client.query<{ id: string; run: string }>(
      'select uuidv7() as id, uuidv7() as run from generate_series(1, $1)',
      [THREADS],
    );
    const log = new Log(
      client,
      rows.map((row) => ({ ...row, seq: 0 })),
    );
    await log.append(APPENDS_A_TURN);
    return log;
  }

  constructor(client: pg.Client, threads: { id: string; run: string; seq: number }[]) {
    this.#client = client;
    this.#threads = threads;
  }

  /** Milliseconds of each. */
  async append(count: number): Promise<number[]> {
    const spent: number[] = [];
    for (let done = 0; done < count; done += 1) {
      const values = [...bind(this.#next()), null];
      const began = performance.now();
      await this.#client.query({ name: 'append', text: INSERT, values });
      spent.push(performance.now() - began);
    }
    return spent;
  }

  async pages(): Promise<number> {
    const counts: number[] = [];
    while (counts.length < 15)
      counts.push(await buffersOf(this.#client, INSERT, [...bind(this.#next()), null]));
    return median(counts);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  #next(): StoredEvent[] {
    return this.#threads.flatMap((thread) =>
      Array.from({ length: TOKENS }, (): StoredEvent => {
        thread.seq += 1;
        const data = { text: tokenText(thread.seq % 10_000), message: 'm1' };
        return {
          threadId: thread.id,
          seq: thread.seq,
          runId: thread.run,
          runSeq: thread.seq,
          attempt: 1,
          type: 'token',
          data,
          json: JSON.stringify(data),
          at: new Date(),
        };
      }),
    );
  }
}
