// grep: finds matching lines, with ripgrep on the workspace's mirror. Matches, bytes and time are limited. Symbolic
// links are not followed, not even one in place of the workspace's own folder. Files that are on disk but not in the
// workspace are not shown; nor are chats, because not every pod has them on disk.

import { spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { rgPath } from '@vscode/ripgrep';
import { z } from 'zod';
import { findFiles } from '../files.ts';
import { parsePath } from '../paths.ts';
import { requireFileOrFolder, folderAt, displayPath, type ToolWorld } from './shared.ts';
import { globProblem } from '../../compute/glob.ts';
import { counted } from './format.ts';
import { ToolFailure, type CallContext, type Tool } from '../../tools/tool.ts';
import { LOW_PRIORITY } from '../../limits/low-priority.ts';
import { yieldWithAbortCheck } from '../../limits/yielding.ts';

const MATCHES = 500;
const RESULT_BYTES = 64 * 1024;
const LINE_CHARACTERS = 500;
const MILLISECONDS = 10_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe('What to search for: a regular expression, or plain text if literal is set'),
  path: z.string().default('/').describe('The folder or file to search; default: the whole workspace'),
  glob: z.string().min(1).max(200).optional().describe('Only files whose names match, such as *.md'),
  literal: z.boolean().optional().describe('Treats the pattern as plain text'),
  ignore_case: z.boolean().optional().describe('Ignores case'),
});
type Input = z.infer<typeof input>;

export function grepTool(world: ToolWorld): Tool<Input> {
  const { pool, workspaces } = world;
  return {
    name: 'grep',
    description: 'Searches the text of files in the workspace for lines that match a pattern.',
    effect: 'pure',
    input,
    words: ({ pattern, path }) =>
      `Searches ${displayPath(path)} for ${JSON.stringify(pattern.slice(0, 100))}`,
    paths: ({ path }) => [path, `${path}/`],
    async run(asked, context) {
      const folder = folderAt(asked.path);
      if (asked.glob !== undefined) {
        const problem = globProblem(asked.glob);
        if (problem !== null) throw new ToolFailure(`the glob ${asked.glob} cannot be used: ${problem}`);
      }
      if (folder.path !== '/') await requireFileOrFolder(world, context.workspaceId, folder);
      const root = await openRoot(
        await workspaces.mirrors.folder(context.workspaceId).catch(() => {
          throw new ToolFailure(BEHIND);
        }),
      );
      const found = await searchIn(root, folder.path, asked, context);
      const places = [...new Set(found.hits.map(({ path }) => path))].flatMap((path) => {
        const parsed = parsePath(path);
        return parsed.ok ? [parsed.path] : [];
      });
      const known = await findFiles(pool, context.workspaceId, places);
      const hits = found.hits
        .filter(({ path }) => known.has(path))
        .toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
      const files = [...new Set(hits.map(({ path }) => path))];
      for (const path of files) context.used(known.get(path)!.id);
      const head = `${counted(hits.length, 'line')} in ${counted(files.length, 'file')}`;
      const more = found.cut === null ? [] : [`[${found.cut}; narrow the pattern or the path]`];
      return {
        matches: hits.length,
        files: files.length,
        text: [head, ...hits.map(({ path, line, text }) => `${path}:${line}: ${text}`), ...more].join('\n'),
      };
    },
  };
}

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface Found {
  readonly hits: readonly Hit[];
  /** Why the result may be incomplete; null if it is complete. */
  readonly cut: string | null;
}

const byDescriptor = existsSync('/proc/self/fd');

/** Opens a workspace's folder, so that ripgrep searches this one even if another takes its place. */
async function openRoot(
  path: string,
): Promise<{ readonly cwd: string; readonly close: () => Promise<void> }> {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
  const folder: FileHandle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      throw ['ELOOP', 'ENOTDIR', 'ENOENT'].includes(error.code ?? '') ? new ToolFailure(REPLACED) : error;
    },
  );
  // The child process enters its working directory before it becomes ripgrep, while it still has our descriptors.
  if (byDescriptor) return { cwd: `/proc/self/fd/${folder.fd}`, close: () => folder.close() };
  const { ino, dev } = await folder.stat();
  return {
    cwd: path,
    // Without /proc the folder can only be compared: afterwards it must still be the same one.
    close: async () => {
      await folder.close();
      const now = await lstat(path).catch(() => null);
      if (now?.ino !== ino || now.dev !== dev) throw new ToolFailure(REPLACED);
    },
  };
}

const BEHIND =
  'the search failed: the workspace’s folder on the server’s disk is out of date and cannot be written. A person must fix the disk; ls, glob and read work without it';

