// Bodies of clients that send a whole conversation: what is read of them, and what is not.

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { startPod, usePod } from '@continuo/testkit/fixtures';
import { INSPECTABLE, usedMiB } from '../chaos/support/inspect.ts';

const world = usePod();
const MIB = 1024 * 1024;
const said = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const hello = JSON.stringify({ steps: [{ text: 'hello' }] });

test('only the end of a conversation is read and checked: thousands of earlier messages are left as they are', async () => {
  const earlier = Array.from({ length: 40_000 }, (_, index) => (index % 2 === 0 ? { odd: index } : null));
  const chat = { id: 'long', messages: [...earlier, said('last', hello)] };
  const answer = await ask('POST', `${world.url}/api/chat`, chat);
  expect([answer.status, answer.text.includes('"hello"')]).toEqual([200, true]);
  const agUi = {
    threadId: 't',
    runId: 'r',
    messages: [...earlier, { id: 'm', role: 'user', content: hello }],
  };
  const events = await ask('POST', `${world.url}/api/ag-ui`, agUi);
  expect([events.status, events.text.includes('RUN_FINISHED')]).toEqual([200, true]);
});

test('of thousands of mistakes the answer lists the first ones, and counts the rest', async () => {
  const parts = Array.from({ length: 10_000 }, () => ({ type: 7 }));
  const chat = { id: 'wrong', messages: [{ id: 'm', role: 'user', parts }] };
  const answer = await ask('POST', `${world.url}/api/chat`, chat);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(answer.body.errors).toHaveLength(20);
  expect(answer.body.detail).toContain('and 9980 more');
});

test.each(['/api/chat', '/api/ag-ui'])(
  'POST %s takes 100,000 objects, arrays and fields and no more',
  async (path) => {
    // The object, its field and the array are three.
    const of = (parts: number) =>
      `{"state":[${Array(parts - 3)
        .fill('{}')
        .join(',')}]}`;
    expect((await ask('POST', world.url + path, of(100_000))).body.code).toBe('invalid_body');
    const nested = `{"messages":[${Array(30_000)
      .fill('['.repeat(60) + ']'.repeat(60))
      .join(',')}]}`;
    for (const body of [of(100_001), nested]) {
      expect(await ask('POST', world.url + path, body)).toMatchObject({
        status: 400,
        body: { code: 'body_too_many_parts', parts: 100_000 },
      });
    }
  },
);

test('other routes take 50,000 objects, arrays and fields and no more', async () => {
  const of = (parts: number) =>
    `{"title":[${Array(parts - 3)
      .fill('{}')
      .join(',')}]}`;
  expect((await ask('POST', `${world.url}/api/threads`, of(50_000))).body.code).toBe('invalid_body');
  expect(await ask('POST', `${world.url}/api/threads`, of(50_001))).toMatchObject({
    status: 400,
    body: { code: 'body_too_many_parts', parts: 50_000 },
  });
});

test.each([
  '/api/chat',
  '/api/ag-ui',
  '/api/threads',
  '/api/v1/workspaces/00000000-0000-7000-8000-000000000001/chats',
])('POST %s takes a body of 1,000 fields and no more', async (path) => {
  const of = (fields: number) =>
    `{${Array.from({ length: fields }, (_, index) => `"k${index}":1`).join(',')}}`;
  expect((await ask('POST', world.url + path, of(1000))).body.code).toBe('invalid_body');
  expect(await ask('POST', world.url + path, of(1001))).toMatchObject({
    status: 400,
    body: { code: 'body_too_many_parts', fields: 1000 },
  });
});

test('of a thousand unknown fields the answer lists the first ones, and counts the rest', async () => {
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]));
  const answer = await ask('POST', `${world.url}/api/threads`, fields);
  expect(answer.body.errors).toHaveLength(20);
  expect(answer.body.detail).toContain('and 980 more');
});

test('a message of more than 10,000 parts is refused before its parts are checked, and so are as many answers', async () => {
  const items = Array.from({ length: 10_001 }, () => ({}));
  const chat = { id: 'parts', messages: [{ id: 'm', role: 'user', parts: items }] };
  const content = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: items }] };
  const resume = { threadId: 't', runId: 'r', messages: [], resume: items };
  for (const [path, body, field] of [
    ['/api/chat', chat, 'messages[].parts'],
    ['/api/ag-ui', content, 'messages[].content'],
    ['/api/ag-ui', resume, 'resume'],
  ] as const) {
    expect((await ask('POST', world.url + path, body)).body).toMatchObject({
      code: 'invalid_body',
      errors: [{ path: field, message: 'has 10001 items; at most 10000 are allowed' }],
    });
  }
});

test.each(['/api/chat', '/api/ag-ui'])('POST %s takes 4 MiB and no more', async (path) => {
  const of = (bytes: number) => `{"x":"${'y'.repeat(bytes - 8)}"}`;
  expect((await ask('POST', world.url + path, of(4 * MIB))).body.code).toBe('invalid_body');
  expect(await ask('POST', world.url + path, of(4 * MIB + 1))).toMatchObject({
    status: 413,
    body: { code: 'body_too_large', limit: 4 * MIB },
  });
});

test('the memory of large bodies, refused with 15 MB or taken with 4 MB, comes back', async () => {
  const pod = await startPod({ databaseUrl: world.database.url, env: INSPECTABLE });
  const chat = (size: number) => ({
    id: 'memory',
    messages: [said('m0', 'x'.repeat(size)), said('m1', hello)],
  });
  const chunked = async (text: string): Promise<number | 'cut'> => {
    const body = new Blob([text]).stream();
    const headers = { 'content-type': 'application/json' };
    // The server answers before the body is complete, and may close the connection on what is still being sent.
    return fetch(`${pod.url}/api/chat`, { method: 'POST', headers, body, duplex: 'half' }).then(
      ({ status }) => status,
      () => 'cut' as const,
    );
  };
  const sendAll = async (rounds: number) => {
    const large = JSON.stringify(chat(15e6));
    for (let round = 0; round < rounds; round += 1) {
      expect((await ask('POST', `${pod.url}/api/chat`, large)).status).toBe(413);
      expect([413, 'cut']).toContain(await chunked(large));
      const taken = await ask('POST', `${pod.url}/api/chat`, chat(3.9e6));
      expect([taken.status, taken.text.includes('"hello"')]).toEqual([200, true]);
      const odd = `{"x":"${'y'.repeat(3.9e6)}"}`;
      expect((await ask('POST', `${pod.url}/api/ag-ui`, odd)).body.code).toBe('invalid_body');
    }
  };
  try {
    await sendAll(2);
    const before = await usedMiB(pod);
    await sendAll(10);
    // Less than one body of the forty may be left.
    await until('the memory is back', async () => (await usedMiB(pod)) < before + 3);
  } finally {
    await pod.end();
  }
});

test('a HEAD request with headers that are too large is answered without a body', async () => {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  socket.write(`HEAD / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
  expect(text).toMatch(/^HTTP\/1\.1 431 /);
  expect(text.split('\r\n\r\n')[1]).toBe('');
});
