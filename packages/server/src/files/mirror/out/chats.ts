// Chats on disk: what is under /chats is made from threads, written out at the end of a run, and read-only. It has no versions:
// what a person changes there is quarantined, and the chat put back.

import { sha256 } from '../../content.ts';
import { parsePath } from '../../paths.ts';
import type { Disk } from '../disk/disk.ts';
import type { Head } from './heads.ts';
import type { Identity } from '../disk/tree.ts';

export interface Chat {
  /** Its thread's. */
  readonly id: string;
  readonly workspaceId: string;
  readonly path: string;
  /** The last seq of its log. */
  readonly version: number;
  readonly changedAt: Date;
  readonly removed: boolean;
  /** A run is under way: it is written when that ends. */
  readonly busy: boolean;
}

/** Where chats come from; whoever wires the mirror knows threads. */
export interface Chats {
  find(ids: readonly string[]): Promise<readonly Chat[]>;
  /** All of a workspace that are not removed, page by page. */
  list(
    workspaceId: string,
    after: string | null,
  ): Promise<{ readonly chats: readonly Chat[]; readonly next: string | null }>;
  /** The chat that a path means by its short id, removed or not. */
  at(workspaceId: string, path: string): Promise<Chat | null>;
  read(id: string): Promise<{ readonly text: string; readonly version: number }>;
  /** Runs are at work here, and come first. */
  busy(): boolean;
}

/** What is to be done for these chats; nothing for those that are on disk already. */
export async function chatHeads(
  disk: Disk,
  chats: readonly Chat[],
  { busy = false }: { readonly busy?: boolean } = {},
): Promise<readonly Head[]> {
  const heads: Head[] = [];
  for (const chat of chats) {
    if (chat.workspaceId !== disk.workspaceId || !isStale(disk, chat) || (chat.busy && !busy)) continue;
    const { id, path, changedAt, removed } = chat;
    const { text, version } = removed ? { text: '', version: 0 } : await disk.chats!.read(id);
    const data = Buffer.from(text);
    heads.push({ id, path, version, size: data.length, changedAt, removed, data, readOnly: true });
  }
  return heads;
}

/** Whether the disk does not show what the chat says now. */
export function isStale({ ledger }: Disk, { id, path, version, removed }: Chat): boolean {
  const at = ledger.pathOf(id);
  if (removed) return at !== undefined;
  const parsed = parsePath(path);
  // Whatever a title says: what the mirror would take for a stranger is not written.
  if (version === 0 || !parsed.ok || parsed.path.path !== path) return false;
  return at !== path || ledger.at(path)!.version !== version || !ledger.confirmed(path);
}

/**
 * Whether the mirror wrote this file out, of which its ledger knows nothing: it says what the chat says, or what it said some
 * time ago, since a chat only grows. Then the ledger knows it from now on, and what is new in the chat comes like any change.
 */
export async function adoptChat(
  { chats, ledger, workspaceId }: Disk,
  path: string,
  { bytes, identity }: { readonly bytes: Buffer; readonly identity: Identity },
): Promise<boolean> {
  const chat = ledger.at(path) ? null : await chats?.at(workspaceId, path);
  if (!chat) return false;
  const { text, version } = await chats!.read(chat.id);
  const said = bytes.toString();
  const isWhole = said === text;
  const isBeginning = said.length > 1 && said.endsWith('\n') && text.startsWith(`${said}\n`);
  if (!isWhole && !isBeginning) return false;
  const hash = sha256(bytes).toString('base64');
  ledger.put(path, { file: chat.id, version: isWhole ? version : 0, hash, ...identity });
  ledger.confirm([path]);
  return true;
}

/** Of a path of the ledger. */
export function isChat(path: string): boolean {
  return path.startsWith('/chats/');
}
