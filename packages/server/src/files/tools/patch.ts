// patch: applies a unified diff to the newest versions of one or several files, all or nothing.

import { parsePatch, type StructuredPatch } from 'diff';
import { z } from 'zod';
import { findFile } from '../files.ts';
import { applyChanges, placeOf, storeText, textOf, type Planned } from './changes.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { heavyWork } from './heavy.ts';
import { counted } from './format.ts';
import { ToolFailure, type CallContext, type Tool } from '../../tools/tool.ts';

/**
 * Maximum number of characters in a patch, of files that it changes, of lines in a hunk, and of lines in a patched
 * file.
 */
const PATCH_CHARACTERS = 256 * 1024;
const FILES = 100;
const HUNK_LINES = 2000;
const FILE_LINES = 100_000;

const input = z.strictObject({
  patch: z
    .string()
    .max(PATCH_CHARACTERS)
    .regex(
      /(?:^|\n)(?:--- |diff --git )/,
      'a patch is a unified diff: --- a/path, +++ b/path, @@ -1,2 +1,2 @@, then lines that begin with a space, - or +',
    )
    .describe(
      'A unified diff with --- and +++ lines; --- /dev/null creates a file; to remove a file, call remove',
    ),
});
type Input = z.infer<typeof input>;

export function patchTool(world: ToolWorld): Tool<Input, readonly Planned[]> {
  return {
    name: 'patch',
    description: 'Applies a unified diff to one or several text files: the whole diff or nothing.',
    effect: 'transactional',
    input,
    words: ({ patch }) => `Patches ${pathsIn(patch).map(displayPath).join(', ') || 'files'}`,
    paths: ({ patch }) => pathsIn(patch),
    async prepare({ patch }, context) {
      const parts = parse(patch);
      const planned: Planned[] = [];
      for (const part of parts) planned.push(...(await plan(world, context, part)));
      const paths = planned.map((one) => (one.kind === 'move' ? one.from : one.path).folded);
      if (new Set(paths).size < paths.length)
        throw new ToolFailure(
          'the patch names a file twice; put its hunks under one pair of --- and +++ lines',
        );
      return planned;
    },
    async run(_, context) {
      const changes = await applyChanges(world, context, context.prepared);
      // A file that is both moved and changed gets two versions, but is one file.
      const files = [...new Map(changes.map(({ file }) => [file.id, file])).values()];
      const lines = files.map((file) =>
        file.removedAt ? `${file.path} removed` : `${file.path}: version ${file.version}`,
      );
      return { files: files.length, text: [`${counted(files.length, 'file')} patched`, ...lines].join('\n') };
    },
  };
}

interface Part {
  readonly from: string | null;
  readonly to: string | null;
  readonly patch: StructuredPatch;
}

/** The last parsed patch: a call asks for its paths and its words before it applies the patch. */
let lastParsed: { readonly text: string; readonly parts: readonly Part[] } | null = null;

function parse(text: string): readonly Part[] {
  if (lastParsed?.text !== text) lastParsed = { text, parts: read(text) };
  return lastParsed.parts;
}

function read(text: string): readonly Part[] {
  let patches: StructuredPatch[];
  try {
    patches = parsePatch(text.endsWith('\n') ? text : `${text}\n`);
  } catch (error) {
    throw new ToolFailure(`the patch cannot be read: ${(error as Error).message}`);
  }
  const parts = patches.map(partOf).filter(({ patch, from, to }) => patch.hunks.length > 0 || from !== to);
  if (parts.length === 0 || parts.some(({ from, to }) => from === null && to === null))
    throw new ToolFailure(
      'the patch names no file; it must begin with --- a/path and +++ b/path lines, followed by @@ -1,2 +1,2 @@ and lines that begin with a space, - or +',
    );
  if (parts.length > FILES) throw new ToolFailure(`the patch changes more than ${FILES} files`);
  if (parts.some(({ patch }) => patch.hunks.some((hunk) => hunk.lines.length > HUNK_LINES)))
    throw new ToolFailure(`a hunk has more than ${HUNK_LINES} lines; split it`);
  return parts;
}

function partOf(patch: StructuredPatch): Part {
  const { oldFileName: old, newFileName: fresh } = patch;
  const isNothing = (name: string | undefined) => name === undefined || name === '/dev/null';
  // Git prefixes the two names with a/ and b/.
  const prefixed = [old, fresh].every(
    (name, side) => isNothing(name) || name.startsWith(side === 0 ? 'a/' : 'b/'),
  );
  const named = (name: string | undefined) => (isNothing(name) ? null : prefixed ? name.slice(2) : name);
  return { patch, from: named(old), to: named(fresh) };
}

/** The paths in a patch, for people and for policy rules; empty if the patch is invalid. */
function pathsIn(text: string): string[] {
  try {
    return [...new Set(parse(text).flatMap(({ from, to }) => [from, to].filter((name) => name !== null)))];
  } catch (error) {
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}

async function plan(world: ToolWorld, context: CallContext, part: Part): Promise<readonly Planned[]> {
  const { workspaceId } = context;
  if (part.from === null) {
    const path = fileAt(part.to!);
    if (await findFile(world.pool, workspaceId, path))
      throw new ToolFailure(`${path.path} already exists, but the patch creates it`);
    const content = await storeText(world, await applied('', part.patch, path.path, context), true);
    return [{ kind: 'write', path, base: 0, content }];
  }
  const file = await requireFile(world, workspaceId, fileAt(part.from));
  context.used(file.id);
  if (part.to === null) {
    // Policy rules about removal apply to the remove tool, so a patch must not remove files.
    throw new ToolFailure(`a patch cannot remove a file; call remove for ${file.path}. Nothing was changed`);
  }
  const to = fileAt(part.to);
  const text = async () => {
    const patched = await applied(await textOf(world, file), part.patch, file.path, context);
    return storeText(world, patched, true);
  };
  if (to.folded === file.folded)
    return [{ kind: 'write', path: placeOf(file), base: file.version, content: await text() }];
  const moved: Planned = { kind: 'move', from: placeOf(file), to, base: file.version };
  return part.patch.hunks.length === 0
    ? [moved]
    : [moved, { kind: 'write', path: to, base: file.version + 1, content: await text() }];
}

async function applied(
  text: string,
  { hunks }: StructuredPatch,
  path: string,
  context: CallContext,
): Promise<string> {
  if (linesIn(text) > FILE_LINES)
    throw new ToolFailure(`${path} has more than ${FILE_LINES} lines, too many to patch; use edit`);
  const input = { text, hunks: hunks.map(({ oldStart, lines }) => ({ oldStart, lines })) };
  const patched = await heavyWork('patch', input, context, {
    what: `finding where the hunks apply in ${path}`,
    instead: 'nothing was changed: use edit, or a patch of fewer hunks with fewer lines of context',
  });
  if (patched.ok) return patched.text;
  const hunk = hunks[patched.hunk]!;
  const near =
    patched.near.length === 0
      ? 'Read the file again.'
      : `The lines most similar to "${patched.lost.slice(0, 100)}" are:\n${patched.near.join('\n')}`;
  throw new ToolFailure(
    `the hunk @@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@ does not apply to ${path}. Nothing was changed. ${near}`,
  );
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
