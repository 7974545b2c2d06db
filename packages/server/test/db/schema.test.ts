// sql/schema.sql is what a migrated database holds. `npm run generate` writes it anew.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { migrate } from '../../src/db/migrate.ts';
import { printCatalogue } from './catalogue.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await emptyDatabase();
  await migrate({ connection: database.url, applicationName: 'continuo-schema', leaseSeconds: 5 });
});

afterAll(() => database.drop());

test('sql/schema.sql is the catalogue of a migrated database', async () => {
  await expect(await printCatalogue(database.pool)).toMatchFileSnapshot('../../sql/schema.sql');
});
