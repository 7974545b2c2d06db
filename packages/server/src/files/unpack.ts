// Unpacks an uploaded zip into a folder. The archive is not trusted: its directory is read first, and limits are
// applied to the sizes that it claims before anything is unpacked; each name is validated like every other path; an
// entry may not hold more than it claims. Files are written in batches, one transaction each.

import { crc32 } from 'node:zlib';
import type { Readable } from 'node:stream';
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from 'yauzl';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { gatherChunks, storeStream, type Keep, type StoredContent } from './content.ts';
import { lockFiles, writeFile, type Author, type Changed } from './files.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../limits/yielding.ts';
import { governsAgents, isReadOnly, parsePath, type FilePath } from './paths.ts';

export const ARCHIVE_ENTRIES = 10_000;
/** Maximum size of the zip itself, and of its unpacked content. */
export const ARCHIVE_BYTES = 256 * 1024 * 1024;
export const UNPACKED_BYTES = 1024 * 1024 * 1024;
/**
 * How much larger the content may be than the zip. The limit applies only to content of at least `RATIO_FROM` bytes.
 */
const RATIO = 100;
const RATIO_FROM = 16 * 1024 * 1024;
/** Files in one transaction. */
const BATCH_FILES = 200;

export interface Unpacking {
  readonly workspaceId: string;
  readonly folder: FilePath;
  readonly author: Author;
  /** Whether role files and AGENTS.md may be written. */
  readonly governing: boolean;
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
  /** Stops between two files; files already written stay. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each transaction. */
  readonly committed: (changes: readonly Changed[]) => Promise<void>;
}

export interface Unpacked {
  written: number;
  unchanged: number;
  bytes: number;
  readonly refused: { readonly name: string; readonly problem: string }[];
}

/** The archive as a whole is refused; nothing was unpacked. */
export class BadArchive extends Error {
  readonly kind: 'not_a_zip' | 'too_many_files' | 'too_large' | 'too_dense';

  constructor(kind: BadArchive['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface Member {
  readonly entry: Entry;
  readonly name: string;
  readonly path: FilePath;
}

/** `unpacked` is updated along the way: after a failure it says how far the work got. */
export async function unpack(
  pool: Pool,
  file: string,
  unpacking: Unpacking,
  unpacked: Unpacked,
): Promise<void> {
  const zip = await openArchive(file);
  try {
    const members = await readDirectory(zip, unpacking, unpacked.refused);
    const { keep, flush } = gatherChunks(pool);
    const write = async (): Promise<void> => {
      await flush();
      await writeBatch(pool, batch, unpacking, unpacked);
    };
    let batch: { readonly member: Member; readonly content: StoredContent }[] = [];
    for (const member of members) {
      unpacking.signal?.throwIfAborted();
      const content = await contentOf(keep, zip, member, unpacking.maxFileBytes);
      if (!content) {
        unpacked.refused.push({ name: member.name, problem: 'it is damaged' });
        continue;
      }
      batch.push({ member, content });
      if (batch.length < BATCH_FILES) continue;
      await write();
      batch = [];
    }
    if (batch.length > 0) await write();
  } finally {
    zip.close();
  }
}

export function openArchive(file: string): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true };
  return openPromise(file, options).catch((error: Error) => {
    throw new BadArchive('not_a_zip', error.message);
  });
}

type Accepting = Pick<Unpacking, 'folder' | 'governing' | 'maxFileBytes' | 'signal'>;

/** The entries that can become files below the folder. The others are added to `refused`. */
export async function readDirectory(
  zip: ZipFile,
  unpacking: Accepting,
  refused: { readonly name: string; readonly problem: string }[],
): Promise<readonly Member[]> {
  if (zip.entryCount > ARCHIVE_ENTRIES)
    throw new BadArchive('too_many_files', `it has ${zip.entryCount} entries`);
  const members: Member[] = [];
  const seen = new Set<string>();
  let total = 0;
  try {
    let read = 0;
    for await (const entry of zip.eachEntry()) {
      read += 1;
      if (read % ITEMS_PER_TURN === 0) await yieldWithAbortCheck({ mode: 'fast', signal: unpacking.signal });
      const name = nameOf(entry);
      if (name.endsWith('/')) continue;
      const member = memberOf(entry, name, unpacking);
      if (typeof member !== 'string' && !seen.has(member.path.folded)) {
        seen.add(member.path.folded);
        total += entry.uncompressedSize;
        members.push(member);
      } else {
        refused.push({ name, problem: typeof member === 'string' ? member : 'its path occurs twice' });
      }
    }
  } catch (error) {
    unpacking.signal?.throwIfAborted();
    throw new BadArchive('not_a_zip', (error as Error).message);
  }
  if (total > UNPACKED_BYTES) throw new BadArchive('too_large', `it unpacks to ${total} bytes`);
  if (total > RATIO_FROM && total > zip.fileSize * RATIO)
    throw new BadArchive('too_dense', `${zip.fileSize} bytes unpack to ${total}`);
  return members;
}

