// Streams against a real pod: whatever happens to connections and servers, each event arrives once and in order.

import { afterEach, beforeEach, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { afterBytes, afterEvents, framesOf, startProxy, type Proxy } from '@continuo/testkit';
import { count, makeHome, startPod, usePod } from '@continuo/testkit/fixtures';
import {
  ApiError,
  ConnectionError,
  createClient,
  type Client,
  type RunEvent,
  type StreamState,
} from '../src/index.ts';

const world = usePod();
let proxy: Proxy;
let client: Client;
/** Without the proxy. */
let direct: Client;
beforeEach(async () => {
  proxy = await startProxy(world.url);
  direct = createClient({ baseUrl: world.url });
  client = createClient({ baseUrl: proxy.url });
});
afterEach(() => proxy.close());

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function start(script: object, by = client): Promise<{ thread: string; run: string }> {
  const { id: thread } = await by.threads.create();
  const { run } = await by.threads.send(thread, { content: JSON.stringify(script) });
  return { thread, run: run.id };
}

/** The run's events, read from the pod itself. */
async function eventsOf(run: string): Promise<unknown[]> {
  return (await framesOf(world.url, run)).map(({ id, event, data }) => ({ id, type: event, data }));
}

const LONG = { steps: [{ tokens: 200 }] };
const HELLO = { steps: [{ text: 'Hello there.' }] };

test('PLUS-5 a run is started and followed to its end, and its events narrow by type', async () => {
  const { run } = await start(HELLO);
  let text = '';
  const events: RunEvent[] = [];
  for await (const event of client.runs.stream(run)) {
    events.push(event);
    if (event.type === 'token') {
      expectTypeOf(event.data).toEqualTypeOf<{ text: string; message: string }>();
      text += event.data.text;
    }
    if (event.type === 'tool_end') expectTypeOf(event.data.success).toEqualTypeOf<boolean>();
    // @ts-expect-error other events have no text
    if (event.type === 'error') expect(event.data.text).toBeUndefined();
  }
  expect(text).toBe('Hello there.');
  expect(events).toEqual(await eventsOf(run));
  expect(events.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });
  expect((await client.runs.get(run)).status).toBe('done');
  expectTypeOf(await client.runs.get(run))
    .toHaveProperty('status')
    .toEqualTypeOf<'queued' | 'running' | 'done' | 'error' | 'canceled'>();
});

test('PLUS-5 every connection cut after 25 events: each event arrives once, in order', async () => {
  const { thread, run } = await start(LONG);
  await client.runs.ended(run);
  proxy.set({ cut: afterEvents(25) });
  const before = proxy.connections;
  expect(await all(client.runs.stream(run))).toEqual(await eventsOf(run));
  expect(proxy.connections - before).toBeGreaterThan(7);
  const { items } = await direct.threads.events(thread, { limit: 1000 });
  const seen = [];
  for await (const event of client.threads.stream(thread)) {
    seen.push(event);
    if (seen.length === items.length) break;
  }
  expect(seen).toEqual(items);
});

test('PLUS-5 every stream cut before its first event: events arrive as pages', async () => {
  const { thread, run } = await start(LONG);
  await client.runs.ended(run);
  const expected = await eventsOf(run);
  proxy.set({
    cut: () => (bytes) => (bytes.includes('text/event-stream') ? bytes.indexOf('\r\n\r\n') + 4 : null),
  });
  expect(await all(client.runs.stream(run, { after: 3 }))).toEqual(expected.slice(3));
  const { items } = await direct.threads.events(thread, { limit: 1000 });
  const seen = [];
  for await (const event of client.threads.stream(thread, { after: 3 })) {
    seen.push(event);
    if (seen.length === items.length - 3) break;
  }
  expect(seen).toEqual(items.slice(3));
});

test('PLUS-5 a connection cut after any byte: each event arrives once, in order', async () => {
  const { run } = await start({ steps: [{ text: 'Grüße, 世界! 👋 ünd' }] }, direct);
  const expected = await eventsOf(run);
  const length = (await (await fetch(`${world.url}/api/runs/${run}/events`)).arrayBuffer()).byteLength;
  // The first connections are cut, each ten bytes later than the one before; the others are not.
  let next = Math.floor(Math.random() * 10);
  const streams = Math.floor((length - next) / 10);
  proxy.set({
    cut: () => {
      next += 10;
      return next < length ? afterBytes(next)() : () => null;
    },
  });
  const seen = await Promise.all(Array.from({ length: streams }, () => all(client.runs.stream(run))));
  for (const events of seen) expect(events).toEqual(expected);
  expect(next).toBeGreaterThanOrEqual(length);
});

