// The queue of chats to write to disk: those with a notification, and, after the mirror is opened, each chat that
// differs from the ledger. A few are written at a time, with pauses, because files and runs come first.

import { isChat, isStale, type Chat } from './chats.ts';
import type { Disk } from '../disk/disk.ts';

/** Maximum number of chats in memory at once. They are written one after another. */
const FEW = 16;
/** The pause after a turn, as a multiple of the turn's duration: longer while runs are open. */
const REST_WHILE_BUSY = 99;
const REST = 1;
const FAILURE_MS = 5000;

interface Listing {
  readonly after: string | null;
  readonly seen: Set<string>;
}

export class ChatQueue {
  readonly #due = new Map<string, Chat>();
  /** The position of the listing, and the chats that it has seen; null: all chats were checked. */
  #listing: Listing | null = null;
  #restsUntil = 0;

  /** The time of the next turn; Infinity if there is nothing to do. */
  get at(): number {
    return this.#isEmpty ? Infinity : this.#restsUntil;
  }

  get #isEmpty(): boolean {
    return this.#due.size === 0 && this.#listing === null;
  }

  add(chats: readonly Chat[]): void {
    for (const chat of chats) this.#due.set(chat.id, chat);
  }

  checkAll(): void {
    this.#listing = { after: null, seen: new Set() };
  }

  /** The next chats to check. Possibly none of them needs to be written. */
  async next(disk: Disk): Promise<readonly Chat[]> {
    if (!disk.chats) {
      this.#due.clear();
      this.#listing = null;
    }
    if (this.#due.size === 0 && this.#listing) await this.#list(disk, this.#listing);
    return [...this.#due.values()].slice(0, FEW);
  }

  /** Runs one turn: the chats that `work` returns are on disk. Then pauses, longer after a failure. */
  async turn(busy: boolean, work: () => Promise<readonly Chat[]>): Promise<true> {
    const began = performance.now();
    this.#restsUntil = began + FAILURE_MS;
    for (const chat of await work()) if (this.#due.get(chat.id) === chat) this.#due.delete(chat.id);
    const now = performance.now();
    this.#restsUntil = now + (busy ? REST_WHILE_BUSY : REST) * (now - began);
    return true;
  }

  async #list(disk: Disk, listing: Listing): Promise<void> {
    const { chats, next } = await disk.chats!.list(disk.workspaceId, listing.after);
    for (const { id } of chats) listing.seen.add(id);
    this.add(chats.filter((chat) => isStale(disk, chat)));
    if (next === null) this.add(await unlistedChats(disk, listing.seen));
    // Unless `checkAll` has started a new listing.
    if (this.#listing === listing) this.#listing = next === null ? null : { ...listing, after: next };
  }
}

/**
 * The chats on disk that the listing did not have, in their current state: some may have been created while it was
 * read.
 */
async function unlistedChats(disk: Disk, listed: ReadonlySet<string>): Promise<readonly Chat[]> {
  const { ledger, workspaceId } = disk;
  const unlisted = [...ledger.paths()].filter(isChat).map((path) => ({ path, id: ledger.at(path)!.file }));
  const ids = unlisted.map(({ id }) => id).filter((id) => !listed.has(id));
  const found = new Map((ids.length === 0 ? [] : await disk.chats!.find(ids)).map((chat) => [chat.id, chat]));
  return unlisted
    .filter(({ id }) => !listed.has(id))
    .map(({ id, path }) => {
      const gone = { id, workspaceId, path, version: 0, changedAt: disk.now(), removed: true, busy: false };
      return found.get(id) ?? gone;
    });
}
