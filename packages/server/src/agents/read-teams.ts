// Reads teams from a workspace's files: `/agents/teams/<name>.md`. As with roles, the last valid version of a file with a mistake
// stays in use, or else the built-in team of that name.

import type { Team } from '@continuo/protocol';
import { fold } from '../names/case-folding.ts';
import type { Pool } from '../db/pool.ts';
import { findFiles, type FileHead } from '../files/files.ts';
import { lastGood, parseNewest } from './read-versions.ts';
import { parseTeamFile, TEAM_FILE_BYTES, teamTooLong, type TeamDefinition } from './team-file.ts';

/** The name of the team that a file defines; null if it defines none. */
export function teamNameOf(path: string): string | null {
  return /^\/agents\/teams\/([^/]+)\.md$/i.exec(path)?.[1] ?? null;
}

export async function readTeam(
  pool: Pool,
  file: FileHead,
  builtIn: TeamDefinition | undefined,
): Promise<Team> {
  const { path, version } = file;
  const name = teamNameOf(path)!;
  const format = {
    bytes: TEAM_FILE_BYTES,
    tooLong: teamTooLong,
    parse: (text: string) => parseTeamFile(text, file.id, name),
  };
  const newest = await parseNewest(pool, file, format);
  if (newest.ok) return { name, ...newest.team, source: { kind: 'file', path, version }, problem: null };
  const problem = { path, version, ...newest.mistake };
  const good = await lastGood(pool, file, format);
  if (good)
    return { name, ...good.parsed.team, source: { kind: 'file', path, version: good.version }, problem };
  if (builtIn) return { name, ...builtIn, source: { kind: 'built-in' }, problem };
  return { name, ...NOTHING, source: { kind: 'file', path, version }, problem };
}

const NOTHING = { description: null, lead: null, members: [], plan: null, files: [], text: null };

export async function findTeamFiles(
  pool: Pool,
  workspaceId: string,
  teams: readonly Pick<Team, 'files'>[],
): Promise<readonly FileHead[]> {
  const paths = [...new Set(teams.flatMap(({ files }) => files))];
  if (paths.length === 0) return [];
  const found = await findFiles(
    pool,
    workspaceId,
    paths.map((path) => ({ path, folded: fold(path) })),
  );
  return [...found.values()];
}
