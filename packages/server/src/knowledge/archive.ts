// A project as one archive: a zip with the manifest (project.json), the project's documents (docs/…) and its other files (files/…).
// An import makes a new project of it, in one transaction: everything or nothing.

import type { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { fold } from '../names/case-folding.ts';
import { sqlState, transaction, type Pool, type Queryable } from '../db/pool.ts';
import { asText, gatherChunks, readWhole, type StoredContent } from '../files/content.ts';
import { listFiles, lockFiles, writeFile, type Changed, type FileHead } from '../files/files.ts';
import { pack } from '../files/pack.ts';
import { parsePath } from '../files/paths.ts';
import {
  ARCHIVE_ENTRIES,
  contentOf,
  lockChunks,
  openArchive,
  readDirectory,
  UNPACKED_BYTES,
} from '../files/unpack.ts';
import {
  ARCHIVE_EDGES,
  ARCHIVE_ENTITIES,
  MANIFEST_BYTES,
  MANIFEST_NAME,
  parseManifest,
  printManifest,
  type ArchivedEntity,
  type Manifest,
} from './archive-manifest.ts';
import { changeEntities, EntityService, readEntities, type Caller, type Operation } from './entities.ts';
import { NotFound, Refused } from './errors.ts';
import type { Edge, Entity, Kind } from './kind.ts';
import { freeFolder, type CreatedProject } from './projects.ts';
import { readStructure, type StructureNode } from './structure.ts';

/** The newest versions that an archive describes. */
const VERSIONS = 20_000;
/** Entities that one statement creates. */
const BATCH = 200;
/** How often an import starts again because a folder or an id was taken meanwhile. */
const TRIES = 10;

export interface ProjectArchive {
  readonly name: string;
  stream(): Readable;
}

/** The project with everything in it, as of one moment. */
export async function exportProject(
  pool: Pool,
  workspaceId: string,
  projectId: string,
): Promise<ProjectArchive> {
  const { project, files, text } = await transaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return readProject(client, workspaceId, projectId);
  });
  const nameOf = ({ path }: FileHead) => memberFor(path);
  const first = [{ name: MANIFEST_NAME, text, at: new Date(project.updated_at) }];
  return { name: project.name!, stream: () => pack(pool, { files, nameOf, first }) };
}

async function readProject(client: Queryable, workspaceId: string, projectId: string) {
  const structure = await readStructure(client, workspaceId, projectId);
  const project = (await readEntities(client, workspaceId, [projectId])).get(projectId);
  if (!structure || !project) throw new NotFound('project', projectId);
  const folder = project.folder as string;
  const files = await listFiles(client, workspaceId, {
    folder: { path: folder, folded: fold(folder) },
    limit: ARCHIVE_ENTRIES,
  });
  const { rows: found } = await client.query<{ entity: Entity }>(
    `select entity_state(e) as entity from entities e
      where e.workspace_id = $1 and e.project_id = $2 and e.kind not in ('document', 'plan') and e.removed_at is null
      order by e.id limit ${ARCHIVE_ENTITIES + 1}`,
    [workspaceId, projectId],
  );
  const entities = found.map(({ entity }) => entity);
  const documents = inOrder(structure.structure.root);
  const ids = [projectId, ...entities.map(({ id }) => id), ...documents];
  const { rows: edges } = await client.query<Edge>(
    `select id, from_id, rel, to_id from edges
      where workspace_id = $1 and from_id = any ($2) and to_id = any ($2) order by id limit ${ARCHIVE_EDGES + 1}`,
    [workspaceId, ids],
  );
  const paths = new Map(files.map(({ id, path }) => [id, memberFor(path)]));
  const text = printManifest({
    project: archived(project),
    entities: entities.map(archived),
    documents: documents.map((id) => ({ id, path: paths.get(id) })),
    edges,
    versions: await readVersions(client, ids),
  });
  refuseLarge({ files, entities, edges, text });
  return { project, files, text };
}

/** The name in the archive of a file of a project, which is at /projects/<name>/…. */
function memberFor(path: string): string {
  const [first, ...rest] = path.split('/').slice(3);
  return rest.length > 0 && fold(first!) === 'docs'
    ? ['docs', ...rest].join('/')
    : ['files', first, ...rest].join('/');
}

/** Ids of documents, each before its children. */
function inOrder(nodes: readonly StructureNode[]): string[] {
  return nodes.flatMap(({ id, children }) => [id, ...inOrder(children)]);
}

/** What the archive says of an entity in another place, or not at all. */
const LEFT_OUT = new Set(['project_id', 'edges', 'removed_at', 'folder']);

/** An entity as the manifest has it. */
function archived({ id, kind, version, created_at, updated_at, ...members }: Entity): object {
  const kept = Object.entries(members).filter(([name]) => !LEFT_OUT.has(name));
  return { id, kind, ...Object.fromEntries(kept), version, created_at, updated_at };
}

