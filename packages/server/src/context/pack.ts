// The context pack of a scope: global, a project, or an entity of a project. Made of a bundle, without what the model may not read; the
// pack of a chat's next message has the chat's agent state besides, and hints for retrieval. Pure.

import type { AgentState, PolicyRule } from '@continuo/protocol';
import type { Entity } from '../knowledge/kind.ts';
import { treeOf } from '../knowledge/structure.ts';
import { shownStructure, type ShownStructure } from '../knowledge/tools/structure.ts';
import { judge } from '../tools/policy.ts';
import type {
  Bundle,
  BundleDocument,
  BundleEntity,
  BundleLink,
  GlobalBundle,
  ProjectBundle,
} from './bundle.ts';
import type { BUDGETS } from './budgets.ts';
import { indexDocuments, type RetrievalHints, type RetrievalIndex } from './retrieval.ts';

type PackScope = 'global' | 'project' | 'entity';

/** What is known about a scope, for every role. */
export interface ScopePack {
  readonly scope: PackScope;
  readonly focus: {
    readonly projectId?: string;
    readonly projectName?: string;
    readonly entityId?: string;
    readonly entityType?: string;
  };
  readonly data: {
    readonly docStructure?: ShownStructure;
    /** In the global scope, a line about each project that changed recently. */
    readonly projectSummary?: string;
    readonly entityDetails?: Entity;
    /** The titles from the root of the structure to the document in focus. */
    readonly documentPath?: readonly string[];
    readonly linkedEntities?: readonly BundleLink[];
    readonly recentActivity?: readonly BundleEntity[];
  };
  /** The version of the project, of its structure, and of the entity. */
  readonly versions: { readonly project?: number; readonly structure?: number; readonly entity?: number };
  /** The readable documents of the project, for retrieval. */
  readonly index: RetrievalIndex | null;
}

/** The pack of a chat's next message, as clients read it. */
export interface ContextPack extends Pick<ScopePack, 'scope' | 'focus'> {
  /** The layers of the system prompt. The role's preamble, the workspace's instructions and its skills come on top. */
  readonly systemInstructions: string;
  readonly data: Omit<ScopePack['data'], 'documentPath'> & { readonly agentState: AgentState };
  readonly retrievalHints: RetrievalHints;
  readonly budgets: typeof BUDGETS & {
    /** The context window of the model. */
    readonly maxTokens: number;
  };
}

/** Null if the model may not read the project. */
export function packOf(
  { about, rules }: Bundle,
  permissions: readonly PolicyRule[],
  ratio: number,
): ScopePack | null {
  const isReadable = readableBy(rules, permissions);
  return about.scope === 'global' ? globalPack(about, isReadable) : projectPack(about, isReadable, ratio);
}

type Readable = (path: string) => boolean;

function readableBy(workspace: readonly PolicyRule[], role: readonly PolicyRule[]): Readable {
  // Thousands of paths need no judgement if no rule denies anything.
  if (![...workspace, ...role].some(({ action }) => action === 'deny')) return () => true;
  return (path) =>
    judge(
      { tool: 'get_onto_document_details', like: 'read', effect: 'pure', paths: [path] },
      { workspace, role },
    ).action !== 'deny';
}

function globalPack({ projects, count }: GlobalBundle, isReadable: Readable): ScopePack {
  const lines = projects
    .filter(({ path }) => isReadable(path))
    .map(({ id, title, state, purpose, documents }) => {
      const about = [state, counted(documents, 'document'), purpose && oneLine(purpose)];
      return `- ${title} (project_id ${id}): ${about.filter(Boolean).join(', ')}`;
    });
  const more = count - projects.length;
  if (more > 0) lines.push(`- ${more} more; list_onto_projects lists them`);
  return {
    scope: 'global',
    focus: {},
    data: lines.length === 0 ? {} : { projectSummary: lines.join('\n') },
    versions: {},
    index: null,
  };
}

function projectPack(about: ProjectBundle, isReadable: Readable, ratio: number): ScopePack | null {
  const { project, folder, structureVersion, links, changed } = about;
  if (!isReadable(folder)) return null;
  const isShown = ({ path }: { readonly path: string | null }) => isReadable(path ?? folder);
  const entity =
    about.entity && isShown({ path: (about.entity.path as string | undefined) ?? null })
      ? about.entity
      : null;
  const documents = about.documents.filter(isShown);
  const index = indexDocuments(documents);
  const linked = entity ? links.filter(isShown) : [];
  const open = entity?.kind === 'document' ? [entity.id] : documentsIn(linked);
  const root = treeOf(project.id, about.documents);
  return {
    scope: entity ? 'entity' : 'project',
    focus: {
      projectId: project.id,
      projectName: project.name!,
      ...(entity && { entityId: entity.id, entityType: entity.kind }),
    },
    data: {
      docStructure: shownStructure({ version: structureVersion, root }, index.documents, { open, ratio }),
      projectSummary: summaryOf(about),
      ...(entity && { entityDetails: entity, linkedEntities: linked }),
      ...(entity?.kind === 'document' && { documentPath: pathOf(index, entity.id) }),
      recentActivity: changed.filter(isShown),
    },
    versions: {
      project: project.version,
      structure: structureVersion,
      ...(entity && { entity: entity.version }),
    },
    index,
  };
}

function documentsIn(links: readonly BundleLink[]): readonly string[] {
  return links.flatMap(({ id, kind }) => (kind === 'document' ? [id] : []));
}

/** The titles from the root to a document. */
export function pathOf({ documents }: RetrievalIndex, id: string): readonly string[] {
  const titles: string[] = [];
  for (let at: BundleDocument | undefined = documents.get(id); at; at = documents.get(at.parent_id))
    titles.unshift(at.title);
  return titles;
}

function summaryOf({ project, counts }: ProjectBundle): string {
  const kinds = Map.groupBy(counts, ([kind]) => kind);
  const lines = [...kinds].map(([kind, states]) => {
    const total = states.reduce((sum, [, , count]) => sum + count, 0);
    const each = states.flatMap(([, state, count]) => (state === null ? [] : [`${count} ${inWords(state)}`]));
    return `${counted(total, inWords(kind))}${each.length > 0 ? ` (${each.join(', ')})` : ''}`;
  });
  const purpose = typeof project.purpose === 'string' ? [`Purpose: ${oneLine(project.purpose)}`] : [];
  const state = project.state === undefined ? '' : ` It is ${inWords(project.state)}.`;
  return [
    `The project is ${project.name} (project_id ${project.id}).${state}`,
    ...purpose,
    `It has ${lines.length === 0 ? 'nothing in it yet' : lines.join(', ')}.`,
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function inWords(name: string): string {
  return name.replaceAll('_', ' ');
}

const LINE_CHARACTERS = 300;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS - 1).toWellFormed()}…` : line;
}
