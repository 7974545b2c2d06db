// ls: lists a folder.

import { z } from 'zod';
import { findFiles, listPaths, type FileHead } from '../files.ts';
import { requireFile, fileAt, folderAt, displayPath, type ToolWorld } from './shared.ts';
import { bytes, counted } from './format.ts';
import type { Tool } from '../../tools/tool.ts';

/** Maximum number of entries in a result, and of files that are counted below a folder. */
const ENTRIES = 1000;
const COUNTED = 100_000;

const input = z.strictObject({
  path: z.string().default('/').describe('The folder; default: the root of the workspace'),
});

export function lsTool(world: ToolWorld): Tool<z.infer<typeof input>> {
  const { pool, chats } = world;
  return {
    name: 'ls',
    description: 'Lists the files and folders in one folder of the workspace, with sizes and versions.',
    effect: 'pure',
    input,
    words: ({ path }) => `Lists ${displayPath(path)}`,
    paths: ({ path }) => [`${path}/`],
    async run({ path }, { workspaceId }) {
      const folder = folderAt(path);
      const threads =
        folder.folded === '/chats' || folder.path === '/' ? await chats.list(workspaceId, ENTRIES) : [];
      if (folder.folded === '/chats') {
        const names = threads.map(({ name }) => name);
        return { path: '/chats', text: [`/chats: ${counted(names.length, 'chat')}`, ...names].join('\n') };
      }
      const paths = await listPaths(pool, workspaceId, folder, COUNTED);
      if (paths.length === 0 && folder.path !== '/') {
        // The path is a file, or does not exist; then `requireFile` throws a failure that says so.
        const file = await requireFile(world, workspaceId, folder, 'folder');
        return { path: file.path, text: `${file.path} is a file\n${line(file.path, file)}` };
      }
      const entries = entriesOf(folder.path, paths);
      const shownEntries = entries.slice(0, ENTRIES);
      const here = shownEntries.flatMap(({ path: file }) => (file === null ? [] : [fileAt(file)]));
      const heads = await findFiles(pool, workspaceId, here);
      const lines = shownEntries.flatMap(({ name, path: file, below }) => {
        if (file === null) return [`${name}/  ${counted(below, 'file')}`];
        const head = heads.get(file);
        // A file that was removed in the meantime is not listed.
        return head ? [line(name, head)] : [];
      });
      const more = entries.length - shownEntries.length;
      const isRoot = folder.path === '/' && threads.length > 0;
      const count = entries.length + (isRoot ? 1 : 0);
      const head = `${folder.path}: ${counted(count, 'entry', 'entries')}`;
      if (isRoot) lines.unshift(`chats/  ${counted(threads.length, 'chat')}, read-only`);
      if (more > 0) lines.push(`[${more} more are not shown; glob finds files by name]`);
      return { path: folder.path, text: [head, ...lines].join('\n') };
    },
  };
}

interface Entry {
  readonly name: string;
  /** Null for a folder. */
  readonly path: string | null;
  below: number;
}

/** Folders first, then files, each ordered by name. */
function entriesOf(folder: string, paths: readonly string[]): readonly Entry[] {
  const start = folder === '/' ? 1 : folder.length + 1;
  const folders = new Map<string, Entry>();
  const here: Entry[] = [];
  for (const path of paths) {
    const slash = path.indexOf('/', start);
    const name = path.slice(start, slash < 0 ? undefined : slash);
    if (slash < 0) {
      here.push({ name, path, below: 0 });
      continue;
    }
    const entry = folders.get(name) ?? { name, path: null, below: 0 };
    entry.below += 1;
    folders.set(name, entry);
  }
  return [...folders.values(), ...here];
}

function line(name: string, file: FileHead): string {
  return `${name}  ${bytes(file.size)}  v${file.version}  ${file.changedAt.toISOString().slice(0, 16)}Z`;
}
