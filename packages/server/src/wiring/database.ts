// The database: the embedded one unless the settings name another, migrated, with its pool.

import { openEmbedded, type EmbeddedDatabase } from '@continuo/postgres';
import { assertMigrated, migrate } from '../db/migrate.ts';
import { createPool, type DatabaseSettings, type Pool } from '../db/pool.ts';
import { Storage } from '../db/storage.ts';
import type { ServerOptions } from './options.ts';

export interface Database {
  readonly pool: Pool;
  readonly settings: DatabaseSettings;
  /** For connections that hold locks and listen: not through a pooler. */
  readonly direct: DatabaseSettings;
  readonly embedded: EmbeddedDatabase | null;
  readonly storage: Storage;
  readonly onError: (error: Error) => void;
}

export async function wireDatabase({ config, log }: ServerOptions): Promise<Database> {
  const embedded =
    config.databaseUrl === undefined
      ? await openEmbedded({ home: config.home, log: (line) => log.debug(line) })
      : null;
  const settingsFor = (url: string | undefined): DatabaseSettings => ({
    connection: url ?? embedded!.connection,
    applicationName: 'continuo',
    leaseSeconds: config.leaseSeconds,
    onStorageFull: () => storage.refused(),
  });
  const settings = settingsFor(config.databaseUrl);
  const direct = settingsFor(config.directUrl);
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection failed');
  const pool = createPool(settings, onError);
  const storage: Storage = new Storage(pool, {
    home: config.home,
    isDatabaseInHome: embedded !== null,
    onChange: (state) => {
      if (state === 'full') log.warn('the disk is full; runs wait until there is space');
      else log.info('the disk has space again');
    },
  });
  if (config.migrate) await migrate(direct, undefined, (sentence) => log.warn(sentence));
  else await assertMigrated(direct);
  return { pool, settings, direct, embedded, storage, onError };
}
