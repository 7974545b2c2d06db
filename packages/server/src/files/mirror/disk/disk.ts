// The state and services that the parts of one mirror share.

import type { Pool } from '../../../db/pool.ts';
import type { Faults } from '../../../faults.ts';
import type { Changed } from '../../files.ts';
import type { Chats } from '../out/chats.ts';
import type { Entry, Ledger } from '../ledger.ts';
import { quarantine } from '../in/quarantine.ts';
import type { Removals } from '../in/removals.ts';
import type { Staging } from './staging.ts';
import type { Folder, Identity } from './tree.ts';
import { same } from './tree.ts';
import type { Watch } from '../in/watch.ts';

export interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface MirrorOptions {
  readonly pool: Pool;
  readonly workspaceId: string;
  /** Identifies the workspace and its database, for the ledger. */
  readonly of: string;
  readonly visible: boolean;
  /** The parent of the visible folders. A private mirror's folder is in `own`. */
  readonly folders: string;
  readonly own: string;
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
  readonly log: Log;
  readonly now: () => Date;
  readonly faults?: Faults | undefined;
  readonly fresh: () => boolean;
  /** Asks the database whether this pod still owns the folder. */
  readonly confirm: () => Promise<boolean>;
  /** The source of chats; only a visible folder shows them. */
  readonly chats?: Chats | undefined;
  readonly closed: () => void;
  /** The folder is opened after this promise: its previous mirror must be closed first. */
  readonly after?: Promise<unknown> | undefined;
  readonly committed: (changed: Changed) => void;
  /** Called when removals become held, and when they are no longer. */
  readonly heldRemovalsChanged: () => void;
}

export class MirrorClosed extends Error {
  readonly code = 'mirror_closed';
}

export interface Disk {
  readonly pool: Pool;
  readonly workspaceId: string;
  /** Whether this is the visible mirror, in which people edit. */
  readonly visible: boolean;
  readonly root: string;
  /** The mirror's private folder: ledger and quarantine. */
  readonly own: string;
  readonly ledger: Ledger;
  readonly staging: Staging;
  /**
   * By path: content on disk that is not equal to any version, because a person's edit was merged or saved as a
   * conflict copy. Kept until the new head is written over it.
   */
  readonly drafts: Map<string, Buffer>;
  readonly watch: Watch | null;
  /** Null if this mirror shows no chats. */
  readonly chats: Chats | null;
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
  readonly log: Log;
  readonly now: () => Date;
  readonly fault: (point: string) => void;
  /** Whether this pod certainly still owns the folder. */
  readonly fresh: () => boolean;
  /** Asks the database whether this pod still owns the folder. */
  readonly confirm: () => Promise<boolean>;
  /** Called after a change that came from disk was committed. */
  readonly committed: (changed: Changed) => void;
  /** Requests that a file's head is written again: the disk has other content, which is already saved. */
  readonly requestRewrite: (file: string) => void;
  /** Requests another scan of a path. */
  readonly requestScan: (path: string) => void;
  /** The removals that people made in the folder. */
  readonly removals: Removals;
  /** Called when removals become held, and when they are no longer. */
  readonly heldRemovalsChanged: () => void;
  /** Whether the mirror is being closed. Long operations stop then. */
  readonly closing: () => boolean;
}

export function assertOpen({ closing }: Pick<Disk, 'closing'>): void {
  if (closing()) throw new MirrorClosed('the mirror is closed');
}

/** Throws if this pod no longer owns the folder. */
export async function assertOwn({ fresh, confirm }: Pick<Disk, 'fresh' | 'confirm'>): Promise<void> {
  if (fresh() || (await confirm())) return;
  throw new MirrorClosed('another pod owns the folder now');
}

export function isKnown(disk: Disk, path: string): (identity: Identity) => boolean {
  return (identity) => disk.ledger.known(path).some((entry) => same(entry, identity));
}

/** The version that an edit on disk started from. */
export function baseOf({ ledger }: Disk, path: string): Entry | undefined {
  // If the last write is unconfirmed, the editor may have seen the entry before it. Starting from the older one is
  // safe: changes that both sides share do not conflict.
  return ledger.confirmed(path) ? ledger.at(path) : ledger.known(path).at(-1);
}

export async function moveToQuarantine(
  disk: Disk,
  folder: Folder,
  names: readonly string[],
  why: string,
): Promise<void> {
  const { root, own } = disk;
  const place = await quarantine({ root, own, folder, names, why, at: disk.now() });
  if (place !== null)
    disk.log.warn({ workspace: disk.workspaceId, path: `/${names.join('/')}`, why, place }, 'quarantined');
}
