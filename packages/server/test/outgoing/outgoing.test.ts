// The outgoing guard against real servers on this machine, which count what reaches them, and with a look-up of its own where a
// test needs names.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addressProblem } from '../../src/outgoing/addresses.ts';
import { parseAllowed } from '../../src/hosts/allowed-host.ts';
import { createOutgoing, OutgoingRefused, type OutgoingOptions } from '../../src/outgoing/outgoing.ts';

interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}
const reached: Request[] = [];
/** What the server answers, by path. */
const redirects: Record<string, readonly [status: number, location: string]> = {};
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer(({ url = '', method = '', headers }, response) => {
    reached.push({ url, method, headers });
    const redirect = redirects[url];
    if (redirect) return void response.writeHead(redirect[0], { location: redirect[1] }).end();
    response.end('here');
  });
  // All interfaces, IPv6 included, so that a refusal is the guard's and not the network's.
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());
beforeEach(() => void (reached.length = 0));

async function withGuard<T>(
  options: Partial<OutgoingOptions>,
  use: (fetch: (url: string, init?: RequestInit) => Promise<string>) => Promise<T>,
): Promise<T> {
  const outgoing = createOutgoing({ allow: [], ...options });
  try {
    return await use(async (url, init) => (await outgoing.fetch(url, init)).text());
  } finally {
    await outgoing.close();
  }
}

const FORBIDDEN = [
  // IPv4 loopback, as people, browsers and C libraries write it
  '127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '017700000001', '0x7f000001', '0x7f.1',
  '0177.0.0.01', '0x7F.0x0.0x0.0x1', '127.0.0.1.', '%31%32%37.0.0.1', '１２７.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127｡0.0.1',
  // unspecified, which Linux connects to itself
  '0.0.0.0', '0', '0x0', '[::]', '0.1.2.3',
  // IPv6 loopback, mapped, compatible, translated, tunneled
  '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]',
  '[2606:4700::5efe:7f00:1]',
  // private, shared, link-local and metadata
  '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.100.100.200', '169.254.169.254', '2852039166',
  '0xA9FEA9FE', '0251.0376.0251.0376', '169.254.43518', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '[fe80::1]', '[fec0::1]',
  '[fc00::1]', '168.63.129.16', '192.0.0.192',
  // reserved, multicast, documentation, benchmarks
  '224.0.0.1', '255.255.255.255', '240.0.0.1', '198.18.0.1', '192.0.2.1', '[ff02::1]', '[2001:db8::1]', '[100::1]',
  // names
  'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ⓛocalhost', 'printer.local', 'metadata.google.internal', 'metadata',
  'kubernetes.default.svc.cluster.local', 'router.lan', 'host.docker.internal', 'nas.home.arpa',
]; // prettier-ignore

test.each(FORBIDDEN)('%s is refused, and nothing reaches it', async (host) => {
  await withGuard({}, async (fetch) => {
    await expect(fetch(`http://${host}:${port}/`)).rejects.toThrow(OutgoingRefused);
  });
  expect(reached).toEqual([]);
});

test.each([
  ['a user', (at: string) => `http://example.com@${at}/`],
  ['a password', (at: string) => `http://example.com:80@${at}/`],
  ['a backslash', (at: string) => `http:\\\\${at}\\@example.com/`],
  ['a line break in the host', (at: string) => `http://127.0\n.0.1:${at.split(':')[1]}/`],
  ['another scheme', () => 'file:///etc/passwd'],
  ['gopher', (at: string) => `gopher://${at}/`],
  ['data', () => 'data:text/plain,hello'],
])('a URL with %s is refused', async (_, urlFor) => {
  await withGuard({}, async (fetch) => {
    await expect(fetch(urlFor(`127.0.0.1:${port}`))).rejects.toThrow(OutgoingRefused);
  });
  expect(reached).toEqual([]);
});

test.each(['[fe80::1%25eth0]', '256.1.1.1', '1.2.3.4.5', '0x100000000', '127.0.0.1%00.example.com'])(
  '%s is no host at all',
  async (host) => {
    await withGuard({}, (fetch) => expect(fetch(`http://${host}/`)).rejects.toThrow());
  },
);

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '2606:4700::1111',
  '64:ff9b::808:808',
  '::ffff:8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
])('%s is an address of the public internet', (address) => expect(addressProblem(address)).toBeNull());

describe('names', () => {
  /** A look-up that answers each question with the next of its answers. */
  const answers = (...each: readonly string[][]) => {
    const asked: string[] = [];
    const lookup: OutgoingOptions['lookup'] = (name, _, done) => {
      const addresses = each[Math.min(asked.length, each.length - 1)]!;
      asked.push(name);
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return { asked, lookup };
  };

  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['::1']],
    [['::ffff:169.254.169.254']],
    [['8.8.8.8', '127.0.0.1']],
  ])('a name that resolves to %j is refused', async (addresses) => {
    const { lookup } = answers(addresses);
    await withGuard({ lookup }, async (fetch) => {
      await expect(fetch(`http://rebound.example.com:${port}/`)).rejects.toThrow(
        'rebound.example.com is a name of',
      );
    });
    expect(reached).toEqual([]);
  });

  test('a name is looked up once for each connection, and judged each time', async () => {
    const { asked, lookup } = answers(['192.168.0.1'], ['127.0.0.1']);
    await withGuard({ lookup }, async (fetch) => {
      for (let times = 0; times < 2; times += 1)
        await expect(fetch(`http://rebound.example.com:${port}/`)).rejects.toThrow(OutgoingRefused);
    });
    expect([asked.length, reached]).toEqual([2, []]);
  });

  test('an allowed name may resolve to this machine; another name that does so may not', async () => {
    const allow = [`localhost:${port}`, '127.0.0.1'];
    const { lookup } = answers(['127.0.0.1']);
    await withGuard({ allow, lookup }, async (fetch) => {
      expect(await fetch(`http://localhost:${port}/`)).toBe('here');
      expect(await fetch(`http://127.0.0.1:${port}/`)).toBe('here');
      await expect(fetch(`http://rebound.example.com:${port}/`)).rejects.toThrow(OutgoingRefused);
    });
    expect(reached.length).toBe(2);
  });
});

