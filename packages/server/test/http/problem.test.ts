import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonBody } from '../../src/http/kernel/body.ts';
import type { App } from '../../src/http/app.ts';
import { notFoundHandler } from '../../src/http/kernel/methods.ts';
import { errorHandler, Problem, validationHook } from '../../src/http/kernel/problem.ts';
import { createLogger } from '../../src/telemetry/logger.ts';

const lines: string[] = [];
const log = createLogger({
  level: 'info',
  pretty: false,
  destination: { write: (line) => void lines.push(line) },
});

const Message = z.strictObject({
  content: z.string().min(1),
  tags: z.array(z.object({ name: z.string() })).optional(),
});

const app = new OpenAPIHono({ defaultHook: validationHook });
app.onError(errorHandler(log));
app.use('/small', jsonBody({ limit: 64 }));
app.use('/messages', jsonBody());
app.use('/cancel', jsonBody());
const request = { body: { required: true, content: { 'application/json': { schema: Message } } } };
const responses = { 200: { description: 'the body as it was understood' } };
for (const path of ['/messages', '/small']) {
  app.openapi(createRoute({ method: 'post', path, request, responses }), (c) => c.json(c.req.valid('json')));
}
app.openapi(
  createRoute({
    method: 'get',
    path: '/runs/{id}',
    request: {
      params: z.object({ id: z.uuid() }),
      query: z.object({ after: z.coerce.number().int().optional() }),
    },
    responses,
  }),
  (c) => c.json(c.req.valid('query')),
);
app.post('/cancel', (c) => c.json({}));
app.get('/secret', () => {
  throw new Error('connect postgres://me:hunter2@db failed');
});
app.get('/taken', () => {
  throw new Problem({
    status: 409,
    code: 'taken',
    detail: 'The thread is busy.',
    extra: { run: 'r1', status: 999 },
    headers: { 'retry-after': '1' },
  });
});
app.get('/hono', () => {
  throw new HTTPException(405, { message: 'Only POST.' });
});

app.notFound(notFoundHandler(app as unknown as App));

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
afterAll(() => void server.close());

type Body = NonNullable<RequestInit['body']> | null;
const json = { 'content-type': 'application/json' };

async function ask(path: string, init: RequestInit = {}) {
  const response = await app.request(path, init);
  return { response, body: (await response.json()) as Record<string, unknown> };
}
/** A request made in memory has no length of its own; one from the network has. */
const post = (
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = json,
  path = '/messages',
) => {
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return ask(path, { method: 'POST', body, headers: { ...headers, ...length } });
};

test('a problem is problem+json with its code, and extras cannot replace its own members', async () => {
  const { response, body } = await ask('/taken');
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('retry-after')).toBe('1');
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'taken',
    detail: 'The thread is busy.',
    run: 'r1',
  });
});

test('an unknown path is a problem too', async () => {
  expect((await ask('/nothing')).body).toMatchObject({
    status: 404,
    code: 'not_found',
    detail: 'There is no GET /nothing. GET /docs lists the routes.',
  });
});

test('a path that is there for other methods is 405, and says for which', async () => {
  const { response, body } = await ask('/taken', { method: 'PUT' });
  expect(response.headers.get('allow')).toBe('GET, HEAD');
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(body).toMatchObject({
    status: 405,
    code: 'method_not_allowed',
    detail: '/taken does not support PUT; allowed: GET, HEAD.',
  });
  expect((await ask('/messages', { method: 'DELETE' })).response.headers.get('allow')).toBe('POST');
});

test("Hono's own refusals become problems", async () => {
  expect((await ask('/hono')).body).toMatchObject({
    status: 405,
    code: 'method_not_allowed',
    detail: 'Only POST.',
  });
});

test('an unexpected error tells the caller an id, and the log the rest without the secret', async () => {
  lines.length = 0;
  const { body } = await ask('/secret');
  expect(body).toMatchObject({ status: 500, code: 'internal', title: 'Internal Server Error' });
  expect(JSON.stringify(body)).not.toMatch(/postgres|hunter2|Error:/);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('hunter2');
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'error',
    errorId: body['error_id'],
    method: 'GET',
    path: '/secret',
    err: { message: 'connect postgres://me:[redacted]@db failed' },
  });
});

