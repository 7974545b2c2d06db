// The commands of the README do what it says, without a language model and without `jq`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, temporaryFolder, usePod } from '@continuo/testkit/fixtures';
import { BIN, environment, start } from './support.ts';

const world = usePod({ CONTINUO_MODEL: 'offline/demo' });
const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

/** The commands of the first part, up to the images; the pod stands for `npm start`. */
const LINES = [...README.slice(0, README.indexOf('It works without a key')).matchAll(/```sh\n([^]*?)```/g)]
  .flatMap(([, block]) => block!.trim().split('\n'))
  .filter((line) => line !== 'npm start');

function paste(line: string): Promise<{ code: number | null; output: string }> {
  const command = line
    .replace(/^npx continuo /, `'${process.execPath}' '${BIN}' `)
    .replaceAll('http://127.0.0.1:4400', world.url);
  const child = spawn('sh', ['-c', command], {
    env: environment({ CONTINUO_URL: world.url, NO_COLOR: '1' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

test('README: the first commands work as written, offline', async () => {
  expect(LINES.join('\n')).not.toMatch(/\bjq\b|\$/);
  const [hello, count, tail, stop, http, ...rest] = LINES as [string, string, string, string, string];
  expect(rest).toEqual([]);
  expect(await paste(hello)).toMatchObject({ code: 0, output: expect.stringContaining('offline stand-in') });
  expect((await paste(count)).code).toBe(0);
  const watching = paste(tail);
  expect(await paste(stop)).toMatchObject({ code: 0, output: expect.stringContaining('cancel') });
  expect((await watching).code).toBe(1);
  const { code, output } = await paste(http);
  expect(code).toBe(0);
  const said = [...output.matchAll(/^data: (\{"text":.*\})$/gm)].map(
    ([, data]) => (JSON.parse(data!) as { text: string }).text,
  );
  expect(said.join('')).toContain('1, 2, 3, 4, 5, 6, 7, 8, 9, 10.');
});

test('the addresses in the banner respond', async () => {
  for (const path of ['/', '/api', '/docs'])
    expect((await fetch(world.url + path, { headers: { accept: 'text/html' } })).status).toBe(200);
});

test('PLUS-6 the banner of a worker names the address of its probe, and nothing that it does not serve', async () => {
  const database = await emptyDatabase();
  const home = temporaryFolder();
  const env = { DATABASE_URL: database.url, CONTINUO_HOME: home, CONTINUO_LOG_LEVEL: 'warn' };
  const { child, ended } = start(['worker', '--port', '0'], { env });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
  });
  const banner = String((await once(child.stdout, 'data'))[0]);
  const addresses = banner.match(/http:\S+/g) ?? [];
  expect(addresses).toEqual([expect.stringMatching(/\/readyz$/)]);
  expect((await fetch(addresses[0]!)).status).toBe(200);
});
