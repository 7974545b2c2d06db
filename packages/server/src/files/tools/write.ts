// write: writes a whole file. A file that has changed since the thread last read or wrote it is not overwritten.

import { z } from 'zod';
import type { StoredContent } from '../content.ts';
import { findFile, writeFile, type FileHead } from '../files.ts';
import { readVersion } from '../versions.ts';
import { storeText } from './changes.ts';
import {
  authorOf,
  fileAt,
  requireChange,
  refusals,
  displayPath,
  announce,
  type ToolWorld,
} from './shared.ts';
import { authorInWords, bytes } from './format.ts';
import { ToolFailure, type CallContext, type Tool } from '../../tools/tool.ts';

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  content: z.string().describe('The whole new text of the file'),
  version: z
    .int()
    .min(1)
    .optional()
    .describe('The version to replace; needed only if this conversation has not read or written the file'),
});
type Input = z.infer<typeof input>;

export function writeTool(world: ToolWorld): Tool<Input, StoredContent> {
  const { workspaces } = world;
  return {
    name: 'write',
    description:
      'Writes a whole text file: creates it, or replaces its content. Read a file before you replace it; to change a part, use edit.',
    effect: 'transactional',
    input,
    words: ({ path }) => `Writes ${displayPath(path)}`,
    paths: ({ path }) => [path],
    summary: (_, { path, content }) => `Wrote ${displayPath(path)}, ${bytes(Buffer.byteLength(content))}.`,
    async prepare({ path, content }) {
      fileAt(path);
      return storeText(world, content);
    },
    async run({ path: given, version }, context) {
      const { sql, workspaceId, prepared: content } = context;
      const path = fileAt(given);
      const before = await findFile(sql, workspaceId, path);
      if (before) await refuseUnseen(sql, before, version ?? context.known(before.id), context);
      else if (version !== undefined)
        throw new ToolFailure(`there is no file at ${path.path}; omit version to create it`);
      const change = requireChange(
        await refusals(
          writeFile(sql, {
            workspaceId,
            path,
            content,
            author: authorOf(context),
            base: before?.version ?? 0,
            quotaBytes: workspaces.options.quotaBytes,
            stage: workspaces.stage,
          }),
        ),
      );
      const file = change?.file ?? before!;
      context.learned(file.id, file.version);
      if (change) announce(world, context, [change]);
      const did = !change ? 'already has this content' : before ? 'replaced' : 'created';
      return {
        path: file.path,
        file: file.id,
        version: file.version,
        text: `${file.path} ${did}: version ${file.version}, ${bytes(content.size)}`,
      };
    },
  };

  async function refuseUnseen(
    sql: Parameters<typeof findFile>[0],
    file: FileHead,
    known: number | null,
    context: CallContext,
  ): Promise<void> {
    if (known === file.version) return;
    if (known === null)
      throw new ToolFailure(
        `${file.path} already exists (version ${file.version}, ${bytes(file.size)}), and this conversation has not read it; read it first, or use edit`,
      );
    const newest = await readVersion(sql, file.id, file.version);
    throw new ToolFailure(
      `${file.path} was changed ${authorInWords(newest!.author, context)} since you last read or wrote it (version ${known}); it is now at version ${file.version} (${bytes(file.size)}). Read it again before you write it, or use edit`,
    );
  }
}