describe('a request that does not fit its schema', () => {
  test('names the missing field', async () => {
    expect((await post('{}')).body).toMatchObject({
      status: 400,
      code: 'invalid_body',
      detail: 'content: is missing, expected string',
      errors: [{ path: 'content', message: 'is missing, expected string' }],
    });
  });

  test('names every wrong field by its path', async () => {
    const { body } = await post('{"content": "", "tags": [{"name": "a"}, {"name": 1}], "roel": "x"}');
    expect((body['errors'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'content',
      'tags[1].name',
      'roel',
    ]);
    expect(body['detail']).toContain('roel: is not a known field');
  });

  test('is told apart by part: body, params, query', async () => {
    const id = '/runs/01890a5d-ac96-774b-bcce-b302099a8057';
    expect((await post('[1]')).body).toMatchObject({ code: 'invalid_body' });
    expect((await ask('/runs/7')).body).toMatchObject({ code: 'invalid_params', errors: [{ path: 'id' }] });
    expect((await ask(`${id}?after=x`)).body).toMatchObject({
      code: 'invalid_query',
      errors: [{ path: 'after' }],
    });
    expect((await ask(`${id}?after=5`)).body).toEqual({ after: 5 });
  });
});

describe('a body', () => {
  test('of JSON arrives whole, whatever its exact JSON type is called', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/vnd.api+json']) {
      expect((await post('{"content": "héllo"}', { 'content-type': type })).body).toEqual({
        content: 'héllo',
      });
    }
  });

  test.each(['{"content": ', 'undefined', '{"content": "a"} x', '\u0000'])(
    'that is not JSON (%j) is 400',
    async (text) => {
      expect((await post(text)).body).toMatchObject({ status: 400, code: 'invalid_json' });
    },
  );

  test('that is empty where one is wanted is 400', async () => {
    expect((await post('')).body).toMatchObject({ status: 400 });
    expect((await post(null, {})).body).toMatchObject({ status: 400, code: 'invalid_body' });
  });

  test('that is not UTF-8 is 400', async () => {
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).body).toMatchObject({ code: 'invalid_json' });
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json; charset=latin1',
    'text/json',
  ])('of type %s is 415', async (type) => {
    expect((await post('{"content": "a"}', { 'content-type': type })).body).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
      detail: expect.stringContaining(type),
    });
  });

  test('without a type, or compressed, is 415', async () => {
    const untyped = new Uint8Array([0x7b, 0x7d]);
    expect((await post(untyped, {})).body).toMatchObject({ code: 'unsupported_media_type' });
    expect((await post('{}', { ...json, 'content-encoding': 'gzip' })).body).toMatchObject({ status: 415 });
  });

  test('may be missing where none is wanted', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/cancel`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect((await post(null, {}, '/cancel')).response.status).toBe(200);
    expect((await post('', json, '/cancel')).response.status).toBe(200);
  });

  test('has a limit per route: at it 200, one byte over 413', async () => {
    const text = JSON.stringify({ content: 'a'.repeat(49) });
    expect(text).toHaveLength(63);
    expect((await post(`${text} `, json, '/small')).response.status).toBe(200);
    expect((await post(`${text}  `, json, '/small')).body).toMatchObject({
      status: 413,
      code: 'body_too_large',
      limit: 64,
    });
    expect((await post(`${text}  `)).response.status).toBe(200);
  });
});

describe('over the network', () => {
  const url = `http://127.0.0.1:${port}/messages`;
  const send = (body: Body) => fetch(url, { method: 'POST', headers: json, body, duplex: 'half' });
  const stream = (bytes: number, chunk = 1024) => {
    let sent = 0;
    const source = {
      pull(controller: ReadableStreamDefaultController) {
        if (sent >= bytes) return controller.close();
        controller.enqueue(new TextEncoder().encode(sent === 0 ? '"'.padEnd(chunk, 'a') : 'a'.repeat(chunk)));
        sent += chunk;
      },
    };
    return { body: new ReadableStream(source), sent: () => sent };
  };

  test('a declared length over 1 MiB is 413', async () => {
    const response = await send(JSON.stringify({ content: 'a'.repeat(1024 * 1024) }));
    expect(await response.json()).toMatchObject({ status: 413, code: 'body_too_large', limit: 1024 * 1024 });
  });

  test('a body in chunks is counted as it arrives, and not read to its end', async () => {
    const endless = stream(1024 ** 3, 16 * 1024);
    const response = await send(endless.body);
    expect(await response.json()).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(endless.sent()).toBeLessThan(64 * 1024 * 1024);
  });

  test('a client that only writes after reading gets the 413 of a body in chunks', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    socket.write(`60\r\n${'a'.repeat(0x60)}\r\n`);
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"body_too_large"');
  });

  test('a small body in chunks arrives whole', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const part of ['{"cont', 'ent": "h\u00e9', 'llo"}'])
          controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    expect(await (await send(body)).json()).toEqual({ content: 'héllo' });
  });
});
