// From disk to database: a person's write, move or removal becomes a version. It starts from the version that the
// ledger has for the path. An edit that cannot be merged with newer versions is saved as a conflict copy, never
// dropped.

import { sqlState } from '../../../db/pool.ts';
import { sha256, storeContent } from '../../content.ts';
import {
  findFile,
  moveFile,
  readFile,
  removeFile,
  writeFile,
  type Changed,
  type FileHead,
} from '../../files.ts';
import { readVersion } from '../../versions.ts';
import { isReadOnly, parsePath, type FilePath } from '../../paths.ts';
import { MERGE_BYTES, saveFile } from '../../save.ts';
import { close, fstat, read } from '../disk/calls.ts';
import { adoptChat, isChat } from '../out/chats.ts';
import { baseOf, moveToQuarantine, type Disk } from '../disk/disk.ts';
import type { Entry } from '../ledger.ts';
import { captureName, conflictPath } from '../names.ts';
import { swapFile } from '../disk/swap-file.ts';
import { alike, errorCode, identityAt, namesOf, same, within, type Identity } from '../disk/tree.ts';

const author = { kind: 'disk' } as const;

interface Content {
  readonly bytes: Buffer;
  readonly identity: Identity;
}

/** Where an edit was saved: the file and version that hold exactly the content read, if there is one. */
interface Kept {
  readonly path: string;
  readonly file: string;
  readonly version: number;
}

/**
 * Makes a version of the file on disk, unless the ledger knows it. `created`: the content did not start from a version.
 */
export async function ingest(disk: Disk, path: string, created = false): Promise<void> {
  const content = await readStable(disk, path);
  if (!content) return;
  if (await isTouched(disk, path, content)) return;
  if (isChat(path) && (await adoptChat(disk, path, content))) return;
  const base = created ? undefined : baseOf(disk, path);
  const { ledger } = disk;
  disk.fault('mirror.edit');
  const outcome = await keep(disk, path, content.bytes, base, disk.drafts.get(path));
  disk.fault('mirror.kept');
  if (outcome.kind === 'refused') return expelFile(disk, path, outcome.why);
  if (outcome.kind === 'elsewhere' && content.bytes.length <= MERGE_BYTES)
    disk.drafts.set(path, content.bytes);
  else disk.drafts.delete(path);
  // If the head is other content now, the disk still has the edit, which started from `base`. The head is written next.
  const entry = outcome.kind === 'kept' && outcome.at.path === path ? outcome.at : base;
  if (entry) {
    ledger.put(path, { file: entry.file, version: entry.version, ...content.identity });
    ledger.confirm([path]);
  } else if (outcome.kind === 'elsewhere' && outcome.head?.path === path) {
    ledger.put(path, { file: outcome.head.id, version: 0, ...content.identity });
    ledger.confirm([path]);
  } else await discard(disk, path, content.identity);
  if (outcome.file && !(outcome.kind === 'kept' && outcome.current)) disk.requestRewrite(outcome.file);
  if (base && base.file !== outcome.file) disk.requestRewrite(base.file);
}

/**
 * Whether only the inode changed (its mode, or a link to it): the content is still that of the ledger's version. If so,
 * records the new identity.
 */
async function isTouched(disk: Disk, path: string, { bytes, identity }: Content): Promise<boolean> {
  const { ledger } = disk;
  for (const entry of ledger.known(path)) {
    if (!alike(entry, identity) || !(await saysVersion(disk, entry, bytes))) continue;
    if (!ledger.confirmed(path)) disk.requestRewrite(entry.file);
    ledger.put(path, { ...entry, ...identity });
    ledger.confirm([path]);
    return true;
  }
  return false;
}

export async function saysVersion(
  { pool }: Disk,
  { file, version, hash }: Entry,
  bytes: Buffer,
): Promise<boolean> {
  const said = sha256(bytes);
  if (hash !== undefined) return hash === said.toString('base64');
  return (await readVersion(pool, file, version))?.hash.equals(said) ?? false;
}

type Base = Pick<Entry, 'file' | 'version'> | undefined;

