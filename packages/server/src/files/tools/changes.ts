// The changes of a tool call: planned outside the call's transaction and applied inside it, all or nothing. Each change
// names the version that it was planned from. If that is no longer the newest version, the call is prepared again.

import { asText, holdContent, readWhole, storeContent, type StoredContent } from '../content.ts';
import { lockFiles, moveFile, removeFile, writeFile, type FileHead } from '../files.ts';
import { readVersion } from '../versions.ts';
import type { FilePath } from '../paths.ts';
import { authorOf, requireChange, refusals, announce, type AppliedChange, type ToolWorld } from './shared.ts';
import { bytes } from './format.ts';
import { ToolFailure, type TransactionContext } from '../../tools/tool.ts';

/** Maximum number of files that one call changes, and maximum size of a text that is changed in parts. */
export const CHANGED_FILES = 1000;
const TEXT_BYTES = 2 * 1024 * 1024;

export type Planned =
  | {
      readonly kind: 'write';
      readonly path: FilePath;
      readonly base: number;
      readonly content: StoredContent;
    }
  | {
      readonly kind: 'restore';
      readonly path: FilePath;
      readonly base: number;
      readonly content: StoredContent;
      readonly removedFile?: string;
    }
  | { readonly kind: 'move'; readonly from: FilePath; readonly to: FilePath; readonly base: number }
  | { readonly kind: 'remove'; readonly path: FilePath; readonly base: number };

export async function applyChanges(
  world: ToolWorld,
  context: TransactionContext<unknown>,
  planned: readonly Planned[],
): Promise<readonly AppliedChange[]> {
  const { sql, workspaceId } = context;
  if (planned.length > 1)
    await lockFiles(
      sql,
      workspaceId,
      planned.map((one) => (one.kind === 'move' ? one.from : one.path)),
    );
  const changes: (AppliedChange & { readonly from?: string })[] = [];
  for (const one of planned) {
    const change = requireChange(await refusals(makeOne(world, context, one)));
    if (!change) continue;
    if (context.known(change.file.id) === change.file.version - 1 && one.kind !== 'restore')
      context.learned(change.file.id, change.file.version);
    changes.push(one.kind === 'move' ? { ...change, from: one.from.path } : change);
  }
  announce(world, context, changes);
  return changes;
}

function makeOne({ workspaces }: ToolWorld, context: TransactionContext<unknown>, one: Planned) {
  const { sql, workspaceId } = context;
  const where = { workspaceId, author: authorOf(context), base: one.base };
  if (one.kind === 'move') return moveFile(sql, { ...where, from: one.from, to: one.to });
  if (one.kind === 'remove') return removeFile(sql, { ...where, path: one.path });
  const { path, content } = one;
  const { quotaBytes } = workspaces.options;
  const { stage } = workspaces;
  if (one.kind === 'write') return writeFile(sql, { ...where, path, content, quotaBytes, stage });
  const restore = one.removedFile === undefined ? {} : { removedFile: one.removedFile };
  return writeFile(sql, { ...where, path, content, quotaBytes, restore });
}

/** The newest text of a file, for a tool that changes parts of it. */
export async function textOf({ pool }: ToolWorld, file: FileHead): Promise<string> {
  const version = await readVersion(pool, file.id, file.version);
  if (!version?.isText)
    throw new ToolFailure(`${file.path} is not text; it can be moved or removed, not edited`);
  if (version.size > TEXT_BYTES)
    throw new ToolFailure(
      `${file.path} is too large to change in parts (${bytes(version.size)}; at most ${bytes(TEXT_BYTES)}); write a new text instead`,
    );
  return asText(await readWhole(pool, version.chunks))!;
}

/**
 * Checks and stores the text that a call writes. If one call writes several files, each content is stored before the
 * transaction, because two calls that store the same contents inside theirs could deadlock.
 */
export async function storeText(
  { pool, workspaces }: ToolWorld,
  text: string,
  several = false,
): Promise<StoredContent> {
  if (text.includes('\0'))
    throw new ToolFailure('the text contains a NUL character (U+0000), which is not allowed');
  const { maxFileBytes } = workspaces.options;
  const size = Buffer.byteLength(text);
  if (size > maxFileBytes)
    throw new ToolFailure(
      `the text is too large (${bytes(size)}); a file may have at most ${bytes(maxFileBytes)}`,
    );
  return several ? storeContent(pool, text) : holdContent(pool, text);
}

/** The path of a file, as a planned change needs it. */
export const placeOf = ({ path, folded }: FileHead): FilePath => ({ path, folded });