describe('the allow-list', () => {
  test.each([
    ['localhost', 'localhost', 80, true],
    ['localhost:3001', 'localhost', 3001, true],
    ['localhost:3001', 'localhost', 3002, false],
    ['LocalHost', 'localhost', 80, true],
    ['*.example.internal', 'a.b.example.internal', 80, true],
    ['*.example.internal', 'example.internal', 80, false],
    ['*.example.internal', 'badexample.internal', 80, false],
    ['10.0.0.0/8', '10.255.0.1', 80, true],
    ['10.0.0.0/8:8080', '10.255.0.1', 8080, true],
    ['10.0.0.0/8:8080', '10.255.0.1', 80, false],
    ['10.0.0.0/8', '11.0.0.1', 80, false],
    ['10.0.0.0/8', 'ten.example.com', 80, false],
    ['127.0.0.1', '::ffff:127.0.0.1', 80, true],
    ['[::1]:80', '::1', 80, true],
    ['::1', '::1', 9999, true],
    ['fd00::/8', 'fd12::1', 80, true],
  ])('%s: %s at port %i is allowed: %s', (entry, host, at, expected) => {
    expect(parseAllowed(entry)!.matches(host, at)).toBe(expected);
  });

  test.each([
    '',
    '*',
    '*.',
    'a b',
    'http://a',
    'a:0',
    'a:70000',
    '127.1',
    '10.0.0.0/33',
    'a/b',
    'u@a',
    '300.1.1.1',
  ])('"%s" is no entry', (entry) => expect(parseAllowed(entry)).toBeNull());
});

describe('redirects', () => {
  const here = () => `http://localhost:${port}`;
  const allow = ['localhost'];
  const go = (path: string, init?: RequestInit) =>
    withGuard({ allow }, (fetch) => fetch(`${here()}${path}`, init));
  const redirect = (path: string, status: number, location: string) => (redirects[path] = [status, location]);

  test.each(FORBIDDEN.filter((host) => /^[!-~]+$/.test(host) && !/^localhost/i.test(host)))(
    'a redirect to %s is refused',
    async (host) => {
      redirect('/out', 302, `http://${host}:${port}/secret`);
      await expect(go('/out')).rejects.toThrow(OutgoingRefused);
      expect(reached.map(({ url }) => url)).toEqual(['/out']);
    },
  );

  test.each(['file:///etc/passwd', 'http://user@127.0.0.1/', 'http://[', '//169.254.169.254/'])(
    'a redirect to %s is refused',
    async (location) => {
      redirect('/out', 307, location);
      await expect(go('/out')).rejects.toThrow(OutgoingRefused);
    },
  );

  test('the last hop of a chain is judged, and a chain has 5 hops at most', async () => {
    redirect('/1', 301, '/2');
    redirect('/2', 302, `http://[::1]:${port}/`);
    await expect(go('/1')).rejects.toThrow('::1 is an address of this machine');
    redirect('/round', 302, '/round');
    reached.length = 0;
    await expect(go('/round')).rejects.toThrow('more than 5 times');
    expect(reached.length).toBe(6);
  });

  test('another origin gets neither headers that may hold secrets nor a body; the same origin does', async () => {
    redirect('/out', 302, `http://127.0.0.1:${port}/there`);
    redirect('/same', 307, '/there');
    const headers = { authorization: 'Bearer x', 'x-key': 'y', cookie: 'z', accept: 'text/html' };
    await withGuard({ allow: ['127.0.0.1', 'localhost'] }, async (fetch) => {
      await fetch(`${here()}/out`, { headers });
      expect(reached.at(-1)!.headers).not.toHaveProperty('authorization');
      expect(reached.at(-1)!.headers).not.toHaveProperty('x-key');
      expect(reached.at(-1)!.headers).not.toHaveProperty('cookie');
      expect(reached.at(-1)!.headers.accept).toBe('text/html');
      await fetch(`${here()}/same`, { method: 'POST', headers, body: '{}' });
      expect(reached.at(-1)).toMatchObject({ url: '/there', method: 'POST', headers: { 'x-key': 'y' } });
      await fetch(`${here()}/out`, { method: 'POST', headers, body: '{}' });
      expect(reached.at(-1)).toMatchObject({ url: '/there', method: 'GET' });
      redirect('/out', 307, `http://127.0.0.1:${port}/there`);
      await expect(fetch(`${here()}/out`, { method: 'POST', headers, body: '{}' })).rejects.toThrow('body');
    });
  });

  test('`manual` shows the redirect, `error` refuses it', async () => {
    redirect('/out', 302, 'http://169.254.169.254/');
    await withGuard({ allow }, async (fetch) => {
      expect(await fetch(`${here()}/out`, { redirect: 'manual' })).toBe('');
      await expect(fetch(`${here()}/out`, { redirect: 'error' })).rejects.toThrow(OutgoingRefused);
    });
  });
});