test('PLUS-5 the server killed with -9 and started again under an open stream', async () => {
  const settings = { databaseUrl: world.database.url, leaseSeconds: 1 };
  const first = await startPod(settings);
  proxy.set({ target: first.url });
  const { run } = await start({ steps: [{ tokens: 60, delay_ms: 20 }, {}] });
  const states: StreamState['kind'][] = [];
  const seen: RunEvent[] = [];
  let second: Awaited<ReturnType<typeof startPod>> | null = null;
  for await (const event of client.runs.stream(run, { onState: ({ kind }) => states.push(kind) })) {
    seen.push(event);
    if (seen.length !== 10) continue;
    proxy.set({ target: null });
    await first.end();
    second = await startPod(settings);
    proxy.set({ target: second.url });
  }
  expect(seen).toEqual(await eventsOf(run));
  expect(seen.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });
  expect(states.slice(0, 3)).toEqual(['connecting', 'open', 'reconnecting']);
  expect(states.slice(-2)).toEqual(['open', 'closed']);
  await second!.end();
});

test('errors of a proxy, or of a server without its database, are retried and reported', async () => {
  const { run } = await start(HELLO, direct);
  await direct.runs.ended(run);
  const problem = JSON.stringify({
    code: 'database_unavailable',
    status: 503,
    detail: 'The database cannot be reached.',
  });
  const answers = [
    'HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<h1>Bad gateway</h1>',
    `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nconnection: close\r\n\r\n${problem}`,
    // A response 200 that ends before any event.
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n',
  ];
  proxy.set({ answer: () => answers.shift() ?? null });
  const waits: (string | number)[] = [];
  const onState = (state: StreamState) => {
    if (state.kind !== 'reconnecting') return;
    const { reason, tries } = state;
    waits.push(
      tries,
      reason instanceof ApiError || reason instanceof ConnectionError ? reason.code : 'unknown',
    );
  };
  expect(await all(client.runs.stream(run, { onState }))).toEqual(await eventsOf(run));
  expect(waits).toEqual([1, 'http_502', 2, 'database_unavailable', 3, 'connection_failed']);
});

test('PLUS-5 the database killed under an open stream', async () => {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const pod = await startPod({ databaseUrl: '', env: { CONTINUO_HOME: home.folder } });
  onTestFinished(() => pod.end());
  proxy.set({ target: pod.url });
  const { run } = await start({ steps: [{ tokens: 60, delay_ms: 20 }, {}] });
  const seen: RunEvent[] = [];
  for await (const event of client.runs.stream(run)) {
    seen.push(event);
    if (seen.length !== 10) continue;
    process.kill(home.postmaster(), 'SIGKILL');
    // The next connection meets a server without a database.
    proxy.set({});
  }
  const frames = await framesOf(pod.url, run);
  expect(seen).toEqual(frames.map(({ id, event, data }) => ({ id, type: event, data })));
  expect(seen.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });
});

describe('detaching', () => {
  test('PLUS-5 aborting only detaches: the iteration ends, the run continues', async () => {
    const { run } = await start({ steps: [{ text: 'on and on', hang: true }] }, direct);
    const controller = new AbortController();
    const seen: RunEvent[] = [];
    for await (const event of client.runs.stream(run, { signal: controller.signal })) {
      seen.push(event);
      if (event.type === 'token') controller.abort();
    }
    expect(seen.at(-1)?.type).toBe('token');
    await proxy.idle();
    expect((await client.runs.get(run)).status).toBe('running');
    await client.runs.cancel(run);
    expect((await client.runs.ended(run)).status).toBe('canceled');
  });

  test('leaving the loop closes the connection, and so does an abort while the stream is silent', async () => {
    const { run, thread } = await start({ steps: [{ text: 'on', hang: true }] }, direct);
    for await (const event of client.runs.stream(run)) if (event.type === 'token') break;
    await proxy.idle();
    const controller = new AbortController();
    const onState = ({ kind }: StreamState) => kind === 'open' && controller.abort();
    expect(
      await all(
        client.threads.stream(thread, {
          after: 'latest',
          signal: controller.signal,
          onState,
        }),
      ),
    ).toEqual([]);
    await proxy.idle();
    await direct.runs.cancel(run);
  });

  test('an abort during the wait for the next try ends the stream at once', async () => {
    const { run } = await start(HELLO);
    await client.runs.ended(run);
    proxy.set({ target: null });
    const controller = new AbortController();
    const onState = ({ kind }: StreamState) => kind === 'reconnecting' && controller.abort();
    expect(await all(client.runs.stream(run, { signal: controller.signal, onState }))).toEqual([]);
  });
});

