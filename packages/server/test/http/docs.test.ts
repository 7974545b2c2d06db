import { createHash } from 'node:crypto';
import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';
import type { App } from '../../src/http/app.ts';
import { docsRoute } from '../../src/http/kernel/docs.ts';
import { guard } from '../../src/http/kernel/guard.ts';
import { errorHandler } from '../../src/http/kernel/problem.ts';

const key = 'k3y-of-sixteen-or-more';
const Tag = z.object({ name: z.string(), colour: z.enum(['red', 'green']).optional() }).openapi('Tag');
const NewNote = z
  .strictObject({
    text: z.string().openapi({ description: 'What it says, in <b>plain</b> text.', example: "it's" }),
    tags: z.array(Tag).optional(),
    parent: z.uuid().nullable().optional(),
  })
  .openapi('NewNote');

function build(apiKey?: string): App {
  const app: App = new OpenAPIHono();
  app.onError(errorHandler(pino({ enabled: false })));
  app.use(
    guard({
      host: '127.0.0.1',
      allowedOrigins: [],
      personToken: PERSON_TOKEN,
      apiKey,
      allowedHosts: [],
    }),
  );
  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/notes/{id}',
      tags: ['notes'],
      summary: 'Write a note & keep it',
      description: 'Uses `text` only.',
      request: {
        params: z.object({ id: z.uuid() }),
        query: z.object({ draft: z.string(), limit: z.coerce.number().int().optional() }),
        body: { required: true, content: { 'application/json': { schema: NewNote } } },
      },
      responses: {
        201: {
          description: 'The note',
          content: { 'application/json': { schema: z.object({ items: z.array(Tag) }) } },
        },
        204: { description: 'Nothing new' },
        404: {
          description: 'No such note',
          content: { 'application/problem+json': { schema: z.object({ code: z.string() }) } },
        },
      },
    }),
    (c) => c.body(null, 204),
  );
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/notes/events',
      responses: { 200: { description: 'Events', content: { 'text/event-stream': { schema: z.string() } } } },
    }),
    (c) => c.text(''),
  );
  app.doc31('/openapi.json', { openapi: '3.1.0', info: { title: 'Notes <1>', version: '9.9' } });
  docsRoute(app);
  return app;
}

const response = await build().request('http://localhost:4400/docs');
const html = await response.text();
const text = html
  .replaceAll(/<[^>]+>/g, '')
  .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

test('it is a page that lists endpoints by tag', () => {
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(html).toContain('<h2>notes</h2>');
  expect(html).toContain('<h2>other</h2>');
  expect(html).toContain('id="post-api-notes-id"');
  expect(text).toContain('Write a note & keep it');
  expect(text).toContain('post /api/notes/{id}');
});

test('it loads nothing and runs nothing', () => {
  expect(html).not.toMatch(/<script|<link|<img|\bsrc=|@import|url\(|\bon\w+=|style=/);
  const urls = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
  expect(urls.filter((url) => !url!.startsWith('#') && url !== '/openapi.json')).toEqual([]);
});

test('its policy allows its own stylesheet and nothing else', () => {
  const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});

test('what the document says is escaped', () => {
  expect(html).not.toContain('<b>plain</b>');
  expect(html).toContain('&#60;b&#62;plain&#60;/b&#62;');
  expect(html).toContain('<title>Notes &#60;1&#62; API</title>');
});

test('every link inside the page has its target', () => {
  const targets = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!);
  expect(targets.length).toBeGreaterThan(6);
  expect(targets.filter((id) => !html.includes(`id="${id}"`))).toEqual([]);
});

describe('an endpoint', () => {
  test('shows its parameters, with where they go', () => {
    expect(text).toMatch(/id path string \(uuid\)/);
    expect(text).toMatch(/limit query, optional integer/);
  });

  test('shows bodies as types that refer to each other', () => {
    expect(text).toContain(
      '  text: string  // What it says, in <b>plain</b> text.\n  tags?: Tag[]\n  parent?: string (uuid) | null\n}',
    );
    expect(text).toContain('  colour?: "red" | "green"');
    expect(text).toContain('{\n  items: Tag[]\n}');
    expect(html).toContain('<a href="#newnote">NewNote</a>');
  });

  test('shows what goes well open and what goes wrong folded', () => {
    expect(html).toMatch(/<details open><summary><b class="s2">201<\/b>/);
    expect(html).toMatch(/<details><summary><b class="s4">404<\/b>/);
    expect(html).toMatch(/<p class="answer"><b class="s2">204<\/b>/);
  });

  test('has an example that can be pasted into a shell', () => {
    expect(text).toContain(
      "curl -X POST 'http://localhost:4400/api/notes/{id}?draft=…' \\\n  -H 'content-type: application/json' \\\n" +
        String.raw`  -d '{"text":"it'\''s"}'`,
    );
    expect(text).toContain("curl -N 'http://localhost:4400/api/notes/events'");
    expect(text).not.toContain('Bearer');
  });
});

test('with an API key it wants the key, and its examples send it', async () => {
  const app = build(key);
  expect((await app.request('/docs')).status).toBe(401);
  const page = await (await app.request('/docs', { headers: { authorization: `Bearer ${key}` } })).text();
  expect(page).toContain('authorization: Bearer $CONTINUO_API_KEY');
  expect(page).not.toContain(key);
});
