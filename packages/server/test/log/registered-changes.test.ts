// A concept that the log does not know registers a row change: its SQL in a folder of its own, and its kind with the writer.

import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import type { ChangeKinds } from '../../src/log/changes.ts';
import { Lost } from '../../src/log/pen.ts';
import { readDefinitions } from '../../src/db/definitions.ts';
import { CONTEXT_CHANGES } from '../../src/context/manifest.ts';
import { EXECUTOR_CHANGES } from '../../src/executors/changes.ts';
import { PLAN_CHANGES } from '../../src/planning/changes.ts';
import { RUN_CHANGES } from '../../src/runs/changes.ts';
import { THREAD_CHANGES } from '../../src/threads/changes.ts';
import { sqlCopy } from '../db/sql-copy.ts';
import { openPen, token, useLog } from '../runs/support.ts';

const world = useLog();

type ReceiptChange = { kind: 'receipt'; event: number; item: string; amount: number; details?: unknown };

class SoldOut extends Error {}

const RECEIPT_CHANGES: ChangeKinds<ReceiptChange> = {
  receipt: { json: ['details'], freeText: ['item'], refusal: () => new SoldOut() },
};

const ON_APPEND_RECEIPT = `
create or replace function on_append_receipt(
  p_thread uuid, p_run uuid, p_seq integer, p_attempt integer, p_at timestamptz, p_item text, p_amount integer, p_details json
) returns boolean language plpgsql as $$
begin
  if p_amount > 100 then
    raise exception 'sold out' using errcode = 'CN001';
  end if;
  insert into receipts (thread_id, run_id, seq, attempt, at, item, amount, details)
    values (p_thread, p_run, p_seq, p_attempt, p_at, p_item, p_amount, p_details);
  return true;
end $$;
`;

const ON_PURGE_THREAD_RECEIPTS = `
create or replace function on_purge_thread_receipts(p_thread uuid) returns void language plpgsql as $$
begin
  delete from receipts where thread_id = p_thread;
end $$;
`;

/** Adds the concept `receipts` to the database of this file. */
async function addReceipts() {
  await world.pool.query(`create table if not exists receipts (
    thread_id uuid, run_id uuid, seq integer, attempt integer, at timestamptz, item text, amount integer check (amount > 0),
    details json)`);
  const sql = await sqlCopy();
  await sql.write('receipts/on_append_receipt.sql', ON_APPEND_RECEIPT);
  await sql.write('receipts/on_purge_thread_receipts.sql', ON_PURGE_THREAD_RECEIPTS);
  await migrate(world.settings, sql.url);
  return sql;
}

async function openReceiptPen() {
  await addReceipts();
  const thread = await world.thread();
  const run = await world.run(thread);
  const changes = { ...THREAD_CHANGES, ...CONTEXT_CHANGES, ...RUN_CHANGES, ...RECEIPT_CHANGES };
  return { thread, run, pen: openPen(world.writer({ changes }), thread, { attempt: 3 }) };
}

const receipts = async (thread: string) =>
  (
    await world.pool.query<Record<string, unknown>>(
      'select * from receipts where thread_id = $1 order by seq',
      [thread],
    )
  ).rows;
const sold = (event: number, item: string, amount: number, details?: unknown): ReceiptChange => ({
  kind: 'receipt',
  event,
  item,
  amount,
  details,
});

test('L6 the row of a change from another folder commits with its event, filled from the event and its own fields', async () => {
  const { thread, run, pen } = await openReceiptPen();
  const [, second] = await pen.append(
    [token(run, 'a'), token(run, 'b')],
    [sold(1, 'a\0b\ud800', 2, { note: 'c\0d\ud800' })],
  );
  expect(await receipts(thread)).toEqual([
    {
      thread_id: thread,
      run_id: run,
      seq: 2,
      attempt: 3,
      at: second!.at,
      item: 'a\ufffdb\ufffd',
      amount: 2,
      details: JSON.stringify({ note: 'c\0d\ud800' }),
    },
  ]);
  const { rows } = await world.pool.query<{ same: boolean }>(
    `select r.xmin::text = e.xmin::text as same from receipts r join events e on e.thread_id = r.thread_id and e.seq = r.seq
      where r.thread_id = $1`,
    [thread],
  );
  expect(rows).toEqual([{ same: true }]);
});

