// The content of files, split into chunks that are stored once each, under their hash. Chunks are stored before the
// version that needs them and outside its transaction; the version then marks them as kept. Chunks that no version
// keeps within an hour are swept. Content of a single chunk can be held back and stored by the statement that writes
// its version, which saves a commit.

import { createHash } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';

export const CHUNK_BYTES = 256 * 1024;

export interface StoredContent {
  readonly hash: Buffer;
  readonly size: number;
  readonly chunks: readonly Buffer[];
  /** UTF-8 without NUL. */
  readonly isText: boolean;
  /** The content itself, if it is not stored yet. */
  readonly held?: Buffer;
}

export async function storeContent(client: Queryable, content: Uint8Array | string): Promise<StoredContent> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : asBuffer(content);
  const chunks: { hash: Buffer; data: Buffer }[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const data = bytes.subarray(start, start + CHUNK_BYTES);
    chunks.push({ hash: sha256(data), data });
  }
  // One at a time: only one chunk is in a statement at once, and other requests get their turn.
  for (const { hash, data } of chunks) await storeChunk(client, hash, data);
  const hash = chunks.length === 1 ? chunks[0]!.hash : sha256(bytes);
  return {
    hash,
    size: bytes.length,
    chunks: chunks.map((chunk) => chunk.hash),
    isText: asText(bytes) !== null,
  };
}

/** Holds back content of a single chunk, to be stored with its version; stores any other content. */
export async function holdContent(client: Queryable, content: Uint8Array | string): Promise<StoredContent> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : asBuffer(content);
  if (bytes.length === 0 || bytes.length > CHUNK_BYTES) return storeContent(client, bytes);
  const hash = sha256(bytes);
  return { hash, size: bytes.length, chunks: [hash], isText: asText(bytes) !== null, held: bytes };
}

/** Stores a chunk, at once or together with others. */
export type Keep = (hash: Buffer, data: Buffer) => Promise<void>;

/** Stores content as it arrives, with one chunk in memory at a time. Null if it is longer than `limit`. */
export async function storeStream(
  keep: Keep,
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<StoredContent | null> {
  const whole = createHash('sha256');
  const chunks: Buffer[] = [];
  const text = new TextCheck();
  let size = 0;
  for await (const data of inChunks(stream)) {
    size += data.length;
    if (size > limit) return null;
    const hash = sha256(data);
    whole.update(data);
    text.read(data);
    await keep(hash, data);
    chunks.push(hash);
  }
  return { hash: whole.digest(), size, chunks, isText: text.end() };
}

/** Chunks are collected up to this many bytes, and then stored by one statement. */
const GATHERED_BYTES = 4 * 1024 * 1024;

/** Collects chunks, and stores them in large batches and at `flush`. */
export function gatherChunks(client: Queryable): { keep: Keep; flush: () => Promise<void> } {
  let chunks = new Map<string, { readonly hash: Buffer; readonly data: Buffer }>();
  let size = 0;
  const flush = async (): Promise<void> => {
    const gathered = [...chunks.values()];
    if (gathered.length === 0) return;
    await client.query({
      name: 'store_chunks',
      text: `insert into chunks (hash, data) select * from unnest($1::bytea[], $2::bytea[]) as u (hash, data) order by hash
        on conflict (hash) do update set touched_at = clock_timestamp() where not chunks.kept`,
      values: [gathered.map(({ hash }) => hash), gathered.map(({ data }) => data)],
    });
    [chunks, size] = [new Map(), 0];
  };
  const keep: Keep = async (hash, data) => {
    chunks.set(hash.toString('latin1'), { hash, data });
    size += data.length;
    if (size >= GATHERED_BYTES) await flush();
  };
  return { keep, flush };
}

export async function storeChunk(client: Queryable, hash: Buffer, data: Buffer): Promise<void> {
  await client.query({
    name: 'store_chunk',
    text: `insert into chunks (hash, data) values ($1, $2)
      on conflict (hash) do update set touched_at = clock_timestamp() where not chunks.kept`,
    values: [hash, data],
  });
}

async function* inChunks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.byteLength;
    if (size < CHUNK_BYTES) continue;
    const all = Buffer.concat(parts, size);
    const end = size - (size % CHUNK_BYTES);
    for (let start = 0; start < end; start += CHUNK_BYTES) yield all.subarray(start, start + CHUNK_BYTES);
    parts = [all.subarray(end)];
    size -= end;
  }
  if (size > 0) yield Buffer.concat(parts, size);
}

/** Checks incrementally whether bytes are UTF-8 text without NUL. */
class TextCheck {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #isText = true;

  read(bytes?: Uint8Array): void {
    if (!this.#isText) return;
    try {
      this.#isText = !this.#decoder.decode(bytes, { stream: bytes !== undefined }).includes('\0');
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#isText = false;
    }
  }

  end(): boolean {
    this.read();
    return this.#isText;
  }
}

/** Reads bytes from `start` up to `end`, chunk by chunk. */
export async function* readChunks(
  client: Queryable,
  chunks: readonly Buffer[],
  start = 0,
  end = Infinity,
): AsyncGenerator<Buffer> {
  const first = Math.floor(start / CHUNK_BYTES);
  for (let index = first; index < chunks.length && index * CHUNK_BYTES < end; index += 1) {
    const { rows } = await client.query<{ data: Buffer }>({
      name: 'read_chunk',
      text: 'select data from chunks where hash = $1',
      values: [chunks[index]],
    });
    const from = index * CHUNK_BYTES;
    yield rows[0]!.data.subarray(Math.max(0, start - from), end - from);
  }
}

export async function readWhole(client: Queryable, chunks: readonly Buffer[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readChunks(client, chunks)) parts.push(part);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** Deletes chunks that no version refers to, an hour after they were last stored. */
export async function sweepChunks(client: Queryable): Promise<number> {
  const { rowCount } = await client.query(
    `with loose as materialized (
        select hash from chunks where not kept and touched_at < clock_timestamp() - interval '1 hour'
      ), needed as materialized (
        select distinct c.hash from file_versions v cross join unnest(v.chunks) as c (hash)
          where exists (select from loose) and c.hash in (select hash from loose)
      ), kept as (
        update chunks c set kept = true from needed n where c.hash = n.hash
      )
      delete from chunks c using loose l
        where c.hash = l.hash and not c.kept and c.touched_at < clock_timestamp() - interval '1 hour'
          and not exists (select from needed n where n.hash = c.hash)`,
  );
  return rowCount ?? 0;
}

/** The text, if these bytes are UTF-8 without NUL. */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
