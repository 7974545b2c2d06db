// Streams of one run are taken up again over real HTTP, after every frame: the rest is byte for byte what the client would have got.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';
import { listen } from './listen.ts';

let database: TestDatabase;
let pod: TestPod;
beforeAll(async () => {
  database = await freshDatabase();
  // The default: external effects are asked for.
  await database.pool.query('update workspaces set policy = null');
  pod = await startPod({ databaseUrl: database.url });
});
afterAll(async () => {
  await pod.end();
  await database.drop();
});

const script = (...steps: unknown[]) => JSON.stringify({ steps });
const ENDS = script(
  { reasoning: 'hm', text: 'a b', calls: [{ tool: 'pure', input: { note: 'x' } }] },
  { text: 'c' },
);
const ASKS = script({ text: 'may I', calls: [{ tool: 'external', input: { note: 'y' } }] });

const CLIENTS = [
  [
    'ai-sdk',
    '/api/chat',
    (name: string, text: string) => ({
      id: name,
      messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text }] }],
    }),
  ],
  [
    'ag-ui',
    '/api/ag-ui',
    (name: string, content: string) => ({
      threadId: name,
      runId: 'r 1',
      messages: [{ id: 'u1', role: 'user', content }],
      tools: [],
      context: [],
      state: {},
    }),
  ],
] as const;

test.each(CLIENTS)(
  'PLUS-1 %s is resumed by Last-Event-ID after every frame',
  async (dialect, path, bodyOf) => {
    for (const [name, text] of [
      ['ends', ENDS],
      ['asks', ASKS],
    ] as const) {
      const body = bodyOf(`${dialect} ${name}`, text);
      const first = await listen(pod.url + path, {}, body);
      const place = pod.url + first.response.headers.get('content-location')!;
      const { frames, rest } = await first.toEnd();
      expect(frames.length).toBeGreaterThan(5);
      for (const [index, { id }] of frames.entries()) {
        const resume = { 'last-event-id': id };
        const isEnd = index === frames.length - 1 && name === 'ends';
        if (isEnd) {
          expect((await fetch(place, { headers: resume })).status).toBe(204);
          continue;
        }
        const ways = [await listen(place, resume), await listen(`${place}&after=${id}`)];
        // The AG-UI client may also repeat its request.
        if (dialect === 'ag-ui') ways.push(await listen(pod.url + path, resume, body));
        for (const way of ways) {
          const later = await way.toEnd();
          expect(later.frames.map(({ raw }) => raw)).toEqual(frames.slice(index + 1).map(({ raw }) => raw));
          expect(later.rest).toBe(rest);
        }
      }
      expect((await fetch(place, { headers: { 'last-event-id': '9999' } })).status).toBe(400);
    }
  },
);

test('PLUS-1 an agent’s stream that ends because its pod shuts down says where to go on, and ends with done there', async () => {
  const leaving = await startPod({ databaseUrl: database.url });
  const stream = await listen(`${leaving.url}/api/agent/stream`, {}, { message: ASKS });
  // A run that waits for people is held by nobody, so the pod has nothing to finish.
  await stream.until(({ data }) => data.state === 'waiting');
  leaving.kill('SIGTERM');
  const { frames, rest } = await stream.toEnd();
  const location = stream.response.headers.get('content-location')!;
  expect(frames.some(({ event }) => event === 'done')).toBe(false);
  expect(rest).toBe(`event: reconnect\nretry: 1000\ndata: ${JSON.stringify({ location })}\n\n`);
  const again = await listen(pod.url + location, { 'last-event-id': frames.at(-1)!.id });
  const runId = location.split('/').at(-1)!;
  await fetch(`${pod.url}/api/runs/${runId}/cancel`, { method: 'POST' });
  const end = await again.toEnd();
  await leaving.exited;
  expect(end.frames.at(-1)).toMatchObject({ event: 'done', data: { status: 'canceled' } });
  expect(end.rest).toBe('');
});
