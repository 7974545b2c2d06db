// The log's invariants, L1 to L6, on a real database.

import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { holdTable, waitedFor } from '@continuo/testkit/fixtures';
import type { Change } from '../../src/log/changes.ts';
import type { Entry } from '../../src/log/group.ts';
import { Lost } from '../../src/log/pen.ts';
import { Followers } from '../../src/log/follow.ts';
import { CancelWins } from '../../src/runs/changes.ts';
import { entry, openPen, requestCancel, token, useLog } from '../runs/support.ts';

const world = useLog();
const begin = (run: string): [Entry[], Change[]] => [
  [entry(run, { type: 'state', data: { status: 'running', attempt: 1 } })],
  [{ kind: 'start', event: 0, run }],
];
const end = (run: string, status: 'done' | 'error' | 'canceled'): [Entry[], Change[]] => [
  [
    status === 'canceled'
      ? entry(run, { type: 'canceled', data: { reason: 'x' } })
      : entry(run, { type: 'final', data: { text: '', sources: [], message: null } }),
    entry(run, { type: 'state', data: { status } }),
  ],
  [{ kind: 'end', event: 1, run, status }],
];
const says = (run: string): [Entry[], Change[]] => [
  [entry(run, { type: 'message_end', data: { message: 'm1', text: 'x', parts: [], ended: 'complete' } })],
  [{ kind: 'message', event: 0, id: uuidv7(), run, ordinal: 1, content: { text: 'x' } }],
];
const status = async (run: string) =>
  (await world.pool.query<{ status: string }>('select status from runs where id = $1', [run])).rows[0]!
    .status;
const rowsIn = async (table: string, thread: string) =>
  (await world.pool.query(`select from ${table} where thread_id = $1`, [thread])).rowCount;

test('L1 seq counts a thread’s events and run_seq each run’s, without a gap or a repeat, whatever comes between', async () => {
  const writer = world.writer();
  const thread = await world.thread();
  const [a, b] = [await world.run(thread), await world.run(thread)];
  const pen = openPen(writer, thread);
  const all: Promise<unknown>[] = [pen.append(...begin(a)), pen.append(...begin(b))];
  for (let round = 0; round < 40; round += 1) {
    pen.push(round % 3 ? a : b, token('', `${round}`).event);
    if (round % 7 === 0)
      all.push(pen.append([token(a, 'x'), token(b, 'y'), entry(null, session('running'))]));
    if (round === 20) all.push(pen.transact(() => Promise.resolve({ entries: [token(b, 'z')], result: 0 })));
    if (round % 10 === 0) await all.at(-1);
  }
  await Promise.all(all);
  await pen.append(...end(a, 'done'));
  // A refused end takes no place in the log.
  await expect(pen.append(...end(a, 'error'))).rejects.toBeInstanceOf(CancelWins);
  await pen.append(...end(b, 'done'));
  const log = await world.log(thread);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  for (const run of [a, b]) {
    const own = log.filter(({ runId }) => runId === run);
    expect(own.map(({ runSeq }) => runSeq)).toEqual(own.map((_, index) => index + 1));
  }
  expect(log.filter(({ runId }) => runId === null).every(({ runSeq }) => runSeq === null)).toBe(true);
});

test('L2 a committed event never changes: the table refuses UPDATE, DELETE and TRUNCATE', async () => {
  const thread = await world.thread();
  await openPen(world.writer(), thread).append([token(await world.run(thread), 'kept')]);
  const before = await world.log(thread);
  for (const sql of ["update events set data = '{}'", 'delete from events', 'truncate events']) {
    await expect(world.pool.query(sql)).rejects.toMatchObject({ code: 'CN002' });
  }
  expect(await world.log(thread)).toEqual(before);
});

test('L3 a former owner’s append collides, is undone, and tells it that the thread is lost', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  let told = 0;
  const old = openPen(world.writer(), thread, { onLost: () => (told += 1) });
  await old.append(...begin(run));
  const successor = openPen(world.writer(), thread, { attempt: 2, seq: 1, runSeqs: new Map([[run, 1]]) });
  await successor.append([token(run, 'mine now')]);
  await expect(old.append([token(run, 'stale')])).rejects.toBeInstanceOf(Lost);
  expect([told, old.lost]).toEqual([1, true]);
  // It has dropped the thread: what it still tries is refused at once.
  await expect(old.append([token(run, 'again')])).rejects.toBeInstanceOf(Lost);
  old.push(run, token(run, 'and again').event);
  await successor.append([token(run, 'and on')]);
  expect(
    (await world.log(thread)).map(({ attempt, data }) => [attempt, 'text' in data ? data.text : '']),
  ).toEqual([
    [1, ''],
    [2, 'mine now'],
    [2, 'and on'],
  ]);
});

test('L3 a former owner that says the same words is a former owner all the same', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const old = openPen(world.writer(), thread);
  await openPen(world.writer(), thread, { attempt: 2 }).append([token(run, 'same')]);
  await expect(old.append([token(run, 'same')])).rejects.toBeInstanceOf(Lost);
  expect(await rowsIn('events', thread)).toBe(1);
});

test('L3 a former owner’s transactional effect is undone with its event', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const old = openPen(world.writer(), thread);
  const successor = openPen(world.writer(), thread, { attempt: 2 });
  const late = old.transact(async (sql) => {
    await sql.query("insert into effects (kind, key, note) values ('stale', $1, '')", [run]);
    await successor.append([token(run, 'taken over meanwhile')]);
    return { entries: [token(run, 'stale')], result: 0 };
  });
  await expect(late).rejects.toBeInstanceOf(Lost);
  const { rowCount } = await world.pool.query('select from effects where key = $1', [run]);
  expect(rowCount).toBe(0);
  expect((await world.log(thread)).map(({ attempt }) => attempt)).toEqual([2]);
});

