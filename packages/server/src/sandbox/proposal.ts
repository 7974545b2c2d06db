// Applying what a command proposes, for a run and for a person: files that are still the version that the command started
// from, and no others.

import type { Queryable } from '../db/pool.ts';
import { storeContent, type StoredContent } from '../files/content.ts';
import { findFile } from '../files/files.ts';
import type { FilePath } from '../files/paths.ts';
import { listChanges, readChange, type ExecutionId } from './executions.ts';

export interface Proposed {
  readonly path: FilePath;
  readonly base: number;
  readonly content: StoredContent;
}

/** Why a file cannot be applied. */
export class NotProposed extends Error {
  readonly code: 'not_changed' | 'version_conflict' | 'too_large';

  constructor(code: NotProposed['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Stores the proposed content of these files. Throws `NotProposed`. */
export async function storeProposed(
  client: Queryable,
  { runId, callId, workspaceId }: ExecutionId & { readonly workspaceId: string },
  paths: readonly FilePath[],
  maxFileBytes: number,
): Promise<readonly Proposed[]> {
  const proposed: Proposed[] = [];
  const all = await listChanges(client, { runId, callId });
  for (const path of new Map(paths.map((each) => [each.path, each])).values()) {
    const change = await readChange(client, { runId, callId }, path);
    if (!change) {
      const changed = all.map((each) => each.path);
      throw new NotProposed(
        'not_changed',
        `the command did not change ${path.path}; it changed: ${changed.slice(0, 20).join(', ') || 'nothing'}`,
      );
    }
    const version = (await findFile(client, workspaceId, path))?.version ?? 0;
    if (version !== change.base) {
      const applied = all.find((each) => each.path === path.path)?.appliedVersion ?? null;
      throw new NotProposed(
        'version_conflict',
        applied === null
          ? `${path.path} has changed since the command started: it was ${versionInWords(change.base)}, and is ${versionInWords(version)} now; run the command again`
          : `${path.path} was applied already: the change became version ${applied}, and the file is ${versionInWords(version)} now`,
      );
    }
    if (change.content.length > maxFileBytes)
      throw new NotProposed(
        'too_large',
        `${path.path} is larger than ${maxFileBytes} bytes, the limit of a file`,
      );
    proposed.push({ path, base: change.base, content: await storeContent(client, change.content) });
  }
  return proposed;
}

function versionInWords(version: number): string {
  return version === 0 ? 'not there' : `version ${version}`;
}
