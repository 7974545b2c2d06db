// The server around the API: health, its own description, and who may talk to it.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANONYMOUS, ask } from '@continuo/testkit';
import { startPod, usePod, type TestPod } from '@continuo/testkit/fixtures';

const world = usePod();

const CHATS = '/api/v1/workspaces/{id}/chats';
const ROUTES = [
  `DELETE ${CHATS}/{chat}`,
  `GET ${CHATS}`,
  `GET ${CHATS}/{chat}`,
  `GET ${CHATS}/{chat}/digest`,
  `GET ${CHATS}/{chat}/messages`,
  `GET ${CHATS}/{chat}/sessions`,
  `PATCH ${CHATS}/{chat}`,
  `POST ${CHATS}`,
  `POST ${CHATS}/{chat}`,
  ...['ping', 'pause', 'restore', 'resume', 'stop'].map((wish) => `POST ${CHATS}/{chat}/${wish}`),
  'GET /api/v1/workspaces/{id}/approvals',
  'GET /api/v1/workspaces/{id}/approvals/{approval}',
  'POST /api/v1/workspaces/{id}/approvals/{approval}',
  'GET /api/runs/{id}',
  'GET /api/runs/{id}/events',
  'GET /api/runs/{id}/why',
  'GET /api/threads',
  'GET /api/threads/{id}',
  'GET /api/threads/{id}/messages',
  'GET /healthz',
  'GET /readyz',
  'POST /api/runs/{id}/cancel',
  'POST /api/runs/{id}/retry',
  'POST /api/threads',
  'POST /api/threads/{id}/messages',
];

/** A request with headers that fetch would not send. */
function raw(
  base: string,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(base + path, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    });
    outgoing.on('error', reject).end();
  });
}

