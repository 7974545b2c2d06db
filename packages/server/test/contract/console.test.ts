// The console's files and what keeps its lists alive: the static route, the hints, the models.

import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, createThread, PERSON_TOKEN, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { createConsole } from '../../src/http/routes/console.ts';
import { guard } from '../../src/http/kernel/guard.ts';
import { errorHandler } from '../../src/http/kernel/problem.ts';
import { createLogger } from '../../src/telemetry/logger.ts';

const EXECUTOR = process.env.CONTINUO_TEST_EXECUTOR;
const HTML = { accept: 'text/html,application/xhtml+xml' };

describe('the files', () => {
  let folder: string;
  const requests = (apiKey?: string) => {
    const app = new OpenAPIHono();
    const toConsole = createConsole(folder);
    app.onError(errorHandler(createLogger({ level: 'silent', pretty: false })));
    app.use(
      guard(
        {
          host: '127.0.0.1',
          allowedOrigins: [],
          personToken: PERSON_TOKEN,
          apiKey,
          allowedHosts: [],
        },
        toConsole,
      ),
    );
    app.get('/api/here', (c) => c.text('here'));
    app.notFound(async (c) => (await toConsole(c)) ?? c.text('nothing', 404));
    return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      app.request(path, { method, headers: { host: '127.0.0.1', ...headers } });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'continuo-console-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<meta property="csp-nonce" nonce="continuo-nonce">the page');
    await writeFile(join(folder, 'assets', 'index-abc123.js'), 'export const answer = 42;'.repeat(50));
    await writeFile(join(folder, 'secret.txt'), 'not for anybody');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('PLUS-5 a page of the console is answered for every address that a browser wants to show', async () => {
    const get = requests();
    for (const path of ['/', '/chats/1', '/approvals']) {
      const page = await get(path, HTML);
      expect([path, page.status, await page.text()]).toEqual([
        path,
        200,
        expect.stringContaining('the page'),
      ]);
    }
    expect((await get('/')).status).toBe(200);
    expect((await get('/chats/1')).status).toBe(404);
    expect((await get('/chats/1', HTML, 'POST')).status).toBe(404);
  });

  test('PLUS-5 other routes are left alone, also for browsers', async () => {
    const get = requests();
    expect(await (await get('/api/here', HTML)).text()).toBe('here');
    for (const path of ['/api/nothing', '/api', '/docs/x', '/metrics', '/healthz', '/openapi.json'])
      expect([path, (await get(path, HTML)).status]).toEqual([path, 404]);
  });

  test('PLUS-5 each page has a policy of its own; files with a hash in their names are kept for ever', async () => {
    const get = requests();
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const page = await get('/', HTML);
        const nonce = /nonce="([^"]+)"/.exec(await page.text())![1]!;
        const policy = page.headers.get('content-security-policy')!;
        expect(policy).toContain(`style-src 'nonce-${nonce}';`);
        expect(policy).toContain(`script-src 'nonce-${nonce}';`);
        expect(policy).not.toContain('unsafe');
        expect(page.headers.get('cache-control')).toBe('no-store');
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
    const script = await get('/assets/index-abc123.js', { 'accept-encoding': 'gzip, br' });
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect((await get('/assets/index-abc123.js')).headers.get('content-encoding')).toBe(null);
    expect((await get('/assets/missing-1.js', HTML)).status).toBe(404);
  });

  test('PLUS-5 no file outside of the build is served', async () => {
    const get = requests();
    for (const path of [
      '/secret.txt',
      '/assets/../secret.txt',
      '/assets/%2e%2e/secret.txt',
      '/assets/..%2fsecret.txt',
    ])
      expect(await (await get(path)).text()).not.toContain('not for anybody');
  });

  test('PLUS-7 without the key, only the console’s files are served', async () => {
    const key = 'a-key-of-16-signs';
    const get = requests(key);
    expect((await get('/', HTML)).status).toBe(200);
    expect((await get('/assets/index-abc123.js')).status).toBe(200);
    for (const path of ['/api/here', '/docs', '/metrics', '/openapi.json'])
      expect([path, (await get(path, HTML)).status]).toEqual([path, 401]);
    expect((await get('/api/here', { authorization: `Bearer ${key}` })).status).toBe(200);
  });

  test('PLUS-5 without a build, the page says how to get it', async () => {
    const app = new OpenAPIHono();
    const toConsole = createConsole(join(folder, 'nowhere'));
    app.notFound(async (c) => (await toConsole(c)) ?? c.text('nothing', 404));
    const page = await app.request('/');
    expect(page.status).toBe(503);
    expect(await page.text()).toContain('npm start');
  });
});

describe('the server', () => {
  const world = usePod();
  const workspace = () => `${world.url}/api/v1/workspaces/default`;

  /** The stream's hints, as they come. */
  async function* hints(signal: AbortSignal) {
    const response = await fetch(`${workspace()}/hints`, { signal });
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data) yield JSON.parse(data) as { chats: string[]; files: boolean; servers: boolean };
      }
    }
  }

  test('PLUS-5 hints name the chats that have changed, and say whether files or MCP servers have', async () => {
    const gone = new AbortController();
    const stream = hints(gone.signal);
    const heard = async (means: (hint: { chats: string[]; files: boolean; servers: boolean }) => boolean) => {
      for (;;) {
        const { value } = await stream.next();
        if (value && means(value)) return;
      }
    };
    const thread = await createThread(world.url);
    // The stream is there as soon as something has come through it.
    const first = heard((hint) => hint.chats.includes(thread));
    let known = false;
    void first.then(() => (known = true));
    while (!known) {
      await send(world.url, thread, { steps: [{ text: 'Hello.' }] });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const renamed = heard((hint) => hint.chats.includes(thread));
    await ask('PATCH', `${workspace()}/chats/${thread}`, { title: 'Renamed' });
    await renamed;
    const written = heard((hint) => hint.files);
    await fetch(`${workspace()}/files/hint.md`, { method: 'PUT', body: 'x' });
    await written;
    const server = `${workspace()}/mcp-servers/hinted`;
    // Nothing listens there: it is added, and then it fails.
    const failed = heard((hint) => hint.servers);
    await ask('PUT', server, { transport: 'http', url: 'http://127.0.0.1:1/mcp' });
    await failed;
    const removed = heard((hint) => hint.servers && !hint.files);
    await ask('DELETE', server);
    await removed;
    gone.abort();
  });

  test('PLUS-5 the list of models says which can answer and what the others lack, and shows no key', async () => {
    const { body } = await ask('GET', `${world.url}/api/models`);
    expect(body.default).toBe(EXECUTOR ? `executor/${EXECUTOR}` : 'offline/script');
    expect(body.models).toContain('offline/demo');
    expect(body.providers).toContainEqual({ name: 'anthropic', usable: false, set: ['ANTHROPIC_API_KEY'] });
  });

  test('PLUS-5 the built console is served at /', async () => {
    const built = existsSync(new URL('../../../console/dist/index.html', import.meta.url));
    const { status, text } = await ask('GET', `${world.url}/`, undefined, HTML);
    expect([status, text.includes('id="root"')]).toEqual(built ? [200, true] : [503, false]);
  });
});
