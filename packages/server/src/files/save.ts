// Saves content under a path, and resolves the case that the file has changed since the writer read it.

import { TooMuchWork, workers } from '../compute/pool.ts';
import type { Queryable } from '../db/pool.ts';
import { asText, holdContent, readWhole, type StoredContent } from './content.ts';
import { writeFile, type Changed, type FileHead, type Write, type CommittedChange } from './files.ts';
import { readVersion } from './versions.ts';

/** Maximum size of a text that is merged. */
export const MERGE_BYTES = 1024 * 1024;
/** How often a merge is retried because another writer was faster. */
const MERGE_TRIES = 100;

export interface Save extends Omit<Write, 'content'> {
  /** Null: `content` is used instead. */
  readonly bytes: Uint8Array | null;
  /** The content, if it is already stored. */
  readonly content?: StoredContent;
  /** Whether a stale text may be merged with the current version. */
  readonly merge: boolean;
  /** The content that the writer started from, if it was not a version. */
  readonly from?: Uint8Array | undefined;
}

export type Saved =
  | Exclude<Changed, { kind: 'conflict' }>
  /** Written, merged with the changes that others had made. */
  | (Omit<CommittedChange, 'kind'> & { readonly kind: 'merged'; readonly bytes: Buffer })
  | { readonly kind: 'conflict'; readonly file: FileHead | null; readonly theirs: Buffer | null };

/** Content longer than a chunk is stored through `store`, outside the transaction that `client` may be in. */
export async function saveFile(store: Queryable, client: Queryable, save: Save): Promise<Saved> {
  const given = save.content ?? (await holdContent(store, save.bytes ?? Buffer.alloc(0)));
  let content = given;
  let { base } = save;
  let merged: Buffer | null = null;
  for (let tries = 0; ; tries += 1) {
    const outcome = await writeFile(client, { ...save, base, content });
    if (outcome.kind === 'changed' && merged) return { ...outcome, kind: 'merged', bytes: merged };
    if (outcome.kind !== 'conflict') return outcome;
    const { file } = outcome;
    const theirs = file && (await readHead(client, file));
    const text =
      save.merge && file && theirs && save.base && tries < MERGE_TRIES
        ? await merge(client, file, save, given, theirs)
        : null;
    if (text === null) return { kind: 'conflict', file, theirs };
    merged = Buffer.from(text);
    content = await holdContent(store, merged);
    base = file!.version;
  }
}

/** The current content of a file. */
export async function readHead(client: Queryable, file: FileHead): Promise<Buffer> {
  const version = await readVersion(client, file.id, file.version);
  return readWhole(client, version!.chunks);
}

async function merge(
  client: Queryable,
  file: FileHead,
  { workspaceId, base, from, bytes }: Save,
  given: StoredContent,
  theirs: Buffer,
): Promise<string | null> {
  if (Math.max(theirs.length, given.size) > MERGE_BYTES) return null;
  const version = from ? null : await readVersion(client, file.id, base!);
  if (!from && (!version || version.size > MERGE_BYTES)) return null;
  const texts = [
    from ?? (await readWhole(client, version!.chunks)),
    bytes ?? given.held ?? (await readWhole(client, given.chunks)),
    theirs,
  ].map(asText);
  const [before, mine, now] = texts;
  if (before == null || mine == null || now == null) return null;
  // A merge that takes too long is reported as a conflict.
  return workers
    .run('merge', { base: before, mine, theirs: now }, { key: workspaceId })
    .catch((error: unknown) => {
      if (error instanceof TooMuchWork) return null;
      throw error;
    });
}