/** Returns the problem as a string if the entry is refused. */
function memberOf(
  entry: Entry,
  name: string,
  { folder, maxFileBytes, governing }: Accepting,
): Member | string {
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (type === 0o120000) return 'it is a link';
  if (type !== 0 && type !== 0o100000) return 'it is not a file';
  if (entry.isEncrypted()) return 'it is encrypted';
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    return 'its compression method is not supported';
  if (entry.uncompressedSize > maxFileBytes) return `it is larger than ${maxFileBytes} bytes`;
  // The name is checked on its own first: the folder prefix must not hide a leading slash or a dot.
  if (name.startsWith('/')) return 'its path begins with a slash';
  const own = parsePath(name);
  const parsed = own.ok ? parsePath(`${folder.path === '/' ? '' : folder.path}${own.path.path}`) : own;
  if (!parsed.ok) return parsed.problem;
  if (!governing && governsAgents(parsed.path))
    return 'only a person may change /AGENTS.md and the files in /agents: send the person’s token';
  return isReadOnly(parsed.path)
    ? 'everything under /chats is read-only'
    : { entry, name, path: parsed.path };
}

function nameOf(entry: Entry): string {
  const raw = entry.fileName as unknown as Buffer;
  return getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true);
}

/** Null if the entry does not match the archive's directory. */
export async function contentOf(
  keep: Keep,
  zip: ZipFile,
  { entry }: Member,
  limit: number,
): Promise<StoredContent | null> {
  let sum = 0;
  let damaged = false;
  const checked = async function* (stream: Readable): AsyncGenerator<Buffer> {
    try {
      for await (const data of stream as AsyncIterable<Buffer>) {
        sum = crc32(data, sum);
        yield data;
      }
    } catch {
      // Whatever the error is: the entry's bytes are not what the directory claims.
      damaged = true;
    }
  };
  const stream = await zip.openReadStreamPromise(entry).catch(() => null);
  if (!stream) return null;
  const content = await storeStream(keep, checked(stream), limit);
  return damaged || sum !== entry.crc32 ? null : content;
}

/** Locks the chunks in one order, so that two uploads with the same content do not deadlock. */
export async function lockChunks(client: Queryable, contents: readonly StoredContent[]): Promise<void> {
  await client.query('select from chunks where hash = any ($1) and not kept order by hash for update', [
    contents.flatMap(({ chunks }) => chunks),
  ]);
}

async function writeBatch(
  pool: Pool,
  batch: readonly { readonly member: Member; readonly content: StoredContent }[],
  { workspaceId, author, quotaBytes, committed }: Unpacking,
  unpacked: Unpacked,
): Promise<void> {
  const outcomes = await transaction(pool, async (client) => {
    const paths = batch.map(({ member }) => member.path);
    await lockFiles(client, workspaceId, paths);
    await lockChunks(
      client,
      batch.map(({ content }) => content),
    );
    const changes: Changed[] = [];
    for (const { member, content } of batch) {
      changes.push(
        await writeFile(client, {
          workspaceId,
          path: member.path,
          author,
          base: null,
          content,
          quotaBytes,
        }),
      );
    }
    return changes;
  });
  outcomes.forEach((outcome, index) => {
    const { member, content } = batch[index]!;
    if (outcome.kind === 'in_the_way') unpacked.refused.push({ name: member.name, problem: outcome.problem });
    if (outcome.kind === 'unchanged') unpacked.unchanged += 1;
    if (outcome.kind !== 'changed') return;
    unpacked.written += 1;
    unpacked.bytes += content.size;
  });
  await committed(outcomes);
}
