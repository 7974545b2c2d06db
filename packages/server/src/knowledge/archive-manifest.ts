// project.json, the manifest of a project's archive: what the project holds besides files. It is not trusted: its size, depth and
// counts are limited, and every entity, edge and document is checked before anything is written.

import { z } from 'zod';
import { jsonExcess } from '@continuo/engine';
import { parsePath } from '../files/paths.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../limits/yielding.ts';
import type { EntityInput } from './entities.ts';
import { Refused } from './errors.ts';
import { EDGES_PER_ENTITY, title, type Edge, type Kind } from './kind.ts';
import { problemWithEdge, RELATIONS } from './relations.ts';

export const MANIFEST_NAME = 'project.json';
export const MANIFEST_BYTES = 16 * 1024 * 1024;
export const ARCHIVE_ENTITIES = 20_000;
export const ARCHIVE_EDGES = 50_000;
const FORMAT = 'continuo-project';
const FORMAT_VERSION = 1;
const DEPTH = 8;
const PARTS = 2_000_000;

/** What describes the history of an entity. An import does not read it. */
const HISTORY = ['version', 'created_at', 'updated_at'] as const;

export interface ArchivedEntity {
  readonly id: string;
  readonly kind: string;
  readonly input: EntityInput;
}

export interface Manifest {
  readonly project: ArchivedEntity;
  readonly entities: readonly ArchivedEntity[];
  /** In the order of the structure. */
  readonly documents: readonly { readonly id: string; readonly path: string }[];
  readonly edges: readonly Edge[];
}

/** The text of a manifest. */
export function printManifest(manifest: {
  readonly project: object;
  readonly entities: readonly object[];
  readonly documents: readonly object[];
  readonly edges: readonly Edge[];
  readonly versions: readonly object[];
}): string {
  return `${JSON.stringify({ format: FORMAT, format_version: FORMAT_VERSION, ...manifest }, null, 1)}\n`;
}

const id = z.uuid().transform((given) => given.toLowerCase());

const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  format_version: z.literal(FORMAT_VERSION),
  project: z.record(z.string(), z.unknown()),
  entities: z.array(z.record(z.string(), z.unknown())).max(ARCHIVE_ENTITIES),
  documents: z.array(z.strictObject({ id, path: z.string().max(2000) })).max(ARCHIVE_ENTITIES),
  edges: z.array(z.strictObject({ id, from_id: id, rel: z.string().max(64), to_id: id })).max(ARCHIVE_EDGES),
  versions: z.unknown().optional(),
});

/** Throws `Refused` with the first thing that is wrong. */
export async function parseManifest(text: string, kinds: readonly Kind[]): Promise<Manifest> {
  if (jsonExcess(text, { depth: DEPTH, parts: PARTS }) !== null)
    throw new Refused(`the archive’s ${MANIFEST_NAME} is nested too deep, or holds too much`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refused(
      `the archive’s ${MANIFEST_NAME} is not JSON: ${(error as Error).message.slice(0, 200)}`,
    );
  }
  const given = check(manifestSchema, value, '');
  const schemas = new Map(kinds.map((kind) => [kind.kind, entitySchema(kind)]));
  const entityOf = (members: Readonly<Record<string, unknown>>, path: string, isProject: boolean) => {
    const { kind } = members;
    const schema = typeof kind === 'string' ? schemas.get(kind) : undefined;
    const isPossible = isProject
      ? kind === 'project'
      : !['project', 'document', 'plan'].includes(kind as string);
    if (!schema || !isPossible)
      throw new Refused(
        `the archive’s ${MANIFEST_NAME}: ${path}: ${quoted(kind)} is not a kind that can stand there`,
      );
    const {
      id: itsId,
      kind: itsKind,
      ...input
    } = check(schema, members, path) as ArchivedEntity & EntityInput;
    for (const name of HISTORY) delete (input as Record<string, unknown>)[name];
    return { id: itsId, kind: itsKind, input };
  };
  const project = entityOf(given.project, 'project', true);
  const entities: ArchivedEntity[] = [];
  for (const [index, members] of given.entities.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await yieldWithAbortCheck({ mode: 'fast' });
    entities.push(entityOf(members, `entities[${index}]`, false));
  }
  const documents = given.documents.map(({ id: itsId, path }, index) => {
    const parsed = parsePath(path);
    if (!parsed.ok || !/^\/docs\/.+\.md$/.test(parsed.path.folded))
      throw new Refused(
        `the archive’s ${MANIFEST_NAME}: documents[${index}]: ${quoted(path)} is not a document’s path, such as docs/Context.md`,
      );
    return { id: itsId, path: parsed.path.folded };
  });
  const manifest = { project, entities, documents, edges: given.edges };
  refuseRepeats(
    [project, ...entities, ...documents].map((each) => each.id),
    'the id',
  );
  refuseRepeats(
    documents.map(({ path }) => path),
    'the document',
  );
  refuseRepeats(
    given.edges.map((edge) => edge.id),
    'the edge',
  );
  checkEdges(manifest);
  return manifest;
}

