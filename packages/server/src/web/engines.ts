// Search engines in their own wire formats: SearXNG (`/search?format=json`) and Brave (`/res/v1/web/search`).

import { z } from 'zod';

export interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface Engine {
  readonly name: string;
  /** The secret, or else the variable, that holds its key; null if it needs none. */
  readonly key: string | null;
  request(query: string, count: number, key: string): { url: URL; headers: Record<string, string> };
  /** Throws if the answer has another shape. */
  read(answer: unknown): readonly FoundPage[];
}

const searxngAnswer = z.object({
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

function searxng(base: string): Engine {
  return {
    name: 'SearXNG',
    key: null,
    request(query) {
      const url = new URL('search', base.endsWith('/') ? base : `${base}/`);
      url.search = new URLSearchParams({ q: query, format: 'json' }).toString();
      return { url, headers: {} };
    },
    read: (answer) =>
      searxngAnswer
        .parse(answer)
        .results.map(({ title, url, content }) => ({ title: title ?? '', url, snippet: content ?? '' })),
  };
}

const braveAnswer = z.object({
  web: z
    .object({
      results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().nullish() })),
    })
    .nullish(),
});

const BRAVE = 'https://api.search.brave.com';

function brave(base: string): Engine {
  return {
    name: 'Brave',
    key: 'BRAVE_API_KEY',
    request(query, count, key) {
      const url = new URL('/res/v1/web/search', base);
      url.search = new URLSearchParams({ q: query, count: String(count) }).toString();
      return { url, headers: { 'x-subscription-token': key } };
    },
    read: (answer) =>
      (braveAnswer.parse(answer).web?.results ?? []).map(({ title, url, description }) => ({
        title: plain(title),
        url,
        snippet: plain(description ?? ''),
      })),
  };
}

/** Brave marks the words that it found with tags. */
function plain(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'" };
  return text
    .replaceAll(/<\/?strong>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => named[name]!);
}

/** `brave`, `brave <address>`, or the address of a SearXNG server, as in `CONTINUO_WEB_SEARCH`. */
export function createEngine(setting: string): Engine {
  const [first, address] = setting.split(' ');
  return first === 'brave' ? brave(address ?? BRAVE) : searxng(setting);
}
