// What follows a commit to a workspace's files. A caller changes files in its own transaction with the functions of
// files.ts, then calls `committed`, which announces the change and returns when the mirror on disk has it.

import type { Bus } from '../bus/bus.ts';
import type { Changed, Stage, CommittedChange } from './files.ts';
import type { FilePath } from './paths.ts';
import { FILES_CHANGED } from './topics.ts';

/** The mirrors of workspaces on this pod's disk. */
export interface Mirrors {
  readonly stage: Stage;
  /** Updates the mirror to the database's state, including at least these changes. Resolves when they are on disk. */
  flush(workspaceId: string, changes: readonly CommittedChange[]): Promise<void>;
  /** A folder on disk with everything that was committed before the call. */
  folder(workspaceId: string): Promise<string>;
  /** Why a folder is behind, in a few words without paths; null if none is. */
  problem(): string | null;
}

export interface WorkspacesOptions {
  readonly bus: Bus;
  /** Maximum size of one file, and of all versions of a workspace's files. */
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
}

/** Brings the file at a path up to date, if something else decides about its content. */
export type Refresh = (workspaceId: string, path: FilePath) => Promise<void>;

export class Workspaces {
  readonly options: WorkspacesOptions;
  #mirrors: Mirrors | null = null;
  #refresh: Refresh | null = null;

  constructor(options: WorkspacesOptions) {
    this.options = options;
  }

  /** Attached later because mirrors also need this object: they write files when people edit on disk. */
  attach(mirrors: Mirrors): void {
    this.#mirrors = mirrors;
  }

  get mirrors(): Mirrors {
    if (!this.#mirrors) throw new Error('the mirrors are not attached yet');
    return this.#mirrors;
  }

  /** For writes that are flushed after their commit: puts content on disk while the commit is in flight. */
  readonly stage: Stage = (workspaceId, path, bytes) =>
    this.#mirrors?.stage(workspaceId, path, bytes) ?? null;

  /** From now on, `refresh` is called before a Markdown file or a plan is read: a plan shows the progress of its steps. */
  refreshBy(refresh: Refresh): void {
    this.#refresh = refresh;
  }

  /** To be called before a file is read, outside of transactions. */
  async refreshed(workspaceId: string, path: FilePath): Promise<void> {
    if (/\.(md|plan)$/.test(path.folded)) await this.#refresh?.(workspaceId, path);
  }

  /** To be called after a commit: announces the changes to every pod, and flushes the mirror. */
  async committed(workspaceId: string, changes: readonly Changed[]): Promise<void> {
    const written = changes.filter((change) => change.kind === 'changed');
    if (written.length > 0) await this.#announce(workspaceId, written);
  }

  /** The workspace itself was renamed, removed or restored: updates its folder. */
  async moved(workspaceId: string): Promise<void> {
    await this.#announce(workspaceId, []);
  }

  /** Announces another change of the workspace that people see next to its files. */
  async announce(workspaceId: string): Promise<void> {
    await this.options.bus.publish(FILES_CHANGED, { workspaceId });
  }

  async #announce(workspaceId: string, written: readonly CommittedChange[]): Promise<void> {
    await Promise.all([this.announce(workspaceId), this.mirrors.flush(workspaceId, written)]);
  }
}
