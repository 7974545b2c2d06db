// The document structure of a project: the tree of its documents, and documents by their path in it.

import type { Queryable } from '../db/pool.ts';
import { mostAlike } from '../files/tools/shared.ts';

export interface StructureNode {
  readonly id: string;
  readonly order: number;
  readonly children: readonly StructureNode[];
}

/** Where a document stands. */
interface DocumentPlace {
  readonly id: string;
  /** Another document, or the project. */
  readonly parent_id: string;
  readonly position: number;
}

interface DocStructure {
  /** Counts the changes of the structure. */
  readonly version: number;
  readonly root: readonly StructureNode[];
}

/** What a map of documents shows of each, without its content. */
export interface DocumentMetadata {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string | null;
  /** Of the text after the front matter, in bytes. */
  readonly content_length: number;
  readonly updated_at: string;
}

interface Row extends DocumentPlace {
  readonly metadata: DocumentMetadata;
}

export interface ReadStructure {
  readonly structure: DocStructure;
  readonly documents: readonly DocumentMetadata[];
  readonly as_of: number;
}

/** Null if there is no such project. One statement, so that structure and metadata are of the same moment. */
export async function readStructure(
  client: Queryable,
  workspaceId: string,
  projectId: string,
): Promise<ReadStructure | null> {
  const { rows } = await client.query<{ version: number; as_of: string; places: string }>({
    name: 'read_structure',
    text: `select p.structure_version as version, w.change_seq as as_of, coalesce((
        select json_agg(json_build_object('id', d.id, 'parent_id', d.parent_id, 'position', d.position,
          'metadata', json_build_object('id', e.id, 'version', e.version, 'title', e.title,
            'description', e.fields -> 'description', 'content_length', e.fields -> 'content_length', 'updated_at', wire_time(e.updated_at)))
          order by d.parent_id, d.position)
        from document_places d join entities e on e.id = d.id where d.project_id = p.id), '[]') as places
      from projects p join entities pe on pe.id = p.id and pe.removed_at is null join workspaces w on w.id = p.workspace_id
      where p.id = $2 and p.workspace_id = $1`,
    values: [workspaceId, projectId],
  });
  if (!rows[0]) return null;
  const { version, as_of } = rows[0];
  // As text: the database need not build it as jsonb, and print it again.
  const places = JSON.parse(rows[0].places) as Row[];
  return {
    structure: { version, root: treeOf(projectId, places) },
    documents: places.map(({ metadata }) => metadata),
    as_of: Number(as_of),
  };
}

/** The tree of documents that have a place in a project. Siblings must be in their order. */
export function treeOf(projectId: string, places: readonly DocumentPlace[]): readonly StructureNode[] {
  const groups = new Map<string, DocumentPlace[]>();
  for (const place of places) {
    const group = groups.get(place.parent_id);
    if (group) group.push(place);
    else groups.set(place.parent_id, [place]);
  }
  const below = (parent: string): readonly StructureNode[] =>
    (groups.get(parent) ?? []).map(({ id, position }) => ({ id, order: position, children: below(id) }));
  return below(projectId);
}

/** Metadata of documents of a project, in the order of the ids; ids of other documents are left out. */
export async function readMetadata(
  client: Queryable,
  workspaceId: string,
  projectId: string,
  ids: readonly string[],
): Promise<readonly DocumentMetadata[]> {
  const { rows } = await client.query<{ document: DocumentMetadata }>({
    name: 'read_document_metadata',
    text: `select jsonb_build_object('id', e.id, 'version', e.version, 'title', e.title,
        'description', e.fields -> 'description', 'content_length', e.fields -> 'content_length', 'updated_at', wire_time(e.updated_at)) as document
      from unnest($3::uuid[]) with ordinality u (id, n) join entities e on e.id = u.id
      where e.workspace_id = $1 and e.project_id = $2 and e.kind = 'document' and e.removed_at is null order by u.n`,
    values: [workspaceId, projectId, ids],
  });
  return rows.map(({ document }) => document);
}

/** The titles from the root of the structure to a document: `Research / Market / Competitors`. */
export interface DocumentPath {
  readonly id: string;
  readonly titles: readonly string[];
}

/** The paths of these documents, or of all documents of the project. */
export async function readPaths(
  client: Queryable,
  projectId: string,
  ids: readonly string[] | null = null,
): Promise<readonly DocumentPath[]> {
  const { rows } = await client.query<{ id: string; titles: string[] }>({
    name: 'read_document_paths',
    text: `with recursive up (id, next, titles) as (
        select d.id, d.parent_id, array[e.title] from document_places d join entities e on e.id = d.id
          where d.project_id = $1 and ($2::uuid[] is null or d.id = any ($2))
        union all
        select u.id, d.parent_id, e.title || u.titles
          from up u join document_places d on d.id = u.next join entities e on e.id = d.id
      )
      select id, titles from up where next = $1`,
    values: [projectId, ids],
  });
  return rows;
}

export type FoundPath =
  | { readonly kind: 'found'; readonly id: string }
  /** `similar` are the paths that are most like the one that was asked for. */
  | { readonly kind: 'not_found'; readonly similar: readonly string[] }
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] };

/** How many paths an answer suggests. */
const SUGGESTED = 3;

/**
 * Finds a document by the titles above it, such as `Research/Market/Competitors`. A path that starts further down, such as
 * `Market/Competitors`, is found too if only one document has it. Case and a trailing `.md` do not matter.
 */
export async function findByPath(
  client: Queryable,
  {
    workspaceId,
    projectId,
    path,
    among,
  }: {
    readonly workspaceId: string;
    readonly projectId: string;
    readonly path: string;
    /** The documents to choose from; all of the project without it. */
    readonly among?: readonly DocumentPath[];
  },
): Promise<FoundPath> {
  const wanted = namesIn([path]);
  const all = among ?? (await readPaths(client, projectId));
  const matching = all.filter(({ titles }) => endsWith(namesIn(titles), wanted));
  const exact = matching.find(({ titles }) => namesIn(titles).length === wanted.length);
  if (exact) return { kind: 'found', id: exact.id };
  if (matching.length === 1) return { kind: 'found', id: matching[0]!.id };
  if (matching.length > 1) return { kind: 'ambiguous', paths: matching.slice(0, 10).map(inWords) };
  const similar = await mostAlike(wanted.join('/'), all.map(inWords), SUGGESTED, workspaceId);
  return { kind: 'not_found', similar };
}

export function inWords({ titles }: Pick<DocumentPath, 'titles'>): string {
  return titles.join('/');
}

/** A title may have slashes of its own, which a path cannot tell from those between titles. */
function namesIn(titles: readonly string[]): readonly string[] {
  return titles
    .flatMap((title) => title.split('/'))
    .map((name) => name.normalize('NFC').trim().toLowerCase().replace(/\.md$/, ''))
    .filter((name) => name !== '');
}

function endsWith(titles: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0 || wanted.length > titles.length) return false;
  const start = titles.length - wanted.length;
  return wanted.every((name, index) => titles[start + index] === name);
}
