// Content types: which fields the front matter of a piece of content has. Articles and pages are built in; a file
// `/content/types/<name>.yaml` adds a type or replaces one. The name of a type is also the name of its folder.

import { z } from 'zod';
import { fold } from '../names/case-folding.ts';
import type { Queryable } from '../db/pool.ts';
import { asText, readWhole } from '../files/content.ts';
import { listFiles, type FileHead } from '../files/files.ts';
import { readVersion } from '../files/versions.ts';
import { readFrontMatter } from '../agents/front-matter.ts';

const KINDS = ['text', 'number', 'boolean', 'date', 'list', 'reference', 'url', 'file'] as const;

const field = z.strictObject({
  kind: z.enum(KINDS),
  required: z.boolean().default(false),
  /** For a reference: the type whose slugs it names. */
  to: z.string().optional(),
});
const definition = z.strictObject({
  title: z.string().min(1).max(100).optional(),
  fields: z.record(z.string().regex(/^[a-z][a-z\d_]{0,63}$/), field).default({}),
});

export type ContentField = z.infer<typeof field>;

export interface ContentType {
  readonly name: string;
  readonly title: string;
  readonly fields: Readonly<Record<string, ContentField>>;
  /** What is wrong with the type's file; its last known fields are not used then. */
  readonly problem: { readonly path: string; readonly line: number; readonly sentence: string } | null;
}

export const CONTENT_FOLDER = '/content';
/** The most files of types that are read, and the most bytes of one. */
const TYPES = 100;
const TYPE_BYTES = 64 * 1024;
/** A name that can stand in a URL and be a folder. */
export const NAME = /^[a-z\d]+(-[a-z\d]+)*$/;
/** Folders of /content that are not types. */
const RESERVED = new Set(['types', 'assets']);

const text = { kind: 'text', required: false } as const;
const list = { kind: 'list', required: false } as const;
const date = { kind: 'date', required: false } as const;

/** The fields that every type has. `status` is for people: whether a piece is live is not written in its file. */
const COMMON: Readonly<Record<string, ContentField>> = {
  title: { ...text, required: true },
  slug: text,
  description: text,
  status: text,
  tags: list,
  author: text,
  date,
  updated: date,
  canonical: { kind: 'url', required: false },
  image: { kind: 'file', required: false },
  seo_title: text,
  seo_description: text,
};

const builtIn = (name: string, title: string): ContentType => ({
  name,
  title,
  fields: COMMON,
  problem: null,
});
const BUILT_IN: readonly ContentType[] = [builtIn('articles', 'Articles'), builtIn('pages', 'Pages')];

export async function readContentTypes(
  client: Queryable,
  workspaceId: string,
): Promise<ReadonlyMap<string, ContentType>> {
  const types = new Map(BUILT_IN.map((type) => [type.name, type]));
  const folder = { path: `${CONTENT_FOLDER}/types`, folded: fold(`${CONTENT_FOLDER}/types`) };
  for (const file of await listFiles(client, workspaceId, { folder, limit: TYPES })) {
    const name = /^\/content\/types\/([^/]+)\.ya?ml$/.exec(file.path)?.[1];
    if (name === undefined || !NAME.test(name) || RESERVED.has(name)) continue;
    types.set(name, await readType(client, file, name));
  }
  return types;
}

async function readType(client: Queryable, file: FileHead, name: string): Promise<ContentType> {
  const failed = (line: number, sentence: string): ContentType => ({
    name,
    title: name,
    fields: COMMON,
    problem: { path: file.path, line, sentence },
  });
  if (file.size > TYPE_BYTES) return failed(1, `the file is larger than ${TYPE_BYTES} bytes`);
  const version = (await readVersion(client, file.id, file.version))!;
  const yaml = asText(await readWhole(client, version.chunks));
  if (yaml === null) return failed(1, 'the file is not UTF-8 text');
  const read = await readFrontMatter(`---\n${yaml}\n---\n`, {
    key: file.id,
    schema: definition,
    allowedIn: (path) => (path.length === 0 ? ['title', 'fields'] : ['kind', 'required', 'to']),
  });
  // The line of the opening fence, which the file does not have.
  if (!read.ok) return failed(read.mistake.line - 1, read.mistake.sentence);
  const { title = name, fields } = read.given;
  return { name, title, fields: { ...COMMON, ...fields }, problem: null };
}
