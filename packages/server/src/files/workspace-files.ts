// A pod's view of the workspaces: what follows a commit. Whoever changes files does it in a transaction of his own with
// the functions of files.ts, then says so here; this returns when the mirror on disk has it.

import type { Pool } from '../db/pool.ts';
import type { Changed, Stage, Written } from './files.ts';

export const CHANGE_CHANNEL = 'continuo_changes';

/** The copies of workspaces on this pod's disk. */
export interface Mirrors {
  readonly stage: Stage;
  /** Brings the mirror to what the database says, these changes at least; resolves when it is on disk. */
  flush(workspaceId: string, changes: readonly Written[]): Promise<void>;
  /** A folder on disk that holds the workspace with everything committed so far. */
  folder(workspaceId: string): Promise<string>;
  /** Why some folder is behind, in a few words without paths; null: none is. */
  problem(): string | null;
}

export interface WorkspacesOptions {
  readonly pool: Pool;
  /** Whether no other pod needs to hear of changes. */
  readonly alone: () => boolean;
  /** Bytes of one file at most, and of all versions of a workspace's files. */
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
}

type Listener = (workspaceId: string) => void;

export class Workspaces {
  readonly options: WorkspacesOptions;
  readonly #listeners = new Set<Listener>();
  #mirrors: Mirrors | null = null;

  constructor(options: WorkspacesOptions) {
    this.options = options;
  }

  /** Mirrors write files themselves (what people edit on disk), so they come second. */
  attach(mirrors: Mirrors): void {
    this.#mirrors = mirrors;
  }

  get mirrors(): Mirrors {
    if (!this.#mirrors) throw new Error('the mirrors are not attached yet');
    return this.#mirrors;
  }

  /** For writes that are flushed after their commit: brings contents to the disk meanwhile. */
  readonly stage: Stage = (workspaceId, path, bytes) =>
    this.#mirrors?.stage(workspaceId, path, bytes) ?? null;

  /** After a commit: followers are woken, here and on other pods, and the mirror is flushed. */
  async committed(workspaceId: string, changes: readonly Changed[]): Promise<void> {
    const written = changes.filter((change) => change.kind === 'changed');
    if (written.length > 0) await this.#tell(workspaceId, written);
  }

  /** The workspace itself was renamed, removed or brought back: its folder follows. */
  async moved(workspaceId: string): Promise<void> {
    await this.#tell(workspaceId, []);
  }

  /** Something else about the workspace changed that people see beside its files. */
  async announce(workspaceId: string): Promise<void> {
    this.heard(workspaceId);
    await this.#tellOthers(workspaceId);
  }

  async #tell(workspaceId: string, written: readonly Written[]): Promise<void> {
    this.heard(workspaceId);
    await Promise.all([this.#tellOthers(workspaceId), this.mirrors.flush(workspaceId, written)]);
  }

  async #tellOthers(workspaceId: string): Promise<void> {
    if (this.options.alone()) return;
    await this.options.pool.query({
      name: 'tell_change',
      text: `select pg_notify('${CHANGE_CHANNEL}', $1)`,
      values: [workspaceId],
    });
  }

  /** Something changed in a workspace, here or on another pod: a hint to read the change feed. */
  heard(workspaceId: string): void {
    for (const listener of this.#listeners) listener(workspaceId);
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
