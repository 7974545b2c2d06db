// remove: removes a file, or a folder with everything in it. Removed files can be restored.

import { z } from 'zod';
import { findFile, listFiles } from '../files.ts';
import { CHANGED_FILES, applyChanges, placeOf, type Planned } from './changes.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { counted } from './format.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';

const input = z.strictObject({
  path: z.string().describe('Path of the file or folder'),
  recursive: z.boolean().optional().describe('Must be true to remove a folder with everything in it'),
});
type Input = z.infer<typeof input>;

export function removeTool(world: ToolWorld): Tool<Input, readonly Planned[]> {
  const { pool } = world;
  return {
    name: 'remove',
    description:
      'Removes a file from the workspace, or a folder if recursive is set. The history stays; restore undoes the removal.',
    effect: 'transactional',
    input,
    words: ({ path, recursive }) => `Removes ${displayPath(path)}${recursive ? ' and everything in it' : ''}`,
    paths: ({ path }) => [path, `${path}/`],
    async prepare({ path: given, recursive }, { workspaceId }) {
      const path = fileAt(given.replace(/\/$/, ''));
      const file = await findFile(pool, workspaceId, path);
      if (file) return [{ kind: 'remove', path: placeOf(file), base: file.version }];
      const files = await listFiles(pool, workspaceId, { folder: path, limit: CHANGED_FILES + 1 });
      if (files.length === 0) await requireFile(world, workspaceId, path, 'file or folder');
      if (files.length > CHANGED_FILES)
        throw new ToolFailure(
          `${path.path} contains more than ${counted(CHANGED_FILES, 'file')}; remove its folders one by one`,
        );
      if (recursive !== true)
        throw new ToolFailure(
          `${path.path} is a folder with ${counted(files.length, 'file')}; set recursive to remove it`,
        );
      return files.map((each): Planned => ({ kind: 'remove', path: placeOf(each), base: each.version }));
    },
    async run({ path }, context) {
      const changes = await applyChanges(world, context, context.prepared);
      const what =
        changes.length === 1 ? `version ${changes[0]!.file.version}` : counted(changes.length, 'file');
      return {
        path: displayPath(path),
        files: changes.length,
        text: `${displayPath(path)} removed: ${what}; restore undoes this`,
      };
    },
  };
}
