// The server of this repository, as `npm start` runs it, on the benchmark's Postgres.

import { treeCpuMs } from '../measure/cpu.ts';
import { startProgram, type Program } from '../processes.ts';
import { driveWith } from './drive.ts';
import { modelFor, type System } from './system.ts';

export interface Place {
  readonly modelUrl: string;
  readonly databaseUrl: string;
  /** Its data folder: the mirrors are there. */
  readonly home: string;
  readonly postmaster: number;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface Pod {
  readonly url: string;
  readonly program: Program;
}

const MAIN = '../packages/cli/src/main.ts';

export async function startPod({ modelUrl, databaseUrl, home, env }: Place): Promise<Pod> {
  const program = await startProgram(MAIN, {
    args: ['start', '--no-open'],
    nodeArgs: ['--expose-gc', '--import', new URL('../programs/probe.ts', import.meta.url).href],
    readyIn: (output) => /api +(http:\S+)\/api/.exec(output)?.[1],
    env: {
      DATABASE_URL: databaseUrl,
      CONTINUO_PORT: '0',
      CONTINUO_HOME: home,
      CONTINUO_MODEL: continuoModel('fake-0-1'),
      CONTINUO_LOG_LEVEL: 'warn',
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'x',
      ...env,
    },
  });
  return { url: program.ready as string, program };
}

/** A model of the fake server, under the name that the server knows it by. */
export function continuoModel(model: string): string {
  return `compatible/${model}`;
}

export interface Continuo extends System {
  readonly pod: Pod;
}

export async function startContinuo(place: Place, load: Program): Promise<Continuo> {
  return systemOn(await startPod(place), place.postmaster, load);
}

export function systemOn(pod: Pod, postmaster: number, load: Program): Continuo {
  const cpu = () => ({ server: treeCpuMs(pod.program.pid), postgres: treeCpuMs(postmaster) });
  return {
    name: 'continuo',
    pod,
    stop: () => pod.program.stop(),
    run: async (cell) => {
      await load.ask('prepare', { base: pod.url, count: cell.runs });
      const model = continuoModel(modelFor(cell));
      return driveWith(load, cpu, { ...cell, system: 'continuo', base: pod.url, model });
    },
  };
}
