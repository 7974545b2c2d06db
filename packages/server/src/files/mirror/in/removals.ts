// Removals that people make in the folder. A few are ingested as removals. Many at once are held until a person
// decides, while all other edits continue. Held files stay in the ledger, so after a restart a scan finds them again.

import { constants } from 'node:fs';
import { authorFor, readFile, writeFile } from '../../files.ts';
import { holdRemovals, readHeldRemovals, releaseRemovals, type HeldRemovals } from '../../held-removals.ts';
import { parsePath } from '../../paths.ts';
import { listVersions } from '../../versions.ts';
import { close, open } from '../disk/calls.ts';
import { isChat } from '../out/chats.ts';
import { assertOpen, assertOwn, type Disk } from '../disk/disk.ts';
import { ingestRemoval } from './ingest.ts';
import { REMOVALS_NOTICE } from '../names.ts';
import { removeQuietly } from '../disk/swap-file.ts';
import { statAt, within, writeFully } from '../disk/tree.ts';

/** Removals with pauses of at most this long between them form one sweep. */
const QUIET_MS = 10_000;
/** A sweep is held if it has at least this many files and at least this share of the files that were there. */
const MANY = 20;
const SHARE = 0.5;
/** A sweep is also held if it has at least this many files, whatever the share. */
const VERY_MANY = 1000;

/** The current sweep. It ends when nothing has been removed for a while. */
interface Sweep {
  /**
   * How many files there were when it began. Files created within `QUIET_MS` before that do not count: an agent that
   * writes many files while a folder is being deleted must not make the deletion look small.
   */
  readonly had: number;
  readonly removed: string[];
  at: number;
}

export class Removals {
  #held: HeldRemovals | null = null;
  #sweep: Sweep = { had: 0, removed: [], at: -Infinity };

