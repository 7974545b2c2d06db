// Caches the roles and skills of each workspace: the built-in roles, overridden by the workspace's own files, and its skills. After
// a change in the workspace the cache checks the versions of these files, and reads them again only if they have changed.

import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Role } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import { listRoleFiles, readGuide, readRole } from './read-roles.ts';
import { listSkillFiles, readSkill, type KnownSkill } from './read-skills.ts';
import { parseRoleFile, type RoleDefinition } from './role-file.ts';

export const DEFAULT_ROLE = 'assistant';

/** For how many workspaces roles are cached. */
const WORKSPACES_KEPT = 1000;

interface WorkspaceRoles {
  /** By name; unusable roles have no preamble. */
  readonly roles: ReadonlyMap<string, Role>;
  /** The workspace's guide (AGENTS.md), which every role gets. */
  readonly guide: string | null;
  /** By name; unusable skills have no description. */
  readonly skills: readonly KnownSkill[];
  /** Identifies the file versions that this was read from. */
  readonly stamp: string;
}

export interface Roles {
  of(workspaceId: string): Promise<WorkspaceRoles>;
  /** Call when something changed in the workspace; null: in any workspace. */
  changed(workspaceId: string | null): void;
}

/** `tools`: the names of the tools of every workspace; without them a role may name any tool. */
export async function createRoles(pool: Pool, tools?: readonly string[]): Promise<Roles> {
  const builtIn = await loadBuiltIn(tools);
  const kept = new Map<string, { stale: boolean; readonly read: Promise<WorkspaceRoles> }>();
  return {
    of(workspaceId) {
      const known = kept.get(workspaceId);
      if (known && !known.stale) return known.read;
      if (kept.size >= WORKSPACES_KEPT) kept.clear();
      const entry = { stale: false, read: readAgain({ pool, builtIn, tools }, workspaceId, known?.read) };
      kept.set(workspaceId, entry);
      entry.read.catch(() => (entry.stale = true));
      return entry.read;
    },
    changed(workspaceId) {
      for (const entry of workspaceId === null ? kept.values() : [kept.get(workspaceId)])
        if (entry) entry.stale = true;
    },
  };
}

export function subscribeRoles(bus: Bus, roles: Roles): void {
  bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => roles.changed(workspaceId),
    rescan: () => roles.changed(null),
  });
}

type BuiltIn = ReadonlyMap<string, RoleDefinition>;

async function loadBuiltIn(tools: readonly string[] | undefined): Promise<BuiltIn> {
  const folder = new URL('./built-in/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted();
  const entries = names.map(async (name) => {
    const parsed = parseRoleFile(await readFile(new URL(name, folder), 'utf8'), tools);
    if (!parsed.ok) throw new Error(`${name}: ${JSON.stringify(parsed.mistake)}`);
    return [basename(name, '.md'), parsed.role] as const;
  });
  return new Map(await Promise.all(entries));
}

interface Known {
  readonly pool: Pool;
  readonly builtIn: BuiltIn;
  readonly tools: readonly string[] | undefined;
}

async function readAgain(
  { pool, builtIn, tools }: Known,
  workspaceId: string,
  before: Promise<WorkspaceRoles> | undefined,
): Promise<WorkspaceRoles> {
  const [{ files, guide }, skillFiles] = await Promise.all([
    listRoleFiles(pool, workspaceId),
    listSkillFiles(pool, workspaceId),
  ]);
  const stamp = [...files, guide, ...skillFiles]
    .map((file) => (file ? `${file.id}.${file.version}` : ''))
    .join(' ');
  const known = await before?.catch(() => undefined);
  if (known?.stamp === stamp) return known;
  const roles = new Map<string, Role>();
  for (const [name, role] of builtIn)
    roles.set(name, { name, ...role, source: { kind: 'built-in' }, problem: null });
  for (const file of files) {
    const name = basename(file.path).replace(/\.md$/i, '');
    roles.set(name, await readRole(pool, { name, file, builtIn: builtIn.get(name), tools }));
  }
  const skills: KnownSkill[] = [];
  for (const file of skillFiles) skills.push(await readSkill(pool, file));
  return { roles, guide: guide && (await readGuide(pool, guide)), skills, stamp };
}
