// Reads the skills of a workspace from its files: `/.agents/skills/<name>/SKILL.md`. If the newest version of such a file has an
// error, its last valid version stays in use and the error is reported with it; without a valid version, the skill is unusable.

import type { Skill } from '@continuo/protocol';
import type { Pool } from '../db/pool.ts';
import { listFilesNamed, type FileHead } from '../files/files.ts';
import { fold } from '../names/case-folding.ts';
import { lastGood, parseNewest } from './read-versions.ts';
import { parseSkillFile, SKILL_FILE_BYTES, skillTooLong } from './skill-file.ts';

/** The most skills that are read. */
const SKILLS = 200;

const FOLDER = { path: '/.agents/skills', folded: fold('/.agents/skills') };

/** A skill, and the id of its file. */
export interface KnownSkill extends Skill {
  readonly file: string;
}

export function listSkillFiles(pool: Pool, workspaceId: string): Promise<readonly FileHead[]> {
  return listFilesNamed(pool, workspaceId, { folder: FOLDER, name: fold('SKILL.md'), limit: SKILLS });
}

export async function readSkill(pool: Pool, file: FileHead): Promise<KnownSkill> {
  const { path, version } = file;
  const name = path.split('/').at(-2)!;
  const format = {
    bytes: SKILL_FILE_BYTES,
    tooLong: skillTooLong,
    parse: (text: string) => parseSkillFile(text, file.id, name),
  };
  const known = { name, path, file: file.id };
  const newest = await parseNewest(pool, file, format);
  if (newest.ok) return { ...known, ...newest.skill, version, problem: null };
  const problem = { path, version, ...newest.mistake };
  const good = await lastGood(pool, file, format);
  if (good) return { ...known, ...good.parsed.skill, version: good.version, problem };
  return { ...known, description: null, license: null, compatibility: null, version, problem };
}