  /** To be called after the ledger was opened. */
  async load(disk: Pick<Disk, 'pool' | 'workspaceId'>): Promise<void> {
    this.#held = await readHeldRemovals(disk.pool, disk.workspaceId);
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /** Handles paths of the ledger that are missing on disk: removes them, or holds them. */
  async ingestOrHold(disk: Disk, paths: readonly string[]): Promise<void> {
    const missing = await stillMissing(disk, paths);
    if (missing.length === 0) return;
    const files = missing.filter((path) => !isChat(path));
    if (this.#held) {
      if (files.length > this.#held.files) await this.#hold(disk, files.length);
      return this.#remove(disk, missing.filter(isChat));
    }
    const now = performance.now();
    if (now - this.#sweep.at > QUIET_MS) this.#sweep = { had: countOldFiles(disk), removed: [], at: now };
    const count = this.#sweep.removed.length + files.length;
    if (files.length > 0 && isMany(count, this.#sweep.had)) {
      await this.#hold(disk, files.length);
      return this.#remove(disk, missing.filter(isChat));
    }
    await this.#remove(disk, missing);
  }

  /** Carries out the person's decision, if there is one. The question also ends when no file is missing any more. */
  async applyDecision(disk: Disk): Promise<void> {
    if (!this.#held) return;
    this.#held = await readHeldRemovals(disk.pool, disk.workspaceId);
    if (!this.#held) return removeNote(disk);
    const files = [...disk.ledger.paths()].filter((path) => !isChat(path));
    // Without a decision, one missing file is enough to know that the question stays open.
    const missing = await stillMissing(disk, files, this.#held.decision === null ? 1 : Infinity);
    if (this.#held.decision === 'restore') await restore(disk, missing, this.#held);
    else if (this.#held.decision === 'remove') await this.#remove(disk, missing);
    else if (missing.length > 0) return;
    await removeNote(disk);
    await releaseRemovals(disk.pool, disk.workspaceId);
    this.#held = null;
    this.#sweep = { had: 0, removed: [], at: -Infinity };
    disk.heldRemovalsChanged();
  }

  async #remove(disk: Disk, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      assertOpen(disk);
      await assertOwn(disk);
      const entry = disk.ledger.at(path);
      if (!entry) continue;
      await ingestRemoval(disk, path);
      if (!isChat(path)) this.#sweep.removed.push(entry.file);
      this.#sweep.at = performance.now();
    }
  }

  async #hold(disk: Disk, files: number): Promise<void> {
    const isNew = !this.#held;
    this.#held = await holdRemovals(disk.pool, disk.workspaceId, { files, removed: this.#sweep.removed });
    await writeNote(disk, files + this.#held.removed.length);
    if (isNew)
      disk.log.warn(
        { workspace: disk.workspaceId, folder: disk.root, files },
        'many files disappeared from the folder at once; nothing is removed from the workspace until a person decides',
      );
    disk.heldRemovalsChanged();
  }
}

function isMany(count: number, had: number): boolean {
  return count >= VERY_MANY || (count >= MANY && count >= had * SHARE);
}

function countOldFiles({ ledger, now }: Disk): number {
  const oldest = BigInt(now().getTime() - QUIET_MS) * 1_000_000n;
  let count = 0;
  for (const path of ledger.paths()) {
    const { version, ctime } = ledger.at(path)!;
    const isNew = version === 1 && (ctime === undefined || BigInt(ctime) > oldest);
    if (!isChat(path) && !isNew) count += 1;
  }
  return count;
}

async function stillMissing(
  disk: Disk,
  paths: readonly string[],
  most = Infinity,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const path of paths) {
    if (missing.length >= most) break;
    assertOpen(disk);
    if (disk.ledger.at(path) && !(await statAt(disk.root, path))?.isFile()) missing.push(path);
  }
  return missing;
}

/** Writes the missing files again, and restores those that were removed before the rest was held. */
async function restore(
  disk: Disk,
  missing: readonly string[],
  { removed, decidedBy }: HeldRemovals,
): Promise<void> {
  for (const path of missing) {
    disk.requestRewrite(disk.ledger.at(path)!.file);
    disk.ledger.drop(path);
  }
  const { pool, workspaceId, quotaBytes } = disk;
  for (const id of removed) {
    const file = await readFile(pool, workspaceId, id);
    const parsed = file && parsePath(file.path);
    const [content] = file ? await listVersions(pool, id, { limit: 1 }) : [];
    if (!file?.removedAt || !parsed?.ok || !content) continue;
    const revived = await writeFile(pool, {
      workspaceId,
      author: decidedBy ? authorFor(decidedBy) : { kind: 'person' },
      quotaBytes,
      path: parsed.path,
      base: null,
      content,
      restore: { removedFile: id },
    });
    if (revived.kind === 'changed') disk.committed(revived);
  }
}

async function writeNote(disk: Disk, files: number): Promise<void> {
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;
  await within(disk.root, [], async (top) => {
    if (!top) return;
    const flags = O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_TRUNC | O_WRONLY;
    const fd = await open(top.at(REMOVALS_NOTICE), flags, 0o666);
    try {
      await writeFully(fd, Buffer.from(note(files)));
    } finally {
      close(fd);
    }
  });
}

async function removeNote(disk: Disk): Promise<void> {
  await within(disk.root, [], (top) => top && removeQuietly(top, REMOVALS_NOTICE));
}

function note(files: number): string {
  return `${files} files disappeared from this folder at once. They are still in the workspace.

If that was an accident, restore them: press "Restore the files" on the Files page of the console, or
  POST /api/v1/workspaces/<name>/folder/restore
If it was intended, remove them from the workspace, too: press "Remove the files from the workspace" there, or
  POST /api/v1/workspaces/<name>/folder/accept-removals

Until you decide, nothing is removed. Everything else that you do in this folder works as usual. If you put the
files back into the folder yourself, no decision is needed, and this text is removed.
`;
}
