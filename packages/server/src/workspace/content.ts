// The bytes of files: cut into chunks, each stored once under its hash. Chunks are stored before the version that
// needs them, outside its transaction, and kept by it; what no version kept within an hour is swept.

import { createHash } from 'node:crypto';
import type { Pool, Queryable } from '../db/pool.ts';

const CHUNK_BYTES = 256 * 1024;
/** Of a text, what search finds it by. */
const WORDS_CHARACTERS = 128 * 1024;

export interface StoredContent {
  readonly hash: Buffer;
  readonly size: number;
  readonly chunks: readonly Buffer[];
  /** The beginning of a text, for search; null if the content is not UTF-8 text. */
  readonly words: string | null;
}

export async function storeContent(client: Queryable, content: Uint8Array | string): Promise<StoredContent> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : asBuffer(content);
  const chunks: { hash: Buffer; data: Buffer }[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const data = bytes.subarray(start, start + CHUNK_BYTES);
    chunks.push({ hash: sha256(data), data });
  }
  // One at a time: a statement holds one chunk in memory, and other requests get their turn.
  for (const { hash, data } of chunks) {
    await client.query({
      name: 'store_chunk',
      text: `insert into chunks (hash, data) values ($1, $2)
        on conflict (hash) do update set touched_at = clock_timestamp() where not chunks.kept`,
      values: [hash, data],
    });
  }
  const hash = chunks.length === 1 ? chunks[0]!.hash : sha256(bytes);
  return { hash, size: bytes.length, chunks: chunks.map((chunk) => chunk.hash), words: wordsOf(bytes) };
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

/** Deletes chunks that no version has, an hour after they were last stored. */
export async function sweepChunks(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `with loose as materialized (
        select hash from chunks where not kept and touched_at < clock_timestamp() - interval '1 hour'
      ), needed as materialized (
        select distinct l.hash from loose l where exists (select from loose)
          and exists (select from file_versions v where l.hash = any (v.chunks))
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

function wordsOf(bytes: Buffer): string | null {
  const text = asText(bytes);
  return text === null ? null : text.slice(0, WORDS_CHARACTERS).toWellFormed();
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
