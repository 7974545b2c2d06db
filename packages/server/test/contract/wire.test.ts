// What is on the wire, byte by byte, and that it was in the log first: RUN-5, RUN-8.

import { expect, test } from 'vitest';
import {
  ask,
  createThread,
  follow,
  framesOf,
  readRun,
  seen,
  send,
  until,
  type Frame,
} from '@continuo/testkit';
import { count, holdEffects, holdLog, usePod, waitedFor } from '@continuo/testkit/fixtures';

const world = usePod();
const start = async (script: unknown) => send(world.url, await createThread(world.url), script);
const events = (runId: string) => `${world.url}/api/runs/${runId}/events`;
const named = (frames: readonly Frame[], event: string) => frames.filter((frame) => frame.event === event);

const SCRIPT = {
  steps: [
    {
      reasoning: 'hm, a note',
      text: 'looking at it',
      calls: [
        { tool: 'pure', input: { note: 'a' } },
        { tool: 'transactional', input: { note: 'b' } },
      ],
    },
    { text: 'it is a' },
  ],
};

test('RUN-5 every frame is an event line, an id line and one data line, with LF only and ids without a gap', async () => {
  const run = await start(SCRIPT);
  const response = await fetch(events(run.id), { headers: { accept: 'text/event-stream' } });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  const text = await response.text();
  expect(text).not.toContain('\r');
  expect(text.endsWith('\n\n')).toBe(true);
  const frames = text.split('\n\n').slice(0, -1);
  frames.forEach((frame, index) => {
    expect(frame).toMatch(/^event: [a-z_]+\nid: \d+\ndata: \{[^\n]*\}$/);
    expect(frame).toContain(`\nid: ${index + 1}\n`);
  });
});

test('RUN-5 every event of the run is sent, and is what the table holds', async () => {
  const run = await start(SCRIPT);
  const frames = await framesOf(world.url, run.id);
  const { rows } = await world.database.pool.query(
    `select 'event: ' || type || E'\\nid: ' || run_seq || E'\\ndata: ' || data::text || E'\\n\\n' as raw from events where run_id = $1 order by seq`,
    [run.id],
  );
  expect(frames.map((frame) => frame.raw)).toEqual(rows.map((row) => row.raw));
});

test('RUN-5 each event carries what the contract names', async () => {
  const run = await start(SCRIPT);
  const frames = await framesOf(world.url, run.id);
  expect(frames[0]).toMatchObject({ event: 'state', data: { status: 'running', attempt: 1 } });
  const tokens = named(frames, 'token').map((frame) => frame.data);
  expect(tokens).toEqual([
    { text: 'looking ', message: 'm1' },
    { text: 'at ', message: 'm1' },
    { text: 'it', message: 'm1' },
    { text: 'it ', message: 'm2' },
    { text: 'is ', message: 'm2' },
    { text: 'a', message: 'm2' },
  ]);
  const [a, b] = [expect.stringMatching(/./), expect.stringMatching(/./)];
  expect(named(frames, 'tool_start').map((frame) => frame.data)).toEqual(
    expect.arrayContaining([
      { tool: 'pure', input: { note: 'a' }, call: a },
      { tool: 'transactional', input: { note: 'b' }, call: b },
    ]),
  );
  expect(named(frames, 'tool_end').map((frame) => frame.data)).toEqual(
    expect.arrayContaining([
      { tool: 'pure', output: { saw: 'a' }, call: a, success: true },
      { tool: 'transactional', output: { wrote: 'b' }, call: b, success: true },
    ]),
  );
  const started = named(frames, 'tool_start').map((frame) => frame.data.call);
  expect(new Set(named(frames, 'tool_end').map((frame) => frame.data.call))).toEqual(new Set(started));
  expect(named(frames, 'message')[0]!.data).toEqual({
    id: run.message_id,
    role: 'user',
    content: JSON.stringify(SCRIPT),
  });
  expect(
    named(frames, 'reasoning')
      .map((frame) => frame.data.text)
      .join(''),
  ).toBe('hm, a note');
  expect(named(frames, 'final').map((frame) => frame.data)).toEqual([
    { text: 'it is a', sources: [], message: 'm2' },
  ]);
  expect(frames.at(-1)).toMatchObject({ event: 'state', data: { status: 'done' } });
});

test('RUN-5 error and canceled have their reason', async () => {
  const failed = await framesOf(
    world.url,
    (await start({ steps: [{ error: { code: 'refused', message: 'no' } }] })).id,
  );
  expect(named(failed, 'error').map((frame) => frame.data)).toEqual([{ error: 'no', code: 'refused' }]);
  const run = await start({ steps: [{ hang: true }] });
  await ask('POST', `${world.url}/api/runs/${run.id}/cancel`, { reason: 'changed my mind' });
  const canceled = await framesOf(world.url, run.id);
  expect(named(canceled, 'canceled').map((frame) => frame.data)).toEqual([{ reason: 'changed my mind' }]);
});

