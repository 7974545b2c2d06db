// A stream can be left and found again anywhere: RUN-7.

import { expect, test } from 'vitest';
import { ask, createThread, follow, framesOf, isEnd, seen, send, type Frame } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const events = (runId: string) => `${world.url}/api/runs/${runId}/events`;
const start = async (script: unknown) => send(world.url, await createThread(world.url), script);
const SCRIPT = {
  steps: [{ text: 'a few words', calls: [{ tool: 'pure', input: { note: 'n' } }] }, { text: 'and an end' }],
};

async function bytes(
  runId: string,
  init: { query?: string; lastEventId?: string } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${events(runId)}${init.query ?? ''}`, {
    ...(init.lastEventId !== undefined && { headers: { 'last-event-id': init.lastEventId } }),
  });
  return { status: response.status, text: await response.text() };
}

test('RUN-7 a finished run is resumed from every seq, byte for byte, by header and by query', async () => {
  const run = await start(SCRIPT);
  const frames = await framesOf(world.url, run.id);
  expect(frames.length).toBeGreaterThan(15);
  for (let after = 0; after < frames.length; after += 1) {
    const suffix = frames
      .slice(after)
      .map((frame) => frame.raw)
      .join('');
    expect(await bytes(run.id, { lastEventId: String(after) })).toEqual({ status: 200, text: suffix });
    expect(await bytes(run.id, { query: `?after=${after}` })).toEqual({ status: 200, text: suffix });
  }
  const last = String(frames.length);
  expect(await bytes(run.id, { lastEventId: last })).toEqual({ status: 204, text: '' });
  expect(await bytes(run.id, { query: `?after=${last}` })).toEqual({ status: 204, text: '' });
});

test('RUN-7 a live run is resumed from every seq, byte for byte', async () => {
  const run = await start({ steps: [{ tokens: 60, delay_ms: 2 }] });
  const resumed: Promise<Frame[]>[] = [];
  const whole: Frame[] = [];
  for await (const frame of follow(world.url, run.id)) {
    whole.push(frame);
    if (!isEnd(frame)) resumed.push(framesOf(world.url, run.id, frame.id));
  }
  const suffixes = (await Promise.all(resumed)).map((frames) => frames.map((frame) => frame.raw).join(''));
  expect(suffixes).toEqual(
    whole.slice(0, -1).map((_, index) =>
      whole
        .slice(index + 1)
        .map((frame) => frame.raw)
        .join(''),
    ),
  );
  expect(whole.map((frame) => frame.id)).toEqual(whole.map((_, index) => index + 1));
});

test('RUN-7 a reader that reconnects after every event sees each once', async () => {
  const run = await start({ steps: [{ tokens: 30, delay_ms: 1 }] });
  const pieces: Frame[] = [];
  while (!isEnd(pieces.at(-1))) {
    for await (const frame of follow(world.url, run.id, pieces.at(-1)?.id ?? 0)) {
      pieces.push(frame);
      break;
    }
  }
  expect(pieces.map((frame) => frame.raw)).toEqual(
    (await framesOf(world.url, run.id)).map((frame) => frame.raw),
  );
});

test('RUN-7 the header overrides the query, because a browser reconnects to the same address', async () => {
  const run = await start(SCRIPT);
  const frames = await framesOf(world.url, run.id);
  const { text } = await bytes(run.id, { query: '?after=2', lastEventId: '7' });
  expect(text).toBe(
    frames
      .slice(7)
      .map((frame) => frame.raw)
      .join(''),
  );
});

test('RUN-7 two runs of a thread do not mix, also where one was canceled inside the other', async () => {
  const thread = await createThread(world.url);
  const a = await send(world.url, thread, { steps: [{ text: 'first', hang: true }] });
  const b = await send(world.url, thread, { steps: [{ text: 'never' }] });
  const c = await send(world.url, thread, { steps: [{ text: 'third' }] });
  const early = Promise.all([a, b, c].map((run) => framesOf(world.url, run.id)));
  await seen(world.url, a.id, 'token');
  await ask('POST', `${world.url}/api/runs/${b.id}/cancel`);
  await seen(world.url, b.id, 'state');
  await ask('POST', `${world.url}/api/runs/${a.id}/cancel`);
  const live = await early;
  for (const [index, run] of [a, b, c].entries()) {
    const frames = live[index]!;
    expect(frames.map((frame) => frame.id)).toEqual(frames.map((_, place) => place + 1));
    expect(isEnd(frames.at(-1))).toBe(true);
    for (let after = 0; after < frames.length; after += 1) {
      expect((await bytes(run.id, { lastEventId: String(after) })).text).toBe(
        frames
          .slice(after)
          .map((frame) => frame.raw)
          .join(''),
      );
    }
  }
  expect(live[1]!.map((frame) => frame.event)).toEqual(['canceled', 'state']);
});

test('RUN-7 pages of JSON hold what the stream holds, in any size of page', async () => {
  const run = await start(SCRIPT);
  const frames = await framesOf(world.url, run.id);
  for (const limit of [1, 4, frames.length - 1, frames.length, 1000]) {
    const items: { id: number; type: string; data: unknown; at: string }[] = [];
    let next: string | null = '0';
    while (next !== null) {
      const page = await ask('GET', `${events(run.id)}?format=json&limit=${limit}&after=${next}`);
      expect(page.status).toBe(200);
      expect(page.body.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.body.items);
      next = page.body.next;
    }
    expect(items.map(({ id, type, data }) => ({ id, event: type, data }))).toEqual(
      frames.map(({ id, event, data }) => ({ id, event, data })),
    );
    expect(items.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true);
  }
});

test('RUN-7 Accept chooses between stream and page, and the page’s data are the stream’s bytes', async () => {
  const run = await start({ steps: [{ deltas: ['a\u0000b', '\ud800'] }] });
  const frames = await framesOf(world.url, run.id);
  const page = await ask('GET', events(run.id), undefined, { accept: 'application/json' });
  expect(page.headers.get('content-type')).toMatch(/^application\/json/);
  for (const frame of frames) expect(page.text).toContain(`"data":${frame.raw.match(/^data: (.*)$/m)![1]}`);
  const streamed = await ask('GET', events(run.id), undefined, {
    accept: 'text/event-stream, application/json',
  });
  expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const asked = await ask('GET', `${events(run.id)}?format=sse`, undefined, { accept: 'application/json' });
  expect(asked.text).toBe(streamed.text);
  const end = await ask('GET', `${events(run.id)}?format=json&after=${frames.length}`);
  expect(end).toMatchObject({ status: 200, body: { items: [], next: null } });
});

test.each(['x', '-1', '1.5', '1e3', '0x1', ' 1', '99999999999', '1000'])(
  'a cursor %j is 400 by header, by query and for a page',
  async (cursor) => {
    const run = await start({ steps: [{ text: 'short' }] });
    await framesOf(world.url, run.id);
    const query = `after=${encodeURIComponent(cursor)}`;
    for (const answer of [
      await ask('GET', `${events(run.id)}?${query}`),
      await ask('GET', `${events(run.id)}?format=json&${query}`),
      ...(cursor.trim() === cursor
        ? [await ask('GET', events(run.id), undefined, { 'last-event-id': cursor })]
        : []),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
      expect(answer.body.detail).toContain(JSON.stringify(cursor));
    }
  },
);

test('RUN-7 a client that disconnects cancels nothing', async () => {
  const run = await start({ steps: [{ tokens: 40, delay_ms: 2 }] });
  for await (const frame of follow(world.url, run.id)) if (frame.event === 'token') break;
  const frames = await framesOf(world.url, run.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
});

test('RUN-7 a log of many pages is streamed whole, without a warning in the server', async () => {
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, { steps: [{ text: 'begun', hang: true }] });
  await seen(world.url, run.id, 'token');
  // A model that wrote for a long time, in one go: the run itself says nothing until it is canceled.
  await world.database.pool.query('update threads set owner = null, attempt = attempt + 1 where id = $1', [
    thread,
  ]);
  await world.database.pool.query(
    `insert into events select thread_id, seq + n, run_id, run_seq + n, attempt + 1, type,
       json_build_object('text', repeat('word ', 80), 'message', 'm1'), at
     from (select * from events where run_id = $1 order by seq desc limit 1) last, generate_series(1, 7000) n`,
    [run.id],
  );
  await ask('POST', `${world.url}/api/runs/${run.id}/cancel`);
  const frames = await framesOf(world.url, run.id);
  expect(frames.length).toBeGreaterThan(7_000);
  expect(frames.map((frame) => frame.id)).toEqual(frames.map((_, index) => index + 1));
  expect(isEnd(frames.at(-1))).toBe(true);
  expect(world.pod.output()).not.toContain('Warning');
});
