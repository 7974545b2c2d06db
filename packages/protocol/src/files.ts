// HTTP API bodies for workspaces and their files.

import { z } from 'zod';
import { id, time } from './scalars.ts';

const path = z.string().meta({ description: 'Begins with a slash, such as `/notes/haiku.md`.' });
const version = z.int().meta({ description: 'From 1; each change of the file is the next.' });
const hash = z.string().meta({ description: 'SHA-256 of the content, in hex.' });
const kind = z.enum(['file', 'agent', 'plan']);

export const newWorkspace = z
  .strictObject({
    name: z.string().meta({
      description: '1 to 64 lower case letters, digits, `-` and `_`; also the name of its folder on disk.',
      example: 'garden',
    }),
  })
  .meta({ id: 'NewWorkspace' });

export const workspace = z
  .object({
    id,
    name: z.string(),
    created_at: time,
    removed_at: time.nullable(),
    purged_after: time
      .nullable()
      .meta({ description: 'Until then a removed workspace can be brought back.' }),
    files: z.int(),
    bytes: z.int().meta({ description: 'Of all versions of its files.' }),
    quota_bytes: z.int(),
    held_removals: z.object({ since: time, files: z.int() }).nullable().meta({
      description:
        'Files that disappeared from the folder on disk at once and are still in the workspace, until a person decides: `POST …/folder/restore` or `…/folder/accept-removals`.',
    }),
  })
  .meta({ id: 'Workspace' });

export const author = z
  .union([
    z.object({ kind: z.enum(['person', 'disk']) }),
    z.object({ kind: z.literal('run'), thread: id, run: id, call: z.string() }),
  ])
  .meta({ id: 'Author', description: 'Who made a version: a person, somebody on disk, or a call of a run.' });

export const file = z
  .object({
    id: id.meta({ description: 'Stays through moves, removal and restoration.' }),
    path,
    kind,
    version,
    size: z.int(),
    hash,
    text: z.boolean().meta({ description: 'Whether it is UTF-8 text.' }),
    created_at: time,
    changed_at: time,
    removed_at: time.nullable(),
    unchanged: z.literal(true).optional().meta({ description: 'The content was the same: no new version.' }),
    merged: z.literal(true).optional().meta({ description: 'Written with what others changed meanwhile.' }),
  })
  .meta({ id: 'File' });

export const treeEntry = z
  .object({
    type: z.enum(['folder', 'file']),
    name: z.string(),
    path,
    id: id.optional(),
    kind: z.enum(['file', 'agent', 'plan', 'chat']).optional(),
    size: z.int().optional(),
    version: z.int().optional(),
    changed_at: time.optional(),
    author: z.enum(['person', 'disk', 'run']).optional(),
  })
  .meta({ id: 'TreeEntry', description: 'A folder has a type, a name and a path.' });

export const fileVersion = z
  .object({
    file: id,
    version,
    op: z.enum(['write', 'move', 'remove', 'restore']),
    path,
    size: z.int(),
    hash,
    text: z.boolean(),
    author,
    at: time,
  })
  .meta({ id: 'FileVersion' });

export const fileDiff = z
  .object({
    path,
    from: z.int(),
    to: z.int(),
    binary: z.boolean(),
    diff: z.string().meta({ description: 'Unified; empty if nothing differs or a side is not text.' }),
    added: z.int(),
    removed: z.int(),
  })
  .meta({ id: 'FileDiff' });

const ifMatch = z.int().min(1).optional();

export const newMove = z
  .strictObject({
    from: z.string().meta({ example: '/notes/haiku.md' }),
    to: z.string().meta({ example: '/poems/haiku.md' }),
    if_match: ifMatch.meta({ description: 'The version of the file, if it must be that one.' }),
  })
  .meta({ id: 'NewMove' });

export const moved = z
  .object({ files: z.array(file), count: z.int() })
  .meta({ id: 'Moved', description: 'The files as they are now; of many, the first 1000.' });

export const restoration = z
  .strictObject({
    path: z.string().optional(),
    file: id.optional().meta({ description: 'Instead of a path.' }),
    version: z.int().min(1).optional(),
    to: z.string().optional().meta({ description: 'Another path than the file’s own.' }),
    if_match: ifMatch.meta({ description: 'The version that is there now, if it must be that one.' }),
  })
  .meta({ id: 'Restoration', description: 'Empty: the removed workspace itself is brought back.' });

export const searchHit = z
  .object({
    path,
    found_in: z.enum(['name', 'text']),
    kind: z.enum(['file', 'agent', 'plan', 'chat']),
    id: id.nullable(),
    version: z.int().nullable(),
    size: z.int().nullable(),
    snippet: z.string().nullable(),
  })
  .meta({ id: 'SearchHit' });

export const change = z
  .object({
    seq: z.int(),
    type: z.enum(['file_updated', 'file_moved', 'file_removed']),
    at: time,
    data: z.object({
      path,
      from: z.string().optional(),
      v: z.int(),
      file: id,
      kind,
      size: z.int(),
      hash,
      author,
    }),
  })
  .meta({ id: 'Change', description: 'What happened to a file; `seq` counts from 1, without a gap.' });

export const unpacked = z
  .object({
    written: z.int(),
    unchanged: z.int(),
    bytes: z.int(),
    refused: z.array(z.object({ name: z.string(), problem: z.string() })),
    refused_count: z.int().meta({ description: 'How many were refused; the first 100 are named.' }),
  })
  .meta({ id: 'Unpacked' });

export type Workspace = z.infer<typeof workspace>;
export type File = z.infer<typeof file>;
export type TreeEntry = z.infer<typeof treeEntry>;
export type FileVersion = z.infer<typeof fileVersion>;
export type FileDiff = z.infer<typeof fileDiff>;
export type SearchHit = z.infer<typeof searchHit>;
export type Unpacked = z.infer<typeof unpacked>;
