// Folders between the workspace and the local disk. What a server says is a path may try to lead out of the folder:
// each is checked before it is used, and links on the way are not followed.

import { lstatSync, mkdirSync, openAsBlob, readdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import { connect, type Remote } from '../connect.ts';
import { CommandError, EXIT } from '../failure.ts';
import { plural, print, printJson, progress, safe } from '../output.ts';
import { absolute, DEEPEST, entries } from './files.ts';

export async function pull(folder: string, local: string, remote: Remote): Promise<void> {
  const { client } = connect(remote);
  const top = absolute(folder);
  const found: { path: string; version: number | undefined }[] = [];
  // What is in /chats is listed by naming it, and not as a part of the whole.
  for await (const entry of entries(client, top, DEEPEST)) {
    if (entry.type === 'file') found.push({ path: entry.path, version: entry.version });
  }
  const bar = progress(remote.json ?? false);
  const pulled: { path: string; version: number | null; file: string }[] = [];
  for (const { path, version } of found) {
    const file = placeFor(local, top, path);
    const content = await client.files.read(path, version === undefined ? {} : { version });
    await replace(local, file, new Uint8Array(await content.response.arrayBuffer()));
    pulled.push({ path, version: version ?? null, file });
    bar.step(pulled.length, found.length, path);
  }
  bar.end();
  if (remote.json) return printJson({ items: pulled });
  print(`${plural(pulled.length, 'file')} of ${safe(top)} in ${local}`);
}

export async function push(local: string, folder: string, remote: Remote): Promise<void> {
  const { client } = connect(remote);
  const files = filesIn(local);
  const bar = progress(remote.json ?? false);
  const pushed: { path: string; version: number; unchanged: boolean }[] = [];
  for (const file of files) {
    const path = posix.join(absolute(folder), ...relative(local, file).split(sep));
    const written = await client.files.write(path, await openAsBlob(file));
    pushed.push({ path: written.path, version: written.version, unchanged: written.unchanged ?? false });
    bar.step(pushed.length, files.length, path);
  }
  bar.end();
  if (remote.json) return printJson({ items: pushed });
  const unchanged = pushed.filter((each) => each.unchanged).length;
  print(`${plural(pushed.length - unchanged, 'file')} written, ${unchanged} unchanged`);
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
async function replace(local: string, file: string, content: Uint8Array): Promise<void> {
  refuseLinks(local, file);
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.continuo-partial`;
  try {
    await writeFile(partial, content, { flag: 'wx' });
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