test('/healthz says that the process is there', async () => {
  expect(await ask('GET', `${world.url}/healthz`)).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('/readyz says that the database is there and migrated, and that the pod is registered', async () => {
  const ready = { status: 'ready', database: 'ok', migrations: 'applied', pod: 'registered' };
  expect(await ask('GET', `${world.url}/readyz`)).toMatchObject({ status: 200, body: ready });
});

test('/readyz is 503 and names what is missing when a migration is', async () => {
  const { rows } = await world.database.pool.query<{ name: string }>(
    'select name from migrations order by name',
  );
  await world.database.pool.query(
    'alter table migrations rename to elsewhere; create table migrations (name text primary key)',
  );
  try {
    const answer = await ask('GET', `${world.url}/readyz`);
    expect(answer).toMatchObject({ status: 503, body: { status: 'unready', database: 'ok' } });
    for (const { name } of rows) expect(answer.body.migrations).toContain(name);
  } finally {
    await world.database.pool.query('drop table migrations; alter table elsewhere rename to migrations');
  }
  expect((await ask('GET', `${world.url}/readyz`)).status).toBe(200);
});

test('/openapi.json lists every route, and every reference in it leads somewhere', async () => {
  const { status, headers, body } = await ask('GET', `${world.url}/openapi.json`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Continuo', version: expect.any(String) } });
  const operations = Object.entries<
    Record<
      string,
      { responses: object; parameters?: { name: string; in: string; required?: boolean }[]; summary?: string }
    >
  >(body.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
  expect(operations.map(({ name }) => name)).toEqual(expect.arrayContaining(ROUTES));
  for (const { path, operation } of operations) {
    expect(operation.summary).toBeTruthy();
    expect(Object.keys(operation.responses).every((code) => /^[1-5]\d\d$/.test(code))).toBe(true);
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
      expect(operation.parameters).toContainEqual(
        expect.objectContaining({ name, in: 'path', required: true }),
      );
    }
  }
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
  expect(references.length).toBeGreaterThan(10);
  for (const path of references)
    expect(
      path.split('/').reduce((node, key) => node?.[key], body),
      path,
    ).toBeDefined();
});

test('/openapi.json lists nothing that is not there', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  for (const [path, item] of Object.entries<object>(body.paths)) {
    for (const method of Object.keys(item)) {
      const url = world.url + path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000');
      const answer = await ask(method.toUpperCase(), url);
      expect([path, method, answer.body?.code]).not.toEqual([path, method, 'not_found']);
    }
  }
});

test('/openapi.json describes the bodies, the parameters and the problems', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  const post = body.paths['/api/threads/{id}/messages'].post;
  expect(Object.keys(post.responses).toSorted()).toEqual([
    '202',
    '400',
    '404',
    '409',
    '410',
    '413',
    '415',
    '422',
    '429',
  ]);
  expect(post.parameters).toContainEqual(expect.objectContaining({ name: 'idempotency-key', in: 'header' }));
  expect(body.components.schemas.NewMessage).toMatchObject({
    required: ['content'],
    additionalProperties: false,
  });
  const events = body.paths['/api/runs/{id}/events'].get;
  expect(Object.keys(events.responses['200'].content).toSorted()).toEqual([
    'application/json',
    'text/event-stream',
  ]);
  expect(events.responses).toHaveProperty('204');
  expect(post.responses['400'].content).toHaveProperty(['application/problem+json']);
});

test('/docs is a page that needs nothing from elsewhere', async () => {
  const { status, headers, text } = await ask('GET', `${world.url}/docs`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  expect(text).toContain('Continuo');
  const loaded = [
    ...text.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']|url\(([^)]+)\)|@import\s+["']([^"']+)/gi),
  ].map(([, a, b, c]) => a ?? b ?? c!);
  for (const address of loaded) expect(address).not.toMatch(/^(https?:)?\/\//);
});

describe('which origins may use a server on loopback', () => {
  test.each(['evil.example', 'evil.example:4400', '127.0.0.1.evil.example', '10.0.0.5'])(
    'Host %s is refused on every route',
    async (host) => {
      for (const path of ['/healthz', '/readyz', '/api/threads', '/openapi.json', '/docs', '/nothing']) {
        const answer = await raw(world.url, path, { host });
        expect([answer.status, JSON.parse(answer.body).code]).toEqual([403, 'host_not_allowed']);
      }
    },
  );

  test('a page of another origin is refused, and changes nothing', async () => {
    const threads = async () => (await ask('GET', `${world.url}/api/threads?limit=1000`)).body.items.length;
    const before = await threads();
    for (const origin of ['http://evil.example', 'null', 'http://localhost:1', 'https://127.0.0.1']) {
      const answer = await raw(world.url, '/api/threads', { origin }, 'POST');
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([403, 'origin_not_allowed']);
    }
    expect(await threads()).toBe(before);
    expect((await raw(world.url, '/api/threads', { origin: world.url }, 'POST')).status).toBe(201);
  });

  test('requests to its own names are answered', async () => {
    const { port } = new URL(world.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect((await raw(world.url, '/readyz', { host })).status).toBe(200);
    }
  });
});

describe('a server with an API key', () => {
  const key = 'a-key-of-some-length';
  let pod: TestPod;
  beforeAll(async () => {
    pod = await startPod({
      databaseUrl: world.database.url,
      leaseSeconds: 5,
      env: { CONTINUO_API_KEY: key },
    });
  });
  afterAll(() => pod.end());

  test('wants it on every route but /healthz and /readyz', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect((await ask('GET', pod.url + path, undefined, ANONYMOUS)).status).toBe(200);
    for (const path of ['/api/threads', '/openapi.json', '/docs', '/nothing']) {
      const answer = await ask('GET', pod.url + path, undefined, ANONYMOUS);
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(
        (await ask('GET', pod.url + path, undefined, { authorization: 'Bearer another-key-of-some-length' }))
          .status,
      ).toBe(401);
    }
    expect(
      (await ask('GET', `${pod.url}/api/threads`, undefined, { authorization: `Bearer ${key}` })).status,
    ).toBe(200);
    expect((await ask('POST', `${pod.url}/api/threads`, {}, { ...ANONYMOUS, 'x-api-key': key })).status).toBe(
      201,
    );
  });
});

describe('pages of other origins', () => {
  const origin = 'http://localhost:3000';
  let pod: TestPod;
  beforeAll(async () => {
    pod = await startPod({
      databaseUrl: world.database.url,
      leaseSeconds: 5,
      env: {
        CONTINUO_ALLOWED_ORIGINS: `https://app.example.com, ${origin}/`,
        CONTINUO_API_KEY: 'a-key-of-some-length',
      },
    });
  });
  afterAll(() => pod.end());

  test('an allowed one asks first, without a key, and chats as the AI SDK does', async () => {
    const preflight = await ask('OPTIONS', `${pod.url}/api/chat`, undefined, {
      ...ANONYMOUS,
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,user-agent',
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'authorization,content-type,user-agent',
      'access-control-allow-methods': expect.stringContaining('POST'),
      vary: 'origin',
    });
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: '{"steps":[{"text":"Hi."}]}' }] };
    const chat = await ask(
      'POST',
      `${pod.url}/api/chat`,
      { id: 'elsewhere', messages: [message] },
      { origin },
    );
    expect(chat.text).toContain('[DONE]');
    expect(chat.headers.get('access-control-allow-origin')).toBe(origin);
    const exposed = chat.headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'content-location',
        'idempotency-replayed',
        'last-event-id',
        'x-vercel-ai-ui-message-stream',
      ]),
    );
    expect(chat.headers.get('access-control-allow-credentials')).toBeNull();
    // Also where the server refuses, so that the page can read why.
    const refused = await ask('POST', `${pod.url}/api/chat`, {}, { ...ANONYMOUS, origin });
    expect(refused).toMatchObject({ status: 401 });
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('another one is told which setting allows it', async () => {
    for (const method of ['OPTIONS', 'POST']) {
      const answer = await ask(method, `${pod.url}/api/chat`, undefined, { origin: 'http://localhost:3001' });
      expect(answer).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
      expect(answer.body.detail).toContain('CONTINUO_ALLOWED_ORIGINS');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('every other answer is for pages of the same origin', async () => {
    for (const path of ['/api/threads', '/api/v1/workspaces/default/files/nothing.js', '/healthz'])
      expect((await ask('GET', pod.url + path)).headers.get('cross-origin-resource-policy')).toBe(
        'same-origin',
      );
  });
});
