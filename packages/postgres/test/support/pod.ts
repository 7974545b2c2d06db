/**
 * A pod in a process of its own. Obeys the lines it is sent (open, ensure, release)
 * and answers each with one line of JSON. Arguments: the home folder and, optionally,
 * the folder of the Postgres programs.
 */
import { createInterface } from 'node:readline';
import { type EmbeddedDatabase, EmbeddedDatabaseError, openEmbedded } from '../../src/index.ts';

const [home = '', binaries] = process.argv.slice(2);
let database: EmbeddedDatabase | undefined;

async function obey(command: string): Promise<object> {
  switch (command) {
    case 'open':
      database = await openEmbedded({ home, ...(binaries ? { binaries } : {}) });
      return { started: database.started, connection: database.connection, url: database.url };
    case 'ensure':
      await database?.ensure();
      return {};
    case 'release':
      await database?.release();
      return {};
    default:
      throw new Error(`unknown command ${command}`);
  }
}

function describe(error: unknown): object {
  return { code: error instanceof EmbeddedDatabaseError ? error.code : 'unexpected', message: String(error) };
}

for await (const command of createInterface({ input: process.stdin })) {
  const began = performance.now();
  const answer = await obey(command).catch(describe);
  process.stdout.write(`${JSON.stringify({ ...answer, ms: Math.round(performance.now() - began) })}\n`);
}
