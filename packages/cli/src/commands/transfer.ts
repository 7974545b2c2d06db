// Copies folders between the workspace and the local disk. Paths from a server may try to leave the folder: each is
// checked before use, and symbolic links are not followed.

import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { connect, type Remote } from '../connect.ts';
import { CommandError, EXIT, describeError } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { localFile, requireFolder } from '../local-files.ts';
import { note, plural, print, printJson, progress, red, safe } from '../output.ts';
import { absolute, MAX_DEPTH, entries } from './files.ts';

export async function pull(folder: string, local: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const top = absolute(folder);
  const found: { path: string; version: number | undefined }[] = [];
  // A recursive listing leaves /chats out, unless it is the named folder.
  for await (const entry of entries(client, top, MAX_DEPTH)) {
    if (entry.type === 'file') found.push({ path: entry.path, version: entry.version });
  }
  const bar = progress(remote.json ?? false);
  const pulled: { path: string; version: number | null; file: string }[] = [];
  await interruptible(
    () => `${pulled.length} of ${plural(found.length, 'file')} are in ${local}; each is complete.`,
    async (signal) => {
      for (const { path, version } of found) {
        const file = localPathFor(local, top, path);
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
  requireFolder(local);
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
          refused.push({ path, ...fileRefusal(error) });
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

/** Refusals that concern one file: its name or size, or that it cannot be read here. */
const FILE_REFUSALS: readonly unknown[] = [
  'invalid_path',
  'path_taken',
  'read_only',
  'file_too_large',
  'file_not_found',
  'EACCES',
];

/** Any other error ends the command. */
function fileRefusal(error: unknown): { code: string; message: string } {
  const { name, code } = error as Error & { code?: unknown };
  // An InputError concerns the named folder, so it applies to all files.
  if (name === 'InputError' || !FILE_REFUSALS.includes(code)) throw error;
  return { code: String(code), message: describeError(error as Error) };
}

/** Regular files, sorted by name; without the folders of git and npm, and our own data. */
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

function localPathFor(local: string, top: string, path: string): string {
  const above = top.endsWith('/') ? top : `${top}/`;
  const parts = path.slice(above.length).split('/');
  const odd = parts.some(
    (part) => ['', '.', '..'].includes(part) || part.includes(sep) || part.includes('\0'),
  );
  if (path.startsWith(above) && !odd) return join(local, ...parts);
  throw new CommandError(`The server named ${JSON.stringify(path)}, which is not a path inside the folder.`, {
    code: 'unsafe_path',
  });
}

/** Writes a file completely or not at all. */
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
      throw new CommandError(`${path} is a symbolic link; pull does not write through links.`, {
        code: 'unsafe_path',
        exitCode: EXIT.failed,
        hint: 'Pull into another folder, or replace the link with a folder.',
      });
    }
  }
}
