// Parses the SKILL.md of an Agent Skill (https://agentskills.io): YAML front matter with a name and a description, which every
// prompt has, and a body with instructions, which a model reads on demand.

import { z } from 'zod';
import { mistake, readFrontMatter, type Failed } from './front-matter.ts';

/** The most bytes of a SKILL.md. */
export const SKILL_FILE_BYTES = 256 * 1024;

interface SkillDefinition {
  readonly description: string;
  readonly license: string | null;
  readonly compatibility: string | null;
}

export type ParsedSkill = { readonly ok: true; readonly skill: SkillDefinition } | Failed;

/** Other tools put keys of their own beside those of the format, so unknown ones are ignored. */
const frontMatter = z.object({
  name: z
    .string({ error: 'must be the name of the skill’s folder' })
    .max(64)
    .regex(
      /^[a-z\d]+(-[a-z\d]+)*$/,
      'may have lower-case letters, digits and single hyphens, such as pdf-forms',
    ),
  description: z
    .string({ error: 'must say in a sentence or two what the skill does and when to use it' })
    .trim()
    .min(1, 'must not be empty: say what the skill does and when to use it')
    .max(1024),
  license: z.string().trim().max(500).optional(),
  compatibility: z.string().trim().max(500).optional(),
});

/** `key`: the id of the file. `folder`: the name of the skill's folder, which is also the skill's name. */
export async function parseSkillFile(text: string, key: string, folder: string): Promise<ParsedSkill> {
  const bytes = Buffer.byteLength(text);
  if (bytes > SKILL_FILE_BYTES) return skillTooLong(bytes);
  const read = await readFrontMatter(text, {
    key,
    schema: frontMatter,
    allowedIn: () => Object.keys(frontMatter.shape),
    check: ({ name }) =>
      name === folder ? null : { path: ['name'], sentence: `must be ${folder}, like the skill’s folder` },
  });
  if (!read.ok) return read;
  if (read.body.trim() === '')
    return mistake(
      text.split('\n').length,
      1,
      'the file has no text after its front matter; write the skill’s instructions there',
    );
  const { description, license = null, compatibility = null } = read.given;
  return { ok: true, skill: { description: onOneLine(description), license, compatibility } };
}

export function skillTooLong(bytes: number): Failed {
  return mistake(1, 1, `the file has ${bytes} bytes; a SKILL.md may have at most ${SKILL_FILE_BYTES}`);
}

/** A description must not look like another entry of the list that models are shown. */
function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
