// The bus on a real Postgres: two pods, each with its own bus and its own listening connection.

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { defineTopic, noFields, oneField, type Topic } from '../../src/bus/bus.ts';
import { notifySql, PostgresBus } from '../../src/bus/postgres.ts';
import { connect, createPool, transaction, type Connection, type Pool } from '../../src/db/pool.ts';

const NOTED = defineTopic('test.noted', oneField('note'));
const OTHER = defineTopic('test.other', noFields);

let database: TestDatabase;
let pool: Pool;
const settings = () => ({ connection: database.url, applicationName: 'bus', leaseSeconds: 5 });

beforeAll(async () => {
  database = await freshDatabase();
  pool = createPool(settings(), () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface TestBus {
  readonly bus: PostgresBus;
  readonly errors: string[];
  readonly connection: Connection;
  /** What a subscriber of NOTED heard: the notes, each with where it came from, and `rescan`. */
  readonly heard: string[];
  /** Resolves when the subscriber has heard so many. */
  hears(count: number): Promise<readonly string[]>;
}

/** A pod's bus that listens. */
async function openBus({ alone = () => false }: { alone?: () => boolean } = {}): Promise<TestBus> {
  const errors: string[] = [];
  const bus = new PostgresBus({ pool, alone, onError: (error) => errors.push(error.message) });
  const connection = await connect(settings());
  onTestFinished(() => connection.end());
  await bus.listenOn(connection);
  const heard: string[] = [];
  let wake = () => undefined as void;
  bus.subscribe(NOTED, {
    message: ({ note }, origin) => {
      heard.push(`${note} ${origin}`);
      wake();
    },
    rescan: () => {
      heard.push('rescan');
      wake();
    },
  });
  const hears = async (count: number) => {
    while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return heard;
  };
  return { bus, errors, connection, heard, hears };
}

test('subscribers on the publishing pod hear a message at once, and those on another pod through the database', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const told = here.bus.publish(NOTED, { note: 'a' });
  expect(here.heard).toEqual(['a here']);
  await told;
  expect(await there.hears(1)).toEqual(['a elsewhere']);
  await there.bus.publish(NOTED, { note: 'b' });
  expect(await here.hears(2)).toEqual(['a here', 'b elsewhere']);
});

test('messages reach another pod in the order in which they were published', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const notes = Array.from({ length: 300 }, (_, index) => String(index));
  for (const note of notes) void here.bus.tellOthers(NOTED, { note });
  expect(await there.hears(notes.length)).toEqual(notes.map((note) => `${note} elsewhere`));
  expect(here.heard).toEqual([]);
});

test('a message that is published in a transaction is heard if and when that commits', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const undone = transaction(pool, async (client) => {
    await here.bus.publishIn(client, NOTED, { note: 'undone' });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const deliver = await transaction(pool, async (client) => {
    const announced = await here.bus.publishIn(client, NOTED, { note: 'done' });
    // What another pod hears after this was sent after this.
    await here.bus.tellOthers(NOTED, { note: 'before the commit' });
    return announced;
  });
  expect(here.heard).toEqual([]);
  deliver();
  expect(here.heard).toEqual(['done here']);
  expect(await there.hears(2)).toEqual(['before the commit elsewhere', 'done elsewhere']);
});

test('a payload that rides on another statement is heard as the message that it is', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const payload = here.bus.payload(NOTED, { note: 'ridden' });
  await pool.query(`select 1, ${notifySql('$1::text')}`, [payload]);
  expect(await there.hears(1)).toEqual(['ridden elsewhere']);
});

test('a message of any text arrives as it is; one that is too long for Postgres arrives as a rescan', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const notes = ['', ' ', '*', 'two words', 'ä\n', 'x'.repeat(7900)];
  for (const note of [...notes, 'x'.repeat(8000), 'ä'.repeat(4000), 'after'])
    void here.bus.tellOthers(NOTED, { note });
  const heard = await there.hears(notes.length + 2);
  // The two rescans are the same message, sent at the same time, and so become one.
  expect(heard).toEqual([...notes.map((note) => `${note} elsewhere`), 'rescan', 'after elsewhere']);
  expect(here.errors).toEqual([]);
});

