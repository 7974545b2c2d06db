// The connection breaks while something is being written: it happens once, or not at all.

import { expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { holdTable, waitedFor } from '@continuo/testkit/fixtures';
import { openPen, token, useLog, type LogWorld } from '../runs/support.ts';

const world = useLog();
const texts = async (thread: string) =>
  (await world.log(thread)).map(({ data }) => ('text' in data ? data.text : ''));

/** Ends the connection that waits for a lock on the table. */
async function cut({ pool }: LogWorld, table: string): Promise<void> {
  await waitedFor(world.database, table);
  await pool.query(
    'select pg_terminate_backend(pid) from pg_locks where database = (select oid from pg_database where datname = current_database()) and relation = $1::regclass and not granted',
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
  await until('two appends wait for the lock', async () => {
    const { rowCount } = await world.pool.query(
      "select from pg_locks where database = (select oid from pg_database where datname = current_database()) and relation = 'events'::regclass and not granted",
    );
    return rowCount === 2;
  });
  // The first in line is cut; the successor gets in before it is back.
  const { rows } = await world.pool.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_locks where database = (select oid from pg_database where datname = current_database()) and relation = 'events'::regclass and not granted
     order by waitstart limit 1`,
  );
  await until('the first in line is gone', async () => {
    const found = await world.pool.query('select from pg_stat_activity where pid = $1', [rows[0]!.pid]);
    return found.rowCount === 0;
  });
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

test('L1 a commit that lands long after its connection broke is counted once, and what came after it follows', async () => {
  // Commits of the marked row wait until the gate is gone; nobody tells a server that its client is.
  await world.pool.query(`
    create table gate (); insert into gate default values;
    create function wait_at_gate() returns trigger language plpgsql as $$
      begin
        while exists (select from gate) loop perform pg_sleep(0.01); end loop;
        return null;
      end $$;
    create constraint trigger slow_commit after insert on events deferrable initially deferred for each row
      when (new.data::text like '%slow commit%') execute function wait_at_gate()`);
  const active = async (condition: string) =>
    (
      await world.pool.query(
        `select from pg_stat_activity where datname = current_database() and query like '%insert into events%'
          and pid <> pg_backend_pid() and ${condition}`,
      )
    ).rowCount!;

  const writer = world.writer();
  const thread = await world.thread();
  const pen = openPen(writer, thread);
  const first = pen.append([token(thread, 'slow commit')]);
  await until('the commit sleeps at its gate', async () => (await active("wait_event = 'PgSleep'")) === 1);
  writer.abandonConnection();
  const later = [pen.append([token(thread, 'two')]), pen.append([token(thread, 'three')])];
  // Another try waits for the first one's transaction, is told not to wait, and comes back.
  await until(
    'the second append waits for the first',
    async () => (await active("wait_event_type = 'Lock'")) === 1,
  );
  await until('the second append has its lock', async () => (await active("wait_event_type = 'Lock'")) === 0);
  await until(
    'the third append waits for the second',
    async () => (await active("wait_event_type = 'Lock'")) === 1,
  );
  await world.pool.query('delete from gate');
  await Promise.all([first, ...later]);
  expect((await world.log(thread)).map(({ seq, json }) => [seq, json])).toEqual([
    [1, '{"text":"slow commit","message":"m1"}'],
    [2, '{"text":"two","message":"m1"}'],
    [3, '{"text":"three","message":"m1"}'],
  ]);
});
