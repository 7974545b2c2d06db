// The workspace's files: read, write, versions.

import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadable } from 'node:stream/web';
import type { Client } from '@continuo/client';
import { connect, type Remote } from '../connect.ts';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { localFile } from '../local-files.ts';
import {
  bytes,
  cyan,
  dim,
  green,
  note,
  plural,
  print,
  printJson,
  red,
  safe,
  short,
  table,
  time,
} from '../output.ts';

type Entry = Awaited<ReturnType<Client['files']['tree']>>['items'][number];

/** Entries per page. */
const PAGE = 1000;
/** The maximum depth of a path. */
export const MAX_DEPTH = 64;

export async function ls(
  folder: string,
  { recursive, ...remote }: Remote & { recursive?: boolean },
): Promise<void> {
  const { client } = await connect(remote);
  const items: Entry[] = [];
  for await (const entry of entries(client, absolute(folder), recursive ? MAX_DEPTH : 1)) items.push(entry);
  if (remote.json) return printJson({ items });
  if (items.length === 0) return note('The folder is empty.');
  print(
    table(
      ['SIZE', 'VERSION', 'CHANGED', 'BY', 'PATH'],
      items.map((item) =>
        item.type === 'folder'
          ? ['', '', '', '', cyan(`${safe(item.path)}/`)]
          : [
              item.size === undefined ? '' : bytes(item.size),
              String(item.version ?? ''),
              time(item.changed_at ?? null),
              short(item.author ?? item.kind ?? ''),
              safe(item.path),
            ],
      ),
    ),
  );
}

