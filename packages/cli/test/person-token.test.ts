// The command finds the person's token in the home, and sends it only to servers on this machine.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo } from './support.ts';

const TOKEN = 'a-person-of-the-tests-0123456789-0123456789';
const world = usePod({ CONTINUO_PERSON_TOKEN: TOKEN, CONTINUO_MODEL: 'offline/script' });
const home = mkdtempSync(join(tmpdir(), 'continuo-home-'));
const empty = mkdtempSync(join(tmpdir(), 'continuo-home-'));
writeFileSync(join(home, 'person-token'), `${TOKEN}\n`);
afterAll(() => [home, empty].forEach((folder) => rmSync(folder, { recursive: true })));
const env = (CONTINUO_HOME: string) => ({
  CONTINUO_URL: world.url,
  CONTINUO_HOME,
  CONTINUO_PERSON_TOKEN: '',
});

test('a decision uses the token of the home; without it the command says what to do', async () => {
  await world.database.pool.query('update workspaces set policy = null');
  const base = `${world.url}/api/v1/workspaces/default`;
  await ask('PUT', `${base}/files/old.md`, 'Old.');
  const goal = JSON.stringify({ steps: [{ calls: [{ tool: 'remove', input: { path: '/old.md' } }] }] });
  await ask('POST', `${base}/chats`, { goal });
  const { id } = await until(
    'a call waits for its approval',
    async () => (await ask('GET', `${base}/approvals`)).body.items[0] as { id: string } | undefined,
  );
  const refused = await continuo(['approve', id], { env: env(empty) });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('CONTINUO_PERSON_TOKEN') });
  expect(await continuo(['approve', id], { env: env(home) })).toMatchObject({ code: 0 });
});

test('`continuo open` prints the link; without a token it exits with 4', async () => {
  expect(await continuo(['open'], { env: env(home) })).toMatchObject({
    code: 0,
    stdout: `${world.url}/#token=${TOKEN}\n`,
  });
  expect(await continuo(['open'], { env: env(empty) })).toMatchObject({ code: 4, stdout: '' });
});

test('the token of the home is not sent to other machines', async () => {
  const seen: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{}');
  });
  await new Promise<void>((resolve) => proxy.listen(0, resolve));
  const { port } = proxy.address() as AddressInfo;
  for (const host of ['127.0.0.1', '0.0.0.0'])
    await continuo(['runs'], { env: { ...env(home), CONTINUO_URL: `http://${host}:${port}` } });
  proxy.close();
  expect(seen).toEqual([`Bearer ${TOKEN}`, undefined]);
});
