// A piece of content before it is published: its file, parsed and rendered, with everything that is wrong with it.

import { posix } from 'node:path';
import { fold } from '../case-folding.ts';
import type { Rendered } from '../compute/markdown.ts';
import { workers } from '../compute/pool.ts';
import type { Queryable } from '../db/pool.ts';
import { asText, readWhole } from '../files/content.ts';
import { findFile, findFiles, listFiles, type FileHead } from '../files/files.ts';
import { parsePath } from '../files/paths.ts';
import { readVersion } from '../files/versions.ts';
import { parseArticle, type Article, type ArticleProblem } from './article.ts';
import { CONTENT_FOLDER, NAME, readContentTypes, type ContentType } from './content-type.ts';

/** The most bytes of a piece that can be published, and the most files of a type that are listed. */
const ARTICLE_BYTES = 512 * 1024;
const LISTED = 1000;

/** A file of a type, and what of it is live. */
export interface Piece {
  readonly slug: string;
  /** Null if the file was removed, and only what was published is left. */
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
  readonly assets: readonly string[];
  readonly problems: readonly ArticleProblem[];
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
  const types = await readContentTypes(client, workspaceId);
  const type = types.get(name);
  if (type) return type;
  throw new Unpublishable(
    'content_type_not_found',
    `There is no content type ${JSON.stringify(name.slice(0, 64))}; there are ${[...types.keys()].join(', ')}.`,
  );
}

/** The files of a type with what is live of each, ordered by slug. */
export async function listPieces(place: Place, type: ContentType): Promise<readonly Piece[]> {
  const { client, workspaceId } = place;
  const pieces = new Map<string, Piece>();
  for (const file of await listFiles(client, workspaceId, { folder: folderOf(type), limit: LISTED })) {
    const slug = slugOf(file.path);
    if (slug !== null && !pieces.has(slug)) pieces.set(slug, { slug, file, live: null, scheduled: null });
  }
  const { rows } = await client.query<{ slug: string; version: number; title: string; published_at: Date }>(
    'select slug, version, title, published_at from published where workspace_id = $1 and type = $2',
    [workspaceId, type.name],
  );
  const known = (slug: string): Piece =>
    pieces.get(slug) ?? { slug, file: null, live: null, scheduled: null };
  for (const { slug, version, title, published_at: publishedAt } of rows)
    pieces.set(slug, { ...known(slug), live: { version, title, publishedAt } });
  const waiting = await client.query<ScheduledPublication & { slug: string }>(
    'select slug, version, title, at, problem from scheduled_publications where workspace_id = $1 and type = $2',
    [workspaceId, type.name],
  );
  for (const { slug, ...scheduled } of waiting.rows) pieces.set(slug, { ...known(slug), scheduled });
  return [...pieces.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
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
  const type = await contentType(place, name);
  const file = await findPiece(place, type, slug);
  const stored = await readVersion(client, file.id, version ?? file.version);
  if (!stored) throw notFound(`${file.path} has no version ${version}`);
  if (stored.size > ARTICLE_BYTES)
    throw invalid(`${file.path} is larger than ${ARTICLE_BYTES} bytes, the most that can be published`);
  const text = asText(await readWhole(client, stored.chunks));
  if (text === null) throw invalid(`${file.path} is not UTF-8 text`);
  const parsed = parseArticle(text, type, slug);
  if (!parsed.ok) throw invalid(`${file.path} cannot be published`, [parsed.problem]);
  const links = await resolveLinks(place, file, await render(workspaceId, parsed.article.body, {}));
  const { html } = await render(workspaceId, parsed.article.body, links.replace);
  const references = await missingReferences(place, type, parsed.article);
  return {
    type,
    slug,
    file: { ...file, version: stored.version },
    article: parsed.article,
    html,
    assets: links.assets,
    problems: [...(type.problem ? [inFile(type.problem)] : []), ...references, ...links.broken],
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

async function findPiece(place: Place, type: ContentType, slug: string): Promise<FileHead> {
  const pieces = await listPieces(place, type);
  const file = pieces.find((piece) => piece.slug === slug)?.file;
  if (file) return file;
  throw notFound(
    `There is no file ${CONTENT_FOLDER}/${type.name}/${slug}.md. The name of a file is its slug: lower-case letters, digits and hyphens.`,
  );
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

function render(key: string, text: string, replace: Readonly<Record<string, string>>): Promise<Rendered> {
  return workers.run('renderMarkdown', { text, replace }, { key });
}

interface Links {
  /** Addresses of the public API, by the addresses as they are written. */
  readonly replace: Readonly<Record<string, string>>;
  readonly assets: readonly string[];
  readonly broken: readonly ArticleProblem[];
}

/** Links to files of the workspace become addresses of what is published; those that lead nowhere are named. */
async function resolveLinks(place: Place, file: FileHead, { links, images }: Rendered): Promise<Links> {
  const replace: Record<string, string> = {};
  const assets = new Set<string>();
  const broken: ArticleProblem[] = [];
  const isImage = new Set(images);
  for (const address of new Set([...links, ...images])) {
    const path = pathOfLink(file.path, address);
    if (path === null) continue;
    const parsed = parsePath(path);
    const target = parsed.ok ? await findFile(place.client, place.workspaceId, parsed.path) : null;
    const content = /^\/content\/([^/]+)\//.exec(target?.path ?? '')?.[1];
    const slug = target && slugOf(target.path);
    if (!target)
      broken.push({
        line: null,
        sentence: `the link ${address} leads to ${path}, and there is no such file`,
      });
    else if (!isImage.has(address) && content !== undefined && slug) replace[address] = `/${content}/${slug}`;
    else {
      assets.add(target.id);
      replace[address] = `/api/v1/content/${place.workspaceId}/assets/${target.id}`;
    }
  }
  return { replace, assets: [...assets], broken };
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

async function missingReferences(
  place: Place,
  type: ContentType,
  { fields }: Article,
): Promise<readonly ArticleProblem[]> {
  const problems: ArticleProblem[] = [];
  for (const [name, { kind, to }] of Object.entries(type.fields)) {
    if (kind !== 'reference' || to === undefined || fields[name] === undefined) continue;
    const slugs = [fields[name]].flat() as string[];
    const paths = slugs.map((slug) => `${CONTENT_FOLDER}/${to}/${slug}.md`);
    const wanted = paths.map((path) => ({ path, folded: fold(path) }));
    const found = await findFiles(place.client, place.workspaceId, wanted);
    for (const path of paths)
      if (!found.has(path)) problems.push({ line: null, sentence: `${name}: there is no ${path}` });
  }
  return problems;
}
