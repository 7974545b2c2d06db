// A copy of the SQL that a test may change, as a newer version or another concept would have changed it.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

/** Deleted with the test that made it. Paths are below sql/functions/. */
export async function sqlCopy() {
  const folder = await mkdtemp(join(tmpdir(), 'continuo-sql-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(new URL('../../sql/', import.meta.url), folder, { recursive: true });
  const file = (path: string) => join(folder, 'functions', path);
  return {
    url: pathToFileURL(`${folder}/`),
    write: async (path: string, text: string) => {
      await mkdir(dirname(file(path)), { recursive: true });
      await writeFile(file(path), text);
    },
    edit: async (path: string, change: (text: string) => string) =>
      writeFile(file(path), change(await readFile(file(path), 'utf8'))),
    remove: (path: string) => rm(file(path)),
    /** As it was before a migration, without any function. */
    before: async (migration: string) => {
      await rm(join(folder, 'functions'), { recursive: true });
      await mkdir(join(folder, 'functions'));
      for (const name of await readdir(join(folder, 'migrations')))
        if (name >= migration) await rm(join(folder, 'migrations', name));
    },
  };
}
