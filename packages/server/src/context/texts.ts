// Stores the texts that requests are made of, each once. A pod remembers which texts it has stored, so that most requests store
// nothing.

import type { Pool, Queryable } from '../db/pool.ts';

export interface OwnedText {
  /** The workspace, or the thread if the text is made from its log. */
  readonly owner: string;
  readonly workspaceId: string;
  /** The entity that the text tells about. */
  readonly entity: string | null;
  /** The SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
  readonly text: () => string;
}

/** How many texts a pod remembers. */
const REMEMBERED = 50_000;

export class ContextTexts {
  readonly #pool: Pool;
  readonly #stored = new Set<string>();
  /** By text: the insert that is in flight. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Resolves when all texts are in the database; null if they are already. */
  store(texts: readonly OwnedText[]): Promise<unknown> | null {
    const unknown = texts.filter((each) => !this.#stored.has(keyOf(each)));
    if (unknown.length === 0) return null;
    const missing = unknown.filter((each) => !this.#storing.has(keyOf(each)));
    if (missing.length > 0) this.#start(missing);
    const stored = Promise.all(unknown.flatMap((each) => this.#storing.get(keyOf(each)) ?? []));
    // The caller may be interrupted before it waits for this.
    stored.catch(() => undefined);
    return stored;
  }

  #start(texts: readonly OwnedText[]): void {
    const inserted = insertTexts(this.#pool, texts).then(() => {
      if (this.#stored.size > REMEMBERED) this.#stored.clear();
      for (const each of texts) this.#stored.add(keyOf(each));
    });
    const settled = inserted.finally(() => {
      for (const each of texts) this.#storing.delete(keyOf(each));
    });
    settled.catch(() => undefined);
    for (const each of texts) this.#storing.set(keyOf(each), settled);
  }
}

async function insertTexts(pool: Pool, texts: readonly OwnedText[]): Promise<void> {
  await pool.query({
    name: 'store_context_texts',
    text: `insert into context_texts (owner_id, hash, workspace_id, entity_id, text)
      select owner, decode(hash, 'hex'), workspace, entity, text::json
      from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[]) as t (owner, hash, workspace, entity, text)
      on conflict do nothing`,
    values: [
      texts.map(({ owner }) => owner),
      texts.map(({ hash }) => hash),
      texts.map(({ workspaceId }) => workspaceId),
      texts.map(({ entity }) => entity),
      texts.map(({ text }) => JSON.stringify(text())),
    ],
  });
}

function keyOf({ owner, hash }: OwnedText): string {
  return `${owner} ${hash}`;
}

/** The texts with these hashes that the owners have, by hash. */
export async function readContextTexts(
  client: Queryable,
  owners: readonly string[],
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ hash: string; text: string }>({
    name: 'read_context_texts',
    text: `select encode(hash, 'hex') as hash, text::text as text from context_texts
      where owner_id = any ($1::uuid[]) and hash in (select decode(h, 'hex') from unnest($2::text[]) h)`,
    values: [owners, hashes],
  });
  return new Map(rows.map(({ hash, text }) => [hash, JSON.parse(text) as string]));
}
