// Chats on disk. The files under /chats are made from threads, written at the end of a run, and read-only. They have no
// versions: a changed file is quarantined, and the chat is written again.

import { sha256 } from '../../content.ts';
import { parsePath } from '../../paths.ts';
import type { Disk } from '../disk/disk.ts';
import type { Head } from './heads.ts';
import type { Identity } from '../disk/tree.ts';

export interface Chat {
  /** The thread's id. */
  readonly id: string;
  readonly workspaceId: string;
  readonly path: string;
  /** The last seq of its log. */
  readonly version: number;
  readonly changedAt: Date;
  readonly removed: boolean;
  /** A run is open: the chat is written when it ends. */
  readonly busy: boolean;
}

/** Where chats come from. Injected, so that the mirror need not know threads. */
export interface Chats {
  find(ids: readonly string[]): Promise<readonly Chat[]>;
  /** The chats of a workspace that are not removed, page by page. */
  list(
    workspaceId: string,
    after: string | null,
  ): Promise<{ readonly chats: readonly Chat[]; readonly next: string | null }>;
  /** The chat whose short id is in this path, removed or not. */
  at(workspaceId: string, path: string): Promise<Chat | null>;
  read(id: string): Promise<{ readonly text: string; readonly version: number }>;
  /** Whether runs are open on this pod; they come first. */
  busy(): boolean;
}

/**
 * The heads to write for these chats; none for chats that are already on disk. `busy` includes chats with an open run.
 */
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

/** Whether the file on disk differs from the chat's current state. */
export function isStale({ ledger }: Disk, { id, path, version, removed }: Chat): boolean {
  const at = ledger.pathOf(id);
  if (removed) return at !== undefined;
  const parsed = parsePath(path);
  // A chat whose title makes an invalid path is not written: the mirror would quarantine the file.
  if (version === 0 || !parsed.ok || parsed.path.path !== path) return false;
  return at !== path || ledger.at(path)!.version !== version || !ledger.confirmed(path);
}

/**
 * Adopts a chat file that is missing from the ledger, if the mirror wrote it: its content is the chat's, or an earlier
 * state of it, since a chat only grows. It is then added to the ledger, and the rest of the chat is written like any
 * change.
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

/** Whether a path of the ledger is a chat's. */
export function isChat(path: string): boolean {
  return path.startsWith('/chats/');
}
