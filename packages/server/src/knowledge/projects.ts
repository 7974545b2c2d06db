// Projects: a project is created with its context document, and with the goals and tasks that are given with it, in one transaction.
// A removed project takes its files with it, and everything in it comes back when it is restored.

import { sqlState, transaction, type Pool } from '../db/pool.ts';
import { fold } from '../names/case-folding.ts';
import {
  listFiles,
  lockFiles,
  readSkipped,
  removeFiles,
  restoreFiles,
  type Changed,
  type FeedChange,
} from '../files/files.ts';
import { DOCUMENT_FILES, type DocumentChange, type DocumentService } from './documents.ts';
import { edgeOf, linking } from './edges.ts';
import { changeEntities, EntityService, type Caller, type EntityInput, type Operation } from './entities.ts';
import { Refused, VersionConflict } from './errors.ts';
import type { Edge, Entity } from './kind.ts';
import { goal as goalKind } from './kinds/goal.ts';
import { project as projectKind } from './kinds/project.ts';
import { task as taskKind } from './kinds/task.ts';
import { folderFor, numbered } from './names.ts';

export interface NewProject {
  readonly name: string;
  readonly purpose?: string | null | undefined;
  readonly goals?: readonly EntityInput[] | undefined;
  /** `goal` is the number of the goal that the task supports, from 0, in the list of goals. */
  readonly tasks?: readonly (EntityInput & { readonly goal?: number | undefined })[] | undefined;
}

export interface CreatedProject extends DocumentChange {
  readonly project: Entity;
  readonly entitiesCreated: readonly Entity[];
  readonly edgesCreated: readonly Edge[];
}

export interface ProjectService {
  create(caller: Caller, input: NewProject): Promise<CreatedProject>;
  delete(caller: Caller, id: string, expected: number | null): Promise<DocumentChange>;
  restore(caller: Caller, id: string): Promise<DocumentChange>;
}

const CONTEXT_TITLE = 'Context';
export const PROJECTS_FOLDER = '/projects';
const FOLDERS_TRIED = 1000;