type Outcome =
  | { readonly kind: 'kept'; readonly at: Kept; readonly file: string; readonly current: boolean }
  /**
   * The content is saved, but the path belongs to other content. `file` is the file that should be at the path, if any.
   */
  | {
      readonly kind: 'elsewhere';
      readonly at: Kept | null;
      readonly file: string | null;
      readonly head: FileHead | null;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Saves the content that a person made from `base` at a path. */
export async function keep(
  disk: Disk,
  path: string,
  bytes: Buffer,
  base: Base,
  from?: Buffer,
): Promise<Outcome> {
  const parsed = parsePath(path);
  if (!parsed.ok) return { kind: 'refused', why: parsed.problem };
  if (isReadOnly(parsed.path)) return { kind: 'refused', why: 'everything under /chats is read-only' };
  const head = await findFile(disk.pool, disk.workspaceId, parsed.path);
  const hash = sha256(bytes);
  if (head?.path === path) {
    const had = await versionWith(disk, head, hash, base);
    if (had !== null)
      return {
        kind: 'kept',
        at: { path, file: head.id, version: had },
        file: head.id,
        current: had === head.version,
      };
  }
  try {
    return await save(disk, { path: parsed.path, bytes, base, from, head });
  } catch (error) {
    if (sqlState(error) === 'CN413') return { kind: 'refused', why: (error as Error).message };
    throw error;
  }
}

/**
 * The version with this hash: the head, or one newer than `base`, which the mirror wrote itself and whose ledger line
 * was lost.
 */
async function versionWith(disk: Disk, head: FileHead, hash: Buffer, base: Base): Promise<number | null> {
  if (head.hash.equals(hash)) return head.version;
  if (base && base.file !== head.id) return null;
  const { rows } = await disk.pool.query<{ version: number }>(
    `select version from file_versions where file_id = $1 and version > $2 and hash = $3
      order by version desc limit 1`,
    [head.id, base?.version ?? 0, hash],
  );
  return rows[0]?.version ?? null;
}

interface Edit {
  readonly path: FilePath;
  readonly bytes: Buffer;
  readonly base: Base;
  readonly from: Buffer | undefined;
  readonly head: FileHead | null;
}

async function save(disk: Disk, { path, bytes, base, from, head }: Edit): Promise<Outcome> {
  const { pool, workspaceId, quotaBytes } = disk;
  const where = { workspaceId, author, quotaBytes };
  let target = path;
  if (base && base.version > 0 && head?.id !== base.file) {
    const file = await readFile(pool, workspaceId, base.file);
    if (file && !file.removedAt) {
      // The file was moved: the edit follows it.
      target = { path: file.path, folded: file.folded };
    } else if (file && !head) {
      const content = await storeContent(pool, bytes);
      const revive = { ...where, path, base: null, content, restore: { removedFile: file.id } };
      const revived = await writeFile(pool, revive);
      if (revived.kind === 'changed') return kept(disk, revived, path.path);
      return saveConflictCopy(disk, path, bytes, null);
    } else return saveConflictCopy(disk, path, bytes, head);
  }
  const saved = await saveFile(pool, pool, {
    ...where,
    path: target,
    base: base?.version ?? 0,
    bytes,
    merge: true,
    from,
  });
  switch (saved.kind) {
    case 'changed':
    case 'unchanged':
      return kept(disk, saved, path.path);
    case 'merged':
      disk.committed({ kind: 'changed', file: saved.file, seq: saved.seq, also: saved.also });
      return { kind: 'elsewhere', at: null, file: saved.file.id, head: saved.file };
    case 'conflict':
      return saveConflictCopy(disk, target, bytes, saved.file);
    case 'in_the_way':
      return { kind: 'refused', why: saved.problem };
    case 'not_found':
      throw new Error('a write cannot answer not_found');
  }
}

function kept(disk: Disk, changed: Changed & { file: FileHead }, path: string): Outcome {
  if (changed.kind === 'changed') disk.committed(changed);
  const { id: file, version } = changed.file;
  const at = { path: changed.file.path, file, version };
  return at.path === path
    ? { kind: 'kept', at, file, current: true }
    : { kind: 'elsewhere', at, file, head: changed.file };
}

/** Saves content as a conflict copy next to the file that it conflicts with. */
async function saveConflictCopy(
  disk: Disk,
  path: FilePath,
  bytes: Buffer,
  head: FileHead | null,
): Promise<Outcome> {
  const { pool, workspaceId, quotaBytes } = disk;
  const content = await storeContent(pool, bytes);
  const there = await findConflictCopy(disk, path, content.hash);
  if (there) return { kind: 'elsewhere', at: there, file: head?.id ?? null, head };
  for (let at = disk.now(); ; at = new Date(at.getTime() + 1)) {
    const parsed = parsePath(conflictPath(path.path, at));
    if (!parsed.ok) return { kind: 'refused', why: parsed.problem };
    const saved = await writeFile(pool, {
      workspaceId,
      author,
      quotaBytes,
      path: parsed.path,
      base: 0,
      content,
    });
    if (saved.kind === 'conflict') continue;
    if (saved.kind === 'in_the_way') return { kind: 'refused', why: saved.problem };
    if (saved.kind === 'changed') disk.committed(saved);
    if (saved.kind === 'not_found') throw new Error('a write cannot answer not_found');
    const { id: file, version } = saved.file;
    disk.log.warn(
      { workspace: workspaceId, path: path.path, beside: saved.file.path },
      'an edit on disk conflicted with a newer version; it is kept as a conflict copy',
    );
    return {
      kind: 'elsewhere',
      at: { path: saved.file.path, file, version },
      file: head?.id ?? null,
      head,
    };
  }
}

/** Removes the file on disk: its content is saved elsewhere, and no file of the workspace has this path. */
async function discard(disk: Disk, path: string, identity: Identity): Promise<void> {
  const { folder: names, name } = namesOf(path);
  await within(disk.root, names, async (folder) => {
    if (!folder) return;
    const known = (other: Identity) => same(identity, other);
    const { fault, now } = disk;
    const outcome = await swapFile({
      folder,
      name,
      there: await folder.look(name),
      temporary: null,
      capture: captureName(),
      known,
      fault,
      now,
    });
    if (outcome.kind === 'swapped' && outcome.replaced) close(outcome.replaced.fd);
    else disk.requestScan(path);
  });
}

/**
 * Finds an existing conflict copy with the same content: after a crash between saving it and recording it, it must not
 * be saved twice.
 */
async function findConflictCopy(disk: Disk, path: FilePath, hash: Buffer): Promise<Kept | null> {
  const like = conflictPath(path.folded, new Date(0)).split('.conflict-')[0]!;
  const { rows } = await disk.pool.query<{ id: string; path: string; version: number }>(
    `select id, path, version from files where workspace_id = $1 and removed_at is null and hash = $2
      and starts_with(folded, $3) limit 1`,
    [disk.workspaceId, hash, `${like}.conflict-`],
  );
  return rows[0] ? { path: rows[0].path, file: rows[0].id, version: rows[0].version } : null;
}

/**
 * Ingests a move: a file that the ledger had at `from` is now at `to`. False if the database does not allow the move.
 */
export async function ingestMove(
  disk: Disk,
  { from, to, entry }: { from: string; to: string; entry: Entry },
): Promise<boolean> {
  const [source, target] = [parsePath(from), parsePath(to)];
  if (!source.ok || !target.ok) return false;
  const { pool, workspaceId } = disk;
  const head = await findFile(pool, workspaceId, source.path);
  if (head?.id !== entry.file) return false;
  const moved = await moveFile(pool, {
    workspaceId,
    author,
    base: entry.version,
    from: source.path,
    to: target.path,
  });
  if (moved.kind !== 'changed') return false;
  disk.ledger.drop(from);
  disk.ledger.put(to, { ...entry, version: moved.file.version });
  disk.ledger.confirm([to]);
  disk.committed(moved);
  return true;
}

/** Ingests a removal by a person. If the file has a newer version, that version is written again instead. */
export async function ingestRemoval(disk: Disk, path: string): Promise<void> {
  const entry = disk.ledger.at(path);
  const parsed = parsePath(path);
  if (!entry || !parsed.ok) return;
  const { pool, workspaceId } = disk;
  const head = await findFile(pool, workspaceId, parsed.path);
  if (head?.id === entry.file && disk.ledger.confirmed(path)) {
    const where = { workspaceId, author, base: entry.version };
    const removed = await removeFile(pool, { ...where, path: parsed.path });
    if (removed.kind === 'changed') disk.committed(removed);
  }
  disk.ledger.drop(path);
  disk.requestRewrite(entry.file);
}

/**
 * Reads a file that is not being written to. Null if the ledger knows it, if it is gone, or if it is changing; in the
 * last case it is scanned again.
 */
async function readStable(disk: Disk, path: string): Promise<Content | null> {
  const { folder: names, name } = namesOf(path);
  const fd = await within(disk.root, names, async (folder) => {
    if (!folder || !(await folder.look(name))?.isFile()) return null;
    try {
      return await folder.open(name);
    } catch (error) {
      if (['ENOENT', 'ELOOP'].includes(errorCode(error))) return null;
      throw error;
    }
  });
  if (fd === null) return null;
  try {
    if (!(await fstat(fd)).isFile()) return null;
    const content = await readThrough(fd, disk.maxFileBytes);
    if (content === 'too large') {
      await expelFile(disk, path, `it is larger than ${disk.maxFileBytes} bytes`);
      return null;
    }
    if (content === 'changing') disk.requestScan(path);
    else if (!disk.ledger.known(path).some((entry) => same(entry, content.identity))) return content;
    return null;
  } finally {
    close(fd);
  }
}

/** The content of an open file, unless it changes while it is read. */
export async function readThrough(fd: number, maxBytes: number): Promise<Content | 'changing' | 'too large'> {
  const identity = await identityAt(fd);
  if (identity.size > maxBytes) return 'too large';
  const bytes = Buffer.allocUnsafe(identity.size);
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await read(fd, bytes, at, bytes.length - at, at);
    if (bytesRead === 0) return 'changing';
    at += bytesRead;
  }
  return same(identity, await identityAt(fd)) ? { bytes, identity } : 'changing';
}

async function expelFile(disk: Disk, path: string, why: string): Promise<void> {
  const { folder: names, name } = namesOf(path);
  await within(disk.root, names, async (folder) => {
    if (!folder) return;
    await moveToQuarantine(disk, folder, [...names, name], why);
    if (disk.ledger.at(path)) {
      const { file } = disk.ledger.at(path)!;
      disk.ledger.drop(path);
      disk.requestRewrite(file);
    }
  });
}
