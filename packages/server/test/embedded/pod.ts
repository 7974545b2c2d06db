/**
 * A pod of its own process: opens the embedded database of the folder given,
 * says what came of it as one line of JSON, then obeys the lines it is sent.
 */
import { createInterface } from 'node:readline';
import { openEmbedded } from '../../src/db/embedded/index.ts';

const [home, binaries] = process.argv.slice(2);
if (!home) throw new Error('usage: pod.ts <home> [<binaries>]');

const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const complain = (error: unknown) =>
  say({ kind: 'failed', code: (error as { code?: string }).code, message: String(error) });

try {
  const began = performance.now();
  const database = await openEmbedded({ home, ...(binaries ? { binaries } : {}) });
  const { started, connection, url } = database;
  say({
    kind: 'opened',
    pid: process.pid,
    started,
    connection,
    url,
    ms: Math.round(performance.now() - began),
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const began = performance.now();
    try {
      if (line === 'ensure') await database.ensure();
      if (line === 'release') await database.release();
      say({ kind: 'done', ms: Math.round(performance.now() - began) });
    } catch (error) {
      complain(error);
    }
    if (line === 'release') break;
  }
} catch (error) {
  complain(error);
}
