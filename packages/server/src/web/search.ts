// web_search: asks the search engine that the operator configured.

import { z } from 'zod';
import { ToolFailure, type CallContext, type Tool } from '../tools/tool.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Engine, FoundPage } from './engines.ts';
import { get, textOf } from './get.ts';
import { MOST_RESULTS, SEARCH_BYTES, SEARCH_MS, SNIPPET_CHARACTERS } from './limits.ts';

const input = z.strictObject({
  query: z.string().trim().min(1).max(400).describe('What to search for'),
  count: z.int().min(1).max(MOST_RESULTS).default(8).describe('The most results'),
});
type Input = z.infer<typeof input>;

interface SearchWorld {
  readonly outgoing: Outgoing;
  readonly engine: Engine;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function searchTool({ outgoing, engine, env }: SearchWorld): Tool<Input> {
  return {
    name: 'web_search',
    description:
      'Searches the web and returns titles, addresses and short excerpts. Read a page with web_visit.',
    effect: 'pure',
    untrusted: true,
    offeredFrom: 'inform',
    elsewhere: true,
    input,
    words: ({ query }) => `Searches the web for “${query.slice(0, 200)}”`,
    async run({ query, count }, context) {
      const key = engine.key === null ? '' : (env[engine.key] ?? (await context.secret(engine.key)));
      const { url, headers } = engine.request(query, count, key);
      const found = await ask(outgoing, engine, { url, headers }, context);
      const results = found.slice(0, count).map(({ snippet, ...rest }) => ({
        ...rest,
        snippet: snippet.slice(0, SNIPPET_CHARACTERS),
      }));
      return { results: results.length, text: results.map(inWords).join('\n\n') || 'Nothing was found.' };
    },
  };
}

async function ask(
  outgoing: Outgoing,
  engine: Engine,
  { url, headers }: ReturnType<Engine['request']>,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<readonly FoundPage[]> {
  const got = await get(outgoing, url, {
    headers: { accept: 'application/json', ...headers },
    bytes: SEARCH_BYTES,
    ms: SEARCH_MS,
    signal,
  });
  if (got.status !== 200)
    throw new ToolFailure(`${engine.name} answered with status ${got.status}${hint(got.status)}`);
  try {
    return engine.read(JSON.parse(textOf(got)));
  } catch {
    throw new ToolFailure(
      `${engine.name} did not answer with search results; the operator must check CONTINUO_WEB_SEARCH`,
    );
  }
}

function hint(status: number): string {
  if (status === 401 || status === 422) return '; its key is wrong, and a person must store another';
  if (status === 403)
    return '; a SearXNG server must allow the format json in its settings, and a key must be valid';
  return status === 429 ? '; too many requests, try later' : '';
}

function inWords({ title, url, snippet }: FoundPage, index: number): string {
  return `${index + 1}. ${title}\n${url}\n${snippet}`.trim();
}