export function createProjectService({
  pool,
  documents,
}: {
  pool: Pool;
  documents: DocumentService;
}): ProjectService {
  const projects = new EntityService(projectKind);
  const goals = new EntityService(goalKind);
  const tasks = new EntityService(taskKind);

  return {
    async create(caller, input) {
      for (let first = 1; ; first += 1) {
        try {
          return await inTransaction(caller, (within) => createIn(within, input, first));
        } catch (error) {
          // Another project has just taken the folder.
          if (sqlState(error) !== '23505' || caller.client !== pool || first > FOLDERS_TRIED) throw error;
        }
      }
    },

    async delete(caller, id, expected) {
      return inTransaction(caller, async (within) => {
        const { client, workspaceId, author } = within;
        await lockFiles(client, workspaceId, []);
        const project = await projects.read(within, id);
        if (!project) throw projects.notFound(id);
        if (expected !== null && expected !== project.version) throw new VersionConflict(project);
        const files = await listFiles(client, workspaceId, {
          folder: { path: folderOf(project), folded: fold(folderOf(project)) },
          limit: DOCUMENT_FILES + 1,
        });
        if (files.length > DOCUMENT_FILES)
          throw new Refused(`the project has more than ${DOCUMENT_FILES} files; remove some of them first`);
        await lockFiles(client, workspaceId, files);
        // One time for the project and its files, by which they are found again.
        const at = new Date();
        const change = await changeEntities(within, [{ op: 'remove', id, base: expected }], at);
        const ids = files.map((file) => file.id);
        const removed = await removeFiles(client, { workspaceId, author, ids, at });
        return { ...change, files: removed };
      });
    },

    async restore(caller, id) {
      return inTransaction(caller, async (within) => {
        const { client, workspaceId, author } = within;
        await lockFiles(client, workspaceId, []);
        const project = await projects.read(within, id, { removed: true });
        if (!project) throw projects.notFound(id);
        if (project.removed_at === null) return { entities: [project], changes: [], files: [] };
        // The project first: its documents follow their files only while it is there.
        const change = await changeEntities(within, [{ op: 'restore', id, base: null }]);
        const { rows } = await client.query<{ id: string }>(
          `select f.id from files f where f.workspace_id = $1 and f.removed_at = $2 and starts_with(f.folded, $3)`,
          [workspaceId, project.removed_at, `${fold(folderOf(project))}/`],
        );
        const ids = rows.map((row) => row.id);
        const restored = await restoreFiles(client, { workspaceId, author, ids });
        const skipped = await readSkipped(client, workspaceId, ids);
        // Files of its folder may have come and gone meanwhile.
        const { rows: refreshed } = await client.query<{ changes: FeedChange[] }>(
          'select refresh_documents($1, $2, $3) as changes',
          [workspaceId, id, JSON.stringify(author)],
        );
        const changes = [...change.changes, ...alsoOf(restored), ...refreshed[0]!.changes];
        return { ...change, changes, files: restored, skipped };
      });
    },
  };

  function inTransaction<T>(caller: Caller, work: (within: Caller) => Promise<T>): Promise<T> {
    if (caller.client !== pool) return work(caller);
    return transaction(pool, (client) => work({ ...caller, client }));
  }

  async function createIn(caller: Caller, input: NewProject, first: number): Promise<CreatedProject> {
    const { client, workspaceId } = caller;
    // Before the entities, because the context document's path is new: see decision 020 on the order of locks.
    await lockFiles(client, workspaceId, []);
    const folder = await freeFolder(caller, input.name, first);
    const { name, purpose = null } = input;
    const creation = projects.creation({ name, purpose }, null);
    const project: Operation = {
      ...creation,
      fields: { ...creation.fields, folder },
      folder,
      folded: fold(folder),
    };
    const newGoals = (input.goals ?? []).map((each) => goals.creation(each, project.id));
    const newTasks = (input.tasks ?? []).map((each) => tasks.creation(each, project.id));
    const made = await changeEntities(caller, [project, ...newGoals, ...newTasks]);
    const context = await documents.create(
      caller,
      { title: CONTEXT_TITLE, description: `What ${name} is for`, content: contextText(input) },
      project.id,
    );
    const contextId = context.entities[0]!.id;
    const links = [
      ...newGoals.map((each) => linking({ from_id: contextId, rel: 'references', to_id: each.id })),
      ...(input.tasks ?? []).flatMap(({ goal }, index) => {
        if (goal === undefined) return [];
        const supported = newGoals[goal];
        if (!supported)
          throw new Refused(`task ${index + 1} supports goal number ${goal}, and there is none`);
        return [linking({ from_id: newTasks[index]!.id, rel: 'supports', to_id: supported.id })];
      }),
    ];
    const linked = links.length === 0 ? { entities: [], changes: [] } : await changeEntities(caller, links);
    // The state of each entity after the last change.
    const states = new Map(
      [...made.entities, ...context.entities, ...linked.entities].map((each) => [each.id, each]),
    );
    const entitiesCreated = [...states.values()];
    return {
      project: states.get(project.id)!,
      entities: entitiesCreated,
      entitiesCreated,
      edgesCreated: links.map(edgeOf),
      changes: [...made.changes, ...context.changes, ...linked.changes],
      files: context.files,
    };
  }
}

/** The first folder that no project has, nor had, and that holds no file. */
export async function freeFolder(
  { client, workspaceId }: Caller,
  name: string,
  first: number,
): Promise<string> {
  const base = `${PROJECTS_FOLDER}/${folderFor(name)}`;
  for (let n = first; n <= FOLDERS_TRIED; n += 1) {
    const folder = numbered(base, n);
    const { rowCount } = await client.query(
      `select from projects where workspace_id = $1 and folded = $2
        union all select from files where workspace_id = $1 and removed_at is null
          and folded >= $2 || '/' collate "C" and folded < $2 || '0' collate "C" limit 1`,
      [workspaceId, fold(folder)],
    );
    if (rowCount === 0) return folder;
  }
  throw new Refused(`there are ${FOLDERS_TRIED} projects with this name; choose another one`);
}

function folderOf(project: Entity): string {
  return project.folder as string;
}

function alsoOf(files: readonly Changed[]) {
  return files.flatMap((file) => (file.kind === 'changed' ? file.also : []));
}

/** The context document: what the person said, in their own words, and nothing else. */
function contextText({ name, purpose, goals = [] }: NewProject): string {
  const titles = goals.map((goal) => `- ${goal.title}`);
  return [
    `# ${name}`,
    ...(purpose ? ['', purpose.trim()] : []),
    ...(titles.length > 0 ? ['', '## Goals', '', ...titles] : []),
    '',
  ].join('\n');
}
