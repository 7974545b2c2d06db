// Workspace secrets. A canary is stored, handed to MCP servers that send it back in every way they can, and then looked for in
// everything that the server emits or stores.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANONYMOUS, ask, framesOf, until } from '@continuo/testkit';
import { temporaryFolder, usePod } from '@continuo/testkit/fixtures';
import { backup } from '../../src/upkeep/backup.ts';
import { createSealing } from '../../src/workspaces/sealing.ts';
import { FETCH } from '../mcp/support.ts';

const CANARY = 'canary-5b1f3e9d-do-not-show';
const SECOND = 'canary-77aa01c2-do-not-show';
const KEY = 'the-key-of-these-secrets-0123456789';

/** Every form in which a value could be hidden in bytes. */
const FORMS = [CANARY, SECOND].flatMap((value) => {
  const bytes = Buffer.from(value);
  return [
    value,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    encodeURIComponent(value),
  ];
});
const leaked = (text: string) => FORMS.filter((form) => text.includes(form));

const world = usePod({
  CONTINUO_SECRETS_KEY: KEY,
  CONTINUO_OUTGOING_ALLOW: '127.0.0.1',
  CONTINUO_LOG_LEVEL: 'trace',
});
const at = (rest: string) => `${world.url}/api/v1/workspaces/default${rest}`;
const emitted: string[] = [];
const asked = async (...request: Parameters<typeof ask>) => {
  const answer = await ask(...request);
  emitted.push(answer.text);
  return answer;
};