const REPLACED =
  'the search failed: the workspace’s folder on the server’s disk was replaced by something else. A person must restore it; ls, glob and read work without it';

async function searchIn(
  root: Awaited<ReturnType<typeof openRoot>>,
  folder: string,
  asked: Input,
  context: CallContext,
): Promise<Found> {
  try {
    return await search(root.cwd, folder, asked, context);
  } finally {
    await root.close();
  }
}

let lastStart: Promise<void> = Promise.resolve();

/** Starting a process blocks the event loop for some milliseconds, so at most one is started per turn. */
function startInTurn(): Promise<void> {
  lastStart = lastStart.then(() => yieldWithAbortCheck({ mode: 'fast' }));
  return lastStart;
}

async function search(root: string, folder: string, asked: Input, { signal }: CallContext): Promise<Found> {
  await startInTurn();
  if (signal.aborted) throw new ToolFailure('stopped');
  return new Promise((resolve, reject) => {
    // ripgrep searches the root, narrowed by globs: it would follow a link that is given as a path argument.
    const rg = spawn(rgPath, argumentsFor(folder, asked), {
      cwd: root,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Other searches would delay the start of the next one, which this thread waits for. It has not been reaped yet.
    if (rg.pid !== undefined) setPriority(rg.pid, LOW_PRIORITY);
    const hits: Hit[] = [];
    let size = 0;
    let cut: string | null = null;
    let complaint = '';
    const stop = (why: string) => {
      cut ??= why;
      rg.kill('SIGKILL');
    };
    const late = setTimeout(() => stop(`stopped after ${MILLISECONDS / 1000} s`), MILLISECONDS);
    const onAbort = () => stop('stopped');
    signal.addEventListener('abort', onAbort);
    rg.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 2000)));
    const lines = createInterface({ input: rg.stdout });
    lines.on('line', (line) => {
      if (cut !== null) return;
      const hit = parseLine(line);
      if (!hit) return;
      size += Buffer.byteLength(hit.text) + hit.path.length + 10;
      if (size > RESULT_BYTES) return stop(`the result is larger than ${RESULT_BYTES / 1024} KiB`);
      hits.push(hit);
      if (hits.length === MATCHES) stop(`there may be more than ${MATCHES} lines`);
    });
    rg.once('error', reject);
    let read = false;
    let code: number | null | undefined;
    const done = () => {
      if (!read || code === undefined) return;
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) return reject(new ToolFailure('stopped'));
      // Exit code 2 is an error; 1 means that nothing matched.
      if (code === 2 && hits.length === 0) return reject(new ToolFailure(refusal(complaint)));
      resolve({ hits, cut });
    };
    lines.once('close', () => {
      read = true;
      done();
    });
    rg.once('close', (status) => {
      code = status;
      done();
    });
  });
}

const FIXED =
  '--no-config --no-heading --line-number --with-filename --null --color=never --hidden --no-ignore --no-messages --crlf'
    .split(' ')
    .concat('--regex-size-limit=10M', `--max-columns=${LINE_CHARACTERS}`, '--max-columns-preview');

function argumentsFor(folder: string, { pattern, glob, literal, ignore_case }: Input): string[] {
  const at = escaped(folder === '/' ? '' : folder);
  // ripgrep combines several globs with "or", so the folder's and the caller's must be one glob.
  const within =
    glob !== undefined
      ? [`${at}/${glob.includes('/') ? '' : '**/'}${glob}`]
      : at === ''
        ? []
        : [at, `${at}/**`];
  return [
    ...FIXED,
    ...(literal === true ? ['--fixed-strings'] : []),
    ...(ignore_case === true ? ['--ignore-case'] : []),
    ...within.map((each) => `--glob=${each}`),
    // The last matching glob decides, so these exclusions come last: names that a workspace does not keep.
    '--glob=!/chats',
    '--glob=!.continuo*',
    '--glob=!.git',
    '--glob=!node_modules',
    `--regexp=${pattern}`,
    './',
  ];
}

const escaped = (path: string): string => path.replace(/[[\]{}*?\\!]/g, String.raw`\$&`);

function parseLine(line: string): Hit | null {
  const parts = /^\.\/([^\0]+)\0(\d+):(.*)$/s.exec(line);
  return parts && { path: `/${parts[1]}`, line: Number(parts[2]), text: parts[3]! };
}

function refusal(complaint: string): string {
  return `the search failed: ${complaint.replace(/^rg: /, '').trim() || 'ripgrep gave no reason'}`;
}
