// Uploads over the limit: every client gets the answer, also one that sends everything before reading anything, and one
// who never stops does not keep the connection.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { temporaryFolder, usePod } from '@continuo/testkit/fixtures';
import { DISCARDED, whileDiscarding, type Bounds } from '../../src/http/kernel/drain-body.ts';
import { newSpace } from './support.ts';

const LIMIT = 1024 * 1024;
const world = usePod({ CONTINUO_MAX_FILE_BYTES: String(LIMIT) });
const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x');
/** More than sockets hold, and within what is thrown away. */
const MEBIBYTES = 40;

const FRAMINGS = ['announced', 'chunked'] as const;
type Framing = (typeof FRAMINGS)[number];

/** A socket that has begun to upload, and all that it is answered. */
function uploading(
  url: string,
  framing: Framing,
  mebibytes = MEBIBYTES,
): { socket: Socket; closed: Promise<string> } {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const length =
    framing === 'announced' ? `content-length: ${mebibytes * MEBIBYTE.length}` : 'transfer-encoding: chunked';
  socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${length}\r\n\r\n`);
  let answer = '';
  socket.on('data', (data) => (answer += data.toString()));
  const closed = new Promise<string>((resolve, reject) => {
    socket.once('error', reject).once('close', () => resolve(answer));
  });
  closed.catch(() => undefined);
  return { socket, closed };
}

async function sendOne(socket: Socket, framing: Framing): Promise<void> {
  const piece =
    framing === 'announced'
      ? MEBIBYTE
      : Buffer.concat([Buffer.from(`${MEBIBYTE.length.toString(16)}\r\n`), MEBIBYTE, Buffer.from('\r\n')]);
  await new Promise<void>((resolve, reject) => {
    socket.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

test.each(FRAMINGS)('an upload over the limit is 413 to fetch, %s', async (framing) => {
  const space = await newSpace(world.url);
  const parts = Array.from({ length: MEBIBYTES }, () => MEBIBYTE);
  for (let tries = 0; tries < 5; tries += 1) {
    const body = framing === 'announced' ? new Blob(parts) : new Blob(parts).stream();
    const response = await fetch(`${space.url}/files/big`, { method: 'PUT', body, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'file_too_large', limit: LIMIT });
  }
  expect((await ask('GET', `${space.url}/tree`)).body.items).toEqual([]);
});

test.skipIf(spawnSync('curl', ['--version']).status !== 0).each(FRAMINGS)(
  'an upload over the limit is 413 to curl, %s',
  async (framing) => {
    const space = await newSpace(world.url);
    const headers = framing === 'announced' ? [] : ['--header', 'transfer-encoding: chunked'];
    const folder = temporaryFolder('curl');
    const file = join(folder, 'big');
    writeFileSync(file, Buffer.alloc(MEBIBYTES * MEBIBYTE.length));
    const curl = spawn('curl', ['-sS', ...headers, '--upload-file', file, `${space.url}/files/big`]);
    const [answer, complaint, [code]] = await Promise.all([
      text(curl.stdout),
      text(curl.stderr),
      once(curl, 'close'),
    ]);
    expect({ complaint, code }).toEqual({ complaint: '', code: 0 });
    expect(JSON.parse(answer)).toMatchObject({ status: 413, code: 'file_too_large' });
  },
);

test.each(FRAMINGS)(
  'an upload over the limit is 413 to a client that reads only after sending everything, %s; then the connection is closed',
  async (framing) => {
    const space = await newSpace(world.url);
    const { socket, closed } = uploading(`${space.url}/files/big`, framing);
    socket.pause();
    for (let sent = 0; sent < MEBIBYTES; sent += 1) await sendOne(socket, framing);
    if (framing === 'chunked') socket.write('0\r\n\r\n');
    socket.resume();
    const answer = await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: 'file_too_large' });
  },
);

test.each(FRAMINGS)('who never stops sending has the answer at once, and is cut off, %s', async (framing) => {
  const space = await newSpace(world.url);
  const { socket, closed } = uploading(`${space.url}/files/big`, framing, 1_000_000);
  let sent = 0;
  const sending = async () => {
    for (;;) {
      await sendOne(socket, framing);
      sent += MEBIBYTE.length;
    }
  };
  const cut = expect(sending()).rejects.toMatchObject({
    code: expect.stringMatching(/^(EPIPE|ECONNRESET|ERR_STREAM_DESTROYED)$/),
  });
  expect((await once(socket, 'data')).toString()).toMatch(/^HTTP\/1\.1 413 /);
  await cut;
  await closed.catch(() => undefined);
  // In-flight bytes are in buffers of both ends.
  expect(sent).toBeLessThan(DISCARDED.bytes + 2 * LIMIT + 32 * 1024 * 1024);
  expect((await ask('GET', `${space.url}/tree`)).body.items).toEqual([]);
});

test.each([
  ['says nothing more', { silentMs: 50, totalMs: 2 ** 30 }],
  ['sends a byte now and then', { silentMs: 2 ** 30, totalMs: 50 }],
])('who %s is cut off, with the answer', async (how, times) => {
  const bounds: Bounds = { bytes: 1024, ...times };
  const respond = getRequestListener(
    (_request, env) =>
      whileDiscarding(new Response('no', { status: 413 }), (env as HttpBindings).incoming, bounds),
    { overrideGlobalObjects: false },
  );
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { socket, closed } = uploading(`http://127.0.0.1:${port}/`, 'announced');
  socket.write('x');
  if (how.startsWith('sends')) socket.on('data', () => socket.write('x'));
  expect(await closed).toMatch(/^HTTP\/1\.1 413 [^]*\r\n\r\nno$/);
});
