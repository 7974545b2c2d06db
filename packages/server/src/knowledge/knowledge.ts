// Knowledge as a whole: the kinds, and the services of entities, documents and projects.

import type { Pool } from '../db/pool.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import { createDocumentService, type DocumentService } from './documents.ts';
import { EntityService } from './entities.ts';
import type { Kind } from './kind.ts';
import { KINDS } from './kinds/index.ts';
import { PlanFiles } from './plans.ts';
import { createProjectService, type ProjectService } from './projects.ts';

export interface Knowledge {
  readonly kinds: readonly Kind[];
  /** The service of a kind. Documents and projects have services of their own. */
  entities(kind: string): EntityService;
  readonly documents: DocumentService;
  readonly plans: PlanFiles;
  readonly projects: ProjectService;
}

export interface KnowledgeOptions {
  readonly pool: Pool;
  readonly workspaces: Workspaces;
  /** Kinds in addition to the built-in ones. */
  readonly kinds?: readonly Kind[] | undefined;
}

export function createKnowledge({ pool, workspaces, kinds: further = [] }: KnowledgeOptions): Knowledge {
  const kinds = [...KINDS, ...further];
  const plans = new PlanFiles(pool, workspaces);
  const services = new Map(
    kinds.map((kind) => [kind.kind, kind.kind === 'plan' ? plans : new EntityService(kind)]),
  );
  if (services.size < kinds.length) throw new Error('two kinds of entities have the same name');
  const documents = createDocumentService({ pool, workspaces });
  return {
    kinds,
    entities: (kind) => services.get(kind)!,
    documents,
    plans,
    projects: createProjectService({ pool, documents }),
  };
}