test('RUN-5 final.text is the last assistant message’s text, also when that is empty', async () => {
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, SCRIPT);
  const final = named(await framesOf(world.url, run.id), 'final')[0]!;
  const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
  expect(final.data.text).toBe(items.at(-1).content);
  const silent = await framesOf(
    world.url,
    (await start({ steps: [{ text: 'hm', calls: [{ tool: 'pure', input: { note: 'x' } }] }, {}] })).id,
  );
  expect(named(silent, 'final').map((frame) => frame.data)).toEqual([
    { text: '', sources: [], message: 'm2' },
  ]);
});

test('RUN-5 a model’s text arrives unchanged: line ends, NUL, lone surrogates, emoji', async () => {
  const deltas = [
    'line\nline\r\n\r',
    'a\u0000b',
    '\ud83d',
    '\ude00',
    '\udc00 \ud800',
    '\u2028\u2029 "quoted" \\ data: x\n\n',
    '🤖',
  ];
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, { steps: [{ deltas }] });
  const frames = await framesOf(world.url, run.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  expect(named(frames, 'token').map((frame) => frame.data.text)).toEqual(deltas);
  expect(named(frames, 'final')[0]!.data.text).toBe(deltas.join(''));
  const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
  expect(items.at(-1)).toMatchObject({ role: 'assistant', content: deltas.join(''), ended: 'complete' });
  expect((await readRun(world.url, run.id)).status).toBe('done');
});

test('RUN-5 an error’s text arrives unchanged, with NUL', async () => {
  const message = 'bad \u0000 \ud800 input';
  const run = await start({ steps: [{ text: 'x', error: { code: 'odd', message } }] });
  const frames = await framesOf(world.url, run.id);
  expect(named(frames, 'error').map((frame) => frame.data)).toEqual([{ error: message, code: 'odd' }]);
  expect(await readRun(world.url, run.id)).toMatchObject({
    status: 'error',
    error: { code: 'odd', error: message },
  });
});

test('RUN-5 tool inputs and outputs are objects, and arrive unchanged', async () => {
  const note = 'a\u0000b \ud800';
  const run = await start({ steps: [{ calls: [{ tool: 'pure', input: { note } }] }, { text: 'ok' }] });
  const frames = await framesOf(world.url, run.id);
  expect(named(frames, 'tool_start')[0]!.data.input).toEqual({ note });
  expect(named(frames, 'tool_end')[0]!.data).toMatchObject({ output: { saw: note }, success: true });
});

test('RUN-8 each frame that a client has seen is in the table, with the same bytes', async () => {
  const run = await start({
    steps: [
      { tokens: 120, delay_ms: 1, calls: [{ tool: 'external', input: { note: 'x' } }] },
      { tokens: 40, delay_ms: 1 },
    ],
  });
  let checked = 0;
  for await (const frame of follow(world.url, run.id)) {
    const { rows } = await world.database.pool.query(
      'select type, data::text as json from events where run_id = $1 and run_seq = $2',
      [run.id, frame.id],
    );
    expect(rows[0] && `event: ${rows[0].type}\nid: ${frame.id}\ndata: ${rows[0].json}\n\n`).toBe(frame.raw);
    checked += 1;
  }
  expect(checked).toBeGreaterThan(160);
});

test('RUN-8 while nothing can be committed, nothing is streamed', async () => {
  const run = await start({
    steps: [{ text: 'one', calls: [{ tool: 'external', input: { note: 'y' } }] }, { text: 'two' }],
  });
  await framesOf(world.url, run.id);
  const release = await holdLog(world.database);
  try {
    const thread = await createThread(world.url);
    const held = await send(world.url, thread, { steps: [{ text: 'not yet' }] });
    const got: Frame[] = [];
    const stream = (async () => {
      for await (const frame of follow(world.url, held.id)) got.push(frame);
    })();
    await waitedFor(world.database, 'events');
    expect(got).toEqual([]);
    expect((await readRun(world.url, held.id)).status).toBe('queued');
    expect(await count(world.database, 'events where thread_id = $1', [thread])).toBe(0);
    await release();
    await stream;
    expect(got.at(-1)!.data).toEqual({ status: 'done' });
  } finally {
    await release().catch(() => undefined);
  }
});

test('RUN-8 a tool’s end is not streamed before its rows are there', async () => {
  const release = await holdEffects(world.database);
  const run = await start({
    steps: [{ calls: [{ tool: 'transactional', input: { note: 'held' } }] }, { text: 'ok' }],
  });
  await seen(world.url, run.id, 'tool_start');
  await waitedFor(world.database, 'effects');
  const page = await ask('GET', `${events(run.id)}?format=json`);
  expect(page.body.items.at(-1).type).toBe('tool_start');
  await release();
  const end = await seen(world.url, run.id, 'tool_end');
  expect(end.data.success).toBe(true);
  expect(await count(world.database, "effects where note = 'held'")).toBe(1);
  await until('the run is done', async () => (await readRun(world.url, run.id)).status === 'done');
});
