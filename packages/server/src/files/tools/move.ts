// move: moves a file or a whole folder. Ids and histories stay.

import { z } from 'zod';
import { findFile, listFiles } from '../files.ts';
import { CHANGED_FILES, applyChanges, placeOf, type Planned } from './changes.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { counted } from './format.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';

const input = z.strictObject({
  from: z.string().describe('Path of the file or folder'),
  to: z.string().describe('Its new path; a path that ends with a slash is the folder to move it into'),
});
type Input = z.infer<typeof input>;

export function moveTool(world: ToolWorld): Tool<Input, readonly Planned[]> {
  const { pool } = world;
  return {
    name: 'move',
    description: 'Moves or renames a file or a folder of the workspace. Nothing is overwritten.',
    effect: 'transactional',
    input,
    words: (asked) => `Moves ${displayPath(asked.from)} to ${displayPath(destination(asked))}`,
    paths: (asked) => [asked.from, destination(asked)].flatMap((path) => [path, `${path}/`]),
    async prepare(asked, { workspaceId }) {
      const [from, to] = [fileAt(asked.from.replace(/\/$/, '')), fileAt(destination(asked))];
      const file = await findFile(pool, workspaceId, from);
      if (file) return [{ kind: 'move', from: placeOf(file), to, base: file.version }];
      const files = await listFiles(pool, workspaceId, { folder: from, limit: CHANGED_FILES + 1 });
      if (files.length === 0) await requireFile(world, workspaceId, from, 'file or folder');
      if (files.length > CHANGED_FILES)
        throw new ToolFailure(
          `${from.path} contains more than ${counted(CHANGED_FILES, 'file')}; move its folders one by one`,
        );
      if (`${to.folded}/`.startsWith(`${from.folded}/`))
        throw new ToolFailure(`${to.path} is inside ${from.path}; a folder cannot be moved into itself`);
      return files.map((each): Planned => {
        const path = `${to.path}${each.path.slice(from.path.length)}`;
        return { kind: 'move', from: placeOf(each), to: fileAt(path), base: each.version };
      });
    },
    async run(asked, context) {
      const changes = await applyChanges(world, context, context.prepared);
      if (changes.length === 0) throw new ToolFailure('nothing to move: from and to are the same');
      const [to, first] = [fileAt(destination(asked)).path, changes[0]!.file];
      const what = first.path === to ? `version ${first.version}` : counted(changes.length, 'file');
      return { path: to, files: changes.length, text: `${displayPath(asked.from)} moved to ${to}: ${what}` };
    },
  };
}

function destination({ from, to }: Input): string {
  if (!to.endsWith('/')) return to;
  return `${to}${from.replace(/\/$/, '').split('/').at(-1) ?? ''}`;
}
