// Knowledge: the kinds of entities, and the services of entities, documents and projects.

import type { Bus } from '../bus/bus.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import { createKnowledge, type Knowledge } from '../knowledge/knowledge.ts';
import { startFolderKeeper, type FolderKeeper } from '../knowledge/upkeep.ts';
import type { Database } from './database.ts';
import type { ServerOptions } from './options.ts';

export function wireKnowledge(
  { kinds }: ServerOptions,
  { pool, onError }: Database,
  { bus, workspaces }: { readonly bus: Bus; readonly workspaces: Workspaces },
): { readonly knowledge: Knowledge; readonly folders: FolderKeeper } {
  return {
    knowledge: createKnowledge({ pool, workspaces, kinds }),
    folders: startFolderKeeper({ pool, bus, workspaces, onError }),
  };
}