/** An entity of a kind as the manifest has it. */
function entitySchema({ kind, titleField, fields, states }: Kind) {
  const all = Object.keys(states?.transitions ?? {});
  return z.strictObject({
    id,
    kind: z.literal(kind),
    [titleField]: title,
    ...(all.length > 0 && { state: z.enum(all as [string, ...string[]]).optional() }),
    ...fields.shape,
    ...Object.fromEntries(HISTORY.map((name) => [name, z.unknown().optional()])),
  });
}

function checkEdges({ project, entities, documents, edges }: Manifest): void {
  const kinds = new Map<string, string>([
    [project.id, 'project'],
    ...entities.map((each) => [each.id, each.kind] as const),
    ...documents.map((each) => [each.id, 'document'] as const),
  ]);
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  const refuse = (index: number, problem: string) =>
    new Refused(`the archive’s ${MANIFEST_NAME}: edges[${index}]: ${problem}`);
  for (const [index, { from_id, rel, to_id }] of edges.entries()) {
    const [from, to] = [kinds.get(from_id), kinds.get(to_id)];
    if (!from || !to) throw refuse(index, `there is no entity with the id ${from ? to_id : from_id}`);
    if (from_id === to_id) throw refuse(index, 'an entity cannot be linked to itself');
    const problem = problemWithEdge(rel, from, to);
    if (problem) throw refuse(index, problem);
    const key = `${from_id} ${rel} ${to_id}`;
    if (seen.has(key)) throw refuse(index, `these two are linked by ${rel} already`);
    seen.add(key);
    for (const end of [from_id, to_id]) {
      const count = (counts.get(end) ?? 0) + 1;
      if (count > EDGES_PER_ENTITY) throw refuse(index, `an entity has at most ${EDGES_PER_ENTITY} links`);
      counts.set(end, count);
    }
  }
  for (const [rel, { acyclic }] of Object.entries(RELATIONS)) {
    if (acyclic && hasCycle(edges.filter((edge) => edge.rel === rel)))
      throw new Refused(`the archive’s ${MANIFEST_NAME}: the edges ${rel} go in a circle`);
  }
}

/** Repeatedly removes entities that no edge leads to: those that remain form a circle, or come after one. */
function hasCycle(edges: readonly Edge[]): boolean {
  const incoming = new Map<string, number>();
  const outgoing = new Map<string, string[]>();
  for (const { from_id, to_id } of edges) {
    incoming.set(to_id, (incoming.get(to_id) ?? 0) + 1);
    const targets = outgoing.get(from_id);
    if (targets) targets.push(to_id);
    else outgoing.set(from_id, [to_id]);
  }
  const free = [...outgoing.keys()].filter((each) => !incoming.has(each));
  for (let from = free.pop(); from !== undefined; from = free.pop()) {
    for (const to of outgoing.get(from) ?? []) {
      const left = incoming.get(to)! - 1;
      incoming.set(to, left);
      if (left === 0) {
        incoming.delete(to);
        free.push(to);
      }
    }
  }
  return incoming.size > 0;
}

function check<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue!.path
    .map((name) => (typeof name === 'number' ? `[${name}]` : `.${String(name)}`))
    .join('');
  const place = `${path}${where}`.replace(/^\./, '').slice(0, 200);
  throw new Refused(
    `the archive’s ${MANIFEST_NAME}: ${place === '' ? '' : `${place}: `}${issue!.message.slice(0, 300)}`,
  );
}

function refuseRepeats(values: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) throw new Refused(`the archive’s ${MANIFEST_NAME} has ${what} ${value} twice`);
    seen.add(value);
  }
}

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}
