// What the server says to requests that are wrong, and to those that only look unusual.

import { connect } from 'node:net';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { ask, createThread, framesOf, readRun, send } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const NOBODY = '01890000-0000-7000-8000-000000000000';
const post = (thread: string, body: unknown, headers?: Record<string, string>) =>
  ask('POST', `${world.url}/api/threads/${thread}/messages`, body, headers);

test('every problem is problem+json with type, title, status, code and detail', async () => {
  const answer = await ask('GET', `${world.url}/api/threads/${NOBODY}`);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    code: 'thread_not_found',
    detail: expect.stringContaining(NOBODY),
  });
});

test.each([undefined, ''])('an empty POST makes a thread: %j', async (body) => {
  const made = await ask('POST', `${world.url}/api/threads`, body);
  expect(made).toMatchObject({ status: 201, body: { id: expect.any(String), title: null } });
  expect((await ask('GET', `${world.url}/api/threads/${made.body.id}`)).status).toBe(200);
});

test.each(['{', '{"content": "x"', 'content=x', '"', '{"content":"x",}'])(
  'a body that is not JSON is 400 invalid_json: %j',
  async (body) => {
    const thread = await createThread(world.url);
    expect(await post(thread, body)).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(0);
  },
);

test.each([
  [{}, 'content', 'is missing'],
  [{ content: '' }, 'content', ''],
  [{ content: 7 }, 'content', 'expected string'],
  [{ content: null }, 'content', 'expected string'],
  [{ content: 'x', contents: 'y' }, 'contents', 'not a known field'],
  [{ content: 'x', model: 5 }, 'model', 'expected string'],
  [{ content: 'x', role: ['a'] }, 'role', 'expected string'],
  [{ content: 'x', model: 'm'.repeat(300) }, 'model', '200'],
])('a body that does not fit is 400 and names the field: %j', async (body, field, message) => {
  const answer = await post(await createThread(world.url), body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(answer.body.errors).toEqual([{ path: field, message: expect.stringContaining(message) }]);
  expect(answer.body.detail).toContain(field);
});

test.each(['[]', '"text"', 'null', '3'])('a body that is JSON but no object is 400: %s', async (body) => {
  expect(await post(await createThread(world.url), body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_body' },
  });
  expect((await ask('POST', `${world.url}/api/threads`, body)).status).toBe(400);
});

test('a title that does not fit is 400 and names it', async () => {
  for (const title of ['', '   ', 'x'.repeat(201), 5]) {
    expect(await ask('POST', `${world.url}/api/threads`, { title })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'title' }] },
    });
  }
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'multipart/form-data; boundary=x',
])('a body of %s is 415', async (type) => {
  const thread = await createThread(world.url);
  expect(await post(thread, { content: 'x' }, { 'content-type': type })).toMatchObject({
    status: 415,
    body: { code: 'unsupported_media_type' },
  });
  expect((await ask('POST', `${world.url}/api/threads`, '{}', { 'content-type': type })).status).toBe(415);
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(0);
});

test('a body of 1 MiB is taken, one byte more is 413', async () => {
  const thread = await createThread(world.url);
  const wrap = JSON.stringify({ content: '', model: 'offline/instant' }).length;
  const content = 'x'.repeat(1024 * 1024 - wrap);
  const taken = await post(thread, { content, model: 'offline/instant' });
  expect(taken.status).toBe(202);
  const frames = await framesOf(world.url, taken.body.run.id);
  expect(frames.find(({ event }) => event === 'message')!.data.content).toBe(content);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  expect(await post(thread, { content: `${content}x`, model: 'offline/instant' })).toMatchObject({
    status: 413,
    body: { code: 'body_too_large', limit: 1024 * 1024 },
  });
});

test('a body that comes in chunks is 413 when it has grown over 1 MiB', async () => {
  const thread = await createThread(world.url);
  const status = await new Promise<number>((resolve, reject) => {
    const outgoing = request(
      `${world.url}/api/threads/${thread}/messages`,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        resolve(response.statusCode!);
      },
    );
    outgoing.on('error', reject);
    outgoing.write('{"content":"');
    for (let sent = 0; sent < 17; sent += 1) outgoing.write('x'.repeat(64 * 1024));
  });
  expect(status).toBe(413);
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(0);
});

