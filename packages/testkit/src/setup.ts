// What the whole test run shares: one Postgres, with a migrated template database that every test file clones, and the
// programs that tests start as processes, bundled.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openEmbedded } from '@continuo/postgres';
import pg from 'pg';
import { build } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { migrate } from '@continuo/server/upkeep';
import type {} from './fixtures/provided.ts';

const TEMPLATE = `continuo_template_${process.pid}`;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'continuo-test-'));
  const embedded = process.env.DATABASE_URL ? null : await openEmbedded({ home, durable: false });
  const serverUrl = process.env.DATABASE_URL ?? embedded!.url;
  const admin = new pg.Client(serverUrl);
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);

  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrate({ connection: url.href, applicationName: 'continuo-test', leaseSeconds: 5 });
  project.provide('templateUrl', url.href);

  const podScript = join(home, 'programs/pod.mjs');
  const mirrorScript = join(home, 'programs/mirror.mjs');
  const workerScript = join(home, 'programs/worker.mjs');
  const bundleAll = async () => {
    await bundle('pod', podScript);
    await bundle('mirror', mirrorScript);
    await bundle('worker', workerScript);
  };
  await bundleAll();
  project.provide('podScript', podScript);
  project.provide('mirrorScript', mirrorScript);
  project.provide('workerScript', workerScript);
  project.onTestsRerun(bundleAll);

  return async () => {
    await admin.query(`drop database ${TEMPLATE} with (force)`);
    await admin.end();
    await embedded?.release();
    await rm(home, { recursive: true, force: true });
  };
}

/** Hundreds of pods are started; from one file that takes half the time of seven hundred. */
async function bundle(program: 'pod' | 'mirror' | 'worker', file: string): Promise<void> {
  await build({
    input: fileURLToPath(new URL(`./programs/${program}.ts`, import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'files are found from where their source is',
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
    output: { file, format: 'esm', codeSplitting: false },
  });
}
