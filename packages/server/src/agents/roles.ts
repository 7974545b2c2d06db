// Caches the roles, teams and skills of each workspace: the built-in roles and teams, overridden by the workspace's own files. After
// a change in the workspace the cache checks the versions of these files, and reads them again only if they have changed.

import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Team } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import type { Failed } from './front-matter.ts';
import { listRoleFiles, readGuide, readRole, type Guide, type KnownRole } from './read-roles.ts';
import { listSkillFiles, readSkill, type KnownSkill } from './read-skills.ts';
import { findTeamFiles, readTeam, teamNameOf } from './read-teams.ts';
import { parseRoleFile, type RoleDefinition } from './role-file.ts';
import { parseTeamFile, type TeamDefinition } from './team-file.ts';

export const DEFAULT_ROLE = 'assistant';

/** For how many workspaces roles are cached. */
const WORKSPACES_KEPT = 1000;

interface WorkspaceRoles {
  /** By name; unusable roles have no preamble. */
  readonly roles: ReadonlyMap<string, KnownRole>;
  /** By name; unusable teams have no lead. */
  readonly teams: ReadonlyMap<string, Team>;
  /** The files that teams are told, those that exist, by path. */
  readonly teamFiles: ReadonlyMap<string, Guide>;
  /** The workspace's guide (AGENTS.md), which every role gets. */
  readonly guide: Guide | null;
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

interface BuiltIn {
  readonly roles: ReadonlyMap<string, RoleDefinition>;
  readonly teams: ReadonlyMap<string, TeamDefinition>;
}

async function loadBuiltIn(tools: readonly string[] | undefined): Promise<BuiltIn> {
  const [roles, teams] = await Promise.all([
    loadFolder('./built-in/', (text, name) => parseRoleFile(text, name, tools)),
    loadFolder('./built-in/teams/', (text, name) => parseTeamFile(text, name, name)),
  ]);
  return {
    roles: new Map(roles.map(([name, { role }]) => [name, role])),
    teams: new Map(teams.map(([name, { team }]) => [name, team])),
  };
}

async function loadFolder<T extends { readonly ok: true }>(
  path: string,
  parse: (text: string, name: string) => Promise<T | Failed>,
): Promise<readonly (readonly [name: string, parsed: T])[]> {
  const folder = new URL(path, import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const name = basename(file, '.md');
      const parsed = await parse(await readFile(new URL(file, folder), 'utf8'), name);
      if (!parsed.ok) throw new Error(`${file}: ${JSON.stringify(parsed.mistake)}`);
      return [name, parsed] as const;
    }),
  );
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
  const [{ files, teams: teamDefinitions, guide }, skillFiles] = await Promise.all([
    listRoleFiles(pool, workspaceId),
    listSkillFiles(pool, workspaceId),
  ]);
  const teams = new Map<string, Team>();
  for (const [name, team] of builtIn.teams)
    teams.set(name, { name, ...team, source: { kind: 'built-in' }, problem: null });
  for (const file of teamDefinitions) {
    const team = await readTeam(pool, file, builtIn.teams.get(teamNameOf(file.path)!));
    teams.set(team.name, team);
  }
  const told = await findTeamFiles(pool, workspaceId, [...teams.values()]);
  const stamp = [...files, ...teamDefinitions, ...told, guide, ...skillFiles]
    .map((file) => (file ? `${file.id}.${file.version}` : ''))
    .join(' ');
  const known = await before?.catch(() => undefined);
  if (known?.stamp === stamp) return known;
  const roles = new Map<string, KnownRole>();
  for (const [name, role] of builtIn.roles)
    roles.set(name, { name, ...role, source: { kind: 'built-in' }, problem: null, file: null });
  for (const file of files) {
    const name = basename(file.path).replace(/\.md$/i, '');
    roles.set(name, await readRole(pool, { name, file, builtIn: builtIn.roles.get(name), tools }));
  }
  const skills: KnownSkill[] = [];
  for (const file of skillFiles) skills.push(await readSkill(pool, file));
  const teamFiles = new Map<string, Guide>();
  for (const file of told) {
    const read = await readGuide(pool, file);
    if (read) teamFiles.set(file.path, read);
  }
  return { roles, teams, teamFiles, guide: guide && (await readGuide(pool, guide)), skills, stamp };
}

/** The files that the teams of a role are told. */
export function filesToldTo(
  role: string,
  { teams, teamFiles }: Pick<WorkspaceRoles, 'teams' | 'teamFiles'>,
): readonly Guide[] {
  const paths = [...teams.values()]
    .filter(({ lead, members }) => lead === role || members.includes(role))
    .flatMap(({ files }) => files);
  return [...new Set(paths)].flatMap((path) => teamFiles.get(path) ?? []);
}
