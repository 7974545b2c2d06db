// Reads roles from a workspace's files: `/agents/<name>.md`, and `/AGENTS.md` for all roles. If the newest version of a role file
// has an error, its last valid version stays in use and the error is reported with it; without a valid version, the built-in role
// of that name is used; without that, the role is unusable.

import type { Role } from '@continuo/protocol';
import type { Pool } from '../db/pool.ts';
import { asText, readChunks, readWhole } from '../files/content.ts';
import { findFile, listFiles, type FileHead } from '../files/files.ts';
import { listVersions, readVersion, type FileVersion } from '../files/versions.ts';
import { fold } from '../case-folding.ts';
import {
  parseRoleFile,
  tooLong,
  ROLE_FILE_BYTES,
  type ParsedRole,
  type RoleDefinition,
} from './role-file.ts';

/** The most files in `/agents` that are read. */
const ROLE_FILES = 1000;
/** How many earlier versions are searched for a valid one. */
const EARLIER_VERSIONS = 100;
/** How many bytes of AGENTS.md models see. */
const GUIDE_BYTES = 32 * 1024;

const at = (path: string) => ({ path, folded: fold(path) });
const FOLDER = at('/agents');
const GUIDE = at('/AGENTS.md');

export async function listRoleFiles(
  pool: Pool,
  workspaceId: string,
): Promise<{ readonly files: readonly FileHead[]; readonly guide: FileHead | null }> {
  const [files, guide] = await Promise.all([
    listFiles(pool, workspaceId, { folder: FOLDER, limit: ROLE_FILES }),
    findFile(pool, workspaceId, GUIDE),
  ]);
  return { files: files.filter(({ kind }) => kind === 'agent'), guide };
}

interface Wanted {
  readonly name: string;
  readonly file: FileHead;
  readonly builtIn: RoleDefinition | undefined;
  /** The tool names that a role may list; undefined: any. */
  readonly tools: readonly string[] | undefined;
}

export async function readRole(pool: Pool, { name, file, builtIn, tools }: Wanted): Promise<Role> {
  const { path, version } = file;
  const newest = await parseVersion(pool, (await readVersion(pool, file.id, version))!, tools);
  if (newest.ok) return { name, ...newest.role, source: { kind: 'file', path, version }, problem: null };
  const problem = { path, version, ...newest.mistake };
  const good = await lastGood(pool, file, tools);
  if (good) return { name, ...good.role, source: { kind: 'file', path, version: good.version }, problem };
  if (builtIn) return { name, ...builtIn, source: { kind: 'built-in' }, problem };
  const nothing = {
    description: null,
    model: null,
    tools: null,
    permissions: [],
    limits: {},
    preamble: null,
  };
  return { name, ...nothing, source: { kind: 'file', path, version }, problem };
}

async function lastGood(
  pool: Pool,
  { id, path, version }: FileHead,
  tools: Wanted['tools'],
): Promise<{ version: number; role: RoleDefinition } | null> {
  for (const earlier of await listVersions(pool, id, { before: version, limit: EARLIER_VERSIONS })) {
    // A version at another path was not this role.
    if (earlier.path !== path) continue;
    const parsed = await parseVersion(pool, earlier, tools);
    if (parsed.ok) return { version: earlier.version, role: parsed.role };
  }
  return null;
}

async function parseVersion(
  pool: Pool,
  { size, chunks }: FileVersion,
  tools: Wanted['tools'],
): Promise<ParsedRole> {
  if (size > ROLE_FILE_BYTES) return tooLong(size);
  const text = asText(await readWhole(pool, chunks));
  return text === null
    ? { ok: false, mistake: { line: 1, column: 1, sentence: 'the file is not UTF-8 text' } }
    : parseRoleFile(text, tools);
}

/** Null if the file is not text. */
export async function readGuide(pool: Pool, file: FileHead): Promise<string | null> {
  if (!file.isText) return null;
  const { chunks } = (await readVersion(pool, file.id, file.version))!;
  const parts: Buffer[] = [];
  for await (const part of readChunks(pool, chunks, 0, GUIDE_BYTES)) parts.push(part);
  // `stream` drops an incomplete character at the end.
  const text = new TextDecoder().decode(Buffer.concat(parts), { stream: true }).trim();
  if (file.size <= GUIDE_BYTES) return text;
  return `${text}\n\n[AGENTS.md has ${file.size} bytes; only the first ${GUIDE_BYTES} are shown here.]`;
}
