// Knowledge on a real database, without a server.

import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../src/knowledge/entities.ts';
import { createKnowledge, type Knowledge } from '../../src/knowledge/knowledge.ts';
import { Workspaces } from '../../src/files/workspace-files.ts';
import { useLog } from '../runs/support.ts';

export interface KnowledgeWorld {
  readonly pool: ReturnType<typeof useLog>['pool'];
  readonly knowledge: Knowledge;
  /** A caller in a new workspace. */
  newCaller(): Promise<Caller>;
}

export function useKnowledge(): KnowledgeWorld {
  const world = useLog();
  let knowledge: Knowledge | null = null;
  return {
    get pool() {
      return world.pool;
    },
    get knowledge() {
      const workspaces = new Workspaces({
        bus: { publish: async () => undefined, subscribe: () => undefined } as never,
        maxFileBytes: 2 ** 20,
        quotaBytes: 2 ** 40,
      });
      return (knowledge ??= createKnowledge({ pool: world.pool, workspaces }));
    },
    async newCaller() {
      const id = uuidv7();
      await world.pool.query('insert into workspaces (id, name) values ($1, $2)', [id, id]);
      return { client: world.pool, workspaceId: id, author: { kind: 'person' }, quotaBytes: 2 ** 40 };
    },
  };
}