test('a stream resumes after an id, and a stream at its end is empty', async () => {
  const { run } = await start(HELLO);
  const whole = await all(client.runs.stream(run));
  expect(await all(client.runs.stream(run, { after: 4 }))).toEqual(whole.slice(4));
  expect(await all(client.runs.stream(run, { after: whole.length }))).toEqual([]);
});

test('after=latest misses no event while its first connection is lost', async () => {
  const { thread, run } = await start(HELLO);
  await client.runs.ended(run);
  const asked: Promise<string>[] = [];
  const onState = ({ kind }: StreamState) => {
    if (kind !== 'open' || asked.length > 0) return;
    proxy.set({ target: null });
    const send = async () => {
      const { run: sent } = await direct.threads.send(thread, { content: JSON.stringify(HELLO) });
      await direct.runs.ended(sent.id);
      proxy.set({ target: world.url });
      return sent.id;
    };
    asked.push(send());
  };
  const seen = [];
  for await (const event of client.threads.stream(thread, { after: 'latest', onState })) {
    seen.push(event);
    if (event.type === 'state' && event.data.status === 'done') break;
  }
  const [sent] = await Promise.all(asked);
  expect(seen.filter((event) => event.run_id === sent).map(({ run_seq }) => run_seq)).toEqual(
    (await eventsOf(sent!)).map((_event, index) => index + 1),
  );
});

test('a run that does not exist is refused at once, with its code', async () => {
  const before = proxy.connections;
  const missing = client.runs.stream(crypto.randomUUID()).next();
  await expect(missing).rejects.toBeInstanceOf(ApiError);
  await expect(missing).rejects.toMatchObject({
    status: 404,
    code: 'run_not_found',
    problem: { title: 'Not Found' },
  });
  expect(proxy.connections - before).toBe(1);
  await expect(client.runs.get(crypto.randomUUID())).rejects.toMatchObject({ code: 'run_not_found' });
});

test('an unreachable server is a ConnectionError', async () => {
  proxy.set({ target: null });
  await expect(client.runs.get(crypto.randomUUID())).rejects.toBeInstanceOf(ConnectionError);
});

test('a message whose response was cut off is sent again, and accepted once', async () => {
  const { id } = await client.threads.create();
  let left = 2;
  proxy.set({ cut: () => (left-- > 0 ? () => 0 : () => null) });
  const { run } = await client.threads.send(id, { content: JSON.stringify(HELLO) });
  proxy.set({ cut: null });
  expect((await client.runs.ended(run.id)).status).toBe('done');
  expect(await count(world.database, 'runs where thread_id = $1', [id])).toBe(1);
});

test("a workspace's changes are followed, cut after each one", async () => {
  const name = `w${Date.now()}`;
  await client.workspaces.create({ name });
  for (const path of ['/a.md', '/b.md', '/a.md'])
    await client.files.write(path, `${Math.random()}`, { workspace: name });
  proxy.set({ cut: afterEvents(1) });
  const seen = [];
  for await (const change of client.workspaces.stream({ workspace: name })) {
    if (!('path' in change.data)) throw new Error('nobody changes an entity');
    seen.push([change.seq, change.type, change.data.path, change.data.v]);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([
    [1, 'file_updated', '/a.md', 1],
    [2, 'file_updated', '/b.md', 1],
    [3, 'file_updated', '/a.md', 2],
  ]);
});
