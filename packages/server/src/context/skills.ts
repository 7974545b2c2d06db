// What a prompt tells about the workspace's skills: names and descriptions. The model reads a skill's file when it needs it.

import type { KnownSkill } from '../agents/read-skills.ts';
import type { ToolSchema } from '../models/model.ts';
import { estimateText } from './history.ts';
import type { ContextPart, LeftOut } from './request.ts';

/** Maximum tokens of all skills in a prompt, estimated. */
const SKILL_TOKENS = 4000;

const INTRODUCTION =
  'The workspace has skills: instructions for particular tasks. If a task matches the description of a skill, read the skill’s file ' +
  'with the tool read before you begin, and follow it. Paths in a skill are relative to its folder.';

/** `tools`: those of the request. Without `read`, a model could not follow a skill. */
export function describeSkills(
  skills: readonly KnownSkill[],
  tools: readonly ToolSchema[],
): { readonly parts: readonly ContextPart[]; readonly leftOut: readonly LeftOut[] } {
  const usable = skills.filter(({ description }) => description !== null);
  if (usable.length === 0) return { parts: [], leftOut: [] };
  const canRead = tools.some(({ name }) => name === 'read');
  const parts: ContextPart[] = [];
  const leftOut: LeftOut[] = [];
  let tokens = estimateText(INTRODUCTION);
  for (const skill of usable) {
    const text = skillText(skill);
    const size = estimateText(text);
    const why = !canRead
      ? 'the role cannot read files'
      : tokens + size > SKILL_TOKENS
        ? `all skills may have at most ${SKILL_TOKENS} tokens`
        : null;
    if (why !== null) {
      leftOut.push({ what: `the skill ${skill.name}`, why, tokens: size });
      continue;
    }
    tokens += size;
    const { file: id, version, path } = skill;
    parts.push({ kind: 'skill', text, source: { kind: 'file', id, version, path } });
  }
  if (parts.length === 0) return { parts, leftOut };
  const introduction: ContextPart = {
    kind: 'skill',
    text: INTRODUCTION,
    source: { kind: 'text', name: 'skills' },
  };
  return { parts: [introduction, ...parts], leftOut };
}

export function skillText({
  name,
  path,
  description,
}: Pick<KnownSkill, 'name' | 'path' | 'description'>): string {
  return `- ${name} (${path}): ${description}`;
}
