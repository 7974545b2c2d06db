// A piece of content before it is published: its file, parsed and rendered, with everything that is wrong with it.

import { posix } from 'node:path';
import { fold } from '../names/case-folding.ts';
import type { Rendered } from '../compute/markdown.ts';
import { TooMuchWork, workers } from '../compute/pool.ts';
import type { Queryable } from '../db/pool.ts';
import { asText, readWhole } from '../files/content.ts';
import { findFiles, listFiles, type FileHead } from '../files/files.ts';
import { parsePath } from '../files/paths.ts';
import { readVersion } from '../files/versions.ts';
import { parseArticle, type Article, type ArticleProblem } from './article.ts';
import { CONTENT_FOLDER, NAME, readContentTypes, type ContentType } from './content-type.ts';
import { readSite } from './site.ts';

/** The most bytes of a piece that can be published, and the most files of a type that are listed. */
const ARTICLE_BYTES = 512 * 1024;
const LISTED = 1000;

/** A file of a content type, with its live version and its scheduled one. */
export interface Piece {
  readonly slug: string;
  /** From the newest version of the file, or from the live version if the file was removed; the slug if there is no title. */
  readonly title: string;
  /** Null if the file was removed, and only its publication is left. */
  readonly file: FileHead | null;
  readonly live: { readonly version: number; readonly title: string; readonly publishedAt: Date } | null;
  readonly scheduled: ScheduledPublication | null;
}

/** A version that is published at a time. */
export interface ScheduledPublication {
  readonly version: number;
  readonly title: string;
  readonly at: Date;
  /** Why it could not be published at its time; it waits for a person then. */
  readonly problem: string | null;
}

/** A piece as it would be published. */
export interface Draft {
  readonly type: ContentType;
  readonly slug: string;
  readonly file: FileHead;
  readonly article: Article;
  readonly html: string;
  /** The files that readers get with it: images, and files that it links to. */
  readonly shown: readonly ShownFile[];
  readonly problems: readonly ArticleProblem[];
  /** Good to know before publishing; they do not prevent it. */
  readonly warnings: readonly ArticleProblem[];
}

/** A file of the workspace that a piece shows, in the version that readers get. */
export interface ShownFile {
  readonly id: string;
  readonly version: number;
  readonly path: string;
  /** Its address in the public API. */
  readonly address: string;
}

/** A piece that does not exist, or cannot be published; `problems` say why. */
export class Unpublishable extends Error {
  readonly code: 'content_not_found' | 'content_type_not_found' | 'content_invalid' | 'slug_taken';
  readonly problems: readonly ArticleProblem[];

