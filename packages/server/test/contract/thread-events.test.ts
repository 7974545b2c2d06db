// A thread's log over HTTP: as one stream across its runs, and as pages in both directions.

import { beforeAll, expect, test } from 'vitest';
import { ask, createThread, framesOf, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
let thread: string;
let events: string;
let stored: { seq: number; run_id: string | null; run_seq: number | null; type: string; data: string }[];

beforeAll(async () => {
  thread = await createThread(world.url);
  events = `${world.url}/api/threads/${thread}/events`;
  for (const text of ['one two', 'three four', 'five\n“six”']) {
    const run = await send(world.url, thread, { steps: [{ text }] });
    await framesOf(world.url, run.id);
  }
  ({ rows: stored } = await world.database.pool.query(
    'select seq, run_id, run_seq, type, data::text as data from events where thread_id = $1 order by seq',
    [thread],
  ));
});

/** The raw frames of the stream, until there are so many. */
async function frames(url: string, count: number, headers: Record<string, string> = {}): Promise<string[]> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n\n').length > count) break;
  }
  controller.abort();
  return text.split('\n\n').slice(0, count);
}

test('the stream is the whole log: each event with its seq, its run and its stored data', async () => {
  const raw = await frames(events, stored.length);
  for (const [index, frame] of raw.entries()) {
    const { seq, run_id, run_seq, type, data } = stored[index]!;
    const run = run_id === null ? 'null' : `"${run_id}"`;
    const envelope = `{"seq":${seq},"run_id":${run},"run_seq":${run_seq},"type":"${type}","data":${data},"at":"`;
    expect(frame.startsWith(`event: ${type}\nid: ${seq}\ndata: ${envelope}`)).toBe(true);
  }
  expect(stored.filter(({ run_id }) => run_id === null).map(({ type }) => type)).toContain('session');
});

test('a stream goes on after an id, given in either way', async () => {
  const raw = await frames(events, stored.length);
  expect(await frames(`${events}?after=5`, stored.length - 5)).toEqual(raw.slice(5));
  expect(await frames(events, stored.length - 5, { 'last-event-id': '5' })).toEqual(raw.slice(5));
});

test('after=latest begins at the end of the log, and returns that cursor', async () => {
  const controller = new AbortController();
  const response = await fetch(`${events}?after=latest`, { signal: controller.signal });
  expect(response.headers.get('last-event-id')).toBe(String(stored.length));
  controller.abort();
});

test('pages go on to the end, and back to the beginning', async () => {
  const whole = (await ask('GET', `${events}?format=json&limit=1000`)).body;
  expect(whole.next).toBeNull();
  expect(whole.items.map(({ seq }: { seq: number }) => seq)).toEqual(stored.map(({ seq }) => seq));
  const forth: unknown[] = [];
  for (let after: string | null = '0'; after !== null;) {
    const { body } = await ask('GET', `${events}?limit=4&after=${after}`, undefined, {
      accept: 'application/json',
    });
    forth.push(...body.items);
    after = body.next;
  }
  expect(forth).toEqual(whole.items);
  const back: unknown[] = [];
  for (let before: string | null = 'latest'; before !== null;) {
    const { body } = await ask('GET', `${events}?format=json&limit=4&before=${before}`);
    back.unshift(...body.items);
    before = body.next;
  }
  expect(back).toEqual(whole.items);
});

test.each([
  ['after=x', 'invalid_cursor'],
  ['after=100000', 'invalid_cursor'],
  ['format=json&before=100000', 'invalid_cursor'],
  ['before=3', 'invalid_query'],
  ['format=json&before=3&after=1', 'invalid_query'],
])('?%s is 400 %s', async (query, code) => {
  const { status, body } = await ask('GET', `${events}?${query}`);
  expect([status, body.code]).toEqual([400, code]);
});

test('an unknown thread is 404; an empty one has an empty log', async () => {
  const { status, body } = await ask('GET', `${world.url}/api/threads/${crypto.randomUUID()}/events`);
  expect([status, body.code]).toEqual([404, 'thread_not_found']);
  const empty = `${world.url}/api/threads/${await createThread(world.url)}/events?format=json`;
  expect((await ask('GET', empty)).body).toEqual({ items: [], next: null });
  expect((await ask('GET', `${empty}&before=latest`)).body).toEqual({ items: [], next: null });
});
