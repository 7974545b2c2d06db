// The packs: what a model is told about the scope of its thread.

import type { PolicyRule, ThreadScope } from '@continuo/protocol';
import type { PackParts, Packs } from './request.ts';

const NOTHING: PackParts = { system: [], turn: [], leftOut: [], sources: [], feedSeq: null };

/** `describe` tells a model with these permissions what the thread is about; null if there is nothing to tell. */
export function createPacks(
  describe: (
    workspaceId: string,
    scope: ThreadScope,
    permissions: readonly PolicyRule[],
  ) => Promise<string | null>,
): Packs {
  return {
    async read({ workspaceId, scope, agent }) {
      if (scope.project_id === null) return NOTHING;
      const text = await describe(workspaceId, scope, agent.permissions);
      if (text === null) return NOTHING;
      return {
        ...NOTHING,
        system: [{ kind: 'scope', text, source: { kind: 'text', name: 'scope' } }],
      };
    },
  };
}
