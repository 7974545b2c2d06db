import { Hono } from 'hono';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';
import { guard } from '../../src/http/kernel/guard.ts';
import { errorHandler } from '../../src/http/kernel/problem.ts';

const key = 'k3y-of-sixteen-or-more';

function serve(config: Partial<Parameters<typeof guard>[0]> = {}) {
  const app = new Hono();
  app.use(
    guard({
      host: '127.0.0.1',
      allowedOrigins: [],
      personToken: PERSON_TOKEN,
      apiKey: undefined,
      allowedHosts: [],
      ...config,
    }),
  );
  app.onError(errorHandler(pino({ enabled: false })));
  app.all('*', (c) => c.text('in', 200, { person: String(c.get('principal').isPerson) }));
  return async (headers: Record<string, string>, path = '/api/threads') => {
    const response = await app.request(path, { headers });
    const code = response.ok ? 'in' : ((await response.json()) as { code: string }).code;
    return { status: response.status, code, response };
  };
}

describe('Host', () => {
  test.each(['127.0.0.1:4400', 'localhost:4400', 'LOCALHOST', '[::1]:4400', 'localhost.', '127.0.0.1:80'])(
    '%s is this machine',
    async (host) => {
      expect(await serve()({ host })).toMatchObject({ status: 200 });
    },
  );

  test.each([
    'evil.example',
    'evil.example:4400',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0:4400',
    '10.0.0.5',
  ])('%s is refused on loopback', async (host) => {
    expect(await serve()({ host })).toMatchObject({ status: 403, code: 'host_not_allowed' });
  });

  test.each([
    '',
    'a b',
    'evil.example@localhost',
    'localhost/evil',
    'localhost#',
    'http://localhost',
    '[::1',
    'localhost\\x',
  ])('the malformed %j is refused', async (host) => {
    expect(await serve()({ host })).toMatchObject({ status: 403, code: 'host_not_allowed' });
  });

  test('the configured host and the allowed names are answered, on any port', async () => {
    const ask = serve({
      host: '10.0.0.5',
      apiKey: undefined,
      allowedHosts: ['agents.example.com', 'fd00::1'],
    });
    for (const host of [
      '10.0.0.5:4400',
      'Agents.Example.com',
      'agents.example.com:8443',
      '[fd00:0::1]:4400',
    ]) {
      expect(await ask({ host })).toMatchObject({ status: 200 });
    }
    expect(await ask({ host: '10.0.0.6' })).toMatchObject({ code: 'host_not_allowed' });
  });

  test('bound to every address, any address is answered and a foreign name is not', async () => {
    const ask = serve({ host: '0.0.0.0' });
    expect(await ask({ host: '192.168.1.7:4400' })).toMatchObject({ status: 200 });
    expect(await ask({ host: 'evil.example' })).toMatchObject({ code: 'host_not_allowed' });
  });

  test('it is checked on /healthz too', async () => {
    expect(await serve()({ host: 'evil.example' }, '/healthz')).toMatchObject({ status: 403 });
  });
});