async function readVersions(client: Queryable, ids: readonly string[]): Promise<readonly object[]> {
  const { rows } = await client.query<{ author: string; at: Date }>(
    `select * from (
        select entity_id, version, op, author, at from entity_versions where entity_id = any ($1)
        union all select file_id, version, op, author, at from file_versions where file_id = any ($1)
      ) v order by at desc, entity_id, version desc limit ${VERSIONS}`,
    [ids],
  );
  return rows.map((row) => ({ ...row, author: JSON.parse(row.author) as object, at: row.at.toISOString() }));
}

/** An archive that could not be imported is not made. */
function refuseLarge({
  files,
  entities,
  edges,
  text,
}: {
  readonly files: readonly FileHead[];
  readonly entities: readonly Entity[];
  readonly edges: readonly Edge[];
  readonly text: string;
}): void {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const problem =
    (files.length >= ARCHIVE_ENTRIES && `more than ${ARCHIVE_ENTRIES - 1} files`) ||
    (entities.length > ARCHIVE_ENTITIES && `more than ${ARCHIVE_ENTITIES} entities`) ||
    (edges.length > ARCHIVE_EDGES && `more than ${ARCHIVE_EDGES} links`) ||
    (text.length > MANIFEST_BYTES && `entities of more than ${MANIFEST_BYTES} bytes`) ||
    (bytes > UNPACKED_BYTES && `more than ${UNPACKED_BYTES} bytes`);
  if (problem) throw new Refused(`the project has ${problem}, which is too much for one archive`);
}

export interface Import {
  readonly kinds: readonly Kind[];
  readonly maxFileBytes: number;
  readonly signal?: AbortSignal | undefined;
}

interface ArchivedFile {
  /** Below the project's folder, case-folded and as it is. */
  readonly folded: string;
  readonly path: string;
  readonly content: StoredContent;
}

/** Makes a project of an archive. Throws `BadArchive` or `Refused`, and then nothing was changed. */
export async function importProject(
  pool: Pool,
  caller: Caller,
  file: string,
  { kinds, maxFileBytes, signal }: Import,
): Promise<CreatedProject> {
  const { text, files } = await readArchive(pool, file, { maxFileBytes, signal });
  const manifest = await parseManifest(text, kinds);
  const ordered = orderFiles(manifest, files);
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction(pool, (client) =>
        create({ ...caller, client }, { manifest, files: ordered, kinds, isRepeated: tries > 1 }),
      );
    } catch (error) {
      if (sqlState(error) !== '23505' || tries === TRIES) throw error;
    }
  }
}

/** Reads the whole zip. Contents are stored at once; nobody can read them until they belong to a file. */
async function readArchive(
  pool: Pool,
  file: string,
  { maxFileBytes, signal }: Pick<Import, 'maxFileBytes' | 'signal'>,
): Promise<{ text: string; files: readonly ArchivedFile[] }> {
  const zip = await openArchive(file);
  try {
    const refused: { name: string; problem: string }[] = [];
    const folder = { path: '/', folded: '/' };
    const members = await readDirectory(zip, { folder, governing: true, maxFileBytes, signal }, refused);
    if (refused[0]) throw new Refused(`the archive has ${shown(refused[0].name)}: ${refused[0].problem}`);
    const strange = members.find(
      ({ path }) => path.path !== `/${MANIFEST_NAME}` && placeOf(path.path) === null,
    );
    if (strange)
      throw new Refused(
        `the archive has ${shown(strange.name)}: it holds ${MANIFEST_NAME}, docs/… and files/…, and nothing else`,
      );
    const manifest = members.find(({ path }) => path.path === `/${MANIFEST_NAME}`);
    if (!manifest) throw new Refused(`the archive has no ${MANIFEST_NAME}, so it is not a project’s`);
    if (manifest.entry.uncompressedSize > MANIFEST_BYTES)
      throw new Refused(`the archive’s ${MANIFEST_NAME} has more than ${MANIFEST_BYTES} bytes`);
    const { keep, flush } = gatherChunks(pool);
    const contents = new Map<string, StoredContent>();
    for (const member of members) {
      signal?.throwIfAborted();
      const content = await contentOf(keep, zip, member, maxFileBytes);
      if (!content) throw new Refused(`the archive has ${shown(member.name)}: it is damaged`);
      contents.set(member.path.path, content);
    }
    await flush();
    const text = asText(await readWhole(pool, contents.get(`/${MANIFEST_NAME}`)!.chunks));
    if (text === null) throw new Refused(`the archive’s ${MANIFEST_NAME} is not text`);
    const files = members.flatMap(({ path }) => {
      const place = placeOf(path.path);
      return place === null ? [] : [{ path: place, folded: fold(place), content: contents.get(path.path)! }];
    });
    return { text, files };
  } finally {
    zip.close();
  }
}

/** Where a member of the archive is below the project's folder; null if it is no file of the project. */
function placeOf(path: string): string | null {
  if (path.startsWith('/docs/')) return path;
  return path.startsWith('/files/') ? path.slice('/files'.length) : null;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}

interface PlacedFile extends ArchivedFile {
  /** The document's id in the archive. */
  readonly id: string | null;
}

/**
 * Documents in the order of the structure, and each after the documents above it: a new document comes last among its siblings.
 * Then the documents that the manifest does not name, and the other files.
 */
