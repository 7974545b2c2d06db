// Knowledge: projects, entities of every kind, documents and their structure, edges, and search.

import {
  jsonOf,
  type AnswerOf,
  type At,
  type BodyOf,
  type Http,
  type QueryOf,
  type Schemas,
} from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';
import { precondition } from './files.ts';

const WORKSPACE = '/api/v1/workspaces/{id}';
type Workspace = typeof WORKSPACE;

/** The last parts of the built-in kinds' routes. */
const PLURALS = {
  project: 'projects',
  document: 'documents',
  task: 'tasks',
  goal: 'goals',
  plan: 'plans',
  milestone: 'milestones',
  risk: 'risks',
  requirement: 'requirements',
} as const;

/** A built-in kind of entity. */
export type Kind = keyof typeof PLURALS;
type Lists<K extends Kind> = At<`${Workspace}/${(typeof PLURALS)[K]}`, 'get'>;

/** An entity of a kind: `EntityOf<'task'>`. */
export type EntityOf<K extends string> = K extends Kind ? Schemas[Capitalize<K>] : Schemas['Entity'];
type NewOf<K extends string> =
  K extends Exclude<Kind, 'project'>
    ? Schemas[`New${Capitalize<K>}`]
    : { readonly project_id: string; readonly [field: string]: unknown };
type PatchOf<K extends string> = K extends Kind
  ? Schemas[`${Capitalize<K>}Patch`]
  : { readonly [field: string]: unknown };
export type ListQueryOf<K extends string> = K extends Kind
  ? QueryOf<Lists<K>>
  : {
      readonly project_id?: string;
      readonly state?: string;
      readonly removed?: 'true' | 'false';
      readonly after?: string;
      readonly limit?: number;
    };

export interface EntityPage<E> {
  readonly items: E[];
  readonly next: string | null;
  /** The change feed's seq of the same moment. */
  readonly as_of: number;
}

export interface Board<E> {
  readonly columns: { readonly state: string; readonly count: number; readonly items: E[] }[];
  readonly as_of: number;
}

export interface Versioned extends WorkspaceOptions {
  /** Change only this version; without it, whichever there is. */
  readonly base?: number | undefined;
}

/** Of a restored project or document: the files that stay removed, because their paths are taken. */
type Skipping = Partial<
  Pick<AnswerOf<At<'/api/v1/workspaces/{id}/projects/{entity_id}/restore', 'post'>>, 'skipped'>
>;

