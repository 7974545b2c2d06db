// tree: shows a folder and everything below it.

import { z } from 'zod';
import { listPaths } from '../files.ts';
import { requireFile, folderAt, displayPath, type ToolWorld } from './shared.ts';
import { counted } from './format.ts';
import type { Tool } from '../../tools/tool.ts';

/** Maximum number of lines in one result, and of files that are considered. */
const LINES = 1000;
const FILES = 1_000_000;

const input = z.strictObject({
  path: z.string().default('/').describe('The folder; default: the root of the workspace'),
  depth: z.int().min(1).max(64).optional().describe('How many levels to show'),
});
type Input = z.infer<typeof input>;

export function treeTool(world: ToolWorld): Tool<Input> {
  const { pool } = world;
  return {
    name: 'tree',
    description: 'Shows the tree of folders and files below a folder of the workspace.',
    effect: 'pure',
    input,
    words: ({ path }) => `Lists the tree of ${displayPath(path)}`,
    paths: ({ path }) => [`${path}/`],
    async run({ path, depth = 64 }, { workspaceId }) {
      const folder = folderAt(path);
      const paths = await listPaths(pool, workspaceId, folder, FILES);
      if (paths.length === 0 && folder.path !== '/') {
        const file = await requireFile(world, workspaceId, folder, 'folder');
        return { path: file.path, files: 1, text: `${file.path} is a file` };
      }
      const start = folder.path === '/' ? 1 : folder.path.length + 1;
      const lines = linesOf(paths, start, depth);
      const head = `${folder.path}: ${counted(paths.length, 'file')}`;
      return { path: folder.path, files: paths.length, text: [head, ...lines].join('\n') };
    },
  };
}

function linesOf(paths: readonly string[], start: number, depth: number): string[] {
  const lines: string[] = [];
  let above: readonly string[] = [];
  for (const path of paths) {
    if (lines.length >= LINES) {
      lines.push('[there are more; list one of the folders, or set depth]');
      break;
    }
    const names = path.slice(start).split('/');
    let same = 0;
    while (same < names.length - 1 && above[same] === names[same]) same += 1;
    for (let level = same; level < Math.min(names.length, depth); level += 1)
      lines.push(`${'  '.repeat(level)}${names[level]}${level < names.length - 1 ? '/' : ''}`);
    above = names.slice(0, -1);
  }
  return lines;
}