describe('Origin', () => {
  const host = 'localhost:4400';

  test('the same origin is let in, with or without TLS in front', async () => {
    expect(await serve()({ host, origin: 'http://localhost:4400' })).toMatchObject({ status: 200 });
    const ask = serve({ allowedHosts: ['agents.example.com'] });
    expect(await ask({ host: 'agents.example.com', origin: 'https://agents.example.com' })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    'null',
    'http://evil.example',
    'http://localhost:3000',
    'http://127.0.0.1:4400',
    'http://localhost:4400.evil.example',
    'http://evil.example@localhost:4400',
    'file://',
    'chrome-extension://abcdef',
    '',
  ])('%j is refused', async (origin) => {
    expect(await serve()({ host, origin })).toMatchObject({ status: 403, code: 'origin_not_allowed' });
  });

  test('an allowed host is an allowed origin, also where a proxy rewrites Host', async () => {
    const ask = serve({ allowedHosts: ['agents.example.com'] });
    expect(await ask({ host, origin: 'https://agents.example.com' })).toMatchObject({ status: 200 });
  });

  test('the cookie counts for the same host and port alone, or where the browser says that the origin is the same', async () => {
    const ask = serve({ allowedHosts: ['my.host'] });
    const person = async (headers: Record<string, string>) => {
      const cookie = `continuo-person-4400=${PERSON_TOKEN}`;
      const { response } = await ask({ cookie, ...headers });
      return [response.status, response.headers.get('person')];
    };
    const own = { host: 'my.host:4400' };
    expect(await person(own)).toEqual([200, 'true']);
    expect(await person({ ...own, origin: 'http://my.host:4400' })).toEqual([200, 'true']);
    for (const origin of ['http://my.host:3000', 'http://my.host', 'https://my.host'])
      expect(await person({ ...own, origin })).toEqual([200, 'false']);
    const bearer = { authorization: `Bearer ${PERSON_TOKEN}` };
    expect(await person({ ...own, ...bearer, origin: 'http://my.host:3000' })).toEqual([200, 'true']);
    // A proxy rewrote Host.
    const proxied = { host, origin: 'https://my.host' };
    expect(await person(proxied)).toEqual([200, 'false']);
    expect(await person({ ...proxied, 'sec-fetch-site': 'same-origin' })).toEqual([200, 'true']);
  });

  test('another address is not an allowed origin, even when bound to every address', async () => {
    const ask = serve({ host: '0.0.0.0' });
    expect(await ask({ host: '192.168.1.7:4400', origin: 'http://203.0.113.9' })).toMatchObject({
      code: 'origin_not_allowed',
    });
  });
});

describe('the API key', () => {
  const ask = serve({ apiKey: key });

  test('is accepted as a bearer token and as x-api-key', async () => {
    expect(await ask({ authorization: `Bearer ${key}` })).toMatchObject({ status: 200 });
    expect(await ask({ authorization: `bearer ${key}` })).toMatchObject({ status: 200 });
    expect(await ask({ 'x-api-key': key })).toMatchObject({ status: 200 });
  });

  test.each([
    {},
    { 'x-api-key': '' },
    { 'x-api-key': key.slice(0, -1) },
    { 'x-api-key': `${key}x` },
    { authorization: key },
    { authorization: `Basic ${key}` },
    { authorization: 'Bearer wrong', 'x-api-key': key },
  ])('%j is refused', async (headers: Record<string, string>) => {
    const { status, code, response } = await ask(headers);
    expect({ status, code }).toEqual({ status: 401, code: 'unauthorized' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="continuo"');
  });

  test('is wanted by every route but /healthz, /readyz and the addresses of triggers', async () => {
    for (const path of ['/healthz', '/readyz', '/hooks/token'])
      expect(await ask({}, path)).toMatchObject({ status: 200 });
    for (const path of ['/docs', '/openapi.json', '/healthz/', '/hooks', '/nothing']) {
      expect(await ask({}, path)).toMatchObject({ status: 401 });
    }
  });

  test('is not asked for where none is configured', async () => {
    expect(await serve()({})).toMatchObject({ status: 200 });
  });
});

describe('Sec-Fetch-Site', () => {
  const host = '127.0.0.1:4400';
  test.each(['cross-site', 'same-site'])('a page elsewhere (%s) cannot embed what is here', async (site) => {
    for (const more of [
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ]) {
      const answer = await serve()(
        { host, 'sec-fetch-site': site, ...more },
        '/api/v1/workspaces/default/files/x.js',
      );
      expect(answer).toMatchObject({ status: 403, code: 'embedding_not_allowed' });
    }
  });

  test('a link to here, the console’s own requests and a typed address are answered', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ])
      expect(await serve()({ host, ...headers })).toMatchObject({ status: 200 });
  });
});
