// The server's own database goes away when the disk is full: callers are told about the disk.

import { OpenAPIHono } from '@hono/zod-openapi';
import pino from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createPool } from '../../src/db/pool.ts';
import { databaseState } from '../../src/db/state.ts';
import { Storage } from '../../src/db/storage.ts';
import type { App, HttpContext } from '../../src/http/app.ts';
import { healthRoutes } from '../../src/http/routes/health.ts';
import { errorHandler } from '../../src/http/kernel/problem.ts';

const MIB = 1024 * 1024;
// Nobody listens there.
const connection = 'postgres://nobody@127.0.0.1:1/none';
const pool = createPool({ connection, applicationName: 'test', leaseSeconds: 5 }, () => undefined);
afterAll(() => pool.end());

async function answers(isDatabaseInHome: boolean, bytesFree: () => Promise<number>) {
  const changes: string[] = [];
  const storage = new Storage(pool, {
    home: '/home',
    isDatabaseInHome,
    onChange: (state) => changes.push(state),
    bytesFree,
  });
  const app: App = new OpenAPIHono();
  app.onError(errorHandler(pino({ enabled: false }), storage));
  app.post('/write', async (c) => c.json((await pool.query('select 1')).rows));
  const workspaces = { mirrors: { problem: () => null } };
  healthRoutes(app, {
    databaseState: () => databaseState(pool),
    storage,
    pod: { state: 'registered' },
    workspaces,
  } as unknown as HttpContext);
  const write = await app.request('/write', { method: 'POST' });
  const ready = await app.request('/readyz');
  const { code } = (await write.json()) as { code: string };
  const { storage: room, database } = (await ready.json()) as { storage: string; database: string };
  return { write: [write.status, code], ready: [ready.status, database, room], changes };
}

test('a database in the home that is away while its disk is full is 503 storage_full, and /readyz says so', async () => {
  expect(await answers(true, () => Promise.resolve(MIB / 2))).toEqual({
    write: [503, 'storage_full'],
    ready: [503, 'unreachable', 'full'],
    changes: ['full'],
  });
});

test.each([
  ['in the home, with room', true, () => Promise.resolve(16 * MIB)],
  ['in the home, whose disk cannot be asked', true, () => Promise.reject(new Error('EIO'))],
  ['elsewhere, whatever room the home has', false, () => Promise.resolve(0)],
])('a database that is away, %s, is only unavailable', async (_where, isDatabaseInHome, bytesFree) => {
  expect(await answers(isDatabaseInHome, bytesFree)).toEqual({
    write: [503, 'database_unavailable'],
    ready: [503, 'unreachable', 'unknown'],
    changes: [],
  });
});
