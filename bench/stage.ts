// What the lines share: the fake model, the load client, Postgres, and the systems once somebody needs them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type Postgres } from './postgres.ts';
import { startProgram, stopAll, type Program } from './processes.ts';
import { startBare } from './systems/bare.ts';
import { startContinuo, startPod, type Continuo, type Pod } from './systems/continuo.ts';
import { startDirect } from './systems/direct.ts';
import type { System } from './systems/system.ts';

export interface StageOptions {
  /** Few of everything, for work on the benchmark itself. */
  readonly quick: boolean;
  /** Rounds of every measurement; their medians count. */
  readonly rounds: number;
  readonly profile: boolean;
}

export class Stage {
  readonly options: StageOptions;
  readonly postgres: Postgres;
  readonly model: Program;
  readonly load: Program;
  readonly #homes: string[] = [];
  #systems: Promise<{ direct: System; bare: System; continuo: Continuo }> | null = null;

  static async open(options: StageOptions): Promise<Stage> {
    const postgres = await startPostgres();
    try {
      const model = await startProgram('./programs/fake-model.ts');
      return new Stage(options, postgres, model, await startProgram('./programs/load.ts'));
    } catch (error) {
      await stopAll();
      await postgres.stop();
      throw error;
    }
  }

  constructor(options: StageOptions, postgres: Postgres, model: Program, load: Program) {
    this.options = options;
    this.postgres = postgres;
    this.model = model;
    this.load = load;
  }

  get modelUrl(): string {
    return (this.model.ready as { url: string }).url;
  }

  /** How many of something: as the line wants, or a few. */
  many(full: number, quick: number): number {
    return this.options.quick ? quick : full;
  }

  systems(): Promise<{ direct: System; bare: System; continuo: Continuo }> {
    this.#systems ??= this.#startSystems();
    return this.#systems;
  }

  /** Pods of their own, on a database of their own, for as long as `work` takes. */
  async withPods<T>(
    name: string,
    count: number,
    work: (pods: readonly Pod[], databaseUrl: string) => Promise<T>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const databaseUrl = await this.postgres.create(name);
    try {
      return await this.withPodsOn(databaseUrl, count, work, env);
    } finally {
      await this.postgres.drop(name);
    }
  }

  /** The same on a database that stays. */
  async withPodsOn<T>(
    databaseUrl: string,
    count: number,
    work: (pods: readonly Pod[], databaseUrl: string) => Promise<T>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const pods: Pod[] = [];
    try {
      while (pods.length < count) pods.push(await startPod({ ...this.#place(databaseUrl), env }));
      return await work(pods, databaseUrl);
    } finally {
      for (const pod of pods) await pod.program.stop();
    }
  }

  /** How long the answers of an address take during some work, asked for again and again by another process. */
  async watch<T>(
    url: string,
    everyMs: number,
    work: () => Promise<T>,
  ): Promise<{ readonly times: readonly number[]; readonly result: T }> {
    await this.load.ask('watch', { url, everyMs });
    const result = await work();
    return { times: await this.load.ask<readonly number[]>('watched'), result };
  }

  async close(): Promise<void> {
    await stopAll();
    await this.postgres.stop();
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
  }

  async #startSystems() {
    const place = this.#place(await this.postgres.create('systems'));
    return {
      direct: await startDirect(this.modelUrl),
      bare: await startBare(this.modelUrl, this.load),
      continuo: await startContinuo(place, this.load),
    };
  }

  #place(databaseUrl: string) {
    const home = mkdtempSync(join(tmpdir(), 'continuo-bench-home-'));
    this.#homes.push(home);
    return {
      home,
      modelUrl: this.modelUrl,
      databaseUrl,
      postmaster: this.postgres.postmaster,
    };
  }
}
