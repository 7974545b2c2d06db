// Documents: entities whose id is their file's id. Every change here is a change of files; the database makes the document and the
// structure follow in the same transaction, as it does for changes that come from the editor, a tool or the disk. A document's
// children are in the folder of the same name, so that a document moves, and is removed and restored, with its folder.

import { LRUCache } from 'lru-cache';
import { sqlState, transaction, type Pool, type Queryable } from '../db/pool.ts';
import { asText, holdContent, type StoredContent } from '../files/content.ts';
import {
  InTheWay,
  listFiles,
  lockFiles,
  moveFiles,
  readFile,
  readSkipped,
  removeFiles,
  restoreFiles,
  writeFile,
  type Changed,
  type CommittedChange,
  type FeedChange,
  type FileHead,
  type SkippedFile,
} from '../files/files.ts';
import { parsePath, type FilePath } from '../files/paths.ts';
import { readHead } from '../files/save.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import { createdBy, EntityService, type Caller, type Change } from './entities.ts';
import { NotFound, Refused, VersionConflict } from './errors.ts';
import { contentOf, printDocument } from './front-matter.ts';
import type { Entity } from './kind.ts';
import { document } from './kinds/document.ts';
import { nameFor, numbered } from './names.ts';

/** Maximum number of files that move, are removed or are restored with a document. */
export const DOCUMENT_FILES = 10_000;
/** How many names are tried for a document before the title counts as taken. */
const NAMES_TRIED = 1000;
/** Of how many projects the folder is kept. */
const FOLDERS_KEPT = 1000;

interface DocumentInput {
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly content?: string | undefined;
  /** The document that it is placed below; null: the root. */
  readonly parent_id?: string | null | undefined;
  /** Its position among its siblings; last without one. */
  readonly order?: number | undefined;
}

interface DocumentPatch {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly content?: string | undefined;
}

/** A change of documents, and of the files that they are. */
export interface DocumentChange extends Change {
  readonly files: readonly Changed[];
  /** Files that were to be restored with it, and stay removed. */
  readonly skipped?: readonly SkippedFile[];
}

export interface DocumentService {
  create(caller: Caller, input: DocumentInput, projectId: string): Promise<DocumentChange>;
  read(caller: Reader, id: string): Promise<(Entity & { readonly content: string }) | null>;
  /** The document without its content. */
  readHead(caller: Reader, id: string): Promise<Entity | null>;
  update(caller: Caller, id: string, patch: DocumentPatch, expected: number | null): Promise<DocumentChange>;
  move(
    caller: Caller,
    id: string,
    to: { readonly parent_id: string | null; readonly order?: number | undefined },
    expected: number | null,
  ): Promise<DocumentChange>;
  /** Removes a document with all that is below it. */
  delete(caller: Caller, id: string, expected: number | null): Promise<DocumentChange>;
  /** Restores a document with all that was removed with it. */
  restore(caller: Caller, id: string): Promise<DocumentChange>;
}

type Reader = Pick<Caller, 'client' | 'workspaceId'>;

interface Place {
  readonly id: string;
  readonly project_id: string;
  readonly parent_id: string;
  readonly path: string;
  readonly folded: string;
  readonly version: number;
}