test('L4 nothing follows a run’s terminal state: a second end is refused, whole', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  await pen.append(...begin(run));
  await pen.append(...end(run, 'done'));
  for (const again of ['done', 'error', 'canceled'] as const) {
    await expect(pen.append(...end(run, again))).rejects.toBeInstanceOf(CancelWins);
  }
  expect((await world.log(thread)).map(({ type }) => type)).toEqual(['state', 'final', 'state']);
  expect(await status(run)).toBe('done');
});

test('L4 after an accepted cancel there is no final: only the canceled end is let in', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  await pen.append(...begin(run));
  await requestCancel(world, run);
  pen.push(run, token(run, 'said before the end').event);
  await expect(pen.append(...end(run, 'done'))).rejects.toBeInstanceOf(CancelWins);
  await pen.append(...end(run, 'canceled'));
  expect((await world.log(thread)).map(({ type }) => type)).toEqual(['state', 'token', 'canceled', 'state']);
  expect(await status(run)).toBe('canceled');
});

test('L5 nobody sees an event before its commit: not its writer, not a follower, not another pod', async () => {
  const seen: string[] = [];
  const followers = new Followers(world.pool, () => undefined);
  const writer = world.writer({
    publish: (rows) => {
      seen.push('published');
      followers.publish(rows);
    },
  });
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(writer, thread, { onCommit: () => seen.push('folded') });
  const follower = followers.follow(thread, 0, {
    write: () => {
      seen.push('sent');
      return true;
    },
    drained: () => Promise.resolve(),
  });
  const release = await holdTable(world.database, 'events', 'share row exclusive');
  const appended = pen.append([token(run, 'x')]).then(() => seen.push('acknowledged'));
  await waitedFor(world.database, 'events');
  followers.readNew(thread);
  expect(await rowsIn('events', thread)).toBe(0);
  expect(seen).toEqual([]);
  await release();
  await appended;
  await until('the notification has come', () => seen.includes('sent'));
  follower.stop();
  expect(seen.toSorted()).toEqual(['acknowledged', 'folded', 'published', 'sent']);
  expect(seen[0]).toBe('folded');
  const { rows } = await world.pool.query<{ synchronous_commit: string }>('show synchronous_commit');
  expect(rows[0]!.synchronous_commit).toBe('on');
});

test('L6 an event and the rows that it changed commit together', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  await pen.append(...begin(run));
  await pen.append(...says(run));
  const id = uuidv7();
  const [entries, changes] = end(run, 'done');
  const idles: Change = { kind: 'session', event: 2, id, state: 'idle', reason: 'done' };
  await pen.append([...entries, entry(null, session('idle', id))], [...changes, idles]);
  const together = async (table: string, key: string, value: string, seq: number) => {
    const sql = `select r.xmin::text = e.xmin::text as same from ${table} r, events e
      where r.${key} = $1 and e.thread_id = $2 and e.seq = $3`;
    return (await world.pool.query<{ same: boolean }>(sql, [value, thread, seq])).rows;
  };
  expect(await together('messages', 'seq', '2', 2)).toContainEqual({ same: true });
  expect(await together('runs', 'id', run, 4)).toEqual([{ same: true }]);
  expect(await together('sessions', 'id', id, 5)).toEqual([{ same: true }]);
});

test('L6 neither happens when a cancel wins', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  await pen.append(...begin(run));
  await requestCancel(world, run);
  const [entries, changes] = end(run, 'done');
  const ends: Change = { kind: 'session', event: 2, id: uuidv7(), state: 'idle', reason: 'done' };
  const tried = pen.append([...entries, entry(null, session('idle'))], [...changes, ends, ...says(run)[1]]);
  await expect(tried).rejects.toBeInstanceOf(CancelWins);
  expect([await status(run), await rowsIn('events', thread)]).toEqual(['running', 1]);
  expect([await rowsIn('sessions', thread), await rowsIn('messages', thread)]).toEqual([0, 1]);
});

test('L6 neither happens when the append collides', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const old = openPen(world.writer(), thread);
  await openPen(world.writer(), thread, { attempt: 2 }).append([token(run, 'x')]);
  await expect(old.append(...begin(run))).rejects.toBeInstanceOf(Lost);
  expect([await status(run), await rowsIn('events', thread)]).toEqual(['queued', 1]);
});

test('L6 neither happens when a change is refused', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  const [entries] = begin(run);
  const wrong: Change = { kind: 'session', event: 0, id: uuidv7(), state: 'asleep', reason: 'x' };
  await expect(pen.append(entries, [{ kind: 'start', event: 0, run }, wrong])).rejects.toMatchObject({
    code: '23514',
  });
  expect([await status(run), await rowsIn('events', thread)]).toEqual(['queued', 0]);
  expect(pen.lost).toBe(true);
});

function session(to: 'idle' | 'running', id: string = uuidv7()) {
  return { type: 'session', data: { session: id, from_state: null, to_state: to, reason: 'x' } } as const;
}

test('L4 what a model said before its run was refused to begin is dropped, and nothing else', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  await world.pool.query('update runs set status = $2 where id = $1', [run, 'canceled']);
  const pen = openPen(world.writer(), thread);
  const begun = pen.append(...begin(run));
  pen.push(run, token(run, 'too soon').event);
  await expect(begun).rejects.toBeInstanceOf(CancelWins);
  pen.push(run, token(run, 'too late').event);
  await pen.append([entry(null, { type: 'titled', data: { title: 'told' } })]);
  expect((await world.log(thread)).map(({ seq, type }) => ({ seq, type }))).toEqual([
    { seq: 1, type: 'titled' },
  ]);
});
