// Attaches files to a message: finds the files that the request names, at their current versions.

import type { AttachedFile } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { imageType, IMAGE_HEAD, isPdf, PDF } from '../../files/images.ts';
import { readChunks } from '../../files/content.ts';
import { findFile, readFile, type FileHead } from '../../files/files.ts';
import { readVersion } from '../../files/versions.ts';
import { parsePath } from '../../files/paths.ts';
import { similarPaths } from '../../files/similar.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { contentType } from '../kernel/media-type.ts';
import { Problem } from '../kernel/problem.ts';

const ID = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i;

/** Refuses a missing file, and names its position in the request. */
export function attach(scope: WorkspaceScope, files: readonly string[]): Promise<readonly AttachedFile[]> {
  return Promise.all(
    files.map(async (given, index) => {
      const file = await find(scope, given, `files[${index}]`);
      return {
        file: file.id,
        path: file.path,
        v: file.version,
        media_type: await mediaType(scope.db, file),
        size: file.size,
      };
    }),
  );
}

async function find({ db, workspaceId }: WorkspaceScope, given: string, place: string): Promise<FileHead> {
  if (ID.test(given)) {
    const file = await readFile(db, workspaceId, given);
    if (!file) throw noFile(place, `there is no file with the id ${given} in the workspace`);
    if (file.removedAt) throw noFile(place, `${file.path} was removed; POST …/restore restores it`);
    return file;
  }
  const parsed = parsePath(given);
  if (!parsed.ok) throw refused(400, 'invalid_path', place, `the path is not valid: ${parsed.problem}`);
  const file = await findFile(db, workspaceId, parsed.path);
  if (file?.path === parsed.path.path) return file;
  const similar = await similarPaths(db, workspaceId, parsed.path);
  const hint = similar.length > 0 ? `did you mean ${similar.join(' or ')}?` : 'GET …/tree lists the files';
  throw noFile(place, `there is no file ${parsed.path.path}; ${hint}`);
}

/** Images and PDFs, which models see as they are, are recognised by their bytes; the type of any other file follows from its name. */
async function mediaType(db: Queryable, file: FileHead): Promise<string> {
  const version = await readVersion(db, file.id, file.version);
  const bytes: Buffer[] = [];
  for await (const part of readChunks(db, version?.chunks ?? [], 0, IMAGE_HEAD)) bytes.push(part);
  const head = Buffer.concat(bytes);
  if (isPdf(head)) return PDF;
  const image = file.isText ? null : imageType(head);
  if (image !== null) return image;
  const called = contentType(file.path, file.isText).replace('; charset=utf-8', '');
  const claims = called === PDF || (!file.isText && called.startsWith('image/'));
  return claims ? (file.isText ? 'text/plain' : 'application/octet-stream') : called;
}

function noFile(place: string, message: string): Problem {
  return refused(404, 'file_not_found', place, message);
}

function refused(status: number, code: string, path: string, message: string): Problem {
  return new Problem({
    status,
    code,
    detail: `${path}: ${message}`,
    extra: { errors: [{ path, message }] },
  });
}
