// A piece of content: Markdown with front matter that has the fields of its type.

import { z } from 'zod';
import { readFrontMatter } from '../agents/front-matter.ts';
import type { ContentField, ContentType } from './content-type.ts';

export interface Article {
  readonly title: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Why a piece cannot be published, with its line if it has one. */
export interface ArticleProblem {
  readonly line: number | null;
  readonly sentence: string;
}

type Parsed =
  | { readonly ok: true; readonly article: Article }
  | { readonly ok: false; readonly problem: ArticleProblem };

/** `key`: the id of the workspace. */
export async function parseArticle(
  text: string,
  { key, type, slug }: { readonly key: string; readonly type: ContentType; readonly slug: string },
): Promise<Parsed> {
  const read = await readFrontMatter(text, {
    key,
    schema: schemaOf(type),
    allowedIn: () => Object.keys(type.fields),
    check: (given) =>
      given.slug === undefined || given.slug === slug
        ? null
        : {
            path: ['slug'],
            sentence: `the slug is the name of the file, ${JSON.stringify(slug)}; rename the file, or leave this line out`,
          },
  });
  if (!read.ok) return { ok: false, problem: read.mistake };
  const { slug: _, status: __, ...fields } = read.given;
  return { ok: true, article: { title: fields.title as string, fields, body: read.body.trim() } };
}

function schemaOf({ fields }: ContentType): z.ZodType<Record<string, unknown>> {
  return z.strictObject(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)])),
  );
}

function fieldOf({ kind, required }: ContentField): z.ZodType {
  const value = VALUES[kind];
  return required ? value : value.optional();
}

const line = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
  .trim()
  .min(1, 'must not be empty')
  .max(2000, 'must have at most 2,000 characters')
  // YAML can write what the database, and XML, cannot store.
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    'must not contain \\0 or half of a character',
  );

const VALUES: Readonly<Record<ContentField['kind'], z.ZodType>> = {
  text: line,
  reference: z.union([line, z.array(line).max(100)], 'must be a slug, or a list of slugs'),
  number: z.number('must be a number'),
  boolean: z.boolean('must be true or false'),
  list: z.array(line, 'must be a list of texts').max(100),
  url: line.pipe(
    z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' }),
  ),
  file: line.refine(
    (given) => !/^([a-z][a-z\d+.-]*:|\/\/)/i.test(given) || /^https?:\/\//i.test(given),
    'must be the path of a file, or an address that begins with https:// or http://',
  ),
  date: z
    .string('must be a date, such as 2026-03-01')
    .regex(
      /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/,
      'must be a date, such as 2026-03-01',
    )
    .refine(exists, 'is not a date that exists'),
};

/** JavaScript takes the 31st of February for the 3rd of March. */
function exists(date: string): boolean {
  const day = date.slice(0, 10);
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
