// The site that shows a workspace's content, as `/content/site.yaml` describes it, and its feeds.

import { z } from 'zod';
import { readFrontMatter } from '../agents/front-matter.ts';
import { fold } from '../names/case-folding.ts';
import { asText, readWhole } from '../files/content.ts';
import { findFile } from '../files/files.ts';
import { readVersion } from '../files/versions.ts';
import type { Place } from './draft.ts';
import type { Published } from './publishing.ts';

const SITE = '/content/site.yaml';
const SITE_BYTES = 64 * 1024;

const site = z.strictObject({
  title: z.string().min(1).max(200).optional(),
  description: z.string().max(1000).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
});
export type Site = z.infer<typeof site>;

/** An empty site if there is no such file, or if it cannot be read; `problem` says why it cannot. */
export async function readSite({
  client,
  workspaceId,
}: Place): Promise<{ readonly site: Site; readonly problem: string | null }> {
  const unread = (why: string) => ({
    site: {},
    problem: `${SITE} ${why}; RSS and the sitemap ignore it until it is corrected`,
  });
  const file = await findFile(client, workspaceId, { path: SITE, folded: fold(SITE) });
  if (!file) return { site: {}, problem: null };
  if (file.size > SITE_BYTES) return unread(`is larger than ${SITE_BYTES} bytes`);
  const text = asText(await readWhole(client, (await readVersion(client, file.id, file.version))!.chunks));
  if (text === null) return unread('is not UTF-8 text');
  const read = await readFrontMatter(`---\n${text}\n---\n`, {
    key: workspaceId,
    schema: site,
    allowedIn: () => Object.keys(site.shape),
  });
  if (read.ok) return { site: read.given, problem: null };
  // The opening fence is not in the file.
  return unread(`has a mistake in line ${read.mistake.line - 1}: ${read.mistake.sentence}`);
}

/** Where a reader finds a piece: on the site, or else as JSON of this server. */
function addressOf({ type, slug, fields }: Published, { url }: Site, api: string): string {
  if (typeof fields.canonical === 'string') return fields.canonical;
  return url === undefined ? `${api}/${type}/${slug}` : `${url.replace(/\/+$/, '')}/${type}/${slug}`;
}

/** RSS 2.0 of the newest pieces. `api` is the address of the workspace's content on this server. */
export function toRss(items: readonly Published[], about: Site, api: string): string {
  const { title = 'Content', description = '', url = api } = about;
  const self = `<atom:link rel="self" type="application/rss+xml" href="${escape(`${api}/rss.xml`)}"/>`;
  const entries = items.map((item) =>
    [
      '<item>',
      element('title', item.title),
      element('link', addressOf(item, about, api)),
      `<guid isPermaLink="false">${escape(item.fileId)}</guid>`,
      element('pubDate', item.firstPublishedAt.toUTCString()),
      element('description', typeof item.fields.description === 'string' ? item.fields.description : ''),
      element('content:encoded', withWholeAddresses(item.html, about, api)),
      ...((item.fields.tags as string[] | undefined) ?? []).map((tag) => element('category', tag)),
      '</item>',
    ].join(''),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>${element('title', title)}${element('link', url)}${element('description', description)}${self}
${entries.join('\n')}
</channel></rss>
`;
}

export function toSitemap(items: readonly Published[], about: Site, api: string): string {
  const entries = items.map(
    (item) =>
      `<url>${element('loc', addressOf(item, about, api))}${element('lastmod', item.publishedAt.toISOString())}</url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`;
}

/** A feed has no page that relative addresses could refer to, so all become absolute. Files come from this server, pages from the site. */
function withWholeAddresses(html: string, { url }: Site, api: string): string {
  const { origin } = new URL(api);
  return html.replaceAll(/<(?:a|img)\s[^>]*>/g, (tag) =>
    tag.replace(/ (href|src)="(\/[^/"][^"]*)"/, (whole, name: string, path: string) => {
      const from = path.startsWith('/api/v1/content/') ? origin : url?.replace(/\/+$/, '');
      return from === undefined ? whole : ` ${name}="${escape(from)}${path}"`;
    }),
  );
}

function element(name: string, text: string): string {
  return `<${name}>${escape(text)}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 has no control characters but tab and line ends. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}|[\uFFFE\uFFFF]/gu, (character) => ('\t\n\r'.includes(character) ? character : ''))
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
}
