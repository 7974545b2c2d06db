// HTTP API bodies for content: what can be published, and what is.

import { z } from 'zod';
import { principal } from './http.ts';
import { id, name, time } from './scalars.ts';

const fields = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The front matter, checked by the content type.' });

export const publishedContent = z
  .object({
    type: z.string(),
    slug: z.string(),
    title: z.string(),
    fields,
    html: z.string().optional().meta({ description: 'The body as sanitised HTML.' }),
    markdown: z.string().optional().meta({ description: 'The body as it was written.' }),
    version: z.int().meta({ description: 'The version of the file that is published.' }),
    first_published_at: time,
    published_at: time,
  })
  .meta({ id: 'PublishedContent' });

export const contentField = z.object({
  kind: z.enum(['text', 'number', 'boolean', 'date', 'list', 'reference', 'url', 'file']),
  required: z.boolean(),
  to: z.string().optional(),
});

const inFile = z.object({ path: z.string(), line: z.int(), sentence: z.string() });

export const contentType = z
  .object({
    name: z.string().meta({ description: 'Also the name of its folder in /content.' }),
    title: z.string(),
    fields: z.record(z.string(), contentField),
    problem: inFile.nullable().meta({ description: 'What is wrong with the type’s file.' }),
  })
  .meta({ id: 'ContentType' });

const scheduled = z.object({
  version: z.int(),
  title: z.string(),
  at: time,
  problem: z.string().nullable().meta({
    description:
      'Why it could not be published at its time. It then waits for a person to schedule it again or to cancel it.',
  }),
});

export const scheduledContent = scheduled.meta({
  id: 'ScheduledContent',
  description: 'A version that is published at a time.',
});

export const contentPiece = z
  .object({
    type: z.string(),
    slug: z.string(),
    title: z.string().meta({
      description:
        'Of the newest version of its file, or of what is live if the file was removed; the slug if it has none.',
    }),
    state: z.enum(['draft', 'published', 'changed', 'removed']).meta({
      description:
        '`draft`: not published. `published`: the newest version is live. `changed`: an older version is live. ' +
        '`removed`: the file is gone, but its publication or its schedule remains.',
    }),
    path: z.string().nullable(),
    file_id: id.nullable(),
    version: z.int().nullable().meta({ description: 'The newest version of the file.' }),
    live: z.object({ version: z.int(), title: z.string(), published_at: time }).nullable(),
    scheduled: scheduled.nullable(),
    changed_at: time.nullable().meta({ description: 'When the newest version of the file was written.' }),
  })
  .meta({ id: 'ContentPiece' });

export const contentCheck = z
  .object({
    type: z.string(),
    slug: z.string(),
    title: z.string(),
    fields,
    html: z.string(),
    markdown: z.string(),
    version: z.int(),
    words: z.int(),
    problems: z
      .array(z.object({ line: z.int().nullable(), sentence: z.string() }))
      .meta({ description: 'Why it cannot be published; empty if it can.' }),
    warnings: z.array(z.object({ line: z.int().nullable(), sentence: z.string() })).meta({
      description: 'Warnings that do not prevent publishing, such as a link to a piece that is not live.',
    }),
    files: z
      .array(z.object({ file_id: id, version: z.int(), path: z.string() }))
      .meta({ description: 'The files of the workspace that readers get with it.' }),
    preview: z.string().meta({ description: 'An address that shows this draft to anybody, for seven days.' }),
  })
  .meta({ id: 'ContentCheck' });

export const publication = z
  .object({
    version: z.int(),
    title: z.string(),
    at: time,
    until: time.nullable().meta({
      description: 'When another version replaced it, or it was unpublished; null while it is live.',
    }),
    by: z.object({
      kind: z.enum(['local', 'key', 'run']),
      name: z.string().optional().meta({ description: 'Of a key.' }),
      run: id
        .optional()
        .meta({ description: 'The run of the agent that published it, with a person’s approval.' }),
    }),
  })
  .meta({ id: 'Publication' });

export const newReadKey = z.strictObject({ name }).meta({ id: 'NewReadKey' });

export const readKey = z
  .object({
    id,
    name: z.string(),
    created_by: principal,
    created_at: time,
    used_at: time.nullable().meta({ description: 'The last use, to the hour.' }),
  })
  .meta({ id: 'ReadKey' });

export const addedReadKey = readKey
  .extend({ key: z.string().meta({ description: 'Shown once; only its hash is stored.' }) })
  .meta({ id: 'AddedReadKey' });

export type ReadKey = z.infer<typeof readKey>;
export type PublishedContent = z.infer<typeof publishedContent>;
export type ContentPiece = z.infer<typeof contentPiece>;