export function knowledge(http: Http) {
  const at = ({ workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace },
    signal,
  });
  const atEntity = (id: string, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, entity_id: id },
    signal,
  });

  // The routes of all kinds have the same shape as those of tasks.
  const call = <T>(method: 'get' | 'post' | 'patch' | 'delete', path: string, request: object) =>
    http.call(method, path as never, request as never) as unknown as Promise<T>;

  /** The entities of a kind. A kind that the server's owner added is named with the last part of its routes, too. */
  function entities<K extends string>(kind: K, plural: string = PLURALS[kind as Kind] ?? `${kind}s`) {
    const list = `${WORKSPACE}/${plural}`;
    const one = `${list}/{entity_id}`;
    return {
      list: (query: ListQueryOf<K> = {} as ListQueryOf<K>, where: WorkspaceOptions = {}) =>
        call<EntityPage<EntityOf<K>>>('get', list, { ...at(where), query }),
      get: (id: string, where: WorkspaceOptions = {}) => call<EntityOf<K>>('get', one, atEntity(id, where)),
      create: (body: NewOf<K>, where: WorkspaceOptions = {}) =>
        call<EntityOf<K>>('post', list, { ...at(where), body }),
      change: (id: string, body: PatchOf<K>, { base, ...where }: Versioned = {}) =>
        call<EntityOf<K>>('patch', one, {
          ...atEntity(id, where),
          body,
          headers: precondition(base),
        }),
      remove: (id: string, { base, ...where }: Versioned = {}) =>
        call<EntityOf<K>>('delete', one, {
          ...atEntity(id, where),
          headers: precondition(base),
        }),
      /** Until 30 days after its removal. */
      restore: (id: string, where: WorkspaceOptions = {}) =>
        call<EntityOf<K> & Skipping>('post', `${one}/restore`, atEntity(id, where)),
      /** Newest first. */
      versions: (
        id: string,
        query: QueryOf<At<`${Workspace}/tasks/{entity_id}/versions`, 'get'>> = {},
        where: WorkspaceOptions = {},
      ) =>
        call<AnswerOf<At<`${Workspace}/tasks/{entity_id}/versions`, 'get'>>>('get', `${one}/versions`, {
          ...atEntity(id, where),
          query,
        }),
      /** The entities of a project by state. */
      board: (
        query: { readonly project_id: string; readonly limit?: number },
        where: WorkspaceOptions = {},
      ) => call<Board<EntityOf<K>>>('get', `${list}/board`, { ...at(where), query }),
    };
  }

  const { create: _none, board: _noBoard, ...projects } = entities('project');
  const { board: _noStates, ...documents } = entities('document');
  const { board: _noPlanStates, ...plans } = entities('plan');
  const PLAN = `${WORKSPACE}/plans/{entity_id}` as const;
  const atStep = (id: string, step: string, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, entity_id: id, step_id: step },
    signal,
  });
  const PROJECT = `${WORKSPACE}/projects/{entity_id}` as const;
  return {
    entities,
    projects: {
      ...projects,
      /** Creates a project with its context document, and with goals and tasks, in one transaction. */
      create: (body: BodyOf<At<`${Workspace}/projects`, 'post'>>, where: WorkspaceOptions = {}) =>
        http.call('post', `${WORKSPACE}/projects`, { ...at(where), body }),
      /** The project as a zip. */
      pack: (id: string, where: WorkspaceOptions = {}): Promise<Response> =>
        http.raw('get', `${PROJECT}/archive`, atEntity(id, where)),
      /** Makes a new project of such a zip. */
      unpack: async (
        zip: BodyInit,
        where: WorkspaceOptions = {},
      ): Promise<AnswerOf<At<`${Workspace}/projects/import`, 'post'>>> =>
        jsonOf(
          await http.raw('post', `${WORKSPACE}/projects/import`, {
            ...at(where),
            body: zip,
            headers: { 'content-type': 'application/zip' },
          }),
        ),
    },
    documents: {
      ...documents,
      /** Moves a document, with all that is below it. */
      move: (id: string, body: Schemas['DocumentMove'], { base, ...where }: Versioned = {}) =>
        http.call('post', `${WORKSPACE}/documents/{entity_id}/move`, {
          ...atEntity(id, where),
          body,
          headers: precondition(base),
        }),
      /** Finds a document of a project by the titles above it: `Research/Market`. */
      byPath: (project: string, path: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${PROJECT}/document-by-path`, { ...atEntity(project, where), query: { path } }),
      /** The tree of a project's documents, with their titles if `include` is `metadata`. */
      structure: (
        project: string,
        query: QueryOf<At<`${Workspace}/projects/{entity_id}/doc-structure`, 'get'>> = {},
        where: WorkspaceOptions = {},
      ) => http.call('get', `${PROJECT}/doc-structure`, { ...atEntity(project, where), query }),
    },
    plans: {
      ...plans,
      /** Plans with their states, newest first; with `waiting`, those whose approval a run waits for. */
      states: (query: QueryOf<At<`${Workspace}/plans/states`, 'get'>> = {}, where: WorkspaceOptions = {}) =>
        http.call('get', `${WORKSPACE}/plans/states`, { ...at(where), query }),
      /** The plan with the status of each step, and what is wrong with it. */
      progress: (id: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${PLAN}/progress`, atEntity(id, where)),
      /** Approves the plan as it is; with `version`, only if it is still the plan of that version of its file. */
      approve: (id: string, body: Schemas['ApprovePlan'] = {}, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/approve`, { ...atEntity(id, where), body }),
      /** Runs an approved plan in a chat of its own. */
      run: (id: string, body: Schemas['RunPlan'] = {}, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/run`, { ...atEntity(id, where), body }),
      pause: (id: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/pause`, atEntity(id, where)),
      resume: (id: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/resume`, atEntity(id, where)),
      stop: (id: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/stop`, atEntity(id, where)),
      /** Has a step done again, with the steps that were blocked. */
      retryStep: (id: string, step: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/steps/{step_id}/retry`, atStep(id, step, where)),
      skipStep: (id: string, step: string, body: Schemas['SkipStep'] = {}, where: WorkspaceOptions = {}) =>
        http.call('post', `${PLAN}/steps/{step_id}/skip`, { ...atStep(id, step, where), body }),
    },
    edges: {
      create: (body: Schemas['NewEdge'], where: WorkspaceOptions = {}) =>
        http.call('post', `${WORKSPACE}/edges`, { ...at(where), body }),
      remove: (edge: string, { workspace = http.workspace, signal }: WorkspaceOptions = {}) =>
        http.call('delete', `${WORKSPACE}/edges/{edge_id}`, {
          path: { id: workspace, edge_id: edge },
          signal,
        }),
      /** The links of an entity, both ways. */
      list: (entity: string, where: WorkspaceOptions = {}) =>
        http.call('get', `${WORKSPACE}/entities/{entity_id}/edges`, atEntity(entity, where)),
    },
    /** An entity of any kind, without a document's content. */
    entity: (id: string, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/entities/{entity_id}`, atEntity(id, where)),
    /** The kinds of entities with their fields and states, and the relations between them. */
    kinds: (where: WorkspaceOptions = {}) => http.call('get', `${WORKSPACE}/kinds`, at(where)),
    /** Searches documents, entities and files. */
    search: (query: QueryOf<At<`${Workspace}/search`, 'get'>>, where: WorkspaceOptions = {}) =>
      http.call('get', `${WORKSPACE}/search`, { ...at(where), query }),
  };
}
