// Failures of the database that a second try mends, and that no caller may see.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { connect, createPool, transaction, type Pool } from '../../src/db/pool.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await freshDatabase();
  pool = createPool(settings(), () => undefined);
  await database.pool.query('create table pair (id int primary key, n int not null)');
  await database.pool.query('insert into pair values (1, 0), (2, 0)');
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const settings = () => ({ connection: database.url, applicationName: 'continuo-pool', leaseSeconds: 30 });
const READ = { name: 'read_pair', text: 'select * from pair order by id limit 1' };

test('a prepared statement whose result a migration changed is prepared again, wherever it is sent', async () => {
  const connection = await connect(settings());
  const inTransaction = () => transaction(pool, async (client) => (await client.query(READ)).rows[0]);
  const alone = async () => (await pool.query(READ)).rows[0];
  const onItsOwn = async () => (await connection.query(READ)).rows[0];
  const each = [alone, inTransaction, onItsOwn];
  for (const read of each) expect(await read()).toEqual({ id: 1, n: 0 });
  for (const read of each) {
    await database.pool.query('alter table pair add column more text');
    expect(await read()).toEqual({ id: 1, n: 0, more: null });
    await database.pool.query('alter table pair drop column more');
    expect(await read()).toEqual({ id: 1, n: 0 });
  }
  await connection.end();
});

test('two transactions that wait for each other both succeed: the one that the database ended is done again', async () => {
  let meeting = 0;
  let met!: () => void;
  const both = new Promise<void>((resolve) => (met = resolve));
  let done = 0;
  const add = (first: number, second: number) =>
    transaction(pool, async (client) => {
      done += 1;
      await client.query('update pair set n = n + 1 where id = $1', [first]);
      meeting += 1;
      if (meeting === 2) met();
      await both;
      await client.query('update pair set n = n + 1 where id = $1', [second]);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  expect(done).toBeGreaterThanOrEqual(3);
  expect((await pool.query('select n from pair order by id')).rows).toEqual([{ n: 2 }, { n: 2 }]);
});

test('a statement by itself that meets a deadlock or a serialization failure is sent again', async () => {
  await database.pool.query(`
    create sequence tried;
    create function fails(p_state text) returns bigint language plpgsql as $$
    declare v_try bigint := nextval('tried');
    begin
      if v_try % 3 <> 0 then raise exception 'not this time' using errcode = p_state; end if;
      return v_try;
    end $$`);
  for (const [index, state] of ['40P01', '40001'].entries())
    expect((await pool.query('select fails($1)::int as tries', [state])).rows).toEqual([
      { tries: 3 * (index + 1) },
    ]);
  await expect(pool.query("select fails('22000')")).rejects.toMatchObject({ code: '22000' });
});