function orderFiles({ documents }: Manifest, files: readonly ArchivedFile[]): readonly PlacedFile[] {
  const byPath = new Map(files.map((file) => [file.folded, file]));
  const named = documents.map(({ id, path }) => {
    const file = byPath.get(path);
    if (!file) throw new Refused(`the archive has no file ${path.slice(1)}, which ${MANIFEST_NAME} names`);
    byPath.delete(path);
    return { ...file, id };
  });
  const others = [...byPath.values()].map((file) => ({ ...file, id: null }));
  const depth = ({ path }: ArchivedFile) => path.split('/').length;
  return [...named, ...others].toSorted((a, b) => depth(a) - depth(b));
}

async function create(
  caller: Caller,
  {
    manifest,
    files,
    kinds,
    isRepeated,
  }: { manifest: Manifest; files: readonly PlacedFile[]; kinds: readonly Kind[]; isRepeated: boolean },
): Promise<CreatedProject> {
  const { client, workspaceId } = caller;
  await lockFiles(client, workspaceId, []);
  await lockChunks(
    client,
    files.map(({ content }) => content),
  );
  const newId = await newIds(client, manifest, isRepeated);
  const folder = await freeFolder(caller, manifest.project.input.name!, 1);
  const edges = manifest.edges.map(({ id, from_id, rel, to_id }) => ({
    id: newId(id),
    from_id: newId(from_id),
    rel,
    to_id: newId(to_id),
  }));
  // Before their ends: each entity then has its edges in its first version.
  await client.query(
    `insert into edges (id, workspace_id, from_id, to_id, rel, created_at)
      select e.id, $1, e.from_id, e.to_id, e.rel, now()
      from jsonb_to_recordset($2) as e (id uuid, from_id uuid, rel text, to_id uuid)`,
    [workspaceId, JSON.stringify(edges)],
  );
  const services = new Map(kinds.map((kind) => [kind.kind, new EntityService(kind)]));
  const projectId = newId(manifest.project.id);
  const creation = ({ id, kind, input }: ArchivedEntity): Operation & { op: 'create' } => ({
    ...services.get(kind)!.creation(input, kind === 'project' ? null : projectId),
    id: newId(id),
    linked: true,
  });
  const project = creation(manifest.project);
  const operations: Operation[] = [
    { ...project, fields: { ...project.fields, folder }, folder, folded: fold(folder) },
    ...manifest.entities.map(creation),
  ];
  const changes: CreatedProject['changes'][number][] = [];
  const entities: Entity[] = [];
  for (let start = 0; start < operations.length; start += BATCH) {
    const change = await changeEntities(caller, operations.slice(start, start + BATCH));
    changes.push(...change.changes);
    entities.push(...change.entities);
  }
  const written: Changed[] = [];
  for (const each of files) written.push(await write(caller, folder, each, each.id && newId(each.id)));
  const documents = await readDocuments(client, projectId);
  const entitiesCreated = [...entities, ...documents];
  return {
    project: entities[0]!,
    entities: entitiesCreated,
    entitiesCreated,
    edgesCreated: edges,
    changes: [...changes, ...written.flatMap((file) => (file.kind === 'changed' ? file.also : []))],
    files: written,
  };
}

/** The ids of the archive where they are free, new ones where something has or had them. */
async function newIds(
  client: Queryable,
  { project, entities, documents, edges }: Manifest,
  isRepeated: boolean,
): Promise<(id: string) => string> {
  const ids = [project, ...entities, ...documents, ...edges].map(({ id }) => id);
  const { rows } = await client.query<{ id: string }>(
    `select id from unnest($1::uuid[]) u (id)
      where $2 or exists (select from entities e where e.id = u.id) or exists (select from edges e where e.id = u.id)
        or exists (select from files f where f.id = u.id) or exists (select from projects p where p.id = u.id)
        or exists (select from entity_versions v where v.entity_id = u.id)`,
    [ids, isRepeated],
  );
  const taken = new Map(rows.map(({ id }) => [id, uuidv7()]));
  return (id) => taken.get(id) ?? id;
}

async function write(
  { client, workspaceId, author, quotaBytes }: Caller,
  folder: string,
  { path, content }: PlacedFile,
  id: string | null,
): Promise<Changed> {
  const parsed = parsePath(folder + path);
  if (!parsed.ok) throw new Refused(`the archive has ${shown(path.slice(1))}: ${parsed.problem}`);
  const outcome = await writeFile(client, {
    workspaceId,
    author,
    path: parsed.path,
    content,
    base: 0,
    quotaBytes,
    ...(id !== null && { id }),
  });
  if (outcome.kind === 'changed') return outcome;
  throw new Refused(
    `the archive has ${shown(path.slice(1))}: ${outcome.kind === 'in_the_way' ? outcome.problem : 'it is there already'}`,
  );
}

async function readDocuments(client: Queryable, projectId: string): Promise<readonly Entity[]> {
  const { rows } = await client.query<{ entity: Entity }>(
    `select entity_state(e) as entity from entities e where e.project_id = $1 and e.kind = 'document' order by e.id`,
    [projectId],
  );
  return rows.map(({ entity }) => entity);
}
