// Parses a team file: YAML front matter (description, lead, members, plan, files) and a body, which says how the team works and is
// told to its lead when it plans.

import { z } from 'zod';
import { parsePath } from '../files/paths.ts';
import { mistake, readFrontMatter, type Failed } from './front-matter.ts';

/** The most bytes of a team file, the most members of a team, and the most files that all of them are told. */
export const TEAM_FILE_BYTES = 64 * 1024;
const MEMBERS = 20;
const FILES = 5;

export interface TeamDefinition {
  readonly description: string | null;
  /** The role that a person chooses. It writes the plan. */
  readonly lead: string;
  readonly members: string[];
  /** Where the lead writes the plan. */
  readonly plan: string;
  /** Files that the lead and the members are told, if they exist. */
  readonly files: string[];
  /** How the team works. */
  readonly text: string;
}

export type ParsedTeam = { readonly ok: true; readonly team: TeamDefinition } | Failed;

const roleName = z
  .string()
  .max(200)
  .regex(/^[^/\s]+$/, 'must be the name of a role, such as writer');
const path = z
  .string()
  .max(1000)
  .refine(
    (given) => given.startsWith('/') && parsePath(given).ok,
    'must be a path of the workspace, such as /content/STYLE.md',
  );

const frontMatter = z.strictObject({
  description: z.string().trim().min(1).max(500).optional(),
  lead: roleName,
  members: z.array(roleName).min(1).max(MEMBERS),
  plan: path
    .regex(/\.(md|plan)$/i, 'must be a file that can be a plan, such as /content/campaign-plan.md')
    .optional(),
  files: z.array(path).max(FILES).optional(),
});

/** `key`: the id of the file. */
export async function parseTeamFile(text: string, key: string, name: string): Promise<ParsedTeam> {
  const bytes = Buffer.byteLength(text);
  if (bytes > TEAM_FILE_BYTES) return teamTooLong(bytes);
  const read = await readFrontMatter(text, {
    key,
    schema: frontMatter,
    allowedIn: () => Object.keys(frontMatter.shape),
    check: ({ lead, members }) => {
      const again = members.findIndex((each, at) => each === lead || members.indexOf(each) !== at);
      return again < 0
        ? null
        : { path: ['members', again], sentence: `${members[again]} is already in the team` };
    },
  });
  if (!read.ok) return read;
  const { description = null, lead, members, plan = `/plans/${name}.plan`, files = [] } = read.given;
  return { ok: true, team: { description, lead, members, plan, files, text: read.body.trim() } };
}

export function teamTooLong(bytes: number): Failed {
  return mistake(1, 1, `the file has ${bytes} bytes; a team file may have at most ${TEAM_FILE_BYTES}`);
}
