// A pod's view of the workspaces: what follows a commit. A caller changes files in a transaction of its own with the
// functions of files.ts, then calls `committed` here, which announces the change and returns when the mirror on disk has it.

import type { Bus } from '../bus/bus.ts';
import type { Changed, Stage, Written } from './files.ts';
import { FILES_CHANGED } from './topics.ts';

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
  readonly bus: Bus;
  /** Bytes of one file at most, and of all versions of a workspace's files. */
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
}

export class Workspaces {
  readonly options: WorkspacesOptions;
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

  /** After a commit: announces the changes on every pod, and flushes the mirror. */
  async committed(workspaceId: string, changes: readonly Changed[]): Promise<void> {
    const written = changes.filter((change) => change.kind === 'changed');
    if (written.length > 0) await this.#announce(workspaceId, written);
  }

  /** The workspace itself was renamed, removed or brought back: its folder follows. */
  async moved(workspaceId: string): Promise<void> {
    await this.#announce(workspaceId, []);
  }

  /** Something else about the workspace changed that people see beside its files. */
  async announce(workspaceId: string): Promise<void> {
    await this.options.bus.publish(FILES_CHANGED, { workspaceId });
  }

  async #announce(workspaceId: string, written: readonly Written[]): Promise<void> {
    await Promise.all([this.announce(workspaceId), this.mirrors.flush(workspaceId, written)]);
  }
}
