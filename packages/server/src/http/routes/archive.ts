// A folder as a zip: a download is built while it is sent, an upload goes through a temporary file.

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create as disposition } from 'content-disposition';
import type { HttpBindings } from '@hono/node-server';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type Unpacked as UnpackedBody } from '@continuo/protocol';
import { authorFor, listFiles, type FileHead } from '../../files/files.ts';
import { pack } from '../../files/pack.ts';
import {
  ARCHIVE_BYTES,
  ARCHIVE_ENTRIES,
  BadArchive,
  unpack,
  UNPACKED_BYTES,
  type Unpacked,
} from '../../files/unpack.ts';
import type { FilePath } from '../../files/paths.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { findWorkspace } from '../../workspaces/workspaces.ts';
import type { App, HttpContext } from '../app.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { refusedWrite } from './file-responses.ts';
import { folderAt, writable } from '../kernel/paths.ts';
import { ROLE_FILES, SOMETIMES_PERSON } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { SAFE, send } from '../kernel/stream-bytes.ts';
import { json, problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['files'];
const pathQuery = z.object({ path: z.string().default('/') });
export const zip = { 'application/zip': { schema: z.string().openapi({ format: 'binary' }) } };
/** The most refused names that the answer lists. */
const REFUSED_SHOWN = 100;

export function archiveRoutes(app: App, context: HttpContext): void {
  const { log } = context;

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/archive',
      tags,
      summary: 'Download a folder as a zip',
      request: { params: workspaceParam, query: pathQuery },
      responses: { 200: { description: 'The zip', content: zip }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const folder = folderAt(c.req.valid('query').path);
      const { workspaceId, db } = await scopeIn(c);
      const files = await listFiles(db, workspaceId, { folder });
      if (files.length === 0 && folder.path !== '/') {
        throw new Problem({
          status: 404,
          code: 'folder_not_found',
          detail: `There is no folder ${folder.path}; a folder exists only while there are files in it.`,
        });
      }
      const title =
        folder.path === '/'
          ? (await findWorkspace(db, workspaceId))?.name
          : folder.path.slice(folder.path.lastIndexOf('/') + 1);
      const headers = {
        ...SAFE,
        'content-type': 'application/zip',
        'content-disposition': disposition(`${title}.zip`),
        'cache-control': 'private, no-store',
      };
      const prefix = folder.path === '/' ? 1 : folder.path.length + 1;
      const nameOf = ({ path }: FileHead) => path.slice(prefix);
      return send(c, { status: 200, headers, log }, () => pack(db, { files, nameOf }));
    },
  );

  for (const method of ['put', 'post'] as const) {
    app.openapi(
      createRoute({
        method,
        path: '/api/v1/workspaces/{id}/archive',
        tags,
        summary: method === 'put' ? 'Upload a zip into a folder' : 'The same as PUT',
        description:
          `Each file is written as with PUT. At most ${ARCHIVE_ENTRIES} entries, ${ARCHIVE_BYTES} bytes, and ${UNPACKED_BYTES} bytes unpacked. ` +
          'Links, devices, encrypted entries and entries with invalid paths are refused one by one; the response names them. ' +
          ROLE_FILES,
        security: SOMETIMES_PERSON,
        request: { params: workspaceParam, query: pathQuery, body: { required: true, content: zip } },
        responses: {
          200: json(schemas.unpacked, 'The written and the refused files'),
          ...problems(400, 403, 404, 410, 413, 422, 503),
        },
      }),
      async (c) => {
        const folder = writable(folderAt(c.req.valid('query').path));
        const scope = await scopeIn(c);
        const unpacked = await withUpload(c, (file, signal) =>
          unpackInto(context, scope, { folder, file, signal }),
        );
        return c.json(unpacked, 200);
      },
    );
  }
}

interface Upload {
  readonly folder: FilePath;
  readonly file: string;
  readonly signal: AbortSignal;
}

async function unpackInto(
  { config, workspaces }: HttpContext,
  { workspaceId, principal, db }: WorkspaceScope,
  { folder, file, signal }: Upload,
): Promise<UnpackedBody> {
  const unpacked: Unpacked = { written: 0, unchanged: 0, bytes: 0, refused: [] };
  const toWire = (): UnpackedBody => ({
    ...unpacked,
    refused: unpacked.refused
      .slice(0, REFUSED_SHOWN)
      .map(({ name, problem }) => ({ name: name.slice(0, 300), problem })),
    refused_count: unpacked.refused.length,
  });
  const unpacking = {
    workspaceId,
    folder,
    author: authorFor(principal),
    governing: principal.isPerson,
    maxFileBytes: config.maxFileBytes,
    quotaBytes: config.workspaceBytes,
    signal,
    committed: (changes: Parameters<typeof workspaces.committed>[1]) =>
      workspaces.committed(workspaceId, changes),
  };
  try {
    await unpack(db, file, unpacking, unpacked);
    return toWire();
  } catch (error) {
    if (error instanceof BadArchive) throw badArchive(error);
    const refused = refusedWrite(error, config.workspaceBytes);
    if (!(refused instanceof Problem)) throw refused;
    const { status, code, detail, extra } = refused;
    // The files unpacked so far stay, so the error says how many there are.
    throw new Problem({ status, code, detail, extra: { ...extra, unpacked: toWire() } });
  }
}

/** Works on the body as a file, which is removed afterwards. `signal` aborts if the client goes away. */
export async function withUpload<T>(
  c: Context<{ Bindings: HttpBindings }>,
  work: (file: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'continuo-zip-'));
  try {
    const file = join(home, 'upload.zip');
    await receive(c, file);
    return await whileConnected(c.env.outgoing, (signal) => work(file, signal));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Writes the body to a file. */
async function receive(c: Context<{ Bindings: HttpBindings }>, file: string): Promise<void> {
  if (Number(c.req.header('content-length') ?? 0) > ARCHIVE_BYTES) throw archiveTooLarge();
  let size = 0;
  const limited = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      done(size > ARCHIVE_BYTES ? archiveTooLarge() : null, chunk);
    },
  });
  const { incoming } = c.env;
  try {
    await pipeline(
      incoming.iterator({ destroyOnReturn: false }),
      limited,
      createWriteStream(file, { mode: 0o600 }),
    );
  } catch (cause) {
    if (cause instanceof Problem || !incoming.errored) throw cause;
    throw new Problem({
      status: 400,
      code: 'upload_broken_off',
      detail: 'The body was not complete.',
      cause,
    });
  }
}

function archiveTooLarge(): Problem {
  return new Problem({
    status: 413,
    code: 'archive_too_large',
    detail: `The zip is larger than ${ARCHIVE_BYTES} bytes; send several smaller ones.`,
    extra: { limit: ARCHIVE_BYTES },
  });
}

export function badArchive({ kind, message }: BadArchive): Problem {
  const said = {
    not_a_zip: { status: 422, detail: `The body is not a readable zip: ${message}.` },
    too_many_files: {
      status: 413,
      detail: `The zip is refused: ${message}; at most ${ARCHIVE_ENTRIES} are allowed.`,
    },
    too_large: {
      status: 413,
      detail: `The zip is refused: ${message}; at most ${UNPACKED_BYTES} are allowed.`,
    },
    too_dense: { status: 422, detail: `The zip is refused as a possible zip bomb: ${message}.` },
  }[kind];
  return new Problem({ ...said, code: kind === 'too_large' ? 'archive_too_large' : kind });
}
