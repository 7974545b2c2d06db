// The parts of a model's context in words, in groups, and compared between two calls. Pure.

import type { ModelContext } from '../data/run-queries.ts';

export type ContextPart = ModelContext['parts'][number];

const GROUPS = ['Instructions', 'Tools', 'Project', 'Memory', 'Messages'] as const;
export type Group = (typeof GROUPS)[number];

/** The colour of each group's bars. */
export const COLOURS: Readonly<Record<Group, string>> = {
  Instructions: 'bg-accent',
  Tools: 'bg-strong',
  Project: 'bg-warn',
  Memory: 'bg-bad',
  Messages: 'bg-good',
};

const OF_PROJECT: ReadonlySet<string> = new Set(['structure', 'project', 'entity', 'activity', 'document']);
const OF_MEMORY: ReadonlySet<string> = new Set(['summary', 'agent_state']);

export function groupOf({ place, kind }: Pick<ContextPart, 'place' | 'kind'>): Group {
  if (place === 'tools') return 'Tools';
  if (place === 'history') return 'Messages';
  if (OF_MEMORY.has(kind)) return 'Memory';
  return OF_PROJECT.has(kind) ? 'Project' : 'Instructions';
}

const NAMES: Readonly<Record<string, string>> = {
  task: 'Task',
  base: 'Base rules',
  role: 'Role',
  guide: 'Guide of the workspace',
  skill: 'Skill',
  scope: 'Rules of the scope',
  documents: 'Rules about documents',
  tools: 'Rules about tools',
  verification: 'Rules about checking',
  structure: 'Map of documents',
  project: 'Project',
  entity: 'In focus',
  activity: 'Latest changes',
  document: 'Document',
  summary: 'Summary so far',
  agent_state: 'Agent state',
  user: 'Person',
  assistant: 'Answer',
  system: 'Note',
  mode: 'Mode',
};

export function nameOf({ place, kind, source, text }: ContextPart): string {
  if (place === 'tools') return source.kind === 'text' ? source.name : 'Tool';
  // The text of a result begins with the name of its tool.
  if (place === 'history' && kind === 'tool')
    return `Result of ${/^[\w-]+/.exec(text ?? '')?.[0] ?? 'a tool'}`;
  return NAMES[kind] ?? kind.replaceAll('_', ' ');
}

export function sourceOf({ place, source }: ContextPart): string {
  switch (source.kind) {
    case 'text':
      return place === 'tools' ? '' : source.name;
    case 'event':
      return `event ${source.seq}`;
    case 'file':
      return `${source.path ?? 'file'}, version ${source.version}`;
    default:
      return `version ${source.version}`;
  }
}

export interface GroupSum {
  readonly group: Group;
  readonly parts: readonly ContextPart[];
  readonly tokens: number;
  /** Null: not known. */
  readonly cost: number | null;
}

/** The groups that have parts, with their sums. */
export function groupsOf(parts: readonly ContextPart[]): readonly GroupSum[] {
  const byGroup = Map.groupBy(parts, groupOf);
  return GROUPS.flatMap((group) => {
    const own = byGroup.get(group);
    if (!own) return [];
    const tokens = own.reduce((sum, part) => sum + part.tokens, 0);
    const cost = own.reduce<number | null>(
      (sum, part) => (sum === null || part.cost === null ? null : sum + part.cost),
      0,
    );
    return [{ group, parts: own, tokens, cost }];
  });
}

export interface ContextChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly part: ContextPart;
  /** Only of a changed part: what it was in the other call. */
  readonly before?: ContextPart;
}

export interface Comparison {
  readonly changes: readonly ContextChange[];
  readonly same: { readonly parts: number; readonly tokens: number };
}

/** What a call has that an earlier one had not, and the reverse. */
export function compare(earlier: readonly ContextPart[], later: readonly ContextPart[]): Comparison {
  const left = new Map<string, ContextPart[]>();
  for (const part of earlier) left.set(keyOf(part), [...(left.get(keyOf(part)) ?? []), part]);
  const changes: ContextChange[] = [];
  const same = { parts: 0, tokens: 0 };
  for (const part of later) {
    const before = left.get(keyOf(part))?.shift();
    if (!before) changes.push({ kind: 'added', part });
    else if (before.text !== part.text) changes.push({ kind: 'changed', part, before });
    else {
      same.parts += 1;
      same.tokens += part.tokens;
    }
  }
  for (const part of [...left.values()].flat()) changes.push({ kind: 'removed', part });
  return { changes, same };
}

/** Parts of two calls with the same key are the same part, in the same or another version. */
function keyOf({ place, kind, source }: ContextPart): string {
  const id = source.kind === 'text' ? source.name : source.kind === 'event' ? source.seq : source.id;
  // A new summary and a new agent state replace the ones before, whatever event they come from.
  return OF_MEMORY.has(kind) ? kind : `${place} ${kind} ${id}`;
}