test('a pod that is alone sends nothing, and its own subscribers hear everything', async () => {
  const [here, there] = [await openBus({ alone: () => true }), await openBus()];
  await here.bus.publish(NOTED, { note: 'alone' });
  expect(here.bus.payload(NOTED, { note: 'alone' })).toBeNull();
  expect(here.heard).toEqual(['alone here']);
  await there.bus.publish(NOTED, { note: 'after' });
  expect(await here.hears(2)).toEqual(['alone here', 'after elsewhere']);
  expect(there.heard).toEqual(['after here']);
});

test('after its connection was replaced, every subscriber rescans', async () => {
  const [here, there] = [await openBus(), await openBus()];
  let others = 0;
  there.bus.subscribe(OTHER, { message: () => undefined, rescan: () => void (others += 1) });
  const cut = new Promise((resolve) => there.connection.once('end', resolve));
  const { rows } = await there.connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  await cut;
  await here.bus.publish(NOTED, { note: 'lost' });
  const connection = await connect(settings());
  onTestFinished(() => connection.end());
  await there.bus.listenOn(connection);
  there.bus.rescan();
  expect([there.heard, others]).toEqual([['rescan'], 1]);
  await here.bus.publish(NOTED, { note: 'heard again' });
  expect(await there.hears(2)).toEqual(['rescan', 'heard again elsewhere']);
});

test('a subscriber that throws is reported, and the others hear the message all the same', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const heard: string[] = [];
  const fail = () => {
    throw new Error('broken');
  };
  here.bus.subscribe(OTHER, { message: fail, rescan: fail });
  there.bus.subscribe(OTHER, { message: fail, rescan: fail });
  for (const { bus } of [here, there])
    bus.subscribe(OTHER, {
      message: (_, origin) => void heard.push(origin),
      rescan: () => void heard.push('rescan'),
    });
  await here.bus.publish(OTHER, null);
  here.bus.rescan();
  await here.bus.publish(NOTED, { note: 'last' });
  await there.hears(1);
  expect(heard.toSorted()).toEqual(['elsewhere', 'here', 'rescan']);
  expect([here.errors, there.errors]).toEqual([['broken', 'broken'], ['broken']]);
});

test('a message that cannot be sent is reported; the change that it announces stands', async () => {
  const errors: string[] = [];
  const away = { query: () => Promise.reject(new Error('the database is away')) } as unknown as Pool;
  const bus = new PostgresBus({
    pool: away,
    alone: () => false,
    onError: ({ message }) => errors.push(message),
  });
  await bus.publish(OTHER, null);
  expect(errors).toEqual(['the database is away']);
});

test('a subscriber that left hears nothing more', async () => {
  const { bus } = await openBus();
  let heard = 0;
  const leave = bus.subscribe(OTHER, { message: () => void (heard += 1), rescan: () => undefined });
  await bus.publish(OTHER, null);
  leave();
  await bus.publish(OTHER, null);
  expect(heard).toBe(1);
});

test('a notification of an unknown topic, or of no form, is ignored', async () => {
  const [here, there] = [await openBus(), await openBus()];
  const unknown: Topic<null> = defineTopic('test.newer', noFields);
  await here.bus.publish(unknown, null);
  for (const payload of ['', 'x', 'x y', 'x  '])
    await pool.query(`select ${notifySql('$1::text')}`, [payload]);
  await here.bus.publish(NOTED, { note: 'known' });
  expect(await there.hears(1)).toEqual(['known elsewhere']);
  expect(there.errors).toEqual([]);
});

test('no two topics have the same name, and a name says whose it is', async () => {
  const { bus } = await openBus();
  const twin = defineTopic('test.noted', noFields);
  expect(() => bus.subscribe(twin, { message: () => undefined, rescan: () => undefined })).toThrow(
    'two topics are named test.noted',
  );
  expect(() => defineTopic('noted', noFields)).toThrow('topic noted');
});

test('only the bus listens and notifies', () => {
  const server = new URL('../../', import.meta.url);
  const files = ['src', 'sql'].flatMap((folder) =>
    readdirSync(new URL(folder, server), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|sql)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  expect(files.length).toBeGreaterThan(200);
  const speaking = files.filter((name) =>
    /pg_notify|\bnotify continuo|[`'"](un)?listen [a-z"$]|on\('notification'/i.test(
      readFileSync(new URL(name, server), 'utf8'),
    ),
  );
  expect(speaking).toEqual(['src/bus/postgres.ts']);
});
