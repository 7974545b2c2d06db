// Rehearses a transactional call: makes it in a transaction that is rolled back. So a person is asked only about calls that can
// be made, and is told how much they change.
//
// - A rehearsal leaves nothing: no rows, no events, and no work after a commit. Content that it staged on disk is discarded.
// - It does not decide about the call. A problem that it cannot find appears when the call is made.

import { createHash } from 'node:crypto';
import type { NewEvent } from '@continuo/protocol';
import { transaction, type Pool } from '../../db/pool.ts';
import type { AnyTool } from '../../tools/registry.ts';
import { Stale, ToolFailure, type CallContext } from '../../tools/tool.ts';
import { takeNotes, type Notes } from './notes.ts';

export type Rehearsal =
  /** The call cannot be made; the problem says why, in words for models. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** `changes`: how many files and entities the call changes. `files`: identifies the files and versions that it leaves. */
  | { readonly kind: 'possible'; readonly changes: number; readonly files: string }
  /** The rehearsal itself failed. */
  | { readonly kind: 'unknown' };

export interface RehearsedCall {
  readonly tool: Extract<AnyTool, { effect: 'transactional' }>;
  readonly input: never;
  readonly about: Omit<CallContext, keyof Notes['context']>;
}

const TRIES = 5;

/** Ends a rehearsal's transaction. */
class RollBack extends Error {}

export async function rehearse(
  pool: Pool,
  call: RehearsedCall,
  isInterrupted: () => boolean,
): Promise<Rehearsal> {
  for (let tries = 1; !isInterrupted(); tries += 1) {
    try {
      return await rehearseOnce(pool, call);
    } catch (error) {
      if (error instanceof ToolFailure) return { kind: 'refused', problem: error.message };
      if (!(error instanceof Stale) || tries === TRIES) return { kind: 'unknown' };
    }
  }
  return { kind: 'unknown' };
}

async function rehearseOnce(pool: Pool, { tool, input, about }: RehearsedCall): Promise<Rehearsal> {
  const preparing = takeNotes();
  const prepared: unknown = await tool.prepare?.(input, { ...about, ...preparing.context });
  const events: NewEvent[] = [];
  let output: unknown;
  const rollBack = new RollBack();
  await transaction(pool, async (sql) => {
    const notes = takeNotes(preparing);
    output = await tool.run(input, {
      ...about,
      ...notes.context,
      known: (fileId: string) => notes.collected.versions.get(fileId) ?? about.known(fileId),
      sql,
      prepared,
      emit: (event: NewEvent) => events.push(event),
      afterCommit: () => undefined,
    });
    throw rollBack;
  }).catch((error: unknown) => {
    if (error !== rollBack) throw error;
  });
  return { kind: 'possible', changes: changedThings(events), files: filesAfter(events, output) };
}

function changedThings(events: readonly NewEvent[]): number {
  const things = events.flatMap(({ type, data }) =>
    type === 'file_updated' ? [data.file] : type === 'entity_patch' ? [data.entity_id] : [],
  );
  return new Set(things).size;
}

/**
 * The hash of the files that a call leaves, with their versions, and of the version that it publishes. It differs if somebody changed
 * one of these files, or added a file to a folder that the call removes.
 */
export function filesAfter(events: readonly NewEvent[], output: unknown): string {
  const files = events.flatMap(({ type, data }) =>
    type === 'file_updated' ? [`${data.path}@${data.v}${data.removed ? ' removed' : ''}`] : [],
  );
  const { version } = (output ?? {}) as { readonly version?: unknown };
  const lines = [...files.toSorted(), ...(typeof version === 'number' ? [`version ${version}`] : [])];
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
}