/** An MCP server that puts the header that it was sent into its tools' descriptions, results and errors. */
const tokens: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer((incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end();
    const token = String(incoming.headers['authorization']);
    let text = '';
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
    incoming.on('end', () => {
      const { id, method, params } = JSON.parse(text);
      if (id === undefined) return void response.writeHead(202).end();
      const reply = (more: object) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
      };
      const { protocolVersion } = params ?? {};
      if (method === 'initialize')
        return reply({
          result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: token, version: '1' } },
        });
      const description = `You sent ${token}`;
      const inputSchema = { type: 'object', properties: { note: { type: 'string', description } } };
      if (method === 'tools/list')
        return reply({
          result: { tools: ['tell', 'fail', 'refuse'].map((name) => ({ name, description, inputSchema })) },
        });
      tokens.push(token);
      if (params.name === 'refuse') return reply({ error: { code: -32_000, message: description } });
      const content = [{ type: 'text', text: description }];
      reply({
        result: { content, structuredContent: { [token]: [token] }, isError: params.name === 'fail' },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());

test('a person stores secrets; nobody reads their values back', async () => {
  const refused = await asked('PUT', at('/secrets/TOKEN'), { value: CANARY }, ANONYMOUS);
  expect([refused.status, refused.body.code]).toEqual([403, 'person_required']);
  const added = await asked('PUT', at('/secrets/TOKEN'), { value: SECOND });
  expect([added.status, added.body]).toEqual([
    201,
    {
      name: 'TOKEN',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      readable: true,
    },
  ]);
  expect((await asked('PUT', at('/secrets/TOKEN'), { value: CANARY })).status).toBe(200);
  const list = await asked('GET', at('/secrets'));
  expect(list.body.items.map(({ name }: { name: string }) => name)).toEqual(['TOKEN']);
  const unknown = await asked('DELETE', at('/secrets/NONE'));
  expect([unknown.status, unknown.body.code]).toEqual([404, 'secret_not_found']);
});

test.each([
  ['a name with a hyphen', 'PUT', `/secrets/my-${CANARY}`, { value: CANARY }, 400],
  ['a short value', 'PUT', '/secrets/SHORT', { value: 'seven77' }, 400],
  ['a value that is too long', 'PUT', '/secrets/LONG', { value: CANARY.repeat(1000) }, 400],
  ['another field', 'PUT', '/secrets/OTHER', { value: CANARY, note: CANARY }, 400],
  ['a value that is no text', 'PUT', '/secrets/OTHER', { value: [CANARY] }, 400],
  ['broken JSON', 'PUT', '/secrets/OTHER', `{"value": "${CANARY}`, 400],
])('%s is refused, and the answer does not repeat the value', async (_, method, path, body, status) => {
  const answer = await ask(method, at(path), body);
  expect(answer.status).toBe(status);
  // The path of a request is repeated; nobody writes a secret there but by mistake.
  if (!path.includes(CANARY)) expect(leaked(answer.text)).toEqual([]);
  expect(answer.body.detail).toEqual(expect.any(String));
});

test('a sealed value opens with its key, in its place, and unchanged only', () => {
  const sealing = createSealing(KEY);
  const sealed = sealing.seal(CANARY, 'here');
  expect(sealing.open(sealed, 'here')).toBe(CANARY);
  expect(sealing.open(sealed, 'there')).toBeNull();
  expect(createSealing(`${KEY}x`).open(sealed, 'here')).toBeNull();
  for (const index of [0, 13, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[index]! ^= 1;
    expect(sealing.open(changed, 'here')).toBeNull();
  }
  expect(sealing.open(Buffer.alloc(5), 'here')).toBeNull();
  expect(sealing.seal(CANARY, 'here').equals(sealed)).toBe(false);
});

const policy = { rules: [{ tool: '*', action: 'allow' }] };
const runCalls = async (tools: readonly string[]) => {
  const steps = [{ calls: tools.map((tool) => ({ tool, input: {} })) }, { text: 'Done.' }];
  const { body } = await asked('POST', at('/chats'), { goal: JSON.stringify({ steps }) });
  const frames = await framesOf(world.url, body.run.id);
  emitted.push(...frames.map(({ raw }) => raw));
  emitted.push((await asked('GET', at(`/chats/${body.chat.id}/messages`))).text);
  return frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data);
};
const stateOf = async (name: string) => {
  const { body } = await asked('GET', at('/mcp-servers'));
  return body.items.find((each: { name: string }) => each.name === name)?.state;
};

test('MCP servers get secrets by name, in headers and variables, and nothing that they send back shows them', async () => {
  const { port } = server.address() as AddressInfo;
  await asked('PUT', at('/policy'), policy);
  const url = `http://127.0.0.1:${port}/mcp`;
  const headers = { authorization: 'Bearer ${secret:TOKEN}' };
  await asked('PUT', at('/mcp-servers/web'), { transport: 'http', url, headers });
  await until('the server is ready', async () => (await stateOf('web')).status === 'ready');
  const ends = await runCalls(['web__tell', 'web__fail', 'web__refuse']);
  expect(tokens).toEqual(Array(3).fill(`Bearer ${CANARY}`));
  expect(ends.map(({ success }) => success)).toEqual([true, false, false]);
  for (const end of ends) expect(JSON.stringify(end)).toContain('[hidden]');

  // A new value restarts the server, which then gets it.
  await asked('PUT', at('/secrets/TOKEN'), { value: SECOND });
  await until('the server was sent the new value', async () => {
    await runCalls(['web__tell']);
    return tokens.at(-1) === `Bearer ${SECOND}`;
  });
});

test('a secret that is missing, or in the wrong place, is said in the server’s state', async () => {
  const config = { transport: 'stdio', command: process.execPath };
  await asked('PUT', at('/mcp-servers/lost'), { ...config, args: [FETCH], env: { KEY: '${secret:NONE}' } });
  await until('it failed', async () => (await stateOf('lost')).status === 'failed');
  expect((await stateOf('lost')).reason).toContain('the workspace has no secret NONE');
  await asked('PUT', at('/mcp-servers/lost'), { ...config, args: ['${secret:TOKEN}'] });
  await until('it failed', async () => (await stateOf('lost')).reason?.includes('`env` and `headers` only'));
});

test('no log, stream, answer, row, backup, export or file of the home holds a secret in the clear', async () => {
  emitted.push((await asked('GET', at('/archive'))).text, world.pod.output());
  const { rows: tables } = await world.database.pool.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables) {
    const { rows } = await world.database.pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    emitted.push(...rows.map(({ row }) => row));
  }
  const file = join(temporaryFolder(), 'backup.zip');
  const database = { connection: world.database.url, applicationName: 'continuo', leaseSeconds: 30 };
  await backup({ database, file, now: () => new Date() });
  // Uncompressed contents of a backup are the rows above; its bytes are checked for good measure.
  emitted.push(readFileSync(file, 'latin1'));
  const home = readdirSync(world.pod.home, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(world.pod.home, name),
  );
  for (const path of home) if (statSync(path).isFile()) emitted.push(readFileSync(path, 'latin1'));
  expect(emitted.length).toBeGreaterThan(100);
  expect(emitted.flatMap(leaked)).toEqual([]);
  // The key is not there either.
  expect(emitted.filter((text) => text.includes(KEY))).toEqual([]);
});

test('a secret that was stored with another key is listed as unreadable, and its user is told what to do', async () => {
  await world.database.pool.query("update secrets set key_id = 'another', sealed = $1", [
    createSealing(createHash('sha256').update('another').digest('hex')).seal(CANARY, 'x'),
  ]);
  expect((await ask('GET', at('/secrets'))).body.items).toMatchObject([{ name: 'TOKEN', readable: false }]);
  await asked('POST', at('/mcp-servers/web/restart'));
  await until('it failed', async () =>
    (await stateOf('web')).reason?.includes('was stored with another key'),
  );
  expect((await ask('DELETE', at('/secrets/TOKEN'))).status).toBe(204);
});
