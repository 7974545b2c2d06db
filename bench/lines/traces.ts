// What traces cost: runs on a pod that sends them to a collector, in turns with runs on a pod that sends none. The collector is in this
// process, and its CPU is not counted.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpuPerRun } from '../grid.ts';
import { digits, median } from '../measure/numbers.ts';
import type { Stage } from '../stage.ts';
import { systemOn } from '../systems/continuo.ts';
import type { Result } from '../systems/system.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST = 0.05;
/** The two pods take turns, because the difference is smaller than the machine's noise between two rounds. */
const TURNS = 5;
const CELL = { delayMs: 0, concurrency: 50, seconds: 60 };

export const traces: Line = {
  key: 'traces',
  measure: async (stage) => {
    const collector = await startCollector();
    try {
      return [await compare(stage, collector)];
    } finally {
      await collector.stop();
    }
  },
};

async function compare(stage: Stage, collector: Collector): Promise<Row> {
  const runs = stage.many(400, 200);
  const rounds = { without: [] as Result[], with: [] as Result[] };
  await stage.withPods('untraced', 1, ([plain]) =>
    stage.withPods(
      'traced',
      1,
      async ([traced]) => {
        const systems = {
          without: systemOn(plain!, stage.postgres.postmaster, stage.load),
          with: systemOn(traced!, stage.postgres.postmaster, stage.load),
        };
        for (const system of Object.values(systems)) await system.run({ ...CELL, runs });
        for (let turn = 0; turn < TURNS * stage.options.rounds; turn += 1) {
          const order = turn % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
          for (const name of order) rounds[name].push(await systems[name].run({ ...CELL, runs }));
        }
      },
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    ),
  );
  const [without, traced] = [cpuPerRun(rounds.without), cpuPerRun(rounds.with)];
  // Of each turn by itself: what else the machine does changes from turn to turn.
  const share =
    median(rounds.with.map((own, turn) => cpuPerRun([own]) / cpuPerRun([rounds.without[turn]!]))) - 1;
  const spans = collector.spans() / (runs * (rounds.with.length + 1));
  if (spans < 2) throw new Error(`The collector got ${digits(spans)} spans a run; a run has at least two.`);
  return {
    key: 'traces-cpu',
    line: `CPU per run with traces against none (${digits(spans)} spans a run), median of ${rounds.with.length} turns`,
    target: `≤ +${MOST * 100} %`,
    measured: `${(share * 100).toFixed(1)} % (${digits(traced, 'ms')} to ${digits(without, 'ms')})`,
    verdict: judged(share <= MOST),
  };
}

interface Collector {
  readonly url: string;
  spans(): number;
  stop(): Promise<void>;
}

async function startCollector(): Promise<Collector> {
  let spans = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      spans += Buffer.concat(chunks).toString().split('"spanId"').length - 1;
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
