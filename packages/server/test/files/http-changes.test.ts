// The change feed over HTTP: each change once, in order, without a gap, on any pod, however slowly it is read.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';
import { bytes, newSpace, put, unread, type Space } from './support.ts';

let database: TestDatabase;
let pods: [TestPod, TestPod];
beforeAll(async () => {
  database = await freshDatabase();
  pods = [
    await startPod({ databaseUrl: database.url, leaseSeconds: 5 }),
    await startPod({ databaseUrl: database.url, leaseSeconds: 5 }),
  ];
});
afterAll(async () => {
  await Promise.all(pods.map((pod) => pod.end()));
  await database.drop();
});

const on = (pod: TestPod, space: Space): Space => ({
  ...space,
  url: `${pod.url}/api/v1/workspaces/${space.id}`,
});

interface Frame {
  readonly id: number;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Reads a feed until the signal; each frame must be as the wire rules say. */
async function follow(
  url: string,
  headers: Record<string, string>,
  frames: Frame[],
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, { headers, signal });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      expect(text).not.toContain('\r');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const match = /^(?:: ping\n)*event: (\w+)\nid: (\d+)\ndata: (.*)$/.exec(text.slice(0, end));
        expect(match).not.toBeNull();
        frames.push({ event: match![1]!, id: Number(match![2]), data: JSON.parse(match![3]!) });
        text = text.slice(end + 2);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Follows from pod to pod, cut off again and again, until it has seen so many. */
async function followAbout(space: Space, last: number, cutEvery: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  const seen = () => frames.at(-1)?.id ?? 0;
  for (let turn = 0; seen() < last; turn += 1) {
    const [cut, from] = [new AbortController(), frames.length];
    const url = `${on(pods[turn % 2]!, space).url}/events`;
    const following =
      turn % 3 === 0
        ? follow(url, { 'last-event-id': String(seen()) }, frames, cut.signal)
        : follow(`${url}?after=${seen()}`, {}, frames, cut.signal);
    await until('the next changes have come', () => frames.length >= from + cutEvery || seen() >= last);
    cut.abort();
    await following;
  }
  return frames;
}

test('under load from two pods, followers that come and go see each change once, in order, without a gap', async () => {
  const space = await newSpace(pods[0].url);
  const writers = 8;
  const each = 40;
  const total = writers * each;
  const followers = [1, 7, 33, 1000].map((cutEvery) => followAbout(space, total, cutEvery));
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let turn = 0; turn < each; turn += 1) {
        const pod = pods[(writer + turn) % 2]!;
        const answer = await put(on(pod, space), `f${writer % 4}.md`, `${writer} ${turn}`);
        expect([200, 201]).toContain(answer.status);
      }
    }),
  );
  const expected = Array.from({ length: total }, (_, index) => index + 1);
  const all = await Promise.all(followers);
  const stored: Frame[] = [];
  for (let after = '0'; stored.length < total;) {
    const { body } = await ask('GET', `${on(pods[1], space).url}/changes?limit=100&after=${after}`);
    for (const { seq, type, data } of body.items) stored.push({ id: seq, event: type, data });
    expect(body.next).toBe(stored.length < total ? String(stored.length) : null);
    after = body.next as string;
  }
  for (const frames of all) {
    expect(frames.map(({ id }) => id)).toEqual(expected);
    expect(frames).toEqual(stored);
  }
});

test('a feed begins where it is asked to, and says what happened', async () => {
  const space = await newSpace(pods[0].url);
  const file = (await put(space, 'a.md', 'one')).body.id as string;
  const cut = new AbortController();
  const [whole, latest]: [Frame[], Frame[]] = [[], []];
  const following = [
    follow(`${on(pods[1], space).url}/events`, {}, whole, cut.signal),
    follow(`${space.url}/events?after=latest`, {}, latest, cut.signal),
  ];
  await until('one change has come', () => whole.length === 1);
  await ask('POST', `${space.url}/moves`, { from: 'a.md', to: 'b.md' });
  await bytes('DELETE', `${on(pods[1], space).url}/files/b.md`);
  await until(
    'three changes have come, and two to the later follower',
    () => whole.length === 3 && latest.length === 2,
  );
  cut.abort();
  await Promise.all(following);
  const author = { kind: 'person' };
  const rest = { file, kind: 'file', size: 3, hash: expect.stringMatching(/^[\da-f]{64}$/), author };
  expect(whole).toEqual([
    { id: 1, event: 'file_updated', data: { ...rest, path: '/a.md', v: 1 } },
    { id: 2, event: 'file_moved', data: { ...rest, from: '/a.md', path: '/b.md', v: 2 } },
    { id: 3, event: 'file_removed', data: { ...rest, path: '/b.md', v: 3 } },
  ]);
  expect(latest).toEqual(whole.slice(1));
  for (const after of ['x', '-1', '1.5', '4', '99999999999999999999', 'latest ']) {
    const answer = await ask('GET', `${space.url}/events?after=${encodeURIComponent(after)}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  }
  expect((await bytes('HEAD', `${space.url}/events`)).headers.get('content-type')).toContain(
    'text/event-stream',
  );
});

test('the last page of changes is the last, also where it is full', async () => {
  const space = await newSpace(pods[0].url);
  for (let turn = 0; turn < 4; turn += 1) await put(space, 'a.md', String(turn));
  const first = await ask('GET', `${space.url}/changes?limit=2`);
  expect(first.body).toMatchObject({ items: [{ seq: 1 }, { seq: 2 }], next: '2' });
  const last = await ask('GET', `${space.url}/changes?limit=2&after=2`);
  expect(last.body).toMatchObject({ items: [{ seq: 3 }, { seq: 4 }], next: null });
});

test('a pod that lost its LISTEN connection shows what others wrote meanwhile', async () => {
  const space = await newSpace(pods[0].url);
  await put(space, 'a.md', '0');
  const cut = new AbortController();
  const frames: Frame[] = [];
  const following = follow(`${on(pods[0], space).url}/events`, {}, frames, cut.signal);
  await until('one change has come', () => frames.length === 1);
  for (let turn = 1; turn <= 5; turn += 1) {
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
    );
    await put(on(pods[1], space), 'a.md', String(turn));
    await until('the next change has come', () => frames.length === turn + 1);
  }
  cut.abort();
  await following;
  expect(frames.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a follower that does not read costs nothing, and is given the rest when it does', async () => {
  const space = await newSpace(pods[0].url);
  const total = 3000;
  const path = `${'long-name-'.repeat(20)}/`.repeat(4);
  await put(space, `${path}0.md`, 'x');
  const slow = await unread(`${space.url}/events`);
  slow.pause();
  const author = JSON.stringify({ kind: 'person' });
  // As many changes as no socket's buffers hold.
  await database.pool.query(
    `do $$ declare f files; begin
      select * into f from files where workspace_id = '${space.id}';
      for i in 1 .. ${total - 1} loop
        f.version := f.version + 1;
        perform record_file_change('file_updated', f, '${author}', null, 0, 0);
      end loop; end $$`,
  );
  await put(space, `${path}1.md`, 'last');
  let text = '';
  for await (const chunk of slow.setEncoding('utf8')) {
    text += chunk as string;
    if (text.includes('1.md') && text.includes(`id: ${total + 1}\n`) && text.endsWith('\n\n')) break;
  }
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  expect(ids).toEqual(Array.from({ length: total + 1 }, (_, index) => index + 1));
});
