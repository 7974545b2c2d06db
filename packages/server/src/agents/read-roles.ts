// Reads roles from a workspace's files: `/agents/<name>.md`, and `/AGENTS.md` for all roles. If the newest version of a role file
// has an error, its last valid version stays in use and the error is reported with it; without a valid version, the built-in role
// of that name is used; without that, the role is unusable.

import { basename } from 'node:path';
import type { Role } from '@continuo/protocol';
import type { Pool, Queryable } from '../db/pool.ts';
import { readChunks } from '../files/content.ts';
import { findFile, listFiles, type FileHead } from '../files/files.ts';
import { readVersion } from '../files/versions.ts';
import { fold } from '../names/case-folding.ts';
import { lastGood, parseNewest } from './read-versions.ts';
import { teamNameOf } from './read-teams.ts';
import { parseRoleFile, tooLong, ROLE_FILE_BYTES, type RoleDefinition } from './role-file.ts';

/** The most files in `/agents` that are read. */
const ROLE_FILES = 1000;
/** How many bytes of AGENTS.md, or of a file that a team is told, models see. */
const GUIDE_BYTES = 32 * 1024;

const at = (path: string) => ({ path, folded: fold(path) });
const FOLDER = at('/agents');
const GUIDE = at('/AGENTS.md');

export async function listRoleFiles(
  pool: Pool,
  workspaceId: string,
): Promise<{
  readonly files: readonly FileHead[];
  readonly teams: readonly FileHead[];
  readonly guide: FileHead | null;
}> {
  const [files, guide] = await Promise.all([
    listFiles(pool, workspaceId, { folder: FOLDER, limit: ROLE_FILES }),
    findFile(pool, workspaceId, GUIDE),
  ]);
  return {
    files: files.filter(({ kind }) => kind === 'agent'),
    teams: files.filter(({ path }) => teamNameOf(path) !== null),
    guide,
  };
}

interface Wanted {
  readonly name: string;
  readonly file: FileHead;
  readonly builtIn: RoleDefinition | undefined;
  /** The tool names that a role may list; undefined: any. */
  readonly tools: readonly string[] | undefined;
}

/** A role, and the id of its file; null if it is built in. */
export interface KnownRole extends Role {
  readonly file: string | null;
}

export async function readRole(pool: Pool, wanted: Wanted): Promise<KnownRole> {
  const role = await readRoleFile(pool, wanted);
  return { ...role, file: role.source.kind === 'file' ? wanted.file.id : null };
}

async function readRoleFile(pool: Pool, { name, file, builtIn, tools }: Wanted): Promise<Role> {
  const { path, version } = file;
  const format = {
    bytes: ROLE_FILE_BYTES,
    tooLong,
    parse: (text: string) => parseRoleFile(text, file.id, tools),
  };
  const newest = await parseNewest(pool, file, format);
  if (newest.ok) return { name, ...newest.role, source: { kind: 'file', path, version }, problem: null };
  const problem = { path, version, ...newest.mistake };
  const good = await lastGood(pool, file, format);
  if (good)
    return { name, ...good.parsed.role, source: { kind: 'file', path, version: good.version }, problem };
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

/** A file that models are told: AGENTS.md, or a file of a team. */
export interface Guide {
  readonly id: string;
  readonly path: string;
  readonly version: number;
  readonly text: string;
}

/** Null if the file is not text, or empty. */
export async function readGuide(
  client: Queryable,
  { id, version }: Pick<FileHead, 'id' | 'version'>,
): Promise<Guide | null> {
  const file = await readVersion(client, id, version);
  if (!file?.isText) return null;
  const { path, size, chunks } = file;
  const parts: Buffer[] = [];
  for await (const part of readChunks(client, chunks, 0, GUIDE_BYTES)) parts.push(part);
  // `stream` drops an incomplete character at the end.
  const beginning = new TextDecoder().decode(Buffer.concat(parts), { stream: true }).trim();
  if (beginning === '') return null;
  const cut = `\n\n[${basename(path)} has ${size} bytes; only the first ${GUIDE_BYTES} are shown here.]`;
  return { id, path, version, text: size <= GUIDE_BYTES ? beginning : `${beginning}${cut}` };
}
