// HTTP API bodies for workspaces and their files.

import { z } from 'zod';
import { planState, planStepData } from './plans.ts';
import { id, patchOperation, time } from './scalars.ts';

const path = z.string().meta({ description: 'Begins with a slash, such as `/notes/haiku.md`.' });
const version = z.int().meta({ description: 'Counts from 1; each change of the file adds one.' });
const hash = z.string().meta({ description: 'SHA-256 of the content, in hex.' });
const kind = z.enum(['file', 'agent', 'plan']);

export const newWorkspace = z
  .strictObject({
    name: z.string().meta({
      description: '1 to 64 lower-case letters, digits, `-` and `_`; also the name of its folder on disk.',
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
    purged_after: time.nullable().meta({ description: 'A removed workspace can be restored until then.' }),
    files: z.int(),
    bytes: z.int().meta({ description: 'The size of all versions of its files.' }),
    quota_bytes: z.int(),
    held_removals: z.object({ since: time, files: z.int() }).nullable().meta({
      description:
        'Files that disappeared from the folder on disk at once and are still in the workspace, until a person decides: `POST …/folder/restore` or `…/folder/accept-removals`.',
    }),
  })
  .meta({ id: 'Workspace' });

export const author = z
  .union([
    z.object({ kind: z.enum(['person', 'disk', 'plan']) }),
    z.object({ kind: z.literal('key'), name: z.string() }),
    z.object({ kind: z.literal('run'), thread: id, run: id, call: z.string() }),
  ])
  .meta({
    id: 'Author',
    description: 'Who made a version: a person, the owner of a key, a person on disk, or a call of a run.',
  });

export const file = z
  .object({
    id: id.meta({ description: 'Stays the same through moves, removal and restoration.' }),
    path,
    kind,
    version,
    size: z.int(),
    hash,
    text: z.boolean().meta({ description: 'Whether it is UTF-8 text.' }),
    created_at: time,
    changed_at: time,
    removed_at: time.nullable(),
    unchanged: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if the content was the same, so that there is no new version.' }),
    merged: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if the text was merged with a newer version.' }),
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
    author: z.enum(['person', 'key', 'disk', 'run', 'plan']).optional(),
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
    diff: z
      .string()
      .meta({ description: 'A unified diff; empty if the versions are equal or one is not text.' }),
    added: z.int(),
    removed: z.int(),
  })
  .meta({ id: 'FileDiff' });

const ifMatch = z.int().min(1).optional();

export const newMove = z
  .strictObject({
    from: z.string().meta({ example: '/notes/haiku.md' }),
    to: z.string().meta({ example: '/poems/haiku.md' }),
    if_match: ifMatch.meta({ description: 'The version that the file must have.' }),
  })
  .meta({ id: 'NewMove' });

export const moved = z
  .object({ files: z.array(file), count: z.int() })
  .meta({ id: 'Moved', description: 'The files after the move; at most the first 1000.' });

export const removedFile = z
  .object({
    id,
    path: path.meta({ description: 'Where it was.' }),
    kind,
    version: version.meta({
      description: 'The version of the removal; the content is in the version before it.',
    }),
    size: z.int(),
    text: z.boolean(),
    removed_at: time,
    removed_by: author,
  })
  .meta({ id: 'RemovedFile' });

/** The maximum number of files that one request restores. */
export const MOST_RESTORED = 1000;

export const trashRestoration = z
  .strictObject({
    files: z.array(id).min(1).max(MOST_RESTORED).meta({ description: 'The ids of removed files.' }),
  })
  .meta({ id: 'TrashRestoration' });

export const skippedFile = z
  .object({
    id,
    path,
    reason: z.string().meta({ description: 'Why it was not restored, such as: `/a.md is a folder`.' }),
  })
  .meta({ id: 'SkippedFile' });

export const restored = z
  .object({ files: z.array(file), skipped: z.array(skippedFile) })
  .meta({ id: 'Restored' });

export const restoration = z
  .strictObject({
    path: z.string().optional(),
    file: id.optional().meta({ description: 'The file’s id, instead of a path.' }),
    version: z.int().min(1).optional(),
    to: z.string().optional().meta({ description: 'A path other than the file’s own.' }),
    if_match: ifMatch.meta({ description: 'The version that the file at this path must have.' }),
  })
  .meta({ id: 'Restoration', description: 'Empty: restores the removed workspace itself.' });

export const searchHit = z
  .object({
    entity_type: z.string().meta({
      description: 'A kind of entities, `file` for a file that is not a document, `chat`, or `message`.',
    }),
    entity_id: id,
    project_id: id.nullable(),
    title: z.string(),
    snippet: z.string().nullable(),
    score: z
      .number()
      .meta({ description: 'Can be compared within one answer only; 0 if only the path matches.' }),
    found_in: z.enum(['name', 'text']),
    path: path.nullable().meta({ description: 'The path, if it is a file, a document or a chat.' }),
    kind: z.enum(['file', 'agent', 'plan', 'chat']).nullable().meta({ description: 'The kind of the file.' }),
    id: id.nullable().meta({ description: 'The file’s id.' }),
    version: z.int().nullable(),
    size: z.int().nullable(),
    message: z
      .object({
        chat_id: id,
        role: z.enum(['user', 'assistant']),
        seq: z.int().nullable().meta({ description: 'Where it begins in the log; null if it waits.' }),
        at: z.string(),
      })
      .optional()
      .meta({ description: 'Of a message; `title` is then the title of its chat.' }),
  })
  .meta({ id: 'SearchHit' });

export const change = z
  .object({
    seq: z.int(),
    type: z.enum([
      'file_updated',
      'file_moved',
      'file_removed',
      'entity_patch',
      'plan_step',
      'plan_changed',
      'content_published',
      'content_unpublished',
    ]),
    at: time,
    data: z.union([
      z.object({
        path,
        from: z.string().optional(),
        v: z.int(),
        file: id,
        kind,
        size: z.int(),
        hash,
        author,
      }),
      z.object({
        entity_type: z.string().meta({ description: 'A kind, or `doc_structure`.' }),
        entity_id: id.meta({ description: 'Of a structure: the project’s id.' }),
        project_id: id.nullable(),
        entity_name: z.string().optional(),
        version: z.int().meta({ description: 'Apply the patch only to the version before this one.' }),
        patch: z.array(patchOperation),
        author,
      }),
      planStepData,
      z.object({
        plan: id,
        state: planState,
        approved_version: z.int().optional(),
        run: id.optional(),
        chat: id.optional(),
      }),
      z.object({
        file: id,
        type: z.string(),
        slug: z.string(),
        v: z.int().optional().meta({ description: 'The version that is published now.' }),
      }),
    ]),
  })
  .meta({
    id: 'Change',
    description: 'A change of a file, an entity, or what is published; `seq` counts from 1, without gaps.',
  });

export const unpacked = z
  .object({
    written: z.int(),
    unchanged: z.int(),
    bytes: z.int(),
    refused: z.array(z.object({ name: z.string(), problem: z.string() })),
    refused_count: z
      .int()
      .meta({ description: 'How many entries were refused; `refused` names the first 100.' }),
  })
  .meta({ id: 'Unpacked' });

export type Workspace = z.infer<typeof workspace>;
export type File = z.infer<typeof file>;
export type TreeEntry = z.infer<typeof treeEntry>;
export type FileVersion = z.infer<typeof fileVersion>;
export type FileDiff = z.infer<typeof fileDiff>;
export type SearchHit = z.infer<typeof searchHit>;
export type Unpacked = z.infer<typeof unpacked>;