export function createDocumentService({
  pool,
  workspaces,
}: {
  pool: Pool;
  workspaces: Workspaces;
}): DocumentService {
  const entities = new EntityService(document);
  /** By workspace and project. A project keeps its folder, whatever happens to its name. */
  const folders = new LRUCache<string, string>({ max: FOLDERS_KEPT });

  return {
    async create(caller, input, projectId) {
      const { title, description = null, content = '', parent_id: parentId = null, order } = input;
      const stored = await store(printDocument({ title, description, content }));
      const name = nameFor(title, 'document');
      // The folder of a project does not change; that of a document does when it is moved, and is locked for that.
      if (parentId === null && order === undefined) {
        const written = await writeNew(caller, await rootFolder(caller, projectId), name, stored);
        const change = await changeOf(caller, [written]);
        return change.entities.length > 0 ? change : takeBack(caller, projectId, written);
      }
      return inTransaction(caller, async (within) => {
        const { client, workspaceId } = within;
        await lockFiles(client, workspaceId, []);
        const folder = await folderOf(client, workspaceId, projectId, parentId);
        const written = await writeNew(within, folder, name, stored);
        const change = await changeOf(within, [written]);
        if (order === undefined) return change;
        const moved = await reorder(within, written.file.id, parentId ?? projectId, order);
        return { ...change, changes: [...change.changes, ...moved] };
      });
    },

    async read(caller, id) {
      const entity = await entities.read(caller, id);
      const file = entity && (await readFile(caller.client, caller.workspaceId, id));
      if (!file) return null;
      return { ...entity, content: contentOf(asText(await readHead(caller.client, file)) ?? '') };
    },

    readHead: (caller, id) => entities.read(caller, id),

    async update(caller, id, patch, expected) {
      return inTransaction(caller, async (within) => {
        const { client, workspaceId } = within;
        if (patch.title !== undefined) await lockFiles(client, workspaceId, []);
        const place = await lockPlace(within, id);
        await unlessStale(within, id, expected);
        const file = (await readFile(client, workspaceId, id))!;
        const before = asText(await readHead(client, file));
        if (before === null) throw new Refused(`${file.path} is not text; write the file instead`);
        const stored = await store(printDocument(patch, before));
        const written = await write(within, { path: file.path, folded: file.folded }, stored, file.version);
        const files = patch.title === undefined ? [] : await rename(within, place, patch.title);
        return changeOf(within, [written, ...files]);
      });
    },

    async move(caller, id, { parent_id: parentId, order }, expected) {
      return inTransaction(caller, async (within) => {
        const { client, workspaceId } = within;
        await lockFiles(client, workspaceId, []);
        const place = await lockPlace(within, id);
        await unlessStale(within, id, expected);
        const folder = await folderOf(client, workspaceId, place.project_id, parentId);
        if (`${folder}/`.startsWith(`${place.path.slice(0, -3)}/`))
          throw new Refused('a document cannot be moved below itself');
        const name = place.path.slice(place.path.lastIndexOf('/') + 1, -3);
        const stays = `${folder}/${name}.md` === place.path;
        if (!stays) await lockFiles(client, workspaceId, await filesBelow(within, place));
        // The place first: the files that follow find the document where it shall be.
        const moved = await reorder(within, id, parentId ?? place.project_id, order ?? null);
        const files = stays ? [] : await moveTo(within, place, folder, name);
        return changeOf(within, files, moved, id);
      });
    },

    async delete(caller, id, expected) {
      return inTransaction(caller, async (within) => {
        await lockFiles(within.client, within.workspaceId, []);
        const place = await lockPlace(within, id);
        await unlessStale(within, id, expected);
        const below = await filesBelow(within, place);
        const ids = [id, ...below.map((file) => file.id)];
        const { workspaceId, author } = within;
        return changeOf(
          within,
          await removeFiles(within.client, { workspaceId, author, ids, at: new Date() }),
          [],
          id,
        );
      });
    },

    async restore(caller, id) {
      return inTransaction(caller, async (within) => {
        const { client, workspaceId, author } = within;
        await lockFiles(client, workspaceId, []);
        const entity = await entities.read(within, id, { removed: true });
        const file = entity && (await readFile(client, workspaceId, id));
        if (!file) throw new NotFound('document', id);
        await requireProject(within, entity.project_id!);
        if (file.removedAt === null) return changeOf(within, [], [], id);
        await removePlaceholder(within, file);
        const { rows: below } = await client.query<{ id: string }>(
          `select id from files where workspace_id = $1 and removed_at = $2
            and id <> $3 and starts_with(folded, $4) limit ${DOCUMENT_FILES + 1}`,
          [workspaceId, file.removedAt, id, `${file.folded.slice(0, -3)}/`],
        );
        if (below.length > DOCUMENT_FILES)
          throw new Refused(
            `more than ${DOCUMENT_FILES} files were removed with this document; restore its files instead`,
          );
        const ids = [id, ...below.map((row) => row.id)];
        const files = await restoreFiles(client, { workspaceId, author, ids });
        if (!files.some((each) => each.kind === 'changed' && each.file.id === id))
          throw new Refused(`${file.path} is another file now; move that one away first`);
        const change = await changeOf(within, files, [], id);
        return { ...change, skipped: await readSkipped(client, workspaceId, ids) };
      });
    },
  };

  /** The folder of the documents that are below no other. The project may have been removed. */
  async function rootFolder({ client, workspaceId }: Reader, projectId: string): Promise<string> {
    const key = `${workspaceId} ${projectId}`;
    const kept = folders.get(key);
    if (kept !== undefined) return kept;
    const folder = await folderOf(client, workspaceId, projectId, null);
    folders.set(key, folder);
    return folder;
  }

  /**
   * Below the folder of a project that was removed meanwhile, a new file is not a document: it is removed, too. Nobody has been
   * told of it yet; followers and the folder on disk learn of both changes with the next one.
   */
  async function takeBack(
    { client, workspaceId, author }: Caller,
    projectId: string,
    { file, staged }: CommittedChange,
  ): Promise<never> {
    staged?.discard();
    await removeFiles(client, { workspaceId, author, ids: [file.id], at: new Date() });
    throw new NotFound('project', projectId);
  }

  /** Runs work in the caller's transaction, or in one of its own if the caller has none. */
  function inTransaction<T>(caller: Caller, work: (within: Caller) => Promise<T>): Promise<T> {
    if (caller.client !== pool) return work(caller);
    return transaction(pool, (client) => work({ ...caller, client })).catch((error: unknown) => {
      throw error instanceof InTheWay ? new Refused(error.message) : error;
    });
  }

  function store(text: string): Promise<StoredContent> {
    const { maxFileBytes } = workspaces.options;
    if (Buffer.byteLength(text) > maxFileBytes)
      throw new Refused(`the document is too long: a file has at most ${maxFileBytes} bytes`);
    if (text.includes('\0') || !text.isWellFormed())
      throw new Refused('the document has a NUL character or half of a character; a text has neither');
    return holdContent(pool, text);
  }

  async function writeNew(caller: Caller, folder: string, name: string, content: StoredContent) {
    for (let n = 1; n <= NAMES_TRIED; n += 1) {
      const path = pathOf(`${folder}/${numbered(name, n)}.md`);
      const outcome = await writeAt(caller, path, content, 0);
      if (outcome.kind === 'changed') return outcome;
    }
    throw new Refused(
      `there are ${NAMES_TRIED} documents with this title below the same parent; choose another title`,
    );
  }

  async function write(
    caller: Caller,
    path: FilePath,
    content: StoredContent,
    base: number,
  ): Promise<Changed> {
    const outcome = await writeAt(caller, path, content, base);
    if (outcome.kind === 'changed' || outcome.kind === 'unchanged') return outcome;
    throw new Refused(
      outcome.kind === 'in_the_way' ? outcome.problem : `${path.path} is changing; try again`,
    );
  }

  function writeAt(caller: Caller, path: FilePath, content: StoredContent, base: number): Promise<Changed> {
    const { client, workspaceId, author, quotaBytes } = caller;
    return writeFile(client, {
      workspaceId,
      author,
      path,
      content,
      base,
      quotaBytes,
      stage: workspaces.stage,
    });
  }

  /** Gives a document's file, and its folder, the name of its title. */
  async function rename(caller: Caller, place: Place, title: string): Promise<readonly Changed[]> {
    const name = nameFor(title, 'document');
    const current = place.path.slice(place.path.lastIndexOf('/') + 1, -3);
    const isNumbered = current.startsWith(`${name}-`) && /^\d+$/.test(current.slice(name.length + 1));
    if (current === name || isNumbered) return [];
    return moveTo(caller, place, place.path.slice(0, place.path.lastIndexOf('/')), name);
  }

  async function moveTo(
    caller: Caller,
    place: Place,
    folder: string,
    name: string,
  ): Promise<readonly Changed[]> {
    const { client, workspaceId, author } = caller;
    const below = await filesBelow(caller, place);
    const target = await freeName(caller, folder, name, place.id);
    const from = place.path.slice(0, -3);
    const moves = [
      { id: place.id, to: pathOf(`${target}.md`) },
      ...below.map(({ id, path }) => ({ id, to: pathOf(target + path.slice(from.length)) })),
    ];
    return moveFiles(client, { workspaceId, author, moves });
  }

  /** The first name in a folder that neither a document nor the folder of one has. */
  async function freeName(caller: Caller, folder: string, name: string, except: string): Promise<string> {
    const { client, workspaceId } = caller;
    for (let n = 1; n <= NAMES_TRIED; n += 1) {
      const path = pathOf(`${folder}/${numbered(name, n)}.md`);
      const { rowCount } = await client.query(
        `select from files where workspace_id = $1 and removed_at is null and id <> $2
          and (folded = $3 or (folded >= $4 collate "C" and folded < $5 collate "C")) limit 1`,
        [workspaceId, except, path.folded, `${path.folded.slice(0, -3)}/`, `${path.folded.slice(0, -3)}0`],
      );
      if (rowCount === 0) return path.path.slice(0, -3);
    }
    throw new Refused(
      `there are ${NAMES_TRIED} documents with this title below the same parent; choose another title`,
    );
  }

  async function filesBelow(caller: Caller, place: Place): Promise<readonly FileHead[]> {
    const folder = { path: place.path.slice(0, -3), folded: place.folded.slice(0, -3) };
    const files = await listFiles(caller.client, caller.workspaceId, { folder, limit: DOCUMENT_FILES + 1 });
    if (files.length > DOCUMENT_FILES)
      throw new Refused(
        `there are more than ${DOCUMENT_FILES} files below this document; change it part by part`,
      );
    return files;
  }

  /** Locks a document's file, and returns where it stands. */
  async function lockPlace({ client, workspaceId }: Reader, id: string): Promise<Place> {
    const { rows } = await client.query<Place>({
      name: 'lock_document',
      text: `select d.id, d.project_id, d.parent_id, f.path, f.folded, f.version
        from files f join document_places d on d.id = f.id join entities p on p.id = d.project_id and p.removed_at is null
        where f.id = $1 and f.workspace_id = $2 for update of f`,
      values: [id, workspaceId],
    });
    if (!rows[0]) throw new NotFound('document', id);
    return rows[0];
  }

  async function requireProject({ client, workspaceId }: Reader, projectId: string): Promise<void> {
    const { rowCount } = await client.query(
      'select from entities where id = $1 and workspace_id = $2 and removed_at is null for share',
      [projectId, workspaceId],
    );
    if (rowCount === 0) throw new NotFound('project', projectId, '; restore the project first');
  }

  /** An empty document was added where this one was, because documents in its folder needed a parent: it makes way. */
  async function removePlaceholder(caller: Caller, file: FileHead): Promise<void> {
    const { client, workspaceId, author } = caller;
    const { rows } = await client.query<{ id: string }>(
      `select id from files where workspace_id = $1 and folded = $2 and removed_at is null and size = 0 and version = 1`,
      [workspaceId, file.folded],
    );
    const ids = rows.map((row) => row.id);
    if (ids.length > 0) await removeFiles(client, { workspaceId, author, ids, at: new Date() });
  }

  async function unlessStale(caller: Reader, id: string, expected: number | null): Promise<Entity> {
    const entity = await entities.read(caller, id);
    if (!entity) throw new NotFound('document', id);
    if (expected !== null && expected !== entity.version) throw new VersionConflict(entity);
    return entity;
  }

  /** Changes a document's place in the structure, without its file. */
  async function reorder(
    { client, workspaceId, author }: Caller,
    id: string,
    parent: string,
    position: number | null,
  ): Promise<readonly FeedChange[]> {
    const query = client.query<{ changes: FeedChange[] }>({
      name: 'reorder_document',
      text: `select c.changes, record_changes($1, c.changes, 0, 0)
        from (select coalesce(jsonb_agg(change), '[]') as changes
          from reorder_document($2, $3, $4, $5) change where change is not null) c`,
      values: [workspaceId, id, parent, position, JSON.stringify(author)],
    });
    const { rows } = await query.catch((error: Error) => {
      throw sqlState(error) === 'CN420' ? new NotFound('document', parent) : error;
    });
    return rows[0]!.changes;
  }

  /** What happened. `moved` are the changes of places before the files. `id`: the document that the caller asked about. */
  async function changeOf(
    caller: Caller,
    files: readonly Changed[],
    moved: readonly FeedChange[] = [],
    id?: string,
  ): Promise<DocumentChange> {
    const [first] = files;
    const about = id ?? (first && 'file' in first ? first.file!.id : undefined);
    const changes = [...moved, ...files.flatMap((file) => (file.kind === 'changed' ? file.also : []))];
    // A new document comes with its patch; any other is read.
    const created = changes.map(createdBy).find((each) => each?.id === about);
    const entity = created ?? (about && (await entities.read(caller, about, { removed: true })));
    return { entities: entity ? [entity] : [], changes, files };
  }
}

/** The folder that the children of a document, or of a project's root, are in. */
async function folderOf(
  client: Queryable,
  workspaceId: string,
  projectId: string,
  parentId: string | null,
): Promise<string> {
  const { rows } = await client.query<{ folder: string; parent: string | null }>({
    name: 'document_folder',
    text: `select p.folder || '/docs' as folder, f.path as parent
      from projects p join entities e on e.id = p.id and e.removed_at is null
      left join (document_places d join files f on f.id = d.id) on d.project_id = p.id and d.id = $3
      where p.id = $2 and p.workspace_id = $1`,
    values: [workspaceId, projectId, parentId],
  });
  if (!rows[0]) throw new NotFound('project', projectId);
  if (parentId === null) return rows[0].folder;
  if (rows[0].parent === null) throw new NotFound('document', parentId, ' in this project to be the parent');
  return rows[0].parent.slice(0, -3);
}

function pathOf(path: string): FilePath {
  const parsed = parsePath(path);
  if (parsed.ok) return parsed.path;
  throw new Refused(`the document cannot be at ${path.slice(0, 200)}: ${parsed.problem}`);
}
