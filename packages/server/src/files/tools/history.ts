// history: lists a file's versions, newest first, with their authors.

import { z } from 'zod';
import { findFile, findRemoved } from '../files.ts';
import { listVersions, type FileVersion } from '../versions.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { authorInWords, bytes, counted, minute } from './format.ts';
import type { CallContext, Tool } from '../../tools/tool.ts';

const VERSIONS = 200;

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  before: z.int().min(2).optional().describe('Only versions before this one'),
  limit: z.int().min(1).max(VERSIONS).default(20).describe('The most versions to show'),
});
type Input = z.infer<typeof input>;

export function historyTool(world: ToolWorld): Tool<Input> {
  const { pool } = world;
  return {
    name: 'history',
    description:
      'Shows the history of a file: its versions, newest first, each with what was done, by whom and when.',
    effect: 'pure',
    input,
    words: ({ path }) => `Reads the history of ${displayPath(path)}`,
    paths: ({ path }) => [path],
    async run({ path: given, before, limit }, context) {
      const path = fileAt(given);
      const file =
        (await findFile(pool, context.workspaceId, path)) ??
        (await findRemoved(pool, context.workspaceId, path)) ??
        (await requireFile(world, context.workspaceId, path));
      const versions = await listVersions(pool, file.id, { limit, ...(before !== undefined && { before }) });
      context.used(file.id);
      const last = versions.at(-1)?.version ?? 1;
      return {
        path: file.path,
        file: file.id,
        version: file.version,
        text: [
          `${file.path}: ${counted(file.version, 'version')}${file.removedAt ? ', removed' : ''}`,
          ...versions.map((version) => line(version, context)),
          ...(last > 1 ? [`[for older versions, set before: ${last}]`] : []),
        ].join('\n'),
      };
    },
  };
}

const DONE = { write: 'written', remove: 'removed', restore: 'restored' } as const;

function line({ version, op, at, author, size, path }: FileVersion, here: CallContext): string {
  const what = op === 'move' ? `moved to ${path}` : DONE[op];
  return `v${version}  ${minute(at)}  ${what} ${authorInWords(author, here)}  ${bytes(size)}`;
}
