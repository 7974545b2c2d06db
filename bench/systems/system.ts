// What is measured: something that makes runs of the fake model, in processes whose CPU is counted.

interface Cell {
  readonly delayMs: number;
  readonly concurrency: number;
  readonly runs: number;
  /** The most that it may take. */
  readonly seconds: number;
}

export interface Result {
  readonly completed: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly first: readonly number[];
  readonly tail: readonly number[];
  readonly deltas: readonly number[];
}

export interface System {
  readonly name: 'direct' | 'bare' | 'continuo';
  /** Milliseconds of CPU that its processes have used so far. */
  cpuMs(): number;
  run(cell: Cell): Promise<Result>;
  stop(): Promise<void>;
}

/** Tokens in every answer, unless a line says otherwise. */
export const TOKENS = 200;

export function modelFor({ delayMs }: { delayMs: number }): string {
  return `fake-${delayMs}-${TOKENS}`;
}
