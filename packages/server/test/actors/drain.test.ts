// What others see of a pod that is told to stop: readiness goes first, and streams end with when to reconnect.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, createThread, framesOf, send, until } from '@continuo/testkit';
import { brokenInvariants, freshDatabase, startPod, type TestDatabase } from '@continuo/testkit/fixtures';

let database: TestDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(async () => {
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

test('RUN-12 a pod that is told to stop says that it is not ready, and serves until CONTINUO_DRAIN_SECONDS are over', async () => {
  const pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_DRAIN_SECONDS: '300' } });
  pod.kill('SIGTERM');
  await until('it is not ready', async () => (await ask('GET', `${pod.url}/readyz`)).status === 503);
  expect((await ask('GET', `${pod.url}/readyz`)).body).toMatchObject({ status: 'unready', pod: 'stopping' });
  const run = await send(pod.url, await createThread(pod.url), { steps: [{ text: 'still here' }] });
  expect((await framesOf(pod.url, run.id)).at(-1)).toMatchObject({ data: { status: 'done' } });
  await pod.end();
});

test('RUN-12 a pod that is told to stop ends its streams with the time after which clients reconnect', async () => {
  const pod = await startPod({ databaseUrl: database.url });
  const thread = await createThread(pod.url);
  const streams = await Promise.all(
    [
      `/api/threads/${thread}/events`,
      '/api/v1/workspaces/default/events',
      '/api/v1/workspaces/default/hints',
    ].map((path) => fetch(pod.url + path, { headers: { accept: 'text/event-stream' } })),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  pod.kill('SIGTERM');
  for (const stream of streams) expect(await stream.text()).toMatch(/(^|\n\n)retry: 1000\n\n$/);
  expect(await pod.exited).toMatchObject({ code: 0 });
});