  constructor(code: Unpublishable['code'], message: string, problems: readonly ArticleProblem[] = []) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

export interface Place {
  readonly client: Queryable;
  readonly workspaceId: string;
}

export async function contentType({ client, workspaceId }: Place, name: string): Promise<ContentType> {
  return typeIn(await readContentTypes(client, workspaceId), name);
}

function typeIn(types: ReadonlyMap<string, ContentType>, name: string): ContentType {
  const type = types.get(name);
  if (type) return type;
  throw new Unpublishable(
    'content_type_not_found',
    `There is no content type ${JSON.stringify(name.slice(0, 64))}; there are ${[...types.keys()].join(', ')}.`,
  );
}

/** The files of a type with their live versions, ordered by slug. */
export async function listPieces(place: Place, type: ContentType): Promise<readonly Piece[]> {
  const { client, workspaceId } = place;
  const pieces = new Map<string, Piece>();
  const files = await filesBySlug(place, type);
  const titles = await titlesOf(
    place,
    [...files.values()].map(([file]) => file!),
  );
  for (const [slug, [file]] of files)
    pieces.set(slug, { slug, title: titles.get(file!.id) ?? slug, file: file!, live: null, scheduled: null });
  const { rows } = await client.query<{ slug: string; version: number; title: string; published_at: Date }>(
    'select slug, version, title, published_at from published where workspace_id = $1 and type = $2',
    [workspaceId, type.name],
  );
  const known = (slug: string, title: string): Piece =>
    pieces.get(slug) ?? { slug, title, file: null, live: null, scheduled: null };
  for (const { slug, version, title, published_at: publishedAt } of rows)
    pieces.set(slug, { ...known(slug, title), live: { version, title, publishedAt } });
  const waiting = await client.query<ScheduledPublication & { slug: string }>(
    'select slug, version, title, at, problem from scheduled_publications where workspace_id = $1 and type = $2',
    [workspaceId, type.name],
  );
  for (const { slug, ...scheduled } of waiting.rows)
    pieces.set(slug, { ...known(slug, scheduled.title), scheduled });
  return [...pieces.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** The titles in the front matter of files, by their ids; the name of a file that has none. */
async function titlesOf({ client }: Place, files: readonly FileHead[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ id: string; title: string }>(
    'select id, (document_head(f)).title from files f where id = any ($1)',
    [files.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** The file of a piece, and other files that have its slug too. */
export async function findPiece(place: Place, name: string, slug: string) {
  const types = await readContentTypes(place.client, place.workspaceId);
  const type = typeIn(types, name);
  const [file, ...others] = (await filesBySlug(place, type, `${slug}.md`)).get(slug) ?? [];
  if (file) return { types, type, file, others };
  throw notFound(
    `There is no file ${CONTENT_FOLDER}/${type.name}/${slug}.md. The name of a file is its slug: lower-case letters, digits and hyphens.`,
  );
}

/** The piece as it would be published from `version`, or from the newest one, with everything that is wrong with it. */
export async function readDraft(
  place: Place,
  {
    type: name,
    slug,
    version,
  }: { readonly type: string; readonly slug: string; readonly version?: number | undefined },
): Promise<Draft> {
  const { client, workspaceId } = place;
  const { types, type, file, others } = await findPiece(place, name, slug);
  const stored = await readVersion(client, file.id, version ?? file.version);
  if (!stored) throw notFound(`${file.path} has no version ${version}`);
  if (stored.size > ARTICLE_BYTES)
    throw invalid(`${file.path} is larger than ${ARTICLE_BYTES} bytes, the most that can be published`);
  const text = asText(await readWhole(client, stored.chunks));
  if (text === null) throw invalid(`${file.path} is not UTF-8 text`);
  const parsed = await parseArticle(text, { key: workspaceId, type, slug });
  if (!parsed.ok) throw invalid(`${file.path} cannot be published`, [parsed.problem]);
  const { article } = parsed;
  const first = await render(file, workspaceId, article.body, {});
  const links = await resolveLinks(place, file, types, { ...first, files: fileFields(type, article) });
  const { html } = await render(file, workspaceId, article.body, links.replace);
  const references = await checkReferences(place, type, article);
  const { problem: siteProblem } = await readSite(place);
  return {
    type,
    slug,
    file: { ...file, version: stored.version },
    article: { ...article, fields: withAddresses(type, article, links.replace) },
    html,
    shown: links.shown,
    problems: [
      ...(type.problem ? [inFile(type.problem)] : []),
      ...others.map(({ path }) => sentence(`${path} has the same slug; rename one of the two files`)),
      ...references.missing,
      ...links.broken,
    ],
    warnings: [
      ...(await unpublishedAmong(place, [...references.pieces, ...links.pieces])),
      ...(siteProblem === null ? [] : [sentence(siteProblem)]),
    ],
  };
}

function folderOf({ name }: ContentType) {
  const path = `${CONTENT_FOLDER}/${name}`;
  return { path, folded: fold(path) };
}

/** The slug of a file is its name without `.md`; null if that cannot be one. */
function slugOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const slug = name.endsWith('.md') ? name.slice(0, -'.md'.length) : '';
  return slug.length <= 200 && NAME.test(slug) ? slug : null;
}

/** The files of a type by their slugs, or those with one name. Folders below the type's own are for people, so two files may have one slug. */
async function filesBySlug(
  { client, workspaceId }: Place,
  type: ContentType,
  name?: string,
): Promise<ReadonlyMap<string, readonly FileHead[]>> {
  const wanted = { folder: folderOf(type), limit: LISTED, ...(name !== undefined && { name }) };
  const files = await listFiles(client, workspaceId, wanted);
  const found = new Map<string, FileHead[]>();
  for (const file of files) {
    const slug = slugOf(file.path);
    if (slug !== null) found.set(slug, [...(found.get(slug) ?? []), file]);
  }
  return found;
}

function notFound(message: string): Unpublishable {
  return new Unpublishable('content_not_found', message);
}

export function invalid(message: string, problems: readonly ArticleProblem[] = []): Unpublishable {
  const why = problems.map(({ line, sentence }) => (line === null ? sentence : `line ${line}: ${sentence}`));
  return new Unpublishable(
    'content_invalid',
    why.length > 0 ? `${message}: ${why.join('; ')}` : message,
    problems,
  );
}

function inFile({ path, line, sentence }: NonNullable<ContentType['problem']>): ArticleProblem {
  return { line: null, sentence: `${path}, line ${line}: ${sentence}` };
}

/** Throws `Unpublishable` for a text that is made to keep the renderer busy, such as thousands of nested lists. */
async function render(
  file: FileHead,
  key: string,
  text: string,
  replace: Readonly<Record<string, string>>,
): Promise<Rendered> {
  try {
    return await workers.run('renderMarkdown', { text, replace }, { key });
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    throw invalid(`${file.path} cannot be published`, [
      sentence(
        `rendering the text ${error.message}; write it shorter, with less nesting of lists and quotations`,
      ),
    ]);
  }
}

const sentence = (text: string): ArticleProblem => ({ line: null, sentence: text });

/** A piece that another one names. */
interface Named {
  readonly type: string;
  readonly slug: string;
  /** How it is named, such as "the link kettles.md". */
  readonly by: string;
}

interface Links {
  /** Addresses for readers, by the addresses as they are written. */
  readonly replace: Readonly<Record<string, string>>;
  readonly shown: readonly ShownFile[];
  readonly broken: readonly ArticleProblem[];
  readonly pieces: readonly Named[];
}

/** Links to files of the workspace become addresses of what is published; those that lead nowhere are named. */
async function resolveLinks(
  { client, workspaceId }: Place,
  file: FileHead,
  types: ReadonlyMap<string, ContentType>,
  { links, images, files }: Pick<Rendered, 'links' | 'images'> & { readonly files: readonly string[] },
): Promise<Links> {
  const replace: Record<string, string> = {};
  const shown = new Map<string, ShownFile>();
  const broken: ArticleProblem[] = [];
  const pieces: Named[] = [];
  const isFile = new Set([...images, ...files]);
  const targets = [...new Set([...links, ...isFile])].flatMap((address) => {
    const path = pathOfLink(file.path, address);
    return path === null ? [] : [{ address, path, parsed: parsePath(path) }];
  });
  const wanted = targets.flatMap(({ parsed }) => (parsed.ok ? [parsed.path] : []));
  const found = new Map<string, FileHead>();
  for (const head of (await findFiles(client, workspaceId, wanted)).values())
    found.set(fold(head.path), head);
  for (const { address, path, parsed } of targets) {
    const target = parsed.ok ? found.get(parsed.path.folded) : undefined;
    const type = /^\/content\/([^/]+)\//.exec(target?.path ?? '')?.[1] ?? '';
    const slug = target && slugOf(target.path);
    if (!target) broken.push(sentence(`the link ${address} leads to ${path}, and there is no such file`));
    else if (!isFile.has(address) && types.has(type) && slug) {
      replace[address] = `/${type}/${slug}${/[?#].*$/.exec(address)?.[0] ?? ''}`;
      pieces.push({ type, slug, by: `the link ${address}` });
    } else {
      const { id, version } = target;
      const place = `/api/v1/content/${workspaceId}/assets/${id}?v=${version}`;
      shown.set(id, { id, version, path: target.path, address: place });
      replace[address] = place;
    }
  }
  return { replace, shown: [...shown.values()], broken, pieces };
}

/** The workspace's path that a relative address means; null if it leads elsewhere. */
function pathOfLink(from: string, address: string): string | null {
  if (/^[a-z][a-z\d+.-]*:|^\/\/|^#|^$/i.test(address)) return null;
  const bare = address.replace(/[?#].*$/, '');
  if (bare === '') return null;
  // A path from the root of the site is not one of the workspace, unless it names a file.
  if (bare.startsWith('/') && !/\.[a-z\d]+$/i.test(bare)) return null;
  try {
    return posix.resolve(posix.dirname(from), decodeURIComponent(bare));
  } catch {
    return bare;
  }
}

/** The values of the fields that name a file of the workspace, or an address elsewhere. */
function fileFields({ fields: types }: ContentType, { fields }: Article): readonly string[] {
  return Object.entries(types).flatMap(([name, { kind }]) =>
    kind === 'file' && typeof fields[name] === 'string' ? [fields[name]] : [],
  );
}

function withAddresses(
  { fields: types }: ContentType,
  { fields }: Article,
  replace: Links['replace'],
): Article['fields'] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      types[name]?.kind === 'file' && typeof value === 'string' && Object.hasOwn(replace, value)
        ? [name, replace[value]]
        : [name, value],
    ),
  );
}

async function checkReferences(
  place: Place,
  type: ContentType,
  { fields }: Article,
): Promise<{ readonly missing: readonly ArticleProblem[]; readonly pieces: readonly Named[] }> {
  const missing: ArticleProblem[] = [];
  const pieces: Named[] = [];
  for (const [name, { kind, to }] of Object.entries(type.fields)) {
    if (kind !== 'reference' || to === undefined || fields[name] === undefined) continue;
    const slugs = [fields[name]].flat() as string[];
    const paths = slugs.map((slug) => `${CONTENT_FOLDER}/${to}/${slug}.md`);
    const wanted = paths.map((path) => ({ path, folded: fold(path) }));
    const found = await findFiles(place.client, place.workspaceId, wanted);
    for (const path of paths) if (!found.has(path)) missing.push(sentence(`${name}: there is no ${path}`));
    pieces.push(...slugs.map((slug) => ({ type: to, slug, by: name })));
  }
  return { missing, pieces };
}

/** Readers cannot follow a link to a piece that is not live. That is not a mistake: two pieces may link to each other. */
async function unpublishedAmong(
  { client, workspaceId }: Place,
  named: readonly Named[],
): Promise<readonly ArticleProblem[]> {
  if (named.length === 0) return [];
  const { rows } = await client.query<{ key: string }>(
    `select p.type || '/' || p.slug as key from published p join unnest($2::text[], $3::text[]) as n (type, slug) using (type, slug)
      where p.workspace_id = $1`,
    [workspaceId, named.map(({ type }) => type), named.map(({ slug }) => slug)],
  );
  const live = new Set(rows.map(({ key }) => key));
  return named
    .filter(({ type, slug }) => !live.has(`${type}/${slug}`))
    .map(({ type, slug, by }) => sentence(`${by} leads to ${type}/${slug}, which is not published yet`));
}