/** All entries of a folder, down to the given depth. */
export async function* entries(client: Client, path: string, depth: number): AsyncGenerator<Entry, void> {
  let after: string | null | undefined;
  while (after !== null) {
    const page: { items: Entry[]; next: string | null } = await client.files.tree({
      path,
      depth,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page.items;
    after = page.next;
  }
}

export async function cat(
  path: string,
  { version, ...remote }: Remote & { version?: number },
): Promise<void> {
  const { client } = await connect(remote);
  const content = await client.files.read(absolute(path), version === undefined ? {} : { version });
  if (remote.json) {
    const raw = Buffer.from(await content.response.arrayBuffer());
    const body = isText(raw) ? { text: raw.toString('utf8') } : { base64: raw.toString('base64') };
    return printJson({ path: absolute(path), version: content.version, type: content.type, ...body });
  }
  if (!process.stdout.isTTY) return pipe(content.response);
  const raw = Buffer.from(await content.response.arrayBuffer());
  if (!isText(raw))
    return note(
      `The file is not text: ${bytes(raw.length)} of ${safe(content.type)}. Redirect the output to a file.`,
    );
  process.stdout.write(safe(raw.toString('utf8')));
}

export async function write(
  path: string,
  file: string | undefined,
  { base, merge, ...remote }: Remote & { base?: number; merge?: boolean },
): Promise<void> {
  if (merge && base === undefined)
    throw usageError('--merge needs --base: the version that your change is based on.');
  const { client } = await connect(remote);
  if (file === undefined && process.stdin.isTTY && !remote.json) note(dim('Reading until Ctrl-D…'));
  const content =
    file === undefined ? new Blob([new Uint8Array(await buffer(process.stdin))]) : await localFile(file);
  const written = await client.files.write(absolute(path), content, {
    ...(base !== undefined && { base: base === 0 ? null : base }),
    ...(merge && { onConflict: 'merge' as const }),
  });
  if (remote.json) return printJson(written);
  const how = written.unchanged
    ? 'unchanged, at version'
    : written.merged
      ? 'merged into version'
      : 'is at version';
  print(`${safe(written.path)} ${how} ${written.version}`);
}

export async function log(path: string, { limit, ...remote }: Remote & { limit: number }): Promise<void> {
  const { client } = await connect(remote);
  const page = await client.files.versions({ path: absolute(path), limit });
  if (remote.json) return printJson(page);
  print(
    table(
      ['VERSION', 'WHEN', 'WHAT', 'SIZE', 'BY', 'PATH'],
      page.items.map(({ version, at, op, size, author, path: where }) => [
        String(version),
        time(at),
        op,
        bytes(size),
        authorName(author),
        safe(where),
      ]),
    ),
  );
  if (page.next !== null) note(dim('There are more; use -n to show more.'));
}

type Author = Awaited<ReturnType<Client['files']['versions']>>['items'][number]['author'];

export function authorName(author: Author): string {
  switch (author.kind) {
    case 'run':
      return `run ${author.run}`;
    case 'key':
      return `key ${safe(author.name)}`;
    case 'person':
    case 'disk':
    case 'plan':
      return author.kind;
  }
}

export async function diff(
  path: string,
  from: string | undefined,
  to: string | undefined,
  remote: Remote,
): Promise<void> {
  const { client } = await connect(remote);
  const range = { ...(from && { from: numbered(from) }), ...(to && { to: numbered(to) }) };
  const found = await client.files.diff({ path: absolute(path), ...range });
  if (remote.json) return printJson(found);
  if (found.binary) return note(`Versions ${found.from} and ${found.to} are not both text.`);
  if (found.diff === '') return note(`Versions ${found.from} and ${found.to} are the same.`);
  print(safe(found.diff).trimEnd().split('\n').map(painted).join('\n'));
}

/** Restores an old version, or, without a version, a removed file as it was. */
export async function restore(path: string, version: string | undefined, remote: Remote): Promise<void> {
  if (version === undefined) return restoreRemoved(absolute(path), remote);
  const { client } = await connect(remote);
  const made = await client.files.restore({ path: absolute(path), version: numbered(version) });
  if (remote.json) return printJson(made);
  if ('path' in made)
    print(`${safe(made.path)} is at version ${made.version}, restored from version ${version}`);
}

/** The file that was last removed from a path, or the removed files of a folder. */
async function restoreRemoved(path: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const latest = new Map<string, string>();
  for await (const file of removedFiles(client, path))
    if ((file.path === path || file.path.startsWith(`${path}/`)) && !latest.has(file.path))
      latest.set(file.path, file.id);
  if (latest.size === 0)
    throw new CommandError(`There is no removed file or folder at ${path}.`, {
      code: 'file_not_found',
      exitCode: EXIT.notFound,
      hint: 'List the removed files with: continuo files trash',
    });
  const ids = [...latest.values()];
  const done: Awaited<ReturnType<Client['files']['restoreRemoved']>> = { files: [], skipped: [] };
  for (let at = 0; at < ids.length; at += PAGE) {
    const { files, skipped } = await client.files.restoreRemoved(ids.slice(at, at + PAGE));
    done.files.push(...files);
    done.skipped.push(...skipped);
  }
  if (done.skipped.length > 0) process.exitCode = EXIT.conflict;
  if (remote.json) return printJson(done);
  for (const file of done.files) print(`${safe(file.path)} is restored, at version ${file.version}`);
  for (const file of done.skipped) note(`${safe(file.path)} stays removed: ${safe(file.reason)}`);
}

export async function trash({ limit, ...remote }: Remote & { limit: number }): Promise<void> {
  const { client } = await connect(remote);
  const page = await client.files.trash({ limit });
  if (remote.json) return printJson(page);
  if (page.items.length === 0) return note('The trash is empty.');
  print(
    table(
      ['REMOVED', 'SIZE', 'BY', 'PATH'],
      page.items.map((file) => [
        time(file.removed_at),
        bytes(file.size),
        authorName(file.removed_by),
        safe(file.path),
      ]),
    ),
  );
  if (page.next !== null) note(dim('There are more; use -n to show more.'));
}

export async function rm(
  path: string,
  { recursive, base, ...remote }: Remote & { recursive?: boolean; base?: number },
): Promise<void> {
  if (recursive && base !== undefined) throw usageError('--base is about one file; leave out --recursive.');
  const { client, commandFor } = await connect(remote);
  const at = absolute(path);
  const removed = recursive
    ? await client.files.removeFolder(at)
    : await client.files.remove(at, base === undefined ? {} : { base });
  if (remote.json) return printJson(removed);
  print(
    'count' in removed
      ? `${safe(at)} is removed, with ${plural(removed.count, 'file')}`
      : `${safe(at)} is removed`,
  );
  note(dim(`${commandFor(`files restore ${at}`)} restores it`));
}

export async function mv(
  from: string,
  to: string,
  { base, ...remote }: Remote & { base?: number },
): Promise<void> {
  const { client } = await connect(remote);
  const target = to.endsWith('/') ? `${to}${from.replace(/\/+$/, '').split('/').at(-1)}` : to;
  const moved = await client.files.move({
    from: absolute(from).replace(/(?<=.)\/+$/, ''),
    to: absolute(target),
    ...(base !== undefined && { if_match: base }),
  });
  if (remote.json) return printJson(moved);
  const [only] = moved.files;
  print(
    moved.count === 1 && only
      ? `${safe(only.path)} is at version ${only.version}`
      : `${plural(moved.count, 'file')} moved to ${safe(absolute(target))}`,
  );
}

async function* removedFiles(client: Client, q: string) {
  let after: string | null | undefined;
  while (after !== null) {
    const page: Awaited<ReturnType<Client['files']['trash']>> = await client.files.trash({
      q,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page.items;
    after = page.next;
  }
}

export function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

function painted(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---')) return dim(line);
  if (line.startsWith('@@')) return cyan(line);
  return line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line;
}

function numbered(given: string): number {
  if (/^[1-9]\d{0,9}$/.test(given)) return Number(given);
  throw usageError(`"${given}" is not a version number; use a whole number from 1.`);
}

async function pipe({ body }: Response): Promise<void> {
  if (body)
    await pipeline(Readable.fromWeb(body as NodeReadable), process.stdout, {
      end: false,
    });
}

function isText(raw: Buffer): boolean {
  return !raw.includes(0) && Buffer.from(raw.toString('utf8')).equals(raw);
}
