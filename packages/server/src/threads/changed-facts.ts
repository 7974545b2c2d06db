// What a call changed, in one line for models: it stays in the conversation when the call's output does not.

import type { EventData } from '@continuo/protocol';

/** Maximum characters of a fact. */
const LONGEST = 200;
/** Members that change with every version, or that say nothing to a reader. */
const NOT_TOLD = new Set(['version', 'updated_at', 'content_version', 'created_at', 'removed_at']);

export function factOfFile({ path, v, from, removed }: EventData['file_updated']): string {
  if (removed) return `removed ${path}`;
  return from === undefined ? `wrote ${path}, version ${v}` : `moved ${from} to ${path}, version ${v}`;
}

/** Null for a document structure: its documents have patches of their own. */
export function factOfPatch(patch: EventData['entity_patch']): string | null {
  const { entity_type, entity_id, entity_name = '', version, patch: operations } = patch;
  if (entity_type === 'doc_structure') return null;
  const what = `${entity_type} “${entity_name}” (${entity_id})`;
  if (isRemoval(patch)) return `removed ${what}`;
  if (operations[0]?.path === '') return `created ${what}`;
  const values = operations.flatMap(({ path, value }) => {
    const member = path.slice(1);
    if (member.includes('/') || NOT_TOLD.has(member) || typeof value === 'object') return [];
    return [`${member} is ${JSON.stringify(value)}`];
  });
  const told = values.length === 0 ? '' : `: ${values.join(', ')}`;
  return `changed ${what} to version ${version}${told}`.slice(0, LONGEST);
}

export function isRemoval({ patch }: Pick<EventData['entity_patch'], 'patch'>): boolean {
  return patch.some(({ path, value }) => path === '/removed_at' && typeof value === 'string');
}
