// One writer, many threads: what is flushed together, what is kept apart, and what pressure does.

import { expect, test } from 'vitest';
import { holdTable, waitedFor } from '@continuo/testkit/fixtures';
import { Lost } from '../../src/log/pen.ts';
import type { StoredEvent } from '../../src/log/event.ts';
import { entry, openPen, token, useLog } from '../runs/support.ts';

const world = useLog();
const texts = (log: readonly StoredEvent[]) => log.flatMap(({ data }) => ('text' in data ? [data.text] : []));

async function pens(count: number, options: Parameters<typeof world.writer>[0] = {}) {
  const writer = world.writer(options);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const thread = await world.thread();
      return { thread, run: await world.run(thread), pen: openPen(writer, thread) };
    }),
  );
}

const onePen = async () => (await pens(1))[0]!;

/** How many transactions wrote the events of these threads. */
async function transactions(threads: readonly string[]): Promise<number> {
  const sql = 'select count(distinct xmin::text)::int as n from events where thread_id = any($1)';
  return (await world.pool.query<{ n: number }>(sql, [threads])).rows[0]!.n;
}

test('appends of many threads at one moment are one transaction', async () => {
  const flushes: number[] = [];
  const all = await pens(50, { onFlush: ({ rows }) => flushes.push(rows) });
  await Promise.all(all.map(({ pen, run }) => pen.append([token(run, 'a'), token(run, 'b')])));
  expect(flushes).toEqual([100]);
  expect(await transactions(all.map(({ thread }) => thread))).toBe(1);
});

test('appends that arrive during a flush go with the next one', async () => {
  const flushes: number[] = [];
  const all = await pens(20, { onFlush: ({ rows }) => flushes.push(rows) });
  const release = await holdTable(world.database, 'events', 'share row exclusive');
  const first = all[0]!.pen.append([token(all[0]!.run, 'first')]);
  await waitedFor(world.database, 'events');
  const rest = all.flatMap(({ pen, run }) => [pen.append([token(run, 'x')]), pen.append([token(run, 'y')])]);
  await release();
  await Promise.all([first, ...rest]);
  expect(flushes).toEqual([1, 40]);
  expect(await transactions(all.map(({ thread }) => thread))).toBe(2);
});

test('a lone event is flushed at once, by itself', async () => {
  const { pen, run, thread } = await onePen();
  for (const text of ['a', 'b', 'c']) await pen.append([token(run, text)]);
  expect(await transactions([thread])).toBe(3);
});

test('a flush that fails is split by thread: one thread’s collision does not touch its neighbours', async () => {
  const all = await pens(12);
  const lost = all[5]!;
  await openPen(world.writer(), lost.thread, { attempt: 2 }).append([token(lost.run, 'taken')]);
  const outcomes = await Promise.allSettled(all.map(({ pen, run }) => pen.append([token(run, 'x')])));
  expect(outcomes.map(({ status }) => status)).toEqual(
    all.map((each) => (each === lost ? 'rejected' : 'fulfilled')),
  );
  expect((outcomes[5] as PromiseRejectedResult).reason).toBeInstanceOf(Lost);
  for (const { thread, pen, run } of all.filter((each) => each !== lost)) {
    await pen.append([token(run, 'y')]);
    expect(texts(await world.log(thread))).toEqual(['x', 'y']);
  }
  expect(texts(await world.log(lost.thread))).toEqual(['taken']);
});

