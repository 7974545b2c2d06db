// Which chats are to be written out: those that something was heard of, and, after an opening, each that the ledger does not
// have as it is. A few at a time, with pauses: files and runs come first.

import { isChat, isStale, type Chat } from './chats.ts';
import type { Disk } from '../disk/disk.ts';

/** Chats that are in memory at once, and written one after the other. */
const FEW = 16;
/** After a turn nothing is done for so many times as long, while runs are at work, and else: they come first. */
const REST_WHILE_BUSY = 99;
const REST = 1;
const FAILURE_MS = 5000;

interface Listing {
  readonly after: string | null;
  readonly seen: Set<string>;
}

export class ChatQueue {
  readonly #due = new Map<string, Chat>();
  /** Where the listing goes on, and what it had so far; null: everything was checked. */
  #listing: Listing | null = null;
  #restsUntil = 0;

  /** When the next turn is; never, if there is nothing to do. */
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

  /** The next ones; none of them may need anything. */
  async next(disk: Disk): Promise<readonly Chat[]> {
    if (!disk.chats) {
      this.#due.clear();
      this.#listing = null;
    }
    if (this.#due.size === 0 && this.#listing) await this.#list(disk, this.#listing);
    return [...this.#due.values()].slice(0, FEW);
  }

  /** Does some; what it returns is on disk. Then there is a rest, longer after a failure. */
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
    if (next === null) this.add(await removed(disk, listing.seen));
    // Unless everything is to be checked anew.
    if (this.#listing === listing) this.#listing = next === null ? null : { ...listing, after: next };
  }
}

/** What is on disk and was not listed, as it is now: it may have come while the others were read. */
async function removed(disk: Disk, listed: ReadonlySet<string>): Promise<readonly Chat[]> {
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
