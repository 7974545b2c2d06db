// One Postgres for the whole test run, and a migrated template database that every test file clones.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../src/db/embedded/index.ts';
import { migrate } from '../src/db/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A connection string; its database is the migrated template. */
    templateUrl: string;
  }
}

const TEMPLATE = `continuo_template_${process.pid}`;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'continuo-test-'));
  const embedded = process.env.DATABASE_URL ? null : await openEmbedded({ home });
  const serverUrl = process.env.DATABASE_URL ?? embedded!.url;
  const admin = new pg.Client(serverUrl);
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);

  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrate({ connection: url.href, applicationName: 'continuo-test', leaseSeconds: 5 });
  project.provide('templateUrl', url.href);

  return async () => {
    await admin.query(`drop database ${TEMPLATE} with (force)`);
    await admin.end();
    await embedded?.release();
    await rm(home, { recursive: true, force: true });
  };
}
