// The server's own file store and mirror, in this process: on a database of its own, in a folder on a real disk.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFileTools,
  createChatFiles,
  createMirrors,
  createPool,
  DEFAULT_POLICY,
  FollowersOf,
  parsePath,
  PostgresBus,
  readChangeRows,
  saveFile,
  subscribeChangeFollowers,
  Workspaces,
  type DiskMirrors,
  type LiveCallContext,
  type Pool,
} from '@continuo/server/internals';
import { createMigrated } from './postgres.ts';
import type { Stage } from './stage.ts';

export const WORKSPACE = '00000000-0000-7000-8000-000000000001';
const QUOTA_BYTES = 2 ** 40;

export class Desk {
  readonly home = mkdtempSync(join(tmpdir(), 'continuo-bench-home-'));
  readonly pool: Pool;
  readonly #stage: Stage;
  readonly #name: string;
  readonly #url: string;
  readonly #followers: FollowersOf<Awaited<ReturnType<typeof readChangeRows>>[number]>;
  readonly #seen = new Map<number, () => void>();
  #next: (() => void) | null = null;
  readonly workspaces: Workspaces;
  #mirrors: DiskMirrors | null = null;

  static async open(stage: Stage, name: string): Promise<Desk> {
    return new Desk(stage, name, await createMigrated(stage.postgres, name));
  }

  constructor(stage: Stage, name: string, url: string) {
    this.#stage = stage;
    this.#name = name;
    this.#url = url;
    this.pool = createPool(this.#settings(), fail);
    const bus = new PostgresBus({ pool: this.pool, alone: () => true, onError: fail });
    this.workspaces = new Workspaces({
      bus,
      maxFileBytes: 2 ** 25,
      quotaBytes: QUOTA_BYTES,
    });
    this.#followers = new FollowersOf(this.pool, fail, readChangeRows);
    subscribeChangeFollowers(bus, this.#followers);
  }

  /** Opens the mirror as a pod that starts does; resolves when every file is on disk. */
  async openMirror(): Promise<void> {
    this.#mirrors = createMirrors({
      pool: this.pool,
      database: this.#settings(),
      home: this.home,
      workspaces: this.workspaces,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      now: () => new Date(),
    });
    this.workspaces.attach(this.#mirrors);
    await this.#mirrors.start();
    await this.#mirrors.folder(WORKSPACE);
  }

  async closeMirror(): Promise<void> {
    await this.#mirrors?.stop();
    this.#mirrors = null;
  }

  /** From now on `write` also waits until a follower of the change feed has the change. */
  async follow(): Promise<void> {
    const { rows } = await this.pool.query<{ seq: string }>(
      'select change_seq as seq from workspaces where id = $1',
      [WORKSPACE],
    );
    this.#followers.follow(WORKSPACE, Number(rows[0]!.seq), {
      write: ({ rows: changes }) => {
        for (const { seq } of changes) this.#seenOf(seq)();
        this.#next?.();
        return true;
      },
      drained: () => Promise.resolve(),
    });
  }

  /** Resolves when the follower has the next change. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#next = resolve;
    });
  }

  /** On whose behalf knowledge is changed. */
  get caller() {
    const author = { kind: 'person' } as const;
    return { client: this.pool, workspaceId: WORKSPACE, author, quotaBytes: QUOTA_BYTES };
  }

  /** Committed, on disk, and seen. */
  async write(path: string, bytes: Uint8Array, follow: boolean): Promise<void> {
    const parsed = parsePath(path);
    if (!parsed.ok) throw new Error(parsed.problem);
    const saved = await saveFile(this.pool, this.pool, {
      workspaceId: WORKSPACE,
      author: { kind: 'person' },
      base: null,
      path: parsed.path,
      quotaBytes: QUOTA_BYTES,
      stage: this.workspaces.stage,
      bytes,
      merge: false,
    });
    if (saved.kind !== 'changed') throw new Error(`the write was ${saved.kind}`);
    const seen = follow
      ? new Promise<void>((resolve) => this.#seen.set(saved.seq, resolve))
      : Promise.resolve();
    await Promise.all([this.workspaces.committed(WORKSPACE, [saved]), seen]);
  }

  /** Calls a tool that only reads, as a run would. */
  async call(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const tools = createFileTools({
      pool: this.pool,
      workspaces: this.workspaces,
      chats: createChatFiles(this.pool),
      rules: () => Promise.resolve({ workspace: DEFAULT_POLICY, role: [] }),
    });
    const tool = tools.find((each) => each.name === name);
    if (!tool || tool.effect === 'transactional') throw new Error(`there is no such tool: ${name}`);
    const context: LiveCallContext = {
      workspaceId: WORKSPACE,
      threadId: '',
      runId: '',
      callId: '',
      principal: { kind: 'local' },
      key: '',
      signal: new AbortController().signal,
      used: () => undefined,
      known: () => null,
      learned: () => undefined,
      show: () => undefined,
      secret: () => Promise.reject(new Error('there are no secrets here')),
      ask: () => Promise.reject(new Error('nobody is asked here')),
    };
    return (await tool.run(tool.input.parse(input), context)) as Record<string, unknown>;
  }

  async close(): Promise<void> {
    await this.closeMirror();
    this.#followers.close();
    await this.pool.end();
    await this.#stage.postgres.drop(this.#name);
    rmSync(this.home, { recursive: true, force: true });
  }

  #settings() {
    return { connection: this.#url, applicationName: 'bench', leaseSeconds: 30 };
  }

  #seenOf(seq: number): () => void {
    const resolve = this.#seen.get(seq);
    this.#seen.delete(seq);
    // Nobody waits for a change that came before its write returned: it cannot, the follower hears of it later.
    return resolve ?? (() => undefined);
  }
}

function fail(error: Error): void {
  process.stderr.write(`a database connection failed: ${error.message}\n`);
}
