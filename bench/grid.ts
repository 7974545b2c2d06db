// The three systems under the same load, in turns: what the lines about cost, rate and latency are judged by.

import { treeCpuMs } from './measure/cpu.ts';
import { digits, median, quantile } from './measure/numbers.ts';
import type { SelfTime } from './measure/profile.ts';
import type { Stage } from './stage.ts';
import type { Continuo } from './systems/continuo.ts';
import type { Cpu, Result, System } from './systems/system.ts';

export type SystemName = System['name'];

/** Milliseconds a token, and runs at once. */
const CELLS = {
  '0 ms × 1': { delayMs: 0, concurrency: 1 },
  '0 ms × 50': { delayMs: 0, concurrency: 50 },
  '10 ms × 1': { delayMs: 10, concurrency: 1 },
  '10 ms × 50': { delayMs: 10, concurrency: 50 },
} as const;
export type CellName = keyof typeof CELLS;

/** Runs in one round, for all systems or for each; the second number is for a quick look. */
const RUNS: Record<CellName, Record<SystemName, readonly [full: number, quick: number]>> = {
  '0 ms × 1': { direct: [300, 100], bare: [100, 50], continuo: [200, 100] },
  '0 ms × 50': { direct: [3000, 300], bare: [300, 60], continuo: [1000, 150] },
  '10 ms × 1': { direct: [6, 1], bare: [6, 1], continuo: [6, 1] },
  '10 ms × 50': { direct: [200, 50], bare: [200, 50], continuo: [200, 50] },
};
const WARM_UP: Record<SystemName, readonly [full: number, quick: number]> = {
  direct: [600, 100],
  bare: [200, 60],
  continuo: [400, 100],
};
const MOST_SECONDS = 60;

export type Rounds = Readonly<Record<SystemName, readonly Result[]>>;

export class Grid {
  readonly #stage: Stage;
  readonly #rounds = new Map<CellName, Record<SystemName, Result[]>>();
  /** Where the server spent its time, cell by cell, if that was wanted. */
  readonly profiles = new Map<CellName, readonly SelfTime[]>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Measures the cells, round by round, and in each round cell by cell, the systems in turns. */
  async measure(cells: readonly CellName[], say: (text: string) => void): Promise<void> {
    const { direct, bare, continuo } = await this.#stage.systems();
    const systems: readonly System[] = [direct, bare, continuo];
    // One run at a time takes another path than fifty: it commits token by token.
    for (const system of systems)
      for (const cell of ['0 ms × 50', '0 ms × 1'] as const)
        await this.#run(system, cell, WARM_UP[system.name]);
    for (let round = 0; round < this.#stage.options.rounds; round += 1) {
      for (const cell of cells) {
        for (let turn = 0; turn < systems.length; turn += 1) {
          const system = systems[(turn + round) % systems.length]!;
          const before = this.#uncounted();
          const result = await this.#run(system, cell, RUNS[cell][system.name]);
          const beside = (this.#uncounted() - before) / result.completed;
          this.#of(cell)[system.name].push(result);
          say(
            `round ${round + 1}, ${cell}, ${system.name}: ${summary(result)}; beside it ${digits(beside, 'ms')}`,
          );
        }
      }
    }
    if (this.#stage.options.profile) for (const cell of cells) await this.#profile(continuo, cell);
  }

  rounds(cell: CellName): Rounds {
    return this.#of(cell);
  }

  /** A round of its own: being watched costs something. */
  async #profile(continuo: Continuo, cell: CellName): Promise<void> {
    await continuo.pod.program.ask('profile');
    await this.#run(continuo, cell, RUNS[cell].continuo);
    this.profiles.set(cell, await continuo.pod.program.ask<SelfTime[]>('profiled'));
  }

  /** What the fake model and the load client used: they should not be what holds a system up. */
  #uncounted(): number {
    return treeCpuMs(this.#stage.model.pid) + treeCpuMs(this.#stage.load.pid);
  }

  #run(system: System, cell: CellName, [full, quick]: readonly [number, number]): Promise<Result> {
    return system.run({ ...CELLS[cell], runs: this.#stage.many(full, quick), seconds: MOST_SECONDS });
  }

  #of(cell: CellName): Record<SystemName, Result[]> {
    const rounds = this.#rounds.get(cell) ?? { direct: [], bare: [], continuo: [] };
    this.#rounds.set(cell, rounds);
    return rounds;
  }
}

export function cpuPerRun(rounds: readonly Result[], of: (cpu: Cpu) => number = total): number {
  return median(rounds.map(({ cpu, completed }) => of(cpu) / completed));
}

/** What was done per run after the cell. */
export function deferredPerRun(rounds: readonly Result[]): number {
  return median(rounds.map(({ deferred, completed }) => total(deferred) / completed));
}

function total({ server, postgres }: Cpu): number {
  return server + postgres;
}

export function runsPerSecond(rounds: readonly Result[]): number {
  return median(rounds.map(({ completed, seconds }) => completed / seconds));
}

export function firstToken(rounds: readonly Result[], q: number): number {
  return median(rounds.map(({ first }) => quantile(first, q)));
}

export function lastTokenToEnd(rounds: readonly Result[], q: number): number {
  return median(rounds.map(({ tail }) => quantile(tail, q)));
}

function summary({ completed, seconds, cpu, first }: Result): string {
  const rate = `${completed} runs, ${(completed / seconds).toFixed(0)}/s, ${(total(cpu) / completed).toFixed(2)} ms CPU a run`;
  return first.length === 0 ? rate : `${rate}, first token ${quantile(first, 0.5).toFixed(1)} ms`;
}
