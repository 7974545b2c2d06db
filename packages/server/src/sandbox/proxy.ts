// The one way out of a sandbox: a proxy on a socket of its own for each command that may use the network. It speaks HTTP
// (CONNECT, and requests with a whole URL) and SOCKS 5.
//
// 1. Only the hosts of the command's list are reached, on ports 80 and 443 unless an entry names another.
// 2. Names are resolved here, by the guard of outgoing requests: a listed name that means a private address is refused.
// 3. Whatever is not exactly a host and a port is refused: nothing is cut, decoded or repaired.

import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainHost, parseAllowed } from '../hosts/allowed-host.ts';
import { OutgoingRefused, type Outgoing } from '../outgoing/outgoing.ts';
import type { Runner } from './runner.ts';

const HEAD_BYTES = 16 * 1024;
const CONNECTIONS = 64;
const IDLE_MS = 60_000;
const USUAL_PORTS: readonly number[] = [80, 443];

export interface Proxy {
  /** Holds the socket `proxy`, and nothing else. */
  readonly folder: string;
  close(): Promise<void>;
}

interface ProxyOptions {
  /** Names or addresses, each also with a port. */
  readonly hosts: readonly string[];
  readonly connect: Outgoing['connect'];
  readonly owner: Runner['owner'];
}

export async function openProxy({ hosts, connect, owner }: ProxyOptions): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'continuo-proxy-'));
  const open = new Set<Socket>();
  const isListed = createList(hosts);
  const reach = (target: Target): Promise<Socket> => {
    if (!isListed(target))
      throw new OutgoingRefused(`the command may not reach ${target.host}:${target.port}`);
    return connect(target.host, target.port);
  };
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    return socket;
  };
  let clients = 0;
  const server = createServer((socket) => {
    if (clients >= CONNECTIONS) return void socket.destroy();
    clients += 1;
    socket.once('close', () => (clients -= 1));
    keep(socket);
    converse(socket, async (target) => keep(await reach(target)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder, 'proxy'), resolve);
  });
  if (owner) await chown(folder, owner.uid, owner.gid);
  // The folder lets nobody else in.
  await chmod(join(folder, 'proxy'), 0o666);
  return {
    folder,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Whether an entry of a list covers a host and a port. */
export function createList(entries: readonly string[]): (target: Target) => boolean {
  const parsed = entries.flatMap((entry) => {
    const allowed = parseAllowed(entry);
    return allowed ? [{ allowed, hasPort: !allowed.matches(hostIn(entry), 0) }] : [];
  });
  return ({ host, port }) =>
    parsed.some(
      ({ allowed, hasPort }) =>
        allowed.matches(plainHost(host), port) && (hasPort || USUAL_PORTS.includes(port)),
    );
}

/** A host that the entry matches, whatever its port. */
function hostIn(entry: string): string {
  return plainHost(entry.trim().toLowerCase())
    .replace(/^\*\./, 'x.')
    .replace(/\/\d+$/, '');
}

/** A name in ASCII, or an address; with brackets around one of version 6. */
const HOST = /^(?:\[[\da-f:.]{2,45}\]|[a-z\d](?:[a-z\d._-]{0,251}[a-z\d])?\.?)$/i;

/** Null unless it is exactly a host and a port. */
export function targetOf(host: string, port: string | number): Target | null {
  const number = typeof port === 'number' ? port : /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return HOST.test(host) && number >= 1 && number <= 65_535 ? { host: plainHost(host), port: number } : null;
}

type Reach = (target: Target) => Promise<Socket>;

/** Reads what the client wants, and connects it. */
function converse(client: Socket, reach: Reach): void {
  let read: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  const look = (piece: Buffer): void => {
    read = Buffer.concat([read, piece]);
    const isHttp = read[0]! >= 0x41 && read[0]! <= 0x5a;
    if (read.length > HEAD_BYTES || !(isHttp || isGreeted || read[0] === 5)) return void client.destroy();
    if (read[0] === 5 && !isGreeted) {
      const length = 2 + (read[1] ?? 0);
      if (read.length < Math.max(3, length)) return;
      isGreeted = true;
      read = read.subarray(length);
      client.write(Buffer.from([5, 0]));
    }
    const wanted = isGreeted ? socksRequest(read) : httpRequest(read);
    if (wanted === 'more') return;
    client.off('data', look);
    client.pause();
    connectBoth(client, wanted, reach).catch(() => client.destroy());
  };
  client.on('data', look);
}

interface Wanted {
  readonly target: Target | null;
  /** What is sent to the host first. */
  readonly first: Buffer;
  readonly granted: Buffer | string;
  readonly refused: (reason: string) => Buffer | string;
}

async function connectBoth(
  client: Socket,
  { target, first, granted, refused }: Wanted,
  reach: Reach,
): Promise<void> {
  let host: Socket;
  try {
    if (!target) throw new OutgoingRefused('the request names no valid host and port');
    host = await reach(target);
  } catch (error) {
    const reason = error instanceof OutgoingRefused ? error.message : 'the host cannot be reached';
    return void client.end(refused(reason));
  }
  if (client.destroyed) return void host.destroy();
  client.write(granted);
  host.write(first);
  host.once('close', () => client.destroy());
  client.once('close', () => host.destroy());
  client.pipe(host);
  host.pipe(client);
}

function httpRequest(read: Buffer): Wanted | 'more' {
  const end = read.indexOf('\r\n\r\n');
  if (end < 0) return 'more';
  const head = read.subarray(0, end).toString('latin1');
  const rest = read.subarray(end + 4);
  const [line = '', ...headers] = head.split('\r\n');
  const refused = (reason: string) =>
    `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${reason}\n`;
  const [, method, uri = ''] = /^([A-Z]{1,20}) (\S+) HTTP\/1\.[01]$/.exec(line) ?? [];
  if (method === 'CONNECT') {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(uri) ?? [];
    const granted = 'HTTP/1.1 200 Connection established\r\n\r\n';
    return { target: targetOf(host, port), first: rest, granted, refused };
  }
  const url = method !== undefined && URL.canParse(uri) ? new URL(uri) : null;
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '')
    return { target: null, first: rest, granted: '', refused };
  // The host gets one request, about itself. Headers that are for proxies stay here.
  const kept = headers.filter((header) => !/^(proxy-[\w-]+|connection|host)\s*:/i.test(header));
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...kept,
    'connection: close',
  ];
  const first = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]);
  return { target: targetOf(url.hostname, url.port || '80'), first, granted: '', refused };
}

const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 4: 16 };

function socksRequest(read: Buffer): Wanted | 'more' {
  const answer = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  const refused = () => answer(2);
  if (read.length < 5) return 'more';
  const [version, command, , kind] = read;
  const isName = kind === 3;
  const length = isName ? read[4]! : (ADDRESS_BYTES[kind!] ?? 0);
  const from = isName ? 5 : 4;
  const none = { target: null, first: Buffer.alloc(0), granted: answer(0), refused };
  if (version !== 5 || command !== 1 || length === 0) return none;
  if (read.length < from + length + 2) return 'more';
  const bytes = read.subarray(from, from + length);
  const host = isName ? bytes.toString('latin1') : addressIn(bytes);
  const port = read.readUInt16BE(from + length);
  return { ...none, target: targetOf(host, port), first: read.subarray(from + length + 2) };
}

function addressIn(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  return `[${groups.join(':')}]`;
}
