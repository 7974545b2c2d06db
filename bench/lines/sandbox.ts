// What a command costs in the sandbox, against the same command without one, in turns; and what many commands at once cost the API.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createBubblewrap,
  createVolumes,
  openCgroups,
  SANDBOX_LIMITS,
  type Runner,
} from '@continuo/server/internals';
import { now, pause } from '../measure/clock.ts';
import { digits, median, quantile, ratio } from '../measure/numbers.ts';
import type { Stage } from '../stage.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST_PLAIN = 5;
const MOST_LIMITED = 12;
const LEAST_SPEED = 0.9;
const MOST_API = 3;
/** How long to wait between two requests. */
const EVERY_MS = 10;
/** Prints the CPU time that it took. */
const BUSY = `perl -e 'my $n = 0; $n = ($n * 31 + $_) % 1000003 for 1 .. 6e6; print((times)[0])'`;

export const sandbox: Line = {
  key: 'sandbox',
  measure: async (stage) => {
    const home = await mkdtemp(join(tmpdir(), 'continuo-bench-sandbox-'));
    try {
      const limited = await openCgroups();
      const runners = [runnerIn(home, null), ...(limited ? [runnerIn(home, limited)] : [])];
      return [
        ...(await starts(home, runners, stage.many(200, 20))),
        await speed(home, runners.at(-1)!, stage.many(10, 3)),
        await crowd(stage),
      ];
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
};

async function starts(home: string, runners: readonly Runner[], count: number): Promise<readonly Row[]> {
  const plain: number[] = [];
  const times: number[][] = runners.map(() => []);
  for (let turn = 0; turn < count; turn += 1) {
    plain.push(await timed(() => plainly('true')));
    for (const [index, runner] of runners.entries())
      times[index]!.push(await inSandbox(home, runner, 'true').then(({ ms }) => ms));
  }
  return times.map((each, index) => {
    const factor = median(each) / median(plain);
    const most = index === 0 ? MOST_PLAIN : MOST_LIMITED;
    const what = index === 0 ? 'without control groups' : 'with every limit';
    return {
      key: index === 0 ? 'sandbox-start' : 'sandbox-start-limited',
      line: `\`true\` in the sandbox, ${what}, against a shell that is spawned, median of ${count}`,
      target: `≤ ${most}×`,
      measured: `${ratio(factor)} (${digits(median(each), 'ms')} to ${digits(median(plain), 'ms')})`,
      verdict: judged(factor <= most),
    };
  });
}

async function speed(home: string, runner: Runner, count: number): Promise<Row> {
  const [outside, inside]: number[][] = [[], []];
  for (let turn = 0; turn < count; turn += 1) {
    outside!.push(Number(await plainly(BUSY)));
    inside!.push(Number((await inSandbox(home, runner, BUSY)).output));
  }
  const factor = median(outside!) / median(inside!);
  return {
    key: 'sandbox-speed',
    line: `a loop in the sandbox, in CPU time, against the same loop without one, median of ${count}`,
    target: `≥ ${LEAST_SPEED}×`,
    measured: `${factor.toFixed(2)}× (${digits(median(inside!) * 1000, 'ms')} to ${digits(median(outside!) * 1000, 'ms')})`,
    verdict: judged(factor >= LEAST_SPEED),
  };
}

/** Many commands asked for at once, each in a chat of its own, while the API is asked again and again. */
async function crowd(stage: Stage): Promise<Row> {
  const count = 50;
  return stage.withPods('commands', 1, async ([pod]) => {
    const { url } = pod!;
    const steps = [{ calls: [{ tool: 'exec', input: { command: BUSY } }] }, { text: 'Done.' }];
    const goal = JSON.stringify({ steps });
    const command = async (): Promise<boolean> => {
      const response = await fetch(`${url}/api/v1/workspaces/default/chats`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ goal, title: 'Bench', model: 'offline/script' }),
      });
      const { run } = (await response.json()) as { run: { id: string } };
      const events = await fetch(`${url}/api/runs/${run.id}/events`, {
        signal: AbortSignal.timeout(600_000),
      });
      return (await events.text()).includes('[exit code 0');
    };
    const api = `${url}/api/v1/workspaces`;
    const idle = await stage.watch(api, EVERY_MS, () => pause(stage.many(5000, 2000)));
    const began = now();
    const busy = await stage.watch(api, EVERY_MS, () => Promise.all(Array.from({ length: count }, command)));
    const ms = now() - began;
    const ended = busy.result.filter(Boolean).length;
    const [idleMs, busyMs] = [quantile(idle.times, 0.95), quantile(busy.times, 0.95)];
    const factor = busyMs / idleMs;
    return {
      key: 'sandbox-crowd',
      line: `${count} commands asked for at once: how many end well, and the API's p95 meanwhile against that of an idle server`,
      target: `${count}, ≤ ${MOST_API}×`,
      measured: `${ended} in ${digits(ms, 'ms')}, ${ratio(factor)} (${digits(busyMs, 'ms')} to ${digits(idleMs, 'ms')})`,
      verdict: judged(ended === count && factor <= MOST_API),
    };
  });
}

function runnerIn(home: string, cgroups: Awaited<ReturnType<typeof openCgroups>>): Runner {
  const machine = process.arch === 'arm64' ? 'arm64' : 'x64';
  const programs = { bwrap: '/usr/bin/bwrap', perl: '/usr/bin/perl' };
  return createBubblewrap({ ...programs, folder: join(home, 'runner'), readable: [], cgroups, machine });
}

/** The time of the command alone: its folders are made before, and removed afterwards. */
async function inSandbox(home: string, runner: Runner, command: string) {
  const layers = await createVolumes(join(home, 'volumes'), runner.owner).open('bench');
  let output = '';
  const ms = await timed(async () => {
    const ending = await runner.run({
      command,
      cwd: '/workspace',
      env: { PATH: '/usr/bin:/bin' },
      folders: { ...layers, workspace: layers.outputs },
      slice: '',
      proxy: null,
      limits: SANDBOX_LIMITS,
      milliseconds: 60_000,
      signal: new AbortController().signal,
      onOutput: (piece) => (output += piece.toString()),
    });
    if (ending.kind !== 'exited' || ending.code !== 0) throw new Error(`${command} failed: ${output}`);
  });
  await layers.remove();
  return { ms, output };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = now();
  await work();
  return now() - began;
}

function plainly(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command}: ${code}`))));
  });
}
