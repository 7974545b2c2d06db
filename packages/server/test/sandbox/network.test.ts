// The network of commands: only the listed hosts, through a proxy that takes exactly a host and a port. The attacks try to
// reach other hosts through it; one that succeeds prints what only those hosts say.

import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findBubblewrap } from '@continuo/testkit/fixtures';
import { createOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts';
import { createList, openProxy, targetOf } from '../../src/sandbox/proxy.ts';
import { judge } from '../../src/tools/policy.ts';
import { DEFAULT_POLICY } from '../../src/workspaces/policies.ts';
import { place, said } from '../files/tools/support.ts';
import { useSandbox } from './support.ts';

const { isThere, without } = await findBubblewrap();

/** Sends bytes to the proxy, written as in Perl, each piece after an answer; prints all answers. */
const send = (...pieces: string[]) =>
  `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(3128, INADDR_LOOPBACK)) or die; $| = 1; for my $p (${pieces
    .map((piece) => `"${piece}"`)
    .join(
      ', ',
    )}) { syswrite S, $p; sysread S, my $a, 65536; print $a } while (sysread S, my $a, 65536) { print $a }' | tr -d '\\0'`;
const get = (target: string, more = '') => send(`GET ${target} HTTP/1.1\\r\\n${more}\\r\\n`);
const tunnel = (target: string) =>
  send(`CONNECT ${target} HTTP/1.1\\r\\n\\r\\n`, 'GET / HTTP/1.0\\r\\n\\r\\n');
/** A request of SOCKS 5; `kind` and `address` as on the wire. */
const socks = (kind: string, address: string, command = '\\x01') =>
  send('\\x05\\x01\\x00', `\\x05${command}\\x00${kind}${address}PORTBYTES`, 'GET / HTTP/1.0\\r\\n\\r\\n');
const byName = (name: string, length: number) =>
  socks('\\x03', `${String.raw`\x`}${length.toString(16).padStart(2, '0')}${name}`);

/** OTHER is a host:port that is not listed, LISTED one that is; PORT is the port of OTHER. */
const ATTACKS: readonly (readonly [name: string, command: string])[] = [
  [
    'an address without the proxy',
    `timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/OTHERPORT; printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3'`,
  ],
  [
    'a name without the proxy',
    'getent hosts example.com; timeout 3 curl -sS --noproxy "*" http://example.com/ || true',
  ],
  ['DNS over a datagram', 'echo x > /dev/udp/8.8.8.8/53'],
  ['a host that is not listed, by CONNECT', tunnel('OTHER')],
  ['a host that is not listed, by URL', get('http://OTHER/')],
  ['another port of a listed name', tunnel('localhost:OTHERPORT')],
  ['the address of a listed name', tunnel('127.0.0.1:OTHERPORT')],
  ['the short form of an address', tunnel('127.1:OTHERPORT')],
  ['an address as one number', tunnel('2130706433:OTHERPORT')],
  ['an address in hexadecimal', tunnel('0x7f000001:OTHERPORT')],
  ['an address in octal', get('http://0177.0.0.1:OTHERPORT/')],
  ['loopback of version 6', tunnel('[::1]:OTHERPORT')],
  ['loopback of version 4 in version 6', tunnel('[::ffff:127.0.0.1]:OTHERPORT')],
  ['the address that means every address', tunnel('0.0.0.0:OTHERPORT')],
  ['a listed name that means this machine', get('http://rebind.example/')],
  ['a listed name that means metadata of a cloud', get('http://metadata.example/')],
  ['a listed name with one private address', get('http://mixed.example/')],
  ['a listed name with a user before it', get('http://public.example@OTHER/')],
  ['an unlisted host with a listed one as its user', tunnel('public.example@OTHER')],
  ['a listed name as the beginning of another', tunnel('public.example.evil.example:443')],
  ['a listed name as the end of another', tunnel('evilpublic.example:443')],
  ['a NUL after a listed name', tunnel('public.example\\0.evil.example:443')],
  ['a second target in one line', tunnel('public.example:80 OTHER')],
  ['a line break in the target', tunnel('public.example:80\\nOTHER')],
  ['a percent sign in the name', tunnel('public.example%2eevil.example:443')],
  ['a letter of another script', tunnel('\\xd0\\xb0public.example:443')],
  ['a wide full stop', tunnel('127\\xe3\\x80\\x820\\xe3\\x80\\x820\\xe3\\x80\\x821:OTHERPORT')],
  ['another Host header', get('http://OTHER/', 'Host: LISTED\\r\\n')],
  ['a Host header of another host', get('http://LISTED/whoami', 'Host: OTHER\\r\\n')],
  ['another protocol', get('ftp://LISTED/')],
  ['a file', get('file:///etc/passwd')],
  ['a path without a host', get('/')],
  ['a request without an end', send(`GET ${'a'.repeat(20_000)}`)],
  ['a port of zero', tunnel('public.example:0')],
  ['a port that is too large', tunnel('public.example:65616')],
  ['SOCKS 4', send('\\x04\\x01PORTBYTES\\x7f\\x00\\x00\\x01\\x00', 'GET / HTTP/1.0\\r\\n\\r\\n')],
  ['SOCKS 5 to an address', socks('\\x01', '\\x7f\\x00\\x00\\x01')],
  ['SOCKS 5 to an address of version 6', socks('\\x04', `${'\\x00'.repeat(15)}\\x01`)],
  [
    'SOCKS 5 to version 4 in version 6',
    socks('\\x04', `${'\\x00'.repeat(10)}\\xff\\xff\\x7f\\x00\\x00\\x01`),
  ],
  ['SOCKS 5 to a name that is not listed', byName('localhost', 9)],
  ['a NUL in a SOCKS 5 name, after a listed one', byName('public.example\\0.evil.example', 28)],
  ['a NUL in a SOCKS 5 name, before a listed one', byName('127.0.0.1\\0.public.example', 25)],
  ['an empty SOCKS 5 name', byName('', 0)],
  ['a SOCKS 5 name that is longer than it says', byName('localhost', 4)],
  ['a SOCKS 5 name with a port in it', byName('localhost:OTHERPORT', 15)],
  ['SOCKS 5 listening', socks('\\x01', '\\x00\\x00\\x00\\x00', '\\x02')],
  ['SOCKS 5 datagrams', socks('\\x01', '\\x00\\x00\\x00\\x00', '\\x03')],
  [
    'the socket of the proxy itself, with another name',
    `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("/proxy/proxy")) or die; syswrite S, "CONNECT OTHER HTTP/1.1\\r\\n\\r\\n"; print while <S>'`,
  ],
  ['a socket in the place of the proxy’s', 'rm -f /proxy/proxy; touch /proxy/x; ls /proxy'],
];

describe.skipIf(!isThere)(`the network of commands${without}`, () => {
  let listed: Server;
  let other: Server;
  const outgoing: { current: Outgoing | null } = { current: null };
  const world = useSandbox({
    outgoing: {
      require: (url) => outgoing.current!.require(url),
      fetch: (...args) => outgoing.current!.fetch(...args),
      connect: (...args) => outgoing.current!.connect(...args),
      close: () => Promise.resolve(),
    },
  });
  const start = (text: string) =>
    new Promise<Server>((resolve) => {
      const server = createServer((request, response) =>
        response.end(`${text} ${request.headers.host ?? ''}\n`),
      ).listen(0, '::', () => resolve(server));
    });
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
    'rebind.example': ['127.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    'mixed.example': ['93.184.215.14', '10.0.0.1'],
  };
  beforeAll(async () => {
    [listed, other] = [await start('PERMITTED'), await start('TREASURE')];
    outgoing.current = createOutgoing({
      // The operator allows both, so only the list of the command keeps the other one away.
      allow: ['localhost', '127.0.0.0/8', '::1'],
      lookup: (name, _, done) => {
        const found = ADDRESSES[name];
        if (!found) return done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
        done(
          null,
          found.map((address) => ({ address, family: 4 })),
        );
      },
    });
  });
  afterAll(async () => {
    await outgoing.current?.close();
    for (const server of [listed, other]) server.close();
  });

  const hosts = () => [
    `localhost:${portOf(listed)}`,
    'rebind.example',
    'metadata.example',
    'mixed.example',
    'public.example',
  ];
  const filled = (text: string) => {
    const port = portOf(other);
    const bytes = [port >> 8, port & 255].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
    return text
      .replaceAll('PORTBYTES', bytes)
      .replaceAll('OTHERPORT', String(port))
      .replaceAll('OTHER', `127.0.0.1:${port}`)
      .replaceAll('LISTED', `localhost:${portOf(listed)}`);
  };
  const allowed = async (network: readonly string[]) => {
    const there = await place(world);
    const policy = { rules: [{ tool: '*', action: 'allow' }], network };
    await world.pool.query('update workspaces set policy = $2 where id = $1', [
      there.workspace,
      JSON.stringify(policy),
    ]);
    return there;
  };

  test('WS-18 a command reaches a listed host by HTTP, CONNECT and SOCKS 5, and no other', async () => {
    const { call } = await allowed(hosts());
    const url = filled('http://LISTED/');
    const command = [
      `curl -sS ${url}`,
      `curl -sS -p ${url}`,
      `curl -sS --proxy "$ALL_PROXY" ${url}`,
      filled('curl -sS http://OTHER/'),
    ].join('; ');
    const end = await call('exec', { command, network: [filled('LISTED')] });
    expect(said(end)).toMatch(/^(PERMITTED localhost:\d+\n){3}the command may not reach 127\.0\.0\.1:\d+\n/);
    // What it is sent may be anybody's text.
    expect(end).toMatchObject({ success: true, untrusted: true });
    const plain = await call('exec', { command: filled('curl -sS http://LISTED/ 2>&1') });
    expect(said(plain)).not.toContain('PERMITTED');
  });

  test('WS-18 a host that the policy does not list is refused before the command starts', async () => {
    const { call } = await allowed(['*.npmjs.org', 'files.example:8443']);
    const refused = async (...network: string[]) =>
      said(await call('exec', { command: 'echo started', network }));
    expect(await refused('evil.example')).toBe(
      "the command was not run: the workspace's policy does not let commands reach evil.example; it lists: *.npmjs.org, files.example:8443. A person can add hosts in the settings, under Policy",
    );
    expect(await refused('files.example')).toContain('was not run');
    expect(await refused('npmjs.org:22')).toContain('was not run');
    expect(await refused('http://registry.npmjs.org/')).toContain('is not a host');
    expect(await refused('registry.npmjs.org', 'evil.example')).toContain('was not run');
    expect(await refused('registry.npmjs.org')).toContain('started');
  });

  test('WS-18 nobody is asked about a command whose hosts the policy does not list', async () => {
    const { workspace } = await allowed(['registry.npmjs.org']);
    const exec = world.tools.find(({ name }) => name === 'exec')!;
    const checked = async (host: string) => {
      const input = { command: 'true', network: [host] };
      const tool = exec.variant!(input)!;
      if (tool.effect === 'transactional' || !tool.check) throw new Error('exec checks no hosts');
      await tool.check(input, { workspaceId: workspace } as Parameters<typeof tool.check>[1]);
    };
    await expect(checked('evil.example')).rejects.toThrow('does not let commands reach evil.example');
    await expect(checked('registry.npmjs.org')).resolves.toBeUndefined();
  });

  test('WS-18 with network, exec is of class external: a person is asked by default', () => {
    const exec = world.tools.find(({ name }) => name === 'exec')!;
    const online = exec.variant?.({ command: 'x', network: ['a.example'] });
    expect(online?.effect).toBe('external');
    expect(exec.effect).toBe('pure');
    expect(exec.variant?.({ command: 'x' })).toBeNull();
    const judged = (effect: 'pure' | 'external', afterUntrusted: boolean, allow: boolean) =>
      judge(
        { tool: 'exec', effect, like: 'read', paths: ['/'], afterUntrusted },
        {
          workspace: [...DEFAULT_POLICY, ...(allow ? [{ tool: 'exec', action: 'allow' as const }] : [])],
          role: [],
        },
      ).action;
    expect(judged('pure', true, false)).toBe('allow');
    expect(judged('external', false, false)).toBe('ask');
    expect(judged('external', false, true)).toBe('allow');
    expect(judged('external', true, true)).toBe('ask');
  });

  test.each(ATTACKS)('WS-18 through the proxy: %s', async (_, command) => {
    const { call } = await allowed(hosts());
    const end = await call('exec', {
      command: `${filled(command)} 2>&1; true`,
      network: hosts(),
      timeout: 10,
    });
    expect(said(end)).not.toContain('TREASURE');
    expect(said(end)).not.toContain('root:');
    expect(end.output).toMatchObject({ exit_code: 0 });
  });

  test('without the list of the command, the attack on a host that is not listed succeeds', async () => {
    const all = filled('OTHER');
    outgoing.current = createOutgoing({ allow: [all] });
    const { call } = await allowed([all]);
    const end = await call('exec', { command: filled(tunnel('OTHER')), network: [all] });
    expect(said(end)).toContain('TREASURE');
  });
});

test('WS-18 a command has at most 64 connections at once', async () => {
  const server = createTcpServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outgoing = createOutgoing({ allow: [host] });
  const proxy = await openProxy({ hosts: [host], connect: outgoing.connect, owner: null });
  const clients = Array.from({ length: 100 }, () => connect(join(proxy.folder, 'proxy')));
  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    await proxy.close();
    server.close();
  });
  const answers = await Promise.all(
    clients.map((client) => {
      client.write(`CONNECT ${host} HTTP/1.1\r\n\r\n`);
      client.on('error', () => undefined);
      return new Promise<string>((resolve) => {
        client.once('data', (piece) => resolve(piece.toString().slice(0, 12)));
        client.once('close', () => resolve('closed'));
      });
    }),
  );
  expect(answers.filter((answer) => answer === 'HTTP/1.1 200')).toHaveLength(64);
  expect(answers.filter((answer) => answer === 'closed')).toHaveLength(36);
});

test.each([
  ['a.example', 443, true],
  ['A.Example.', 80, true],
  ['a.example', 22, false],
  ['b.a.example', 443, false],
  ['x.wild.example', 443, true],
  ['wild.example', 443, false],
  ['port.example', 8443, true],
  ['port.example', 443, false],
  ['[2001:db8::1]', 443, true],
])('WS-18 of a list of hosts, %s:%i is %s', (host, port, isListed) => {
  const list = createList(['a.example', '*.wild.example', 'port.example:8443', '2001:db8::1']);
  const target = targetOf(host, port);
  expect(target !== null && list(target)).toBe(isListed);
});
