// HTTP API bodies for content: what can be published, and what is.

import { z } from 'zod';
import { id, time } from './scalars.ts';

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
  kind: z.enum(['text', 'number', 'boolean', 'date', 'list', 'reference']),
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
      'Why it could not be published at its time. It waits for a person then: schedule it again, or cancel it.',
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
    state: z.enum(['draft', 'published', 'changed', 'removed']).meta({
      description:
        '`draft`: not published. `published`: the newest version is live. `changed`: an older version is live. ' +
        '`removed`: the file is gone, and what was published or scheduled of it is left.',
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
    preview: z.string().meta({ description: 'An address that shows this draft to anybody, for seven days.' }),
  })
  .meta({ id: 'ContentCheck' });

export type PublishedContent = z.infer<typeof publishedContent>;
export type ContentPiece = z.infer<typeof contentPiece>;
