// One run that a thousand clients follow, against a loop that writes the same bytes to as many responses.

import type { Followed } from '../load/followers.ts';
import { pause } from '../measure/clock.ts';
import { treeCpuMs } from '../measure/cpu.ts';
import { digits, median, ratio } from '../measure/numbers.ts';
import { startProgram, type Program } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { startGatedRun } from './gated-run.ts';
import { judged, type Line } from './line.ts';

/** Slow enough that neither has to put events together to keep up. */
export const PACE_MS = 50;

export interface Delivered {
  readonly followed: Followed;
  readonly microseconds: number;
}

export const followers: Line = {
  key: 'followers',
  measure: (stage) =>
    stage.withPods('followers', 1, async ([pod]) => {
      const raw = await startProgram('./programs/raw-loop.ts');
      const [own, base]: [Delivered[], Delivered[]] = [[], []];
      const [count, tokens] = [stage.many(1000, 200), stage.many(200, 40)];
      for (let round = 0; round < stage.options.rounds; round += 1) {
        base.push(await rawLoop(stage, raw, count, tokens));
        own.push(await oneRun(stage, pod!, count, tokens));
      }
      await raw.stop();
      const [mine, floor] = [own, base].map((all) => median(all.map(({ microseconds }) => microseconds)));
      const all = own.map(({ followed }) => followed);
      const whole = all.every(({ complete, fewest, most }) => complete === count && fewest === most);
      return [
        {
          key: 'followers-cpu',
          line: `${count} followers of one run, CPU per delivery (server + Postgres)`,
          target: '≤ 2× a raw response loop',
          measured: `${digits(mine!, 'µs')}, raw ${digits(floor!, 'µs')}: ${ratio(mine! / floor!)}`,
          verdict: judged(mine! <= floor! * 2),
        },
        {
          key: 'followers-complete',
          line: `${count} followers of one run, streams that are complete`,
          target: 'all',
          measured: `${Math.min(...all.map(({ complete }) => complete))} of ${count}, ${all[0]!.fewest} to ${all[0]!.most} frames each`,
          verdict: judged(whole),
        },
      ];
    }),
};

export async function oneRun(
  { load, model, postgres }: Stage,
  pod: Pod,
  count: number,
  tokens: number,
): Promise<Delivered> {
  const run = await startGatedRun(pod.url, continuoModel(`fake-${PACE_MS}-${tokens}-gated`), model);
  await load.ask('follow', { url: `${pod.url}/api/runs/${run}/events`, count, mark: '\nid: ' });
  await pause(500);
  const cpuMs = () => treeCpuMs(pod.program.pid) + treeCpuMs(postgres.postmaster);
  return delivered(load, cpuMs, () => model.ask('open'));
}

async function rawLoop({ load }: Stage, raw: Program, count: number, tokens: number): Promise<Delivered> {
  const { url } = raw.ready as { url: string };
  await load.ask('follow', { url, count, mark: '\nid: ' });
  await pause(500);
  return delivered(
    load,
    () => treeCpuMs(raw.pid),
    () => raw.ask('play', { tokens, paceMs: PACE_MS }),
  );
}

async function delivered(
  load: Program,
  cpuMs: () => number,
  begin: () => Promise<unknown>,
): Promise<Delivered> {
  const before = cpuMs();
  await begin();
  const followed = await load.ask<Followed>('ended');
  return { followed, microseconds: ((cpuMs() - before) * 1000) / followed.frames };
}