test.each([
  ['GET', '/api/threads/:id', 'thread_not_found'],
  ['GET', '/api/threads/:id/messages', 'thread_not_found'],
  ['POST', '/api/threads/:id/messages', 'thread_not_found'],
  ['GET', '/api/runs/:id', 'run_not_found'],
  ['GET', '/api/runs/:id/events', 'run_not_found'],
  ['GET', '/api/runs/:id/events?format=json', 'run_not_found'],
  ['POST', '/api/runs/:id/cancel', 'run_not_found'],
  ['POST', '/api/runs/:id/retry', 'run_not_found'],
  ['GET', '/api/runs/:id/why', 'run_not_found'],
])('%s %s: an unknown id is 404, one that is no id 400', async (method, path, code) => {
  const body = path.endsWith('messages') && method === 'POST' ? { content: 'x' } : undefined;
  expect(await ask(method, world.url + path.replace(':id', NOBODY), body)).toMatchObject({
    status: 404,
    body: { code },
  });
  for (const id of ['7', 'null', `${NOBODY}0`, '%00', "'%20or%201=1"]) {
    const answer = await ask(method, world.url + path.replace(':id', id), body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_params', errors: [{ path: 'id' }] } });
  }
});

test.each([
  ['GET', '/api/thread'],
  ['GET', '/API/THREADS'],
  ['GET', '/%2e%2e/etc/passwd'],
])('%s %s is not there: 404 as a problem', async (method, path) => {
  const answer = await ask(method, world.url + path);
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
});

test.each([
  ['DELETE', '/api/threads', 'GET, HEAD, POST'],
  ['PUT', '/api/threads', 'GET, HEAD, POST'],
  ['PATCH', `/api/runs/${NOBODY}`, 'GET, HEAD'],
  ['GET', `/api/runs/${NOBODY}/cancel`, 'POST'],
  ['POST', '/healthz', 'GET, HEAD'],
  ['POST', '/api/v1/workspaces/default/files/a/b.md', 'DELETE, GET, HEAD, PUT'],
])('%s %s is 405, and Allow says what goes', async (method, path, allow) => {
  const answer = await ask(method, world.url + path);
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(answer.headers.get('allow')).toBe(allow);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
});

test.each([
  ['no HTTP at all', 'nonsense\r\n\r\n', 400],
  ['a header without a name', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n: x\r\n\r\n', 400],
  ['no Host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ['a Host that is none', 'GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n', 400],
  ['a target that is no URL', 'GET http://[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 400],
  ['headers without an end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
])('%s is answered with a problem', async (_, request, status) => {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
  const [head, body] = text.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head!.toLowerCase()).toContain('content-type: application/problem+json');
  expect(JSON.parse(body!)).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) });
});

test('an unknown model or role is 400 and the answer names what there is', async () => {
  const thread = await createThread(world.url);
  for (const model of ['offline/nothing', 'nobody/model', 'plain', '']) {
    const answer = await post(thread, { content: 'x', model });
    expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_model' } });
    expect(answer.body.detail).toContain('offline/demo');
  }
  const answer = await post(thread, { content: 'x', role: 'nobody' });
  expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_role' } });
  expect(answer.body.detail).toContain('assistant');
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(0);
});

test('a message chooses its model and its role', async () => {
  const answer = await post(await createThread(world.url), {
    content: 'hello',
    model: 'offline/instant',
    role: 'assistant',
  });
  expect(answer).toMatchObject({
    status: 202,
    body: { run: { model: 'offline/instant', role: 'assistant' } },
  });
  const frames = await framesOf(world.url, answer.body.run.id);
  expect(frames.find(({ event }) => event === 'message_start')!.data.model).toBe('offline/instant');
});

test.each(['0', '-1', '1001', 'x', '1.5', ''])('a limit of %j is 400', async (limit) => {
  const run = await send(world.url, await createThread(world.url), { steps: [{ text: 'x' }] });
  for (const path of [
    '/api/threads',
    `/api/threads/${String(run.thread_id)}/messages`,
    `/api/runs/${run.id}/events`,
  ]) {
    expect(await ask('GET', `${world.url}${path}?format=json&limit=${limit}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'limit' }] },
    });
  }
});

test('NUL in a field that the database stores as text is refused', async () => {
  expect((await ask('POST', `${world.url}/api/threads`, { title: 'a\u0000b' })).status).toBe(400);
  const run = await send(world.url, await createThread(world.url), { steps: [{ hang: true }] });
  expect((await ask('POST', `${world.url}/api/runs/${run.id}/cancel`, { reason: 'a\u0000b' })).status).toBe(
    400,
  );
  await ask('POST', `${world.url}/api/runs/${run.id}/cancel`);
  expect((await readRun(world.url, run.id)).cancel_requested_at).not.toBeNull();
});
