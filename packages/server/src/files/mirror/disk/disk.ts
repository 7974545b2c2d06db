// What the parts of one mirror share.

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
  /** Names the workspace and its database. */
  readonly of: string;
  readonly visible: boolean;
  /** Where the visible folders are; a private mirror's is in `own`. */
  readonly folders: string;
  readonly own: string;
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
  readonly log: Log;
  readonly now: () => Date;
  readonly faults?: Faults | undefined;
  readonly fresh: () => boolean;
  /** Asks the database whether the folder is still this pod's. */
  readonly confirm: () => Promise<boolean>;
  /** Where it shows chats, in the visible folder. */
  readonly chats?: Chats | undefined;
  readonly closed: () => void;
  /** The folder is opened after this: the one who had it before has let it go. */
  readonly after?: Promise<unknown> | undefined;
  readonly committed: (changed: Changed) => void;
  /** Removals are held back, or are not any more. */
  readonly asked: () => void;
}

export class MirrorClosed extends Error {
  readonly code = 'mirror_closed';
}

export interface Disk {
  readonly pool: Pool;
  readonly workspaceId: string;
  /** People see it and edit in it. */
  readonly visible: boolean;
  readonly root: string;
  /** The mirror's own folder: ledger, quarantine. */
  readonly own: string;
  readonly ledger: Ledger;
  readonly staging: Staging;
  /** What is on disk where a person's edit was merged or kept beside, until the head comes: no version says that. */
  readonly drafts: Map<string, Buffer>;
  readonly watch: Watch | null;
  /** Null: chats are not shown here. */
  readonly chats: Chats | null;
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
  readonly log: Log;
  readonly now: () => Date;
  readonly fault: (point: string) => void;
  /** Whether the folder is surely still this pod's. */
  readonly fresh: () => boolean;
  /** Asks the database whether it is. */
  readonly confirm: () => Promise<boolean>;
  /** A change that came from disk was committed. */
  readonly committed: (changed: Changed) => void;
  /** The disk has another content than the file's head, and it is known where that is kept. */
  readonly again: (file: string) => void;
  /** To be looked at once more. */
  readonly dirty: (path: string) => void;
  /** What people removed from the folder. */
  readonly removals: Removals;
  /** Removals are held back, or are not any more. */
  readonly asked: () => void;
  /** Whether the mirror is being closed: what takes long ends then. */
  readonly closing: () => boolean;
}

export function assertOpen({ closing }: Pick<Disk, 'closing'>): void {
  if (closing()) throw new MirrorClosed('the mirror is closed');
}

/** Throws where the folder is not this pod's any more. */
export async function assertOwn({ fresh, confirm }: Pick<Disk, 'fresh' | 'confirm'>): Promise<void> {
  if (fresh() || (await confirm())) return;
  throw new MirrorClosed('the folder is another pod’s by now');
}

export function isKnown(disk: Disk, path: string): (identity: Identity) => boolean {
  return (identity) => disk.ledger.known(path).some((entry) => same(entry, identity));
}

/** The version that whoever edits the file on disk started from. */
export function baseOf({ ledger }: Disk, path: string): Entry | undefined {
  // Where it is not sure that the last one arrived, it may be the one before; what both have is no conflict.
  return ledger.confirmed(path) ? ledger.at(path) : ledger.known(path).at(-1);
}

export async function expel(
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
