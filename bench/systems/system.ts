// What is measured: something that makes runs of the fake model, in processes whose CPU is counted.

interface Cell {
  readonly delayMs: number;
  readonly concurrency: number;
  readonly runs: number;
  /** The most that it may take. */
  readonly seconds: number;
}

/** Milliseconds of CPU, by who used it. */
export interface Cpu {
  readonly server: number;
  readonly postgres: number;
}

export interface Result {
  readonly completed: number;
  readonly seconds: number;
  readonly cpu: Cpu;
  /** What was deferred until no run was active, and done after the cell. */
  readonly deferred: Cpu;
  readonly first: readonly number[];
  readonly tail: readonly number[];
  readonly deltas: readonly number[];
}

export interface System {
  readonly name: 'direct' | 'bare' | 'continuo';
  run(cell: Cell): Promise<Result>;
  stop(): Promise<void>;
}

export function used(before: Cpu, after: Cpu): Cpu {
  return { server: after.server - before.server, postgres: after.postgres - before.postgres };
}

export const NOTHING: Cpu = { server: 0, postgres: 0 };

/** Tokens in every answer, unless a line says otherwise. */
export const TOKENS = 200;

export function modelFor({ delayMs }: { delayMs: number }): string {
  return `fake-${delayMs}-${TOKENS}`;
}
