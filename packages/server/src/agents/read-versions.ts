// Reads versions of a file that governs agents, such as a role or a skill.

import type { Pool } from '../db/pool.ts';
import { asText, readWhole } from '../files/content.ts';
import type { FileHead } from '../files/files.ts';
import { listVersions, readVersion, type FileVersion } from '../files/versions.ts';
import type { Failed } from './front-matter.ts';

/** How many earlier versions are searched for a valid one. */
const EARLIER_VERSIONS = 100;

interface Format<T extends { readonly ok: true }> {
  /** The most bytes of the file. */
  readonly bytes: number;
  readonly tooLong: (bytes: number) => Failed;
  readonly parse: (text: string) => Promise<T | Failed>;
}

export async function parseNewest<T extends { readonly ok: true }>(
  pool: Pool,
  { id, version }: FileHead,
  format: Format<T>,
): Promise<T | Failed> {
  return parseVersion(pool, (await readVersion(pool, id, version))!, format);
}

/** The last valid version before the newest; null if there is none. */
export async function lastGood<T extends { readonly ok: true }>(
  pool: Pool,
  { id, path, version }: FileHead,
  format: Format<T>,
): Promise<{ readonly version: number; readonly parsed: T } | null> {
  for (const earlier of await listVersions(pool, id, { before: version, limit: EARLIER_VERSIONS })) {
    // A version at another path was not this role or skill.
    if (earlier.path !== path) continue;
    const parsed = await parseVersion(pool, earlier, format);
    if (parsed.ok) return { version: earlier.version, parsed };
  }
  return null;
}

async function parseVersion<T extends { readonly ok: true }>(
  pool: Pool,
  { size, chunks }: FileVersion,
  { bytes, tooLong, parse }: Format<T>,
): Promise<T | Failed> {
  if (size > bytes) return tooLong(size);
  const text = asText(await readWhole(pool, chunks));
  return text === null
    ? { ok: false, mistake: { line: 1, column: 1, sentence: 'the file is not UTF-8 text' } }
    : parse(text);
}
