// Records, on real pods, the logs of those scenarios that have none yet: to record one anew, remove its log first.
// `CONTINUO_ORACLE=record npm test -- packages/server/test/oracle/record.test.ts`. Ids and times are those of the recording.

import { afterAll, beforeAll, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { readThreadEvents } from '../../src/log/statements.ts';
import { readLogs, writeExpected, writeLog } from './fixtures.ts';
import { HANDMADE } from './handmade.ts';
import { PROJECTIONS } from '../../src/replay/projections.ts';

const recording = process.env.CONTINUO_ORACLE === 'record';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  if (!recording) return;
  database = await freshDatabase();
  const settings = { connection: database.url, applicationName: 'oracle', leaseSeconds: 30 };
  pool = createPool(settings, () => undefined);
});
afterAll(async () => {
  if (!recording) return;
  await pool.end();
  await database.drop();
});

test.runIf(recording)(
  'scenarios without a log are recorded',
  async () => {
    // Only a recording needs the providers and servers of the scenarios.
    const { playScenarios } = await import('./scenarios.ts');
    const recorded = new Set(readLogs().map(({ name }) => name));
    const logs = HANDMADE.filter(({ name }) => !recorded.has(name));
    for (const { name, shows, thread } of await playScenarios(database, (each) => !recorded.has(each)))
      logs.push({ name, shows, events: await readThreadEvents(pool, thread, 0, 100_000) });
    for (const log of logs) {
      writeLog(log);
      for (const [projection, make] of Object.entries(PROJECTIONS))
        writeExpected(projection, log.name, make(log.events));
    }
  },
  600_000,
);
