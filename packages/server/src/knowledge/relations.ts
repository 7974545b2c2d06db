// The vocabulary of edges: from which kind to which kind a relation goes, and whether it may go in a circle.

interface Relation {
  /** How the edge reads from its start, and from its end. */
  readonly forward: string;
  readonly backward: string;
  /** The kinds at its start and its end; null: any kind. */
  readonly from: readonly string[] | null;
  readonly to: readonly string[] | null;
  readonly acyclic: boolean;
}

const WORK = ['task', 'plan', 'milestone', 'goal', 'requirement'];

export const RELATIONS: Readonly<Record<string, Relation>> = {
  part_of: {
    forward: 'is part of',
    backward: 'has as a part',
    from: [...WORK, 'risk'],
    to: WORK,
    acyclic: true,
  },
  depends_on: {
    forward: 'depends on',
    backward: 'is needed by',
    from: [...WORK, 'project'],
    to: [...WORK, 'project', 'document'],
    acyclic: true,
  },
  blocks: {
    forward: 'blocks',
    backward: 'is blocked by',
    from: ['task', 'risk', 'requirement'],
    to: WORK,
    acyclic: true,
  },
  supports: {
    forward: 'supports',
    backward: 'is supported by',
    from: ['task', 'plan', 'milestone', 'document', 'goal'],
    to: ['goal', 'requirement', 'plan'],
    acyclic: true,
  },
  mitigates: {
    forward: 'mitigates',
    backward: 'is mitigated by',
    from: ['task', 'plan', 'document', 'requirement'],
    to: ['risk'],
    acyclic: false,
  },
  produces: {
    forward: 'produces',
    backward: 'is produced by',
    from: ['task', 'plan', 'milestone'],
    to: ['document', 'requirement'],
    acyclic: false,
  },
  references: { forward: 'refers to', backward: 'is referred to by', from: null, to: null, acyclic: false },
};

/** Why an edge makes no sense between two kinds; null if it does. */
export function problemWithEdge(rel: string, from: string, to: string): string | null {
  const relation = Object.hasOwn(RELATIONS, rel) ? RELATIONS[rel]! : null;
  if (!relation) return `there is no relation ${rel}; the relations are ${Object.keys(RELATIONS).join(', ')}`;
  if (relation.from && !relation.from.includes(from))
    return `${rel} starts at a ${listed(relation.from)}, not at a ${from}`;
  if (relation.to && !relation.to.includes(to))
    return `${rel} ends at a ${listed(relation.to)}, not at a ${to}`;
  return null;
}

function listed(kinds: readonly string[]): string {
  return kinds.length === 1 ? kinds[0]! : `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}`;
}
