// The texts of an earlier request's parts that are not stored, because they can be rebuilt: from the thread's log, or a version of a file.

import { readGuide } from '../agents/read-roles.ts';
import { parseRoleFile } from '../agents/role-file.ts';
import { parseSkillFile } from '../agents/skill-file.ts';
import type { Queryable } from '../db/pool.ts';
import { asText, readWhole } from '../files/content.ts';
import { readVersion } from '../files/versions.ts';
import type { ThreadState } from '../threads/fold.ts';
import { agentStatePart } from './agent-state.ts';
import type { ListedPart } from './manifest.ts';
import { documentText, guideText } from './parts.ts';
import { readBeginning } from './retrieval.ts';
import { skillText } from './skills.ts';
import { summaryPart } from './summary.ts';

/** Null if the source is gone. `state` is the thread's state when the request was made. */
export async function rebuildPart(
  client: Queryable,
  { kind, source, titles = [] }: Pick<ListedPart, 'kind' | 'source' | 'titles'>,
  { memory }: Pick<ThreadState, 'memory'>,
): Promise<string | null> {
  if (source.kind === 'event') {
    const part = kind === 'summary' ? summaryPart(memory) : agentStatePart(memory);
    return part?.text ?? null;
  }
  if (source.kind !== 'file') return null;
  if (kind === 'guide') {
    const guide = await readGuide(client, source);
    return guide && guideText(guide);
  }
  if (kind === 'document') {
    const beginning = await readBeginning(client, source);
    return beginning && documentText({ id: source.id, titles, ...beginning });
  }
  const file = await readVersion(client, source.id, source.version);
  const text = file && asText(await readWhole(client, file.chunks));
  if (text === null) return null;
  if (kind === 'role') {
    const parsed = await parseRoleFile(text, source.id);
    return parsed.ok ? parsed.role.preamble : null;
  }
  const { path } = file!;
  const name = path.split('/').at(-2)!;
  const parsed = await parseSkillFile(text, source.id, name);
  return parsed.ok ? skillText({ name, path, ...parsed.skill }) : null;
}
