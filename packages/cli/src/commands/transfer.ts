// Folders between the workspace and the local disk. What a server says is a path may try to lead out of the folder:
// each is checked before it is used, and links on the way are not followed.

import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { connect, type Remote } from '../connect.ts';
import { CommandError, EXIT, inWords } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { localFile, refuseNoFolder } from '../local.ts';
import { note, plural, print, printJson, progress, red, safe } from '../output.ts';
import { absolute, DEEPEST, entries } from './files.ts';

export async function pull(folder: string, local: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const top = absolute(folder);
  const found: { path: string; version: number | undefined }[] = [];
  // What is in /chats is listed by naming it, and not as a part of the whole.
  for await (const entry of entries(client, top, DEEPEST)) {
    if (entry.type === 'file') found.push({ path: entry.path, version: entry.version });
  }
  const bar = progress(remote.json ?? false);
  const pulled: { path: string; version: number | null; file: string }[] = [];
  await interruptible(
    () => `${pulled.length} of ${plural(found.length, 'file')} are in ${local}, each as a whole.`,
    async (signal) => {
      for (const { path, version } of found) {
        const file = placeFor(local, top, path);
        const content = await client.files.read(path, { version, signal });
        const bytes = new Uint8Array(await content.response.arrayBuffer());
        await replace({ local, file, bytes, signal });
        pulled.push({ path, version: version ?? null, file });
        bar.step(pulled.length, found.length, path);
      }
    },
  ).finally(() => bar.end());
  if (remote.json) return printJson({ items: pulled });
  print(`${plural(pulled.length, 'file')} of ${safe(top)} in ${local}`);
}

export async function push(local: string, folder: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  refuseNoFolder(local);
  const files = filesIn(local);
  const top = absolute(folder).replace(/\/+$/, '');
  const bar = progress(remote.json ?? false);
  const pushed: { path: string; version: number; unchanged: boolean }[] = [];
  const refused: { path: string; code: string; message: string }[] = [];
  await interruptible(
    () => `${pushed.length} of ${plural(files.length, 'file')} were written; the next one may be, too.`,
    async (signal) => {
      for (const file of files) {
        const path = [top, ...relative(local, file).split(sep)].join('/');
        try {
          const written = await client.files.write(path, await localFile(file), { signal });
          pushed.push({
            path: written.path,
            version: written.version,
            unchanged: written.unchanged ?? false,
          });
        } catch (error) {
          refused.push({ path, ...ofOneFile(error) });
        }
        bar.step(pushed.length + refused.length, files.length, path);
      }
    },
  ).finally(() => bar.end());
  if (refused.length > 0) process.exitCode = EXIT.failed;
  if (remote.json) return printJson({ items: pushed, refused });
  for (const { path, message } of refused) note(`${red('refused')} ${safe(path)}: ${safe(message)}`);
  const unchanged = pushed.filter((each) => each.unchanged).length;
  const rest = refused.length === 0 ? '' : `, ${refused.length} refused`;
  print(`${plural(pushed.length - unchanged, 'file')} written, ${unchanged} unchanged${rest}`);
}

/** Refusals that say nothing of the next file: its name or size, or that it cannot be read here. */
const OF_ONE_FILE: readonly unknown[] = [
  'invalid_path',
  'path_taken',
  'read_only',
  'file_too_large',
  'file_not_found',
  'EACCES',
];

/** Anything else ends the command. */
function ofOneFile(error: unknown): { code: string; message: string } {
  const { name, code } = error as Error & { code?: unknown };
  // What the client itself refuses is the folder that was named.
  if (name === 'InputError' || !OF_ONE_FILE.includes(code)) throw error;
  return { code: String(code), message: inWords(error as Error) };
}

/** Regular files only, in the order of their names; not what git and npm keep, nor our own data. */
function filesIn(folder: string): string[] {
  const skipped = ['.git', 'node_modules', '.continuo'];
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.includes(entry.name)) found.push(...filesIn(path));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}

function placeFor(local: string, top: string, path: string): string {
  const above = top.endsWith('/') ? top : `${top}/`;
  const parts = path.slice(above.length).split('/');
  const odd = parts.some(
    (part) => ['', '.', '..'].includes(part) || part.includes(sep) || part.includes('\0'),
  );
  if (path.startsWith(above) && !odd) return join(local, ...parts);
  throw new CommandError(`The server named ${JSON.stringify(path)}, which is no path inside the folder.`, {
    code: 'unsafe_path',
  });
}

/** Whole or not at all. */
async function replace({
  local,
  file,
  bytes,
  signal,
}: {
  readonly local: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly signal: AbortSignal;
}): Promise<void> {
  refuseLinks(local, file);
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.continuo-partial`;
  try {
    await writeFile(partial, bytes, { flag: 'wx', signal });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function refuseLinks(local: string, file: string): void {
  for (let path = dirname(file); path !== local && path.length > local.length; path = dirname(path)) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new CommandError(`${path} is a link; nothing is written through it.`, {
        code: 'unsafe_path',
        exitCode: EXIT.failed,
        hint: 'Pull into another folder, or replace the link by a folder.',
      });
    }
  }
}
