// The connection breaks while something is being written: it happens once, or not at all.

import { expect, test } from 'vitest';
import { holdTable, until, waitedFor } from '../contract/support.ts';
import { openPen, token, useLog, type LogWorld } from './support.ts';

const world = useLog();
const texts = async (thread: string) =>
  (await world.log(thread)).map(({ data }) => ('text' in data ? data.text : ''));

/** Ends the connection that waits for a lock on the table. */
async function cut({ pool }: LogWorld, table: string): Promise<void> {
  await waitedFor(world.database, table);
  await pool.query(
    'select pg_terminate_backend(pid) from pg_locks where relation = $1::regclass and not granted',
    [table],
  );
}

test('an append whose connection is cut before its commit is written once, on a new one', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  const release = await holdTable(world.database, 'events', 'share row exclusive');
  const appended = pen.append([token(run, 'a'), token(run, 'b')]);
  await cut(world, 'events');
  await release();
  expect((await appended).map(({ seq }) => seq)).toEqual([1, 2]);
  await pen.append([token(run, 'c')]);
  expect(await texts(thread)).toEqual(['a', 'b', 'c']);
});

test('an append whose commit was not heard of is found in the log, and not written again', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  let breaks = 1;
  const writer = world.writer({
    faults: (point) => {
      if (point.endsWith('after.token') && breaks-- > 0) throw new Error('the connection broke');
    },
  });
  const pen = openPen(writer, thread);
  expect((await pen.append([token(run, 'a')])).map(({ seq }) => seq)).toEqual([1]);
  await pen.append([token(run, 'b')]);
  expect(await texts(thread)).toEqual(['a', 'b']);
  expect([breaks < 1, pen.lost]).toEqual([true, false]);
});

test('a thread that was taken while the connection was away is lost, not written to', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  const release = await holdTable(world.database, 'events', 'share row exclusive');
  const appended = pen.append([token(run, 'a')]);
  const refused = expect(appended).rejects.toMatchObject({ code: 'lost' });
  const taken = openPen(world.writer(), thread, { attempt: 2 });
  await waitedFor(world.database, 'events');
  const successor = taken.append([token(run, 'mine')]);
  await until(async () => {
    const { rowCount } = await world.pool.query(
      "select from pg_locks where relation = 'events'::regclass and not granted",
    );
    return rowCount === 2;
  });
  // The first in line is cut; the successor gets in before it is back.
  await world.pool.query(
    `select pg_terminate_backend(pid) from pg_locks where relation = 'events'::regclass and not granted
     order by waitstart limit 1`,
  );
  await release();
  await successor;
  await refused;
  expect(await texts(thread)).toEqual(['mine']);
});

test('a transaction that is cut is done again, whole, once', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  const release = await holdTable(world.database, 'effects', 'access exclusive');
  let tries = 0;
  const done = pen.transact(async (sql) => {
    tries += 1;
    await sql.query("insert into effects (kind, key, note) values ('cut', $1, '')", [run]);
    return { entries: [token(run, 'wrote')], result: 'result' };
  });
  const next = pen.append([token(run, 'next')]);
  await cut(world, 'effects');
  await release();
  expect(await done).toBe('result');
  await next;
  expect(tries).toBe(2);
  expect((await texts(thread)).toSorted()).toEqual(['next', 'wrote']);
  const { rowCount } = await world.pool.query('select from effects where key = $1', [run]);
  expect(rowCount).toBe(1);
});

test('a transaction waits for what was queued before it, and what comes later waits for it', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  for (const text of ['a', 'b']) pen.push(run, token(run, text).event);
  const later: Promise<unknown>[] = [];
  const done = pen.transact(() => {
    later.push(
      pen.append([token(run, 'd')]),
      pen.transact(() => Promise.resolve({ entries: [token(run, 'e')], result: 0 })),
    );
    return Promise.resolve({ entries: [token(run, 'c')], result: 0 });
  });
  await done;
  await Promise.all(later);
  expect((await texts(thread)).slice(0, 3)).toEqual(['a', 'b', 'c']);
  expect((await texts(thread)).slice(3).toSorted()).toEqual(['d', 'e']);
});

test('a transaction whose work throws leaves nothing, and the thread goes on', async () => {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(), thread);
  const failed = pen.transact(async (sql) => {
    await sql.query("insert into effects (kind, key, note) values ('thrown', $1, '')", [run]);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await pen.append([token(run, 'on')]);
  expect(await texts(thread)).toEqual(['on']);
  const { rowCount } = await world.pool.query('select from effects where key = $1', [run]);
  expect(rowCount).toBe(0);
});