test('L6 changes of several threads and folders in one flush each get the values of their own event', async () => {
  await addReceipts();
  const writer = world.writer({
    changes: { ...THREAD_CHANGES, ...CONTEXT_CHANGES, ...RUN_CHANGES, ...RECEIPT_CHANGES },
  });
  const all = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const thread = await world.thread();
      return { thread, run: await world.run(thread), pen: openPen(writer, thread) };
    }),
  );
  await Promise.all(
    all.map(({ run, pen }, index) =>
      pen.append(
        [token(run, 'a'), token(run, 'b')],
        [{ kind: 'session', event: 0, id: uuidv7(), state: 'idle', reason: 'x' }, sold(1, 'x', index + 1)],
      ),
    ),
  );
  for (const [index, { thread, run }] of all.entries())
    expect(await receipts(thread)).toMatchObject([{ run_id: run, seq: 2, amount: index + 1 }]);
});

test('L6 a change that fails undoes its event, and the other rows of the append', async () => {
  const { thread, run, pen } = await openReceiptPen();
  await expect(pen.append([token(run, 'a')], [sold(0, 'ok', 1), sold(0, 'bad', -1)])).rejects.toMatchObject({
    code: '23514',
  });
  expect([await receipts(thread), await world.log(thread)]).toEqual([[], []]);
  expect(pen.lost).toBe(true);
});

test('L6 a change that its concept refuses is rejected with the concept’s error; the pen goes on', async () => {
  const { thread, run, pen } = await openReceiptPen();
  const refused = pen.append([token(run, 'a')], [sold(0, 'many', 101)]);
  const kept = pen.append([token(run, 'b')]);
  await expect(refused).rejects.toBeInstanceOf(SoldOut);
  await kept;
  await pen.append([token(run, 'c')], [sold(0, 'few', 1)]);
  expect(await receipts(thread)).toMatchObject([{ item: 'few', seq: 2 }]);
  expect((await world.log(thread)).map(({ seq }) => seq)).toEqual([1, 2]);
});

test('of several groups whose changes may be refused, only the refused one is rejected', async () => {
  const { thread, run, pen } = await openReceiptPen();
  const outcomes = await Promise.allSettled(
    [1, 101, 2].map((amount) => pen.append([token(run, `${amount}`)], [sold(0, 'x', amount)])),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await receipts(thread)).toMatchObject([
    { seq: 1, amount: 1 },
    { seq: 2, amount: 2 },
  ]);
});

test('L6 a former owner’s change is undone with its event', async () => {
  const { thread, run, pen } = await openReceiptPen();
  await openPen(world.writer(), thread, { attempt: 4 }).append([token(run, 'taken')]);
  await expect(pen.append([token(run, 'stale')], [sold(0, 'stale', 1)])).rejects.toBeInstanceOf(Lost);
  expect(await receipts(thread)).toEqual([]);
});

test('a change of a kind that nobody registered is refused before it is sent', async () => {
  const { thread, run, pen } = await openReceiptPen();
  await expect(pen.append([token(run, 'a')], [{ kind: 'gift', event: 0 }])).rejects.toMatchObject({
    code: 'not_writable',
    message: expect.stringContaining('gift'),
  });
  await pen.append([token(run, 'b')]);
  expect(await world.log(thread)).toHaveLength(1);
});

test('a purge of a thread deletes the rows of every folder that registered for it', async () => {
  const { thread, run, pen } = await openReceiptPen();
  await pen.append([token(run, 'a')], [sold(0, 'x', 1)]);
  await world.pool.query('select purge_thread($1)', [thread]);
  expect([await receipts(thread), await world.log(thread)]).toEqual([[], []]);
});

test('the registered kinds are those that have a function in the SQL', async () => {
  const definitions = await readDefinitions(new URL('../../sql/', import.meta.url));
  const functions = definitions.flatMap(({ name }) => /^function on_append_(\w+)$/.exec(name)?.[1] ?? []);
  expect(
    Object.keys({
      ...THREAD_CHANGES,
      ...CONTEXT_CHANGES,
      ...RUN_CHANGES,
      ...PLAN_CHANGES,
      ...EXECUTOR_CHANGES,
    }).toSorted(),
  ).toEqual(functions.toSorted());
});
