// What a run costs whose answer a program writes over HTTP, against one that the server's own loop gets from a model.

import { treeCpuMs } from '../measure/cpu.ts';
import { digits, median, quantile, ratio } from '../measure/numbers.ts';
import { startProgram } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { driveWith } from '../systems/drive.ts';
import { modelFor, type Result } from '../systems/system.ts';
import type { Line, Row } from './line.ts';

const MODELS = { local: continuoModel(modelFor({ delayMs: 0 })), executor: 'executor/bench' } as const;
type Kind = keyof typeof MODELS;
const SECONDS = 60;

export const executor: Line = {
  key: 'executor',
  measure: (stage) =>
    stage.withPods('executor', 1, async ([pod]) => {
      const worker = await startProgram('./programs/executor.ts', { env: { CONTINUO_URL: pod!.url } });
      try {
        return [await compare(stage, pod!, 1, [100, 40]), await compare(stage, pod!, 50, [500, 150])];
      } finally {
        await worker.stop();
      }
    }),
};

async function compare(
  stage: Stage,
  pod: Pod,
  concurrency: number,
  [full, quick]: readonly [number, number],
): Promise<Row> {
  const runs = stage.many(full, quick);
  const results: Record<Kind, Result[]> = { local: [], executor: [] };
  const cpu = () => ({ server: treeCpuMs(pod.program.pid), postgres: treeCpuMs(stage.postgres.postmaster) });
  // The first round is for warming up.
  for (let round = 0; round <= stage.options.rounds; round += 1)
    for (const kind of ['local', 'executor'] as const) {
      await stage.load.ask('prepare', { base: pod.url, count: runs });
      const order = { system: 'continuo' as const, base: pod.url, model: MODELS[kind] };
      const result = await driveWith(stage.load, cpu, { ...order, runs, concurrency, seconds: SECONDS });
      if (round > 0) results[kind].push(result);
    }
  const [own, base] = [costOf(results.executor), costOf(results.local)];
  return {
    key: `executor-${concurrency}`,
    line: `a run by an executor over HTTP, 0 ms × ${concurrency}: CPU (server + Postgres), first token p50`,
    target: '–',
    measured: `${digits(own.cpu, 'ms')} (${digits(own.server)} + ${digits(own.postgres)}), local ${digits(base.cpu, 'ms')}: ${ratio(own.cpu / base.cpu)}; ${digits(own.first, 'ms')}, local ${digits(base.first, 'ms')}`,
    verdict: 'reported',
  };
}

function costOf(results: readonly Result[]) {
  const perRun = (of: (result: Result) => number) =>
    median(results.map((result) => of(result) / result.completed));
  return {
    cpu: perRun(({ cpu }) => cpu.server + cpu.postgres),
    server: perRun(({ cpu }) => cpu.server),
    postgres: perRun(({ cpu }) => cpu.postgres),
    first: median(results.map(({ first }) => quantile(first, 0.5))),
  };
}