test('a value that the database refuses ends its own thread’s hold only', async () => {
  const all = await pens(3);
  const bad = all[1]!;
  const outcomes = await Promise.allSettled(
    all.map(({ pen, run }) =>
      pen.append(
        [token(run, 'x')],
        pen === bad.pen ? [{ kind: 'session', event: 0, id: run, state: 'asleep', reason: '' }] : [],
      ),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(all.map(({ pen }) => pen.lost)).toEqual([false, true, false]);
});

test('an event that cannot be made into JSON is refused alone: its thread and the others continue', async () => {
  const all = await pens(3);
  const bad = all[1]!;
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
  const unwritable = entry(bad.run, {
    type: 'tool_start',
    data: { tool: 'x', input: { deep }, call: 'c' },
  });
  const outcomes = await Promise.allSettled(
    all.map(({ pen, run }) =>
      pen.append(pen === bad.pen ? [token(run, 'x'), unwritable] : [token(run, 'x')]),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'not_writable' });
  expect(all.map(({ pen }) => pen.lost)).toEqual([false, false, false]);
  await Promise.all(all.map(({ pen, run }) => pen.append([token(run, 'y')])));
  const logs = await Promise.all(all.map(async ({ thread }) => texts(await world.log(thread))));
  expect(logs).toEqual([['x', 'y'], ['y'], ['x', 'y']]);
});

test('a value that exceeds what the database can read is refused alone, whatever is queued beside it', async () => {
  const { pen, run, thread } = await onePen();
  // The database reads JSON by recursion, too; it is given text that nobody had to write by recursion.
  const deep = { toJSON: () => 'replaced below' };
  pen.push(run, token(run, 'before').event);
  const data = { tool: 'x', input: { deep }, call: 'c' };
  const stringify = JSON.stringify;
  JSON.stringify = ((value: unknown) =>
    value === data
      ? `{"tool":"x","input":${'['.repeat(100_000)}${']'.repeat(100_000)},"call":"c"}`
      : stringify(value)) as typeof stringify;
  const refused = pen.append([entry(run, { type: 'tool_start', data })]);
  JSON.stringify = stringify;
  const after = pen.append([token(run, 'after')]);
  await expect(refused).rejects.toMatchObject({ code: 'not_writable' });
  await after;
  expect(texts(await world.log(thread))).toEqual(['before', 'after']);
});

test('a reader of commits that throws costs its own thread the hold, and its neighbours do not notice', async () => {
  const writer = world.writer();
  const threads = await Promise.all([world.thread(), world.thread(), world.thread()]);
  const runs = await Promise.all(threads.map((thread) => world.run(thread)));
  const opened = threads.map((thread, index) =>
    openPen(writer, thread, {
      onCommit: () => {
        if (index === 0) throw new RangeError('Maximum call stack size exceeded');
      },
    }),
  );
  const outcomes = await Promise.allSettled(
    opened.map((pen, index) => pen.append([token(runs[index]!, 'x')])),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(opened.map(({ lost }) => lost)).toEqual([true, false, false]);
  for (const thread of threads) expect(texts(await world.log(thread))).toEqual(['x']);
});

test('a refused end leaves what was queued beside it, in order', async () => {
  const { pen, run, thread } = await onePen();
  await pen.append(
    [entry(run, { type: 'state', data: { status: 'running', attempt: 1 } })],
    [{ kind: 'start', event: 0, run }],
  );
  await world.pool.query("update runs set cancel_requested_at = now(), cancel_reason = 'x' where id = $1", [
    run,
  ]);
  pen.push(run, token(run, 'before').event);
  const refused = pen.append(
    [entry(run, { type: 'state', data: { status: 'done' } })],
    [{ kind: 'end', event: 0, run, status: 'done' }],
  );
  const after = pen.append([token(run, 'after')]);
  await expect(refused).rejects.toMatchObject({ code: 'cancel_wins' });
  await after;
  expect(texts(await world.log(thread))).toEqual(['before', 'after']);
});

test('tokens stay as they came while there is no pressure, up to a whole flush of them', async () => {
  const { pen, run, thread } = await onePen();
  const said = Array.from({ length: 999 }, (_, index) => `t${index} `);
  for (const text of said) pen.push(run, token(run, text).event);
  await pen.append([entry(run, { type: 'final', data: { text: '', sources: [], message: 'm1' } })]);
  const log = await world.log(thread);
  expect(texts(log).slice(0, -1)).toEqual(said);
  expect(await transactions([thread])).toBe(1);
});

test('under pressure adjacent tokens of one message become one, and no text is lost or moved', async () => {
  const { pen, run, thread } = await onePen();
  const say = (text: string, message: string) => pen.push(run, token(run, text, message).event);
  const said: [string, string][] = [];
  for (let index = 0; index < 5000; index += 1) said.push([`t${index} `, index < 3000 ? 'm1' : 'm2']);
  for (const [index, [text, message]] of said.entries()) {
    say(text, message);
    if (index === 2000) pen.push(run, { type: 'reasoning', data: { text: 'hm', message: 'm1' } });
  }
  await pen.append([entry(run, { type: 'final', data: { text: '', sources: [], message: 'm2' } })]);
  const log = await world.log(thread);
  const tokens = log.filter(({ type }) => type === 'token');
  expect(tokens.length).toBeLessThan(2000);
  for (const message of ['m1', 'm2']) {
    const whole = said.filter(([, each]) => each === message).map(([text]) => text);
    const stored = tokens.flatMap(({ data }) =>
      'message' in data && data.message === message && 'text' in data ? [data.text] : [],
    );
    expect(stored.join('')).toBe(whole.join(''));
  }
  const thought = log.findIndex(({ type }) => type === 'reasoning');
  expect(texts(log.slice(0, thought)).join('')).toBe(
    said
      .slice(0, 2001)
      .map(([text]) => text)
      .join(''),
  );
  expect(log.at(-1)!.type).toBe('final');
  expect(log.map(({ seq, runSeq }) => [seq, runSeq])).toEqual(log.map((_, index) => [index + 1, index + 1]));
});

test('under pressure, an awaited token is not merged with others', async () => {
  const { pen, run, thread } = await onePen();
  const awaited: Promise<readonly StoredEvent[]>[] = [];
  for (let index = 0; index < 2000; index += 1) {
    if (index % 100 === 0) awaited.push(pen.append([token(run, `${index} `)]));
    else pen.push(run, token(run, `${index} `).event);
  }
  const told = (await Promise.all(awaited)).flat();
  expect(texts(told)).toEqual(Array.from({ length: 20 }, (_, index) => `${index * 100} `));
  await pen.append([token(run, 'end')]);
  expect(texts(await world.log(thread)).join('')).toBe(
    `${Array.from({ length: 2000 }, (_, index) => `${index} `).join('')}end`,
  );
});

test('tokens of different runs are never merged', async () => {
  const { pen, run, thread } = await onePen();
  const other = await world.run(thread);
  for (let index = 0; index < 1200; index += 1)
    pen.push(index % 2 ? run : other, token('', `${index % 2}`).event);
  await pen.append([
    entry(null, { type: 'session', data: { session: run, from_state: null, to_state: 'idle', reason: '' } }),
  ]);
  const log = await world.log(thread);
  for (const [each, digit] of [
    [run, '1'],
    [other, '0'],
  ] as const) {
    expect(texts(log.filter(({ runId }) => runId === each)).join('')).toBe(digit.repeat(600));
  }
});

test('NUL, lone surrogates and everything else survive byte for byte, merged or not', async () => {
  const odd = [
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00',
    '\ud83d',
    '\ude00',
    '\ufffe',
    '\u2028',
    '"\\\n\r\t',
    '{}',
    'é',
    'é',
    '😀',
  ];
  for (const times of [1, 120]) {
    const { pen, run, thread } = await onePen();
    const said = Array.from({ length: times }, () => odd).flat();
    for (const text of said) pen.push(run, token(run, text).event);
    const [last] = await pen.append([
      entry(run, { type: 'final', data: { text: said.join(''), sources: [], message: 'm1' } }),
    ]);
    const log = await world.log(thread);
    const tokens = log.filter(({ type }) => type === 'token');
    expect(texts(tokens).join('')).toBe(said.join(''));
    if (times === 1) expect(texts(tokens)).toEqual(said);
    expect(log.at(-1)!.json).toBe(last!.json);
    const { rows } = await world.pool.query<{ data: string }>(
      'select data::text as data from events where thread_id = $1 order by seq',
      [thread],
    );
    expect(rows.map(({ data }) => data)).toEqual(log.map(({ data }) => JSON.stringify(data)));
  }
});

test('a thread with a mebibyte waiting has no room until it is written', async () => {
  const { pen, run, thread } = await onePen();
  expect(pen.room()).toBeNull();
  const release = await holdTable(world.database, 'events', 'share row exclusive');
  pen.push(run, token(run, 'x'.repeat(600_000)).event);
  await waitedFor(world.database, 'events');
  expect(pen.room()).toBeNull();
  pen.push(run, token(run, 'y'.repeat(600_000)).event);
  const room = pen.room();
  expect(room).toBeInstanceOf(Promise);
  let waited = true;
  void room!.then(() => (waited = false));
  expect(waited).toBe(true);
  await release();
  await room;
  await pen.append([token(run, 'z')]);
  expect(pen.room()).toBeNull();
  expect(texts(await world.log(thread)).map(({ length }) => length)).toEqual([600_000, 600_000, 1]);
});

test('a thread that is lost has room: nobody waits for it any more', async () => {
  const { pen, run } = await onePen();
  pen.push(run, token(run, 'x'.repeat(1_100_000)).event);
  const room = pen.room();
  pen.lose();
  await room;
  expect(pen.room()).toBeNull();
});

test('a thread whose next place is taken by an open transaction waits aside, and its neighbours go on', async () => {
  const writer = world.writer();
  const [stuck, free] = [await world.thread(), await world.thread()];
  const other = await world.pool.connect();
  await other.query('begin');
  await other.query(
    `insert into events (thread_id, seq, attempt, type, data, at) values ($1, 1, 9, 'token', '{}', now())`,
    [stuck],
  );
  const order: string[] = [];
  const waiting = openPen(writer, stuck)
    .append([token(stuck, 'late')])
    .then(() => order.push('stuck'));
  await openPen(writer, free).append([token(free, 'now')]);
  order.push('free');
  await other.query('rollback');
  other.release();
  await waiting;
  expect(order).toEqual(['free', 'stuck']);
});

test('pieces of many threads gather, so that one commit carries several of each, as one', async () => {
  const flushes: number[] = [];
  const all = await pens(20, { onFlush: ({ rows }) => flushes.push(rows) });
  for (const text of ['a', 'b', 'c']) {
    for (const { pen, run } of all) pen.push(run, { type: 'token', data: { text, message: 'm1' } });
    await new Promise((resolve) => setImmediate(resolve));
  }
  // A transaction of a thread's own waits for its pieces, and for nobody else's.
  await all[0]!.pen.transact(() => Promise.resolve({ entries: [token(all[0]!.run, 'own')], result: null }));
  expect(texts(await world.log(all[0]!.thread))).toEqual(['abc', 'own']);
  // What somebody waits for takes what its thread has said before along.
  await all[1]!.pen.append([token(all[1]!.run, 'urgent')]);
  expect(texts(await world.log(all[1]!.thread))).toEqual(['abc', 'urgent']);
  for (const { pen, run, thread } of all.slice(2)) {
    await pen.append([token(run, 'end')]);
    expect(texts(await world.log(thread))).toEqual(['abc', 'end']);
  }
  expect(flushes.length).toBeLessThan(60);
});
