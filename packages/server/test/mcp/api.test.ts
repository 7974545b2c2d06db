// The MCP servers of a workspace over HTTP.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { schemas } from '@continuo/protocol';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { EVERYTHING, isAlive } from './support.ts';

const world = usePod({ CONTINUO_TEST_GREETING: 'hello' });
const DEFAULT = '00000000-0000-7000-8000-000000000001';
const at = (name = '', workspace = DEFAULT) =>
  `${world.url}/api/v1/workspaces/${workspace}/mcp-servers${name && `/${name}`}`;
const stdio = (more: Record<string, unknown> = {}) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [EVERYTHING, 'stdio'],
  ...more,
});
const listed = async (name: string) => {
  const { body } = await ask('GET', at());
  return (body.items as { name: string; state: { status: string; tools: { name: string }[] } }[]).find(
    (server) => server.name === name,
  );
};
const reached = (name: string, status: string) =>
  until(`${name} is ${status}`, async () => {
    const server = await listed(name);
    return server?.state.status === status ? server : null;
  });

test('PLUS-4 a server is added, listed with its tools, changed, restarted and removed', async () => {
  const added = await ask('PUT', at('all'), stdio());
  expect(added.status).toBe(201);
  expect(schemas.mcpServer.parse(added.body)).toMatchObject({
    name: 'all',
    config: { trust: false, timeout_seconds: 60, enabled: true, env: {} },
    state: { status: 'connecting' },
  });
  const ready = await reached('all', 'ready');
  schemas.mcpServer.parse(ready);
  expect(ready.state.tools).toContainEqual(
    expect.objectContaining({ name: 'all__echo', effect: 'external' }),
  );

  const restarted = await ask('POST', `${at('all')}/restart`);
  expect([restarted.status, restarted.body.state.status]).toEqual([202, 'connecting']);
  await reached('all', 'ready');

  const disabled = await ask('PUT', at('all'), stdio({ enabled: false }));
  expect([disabled.status, disabled.body.state]).toEqual([200, { status: 'disabled' }]);
  expect((await ask('DELETE', at('all'))).status).toBe(204);
  expect(await listed('all')).toBeUndefined();
  expect((await ask('DELETE', at('all'))).body.code).toBe('mcp_server_not_found');
});

test('PLAN-4 a plan that names a tool which no server has is told so; a server that is not connected may have any tool', async () => {
  const files = `${world.url}/api/v1/workspaces/${DEFAULT}/files/plans/tracked.plan`;
  const tools = 'nowhere__find, tracker__echo, tracker__ecco, off__echo';
  const text = `---\nplan: tracked\ngoal: Track\n---\n\n## Work (sequence)\n\n- [ ] Find it {#find}\n  - tools: ${tools}\n`;
  const { id } = (await (await fetch(files, { method: 'PUT', body: text })).json()) as { id: string };
  const unknown = async () => {
    const { body } = await ask('GET', `${world.url}/api/v1/workspaces/${DEFAULT}/plans/${id}/progress`);
    return body.problems.map((problem: { text: string }) => /“(\w+)”/.exec(problem.text)![1]);
  };
  expect(await unknown()).toEqual(['nowhere__find', 'tracker__echo', 'tracker__ecco', 'off__echo']);
  await ask('PUT', at('off'), stdio({ enabled: false }));
  await ask('PUT', at('tracker'), stdio({ args: ['-e', 'process.exit(1)'] }));
  await reached('tracker', 'failed');
  expect(await unknown()).toEqual(['nowhere__find', 'off__echo']);
  await ask('PUT', at('tracker'), stdio());
  await reached('tracker', 'ready');
  expect(await unknown()).toEqual(['nowhere__find', 'tracker__ecco', 'off__echo']);
  for (const name of ['off', 'tracker']) await ask('DELETE', at(name));
});

test('secrets are taken, kept where null is sent, and never sent back', async () => {
  const secret = `s${randomUUID()}`;
  const env = { TOKEN: secret, GREETING: '${CONTINUO_TEST_GREETING}' };
  const added = await ask('PUT', at('secretive'), stdio({ env, enabled: false }));
  expect(added.body.config.env).toEqual({ TOKEN: null, GREETING: null });
  const { config } = added.body;
  const again = await ask('PUT', at('secretive'), { ...config, timeout_seconds: 5 });
  expect(again.status).toBe(200);
  const { rows } = await world.database.pool.query("select config from mcp_servers where name = 'secretive'");
  expect(rows[0].config).toMatchObject({ env, timeout_seconds: 5 });

  const nothing = await ask('PUT', at('secretive'), { ...config, env: { TOKEN: null, OTHER: null } });
  expect([nothing.status, nothing.body.code, nothing.body.errors[0].path]).toEqual([
    400,
    'invalid_body',
    'env.OTHER',
  ]);
  const all = await ask('GET', at());
  const wrong = await ask('PUT', at('secretive'), stdio({ env: { TOKEN: `${secret}\0` } }));
  expect(wrong.status).toBe(400);
  for (const { text } of [added, again, nothing, all, wrong]) expect(text).not.toContain(secret);
  expect(world.pod.output()).not.toContain(secret);
  await ask('DELETE', at('secretive'));
});

test('headers of an HTTP server are hidden too, and why it failed is told', async () => {
  const headers = { authorization: 'Bearer abcdefgh' };
  const added = await ask('PUT', at('web'), { transport: 'http', url: 'http://127.0.0.1:1/mcp', headers });
  expect(added.body.config.headers).toEqual({ authorization: null });
  const failed = await reached('web', 'failed');
  expect(failed.state).toMatchObject({ reason: expect.any(String), retry_at: expect.any(String) });
  await ask('DELETE', at('web'));
});

test.each([
  ['a name with a dot', 'a.b', stdio(), 'invalid_params'],
  ['a long name', 'a'.repeat(33), stdio(), 'invalid_params'],
  ['no transport', 'x', { command: 'x' }, 'invalid_body'],
  ['an unknown field', 'x', stdio({ shell: true }), 'invalid_body'],
  ['a relative folder', 'x', stdio({ cwd: 'here' }), 'invalid_body'],
  ['no address', 'x', { transport: 'http', url: 'nonsense' }, 'invalid_body'],
  ['another scheme', 'x', { transport: 'http', url: 'file:///etc/passwd' }, 'invalid_body'],
  ['a password in the URL', 'x', { transport: 'http', url: 'http://u:secret@a/mcp' }, 'invalid_body'],
  [
    'a header with a line',
    'x',
    { transport: 'http', url: 'http://a', headers: { a: 'b\r\nc: d' } },
    'invalid_body',
  ],
])('%s is refused', async (_, name, body, code) => {
  const answer = await ask('PUT', at(name), body);
  expect([answer.status, answer.body.code]).toEqual([400, code]);
});

test('a user and a password in an address are refused, and not repeated', async () => {
  for (const user of ['ada:pa55word', ':pa55word', 'pa55word']) {
    const answer = await ask('PUT', at('user'), { transport: 'http', url: `http://${user}@127.0.0.1:1/mcp` });
    expect([answer.status, answer.body.code, answer.body.errors[0].path]).toEqual([
      400,
      'invalid_body',
      'url',
    ]);
    expect(answer.body.detail).toContain('`headers`');
    expect(answer.text).not.toContain('pa55word');
  }
  expect(await listed('user')).toBeUndefined();
});

test('a workspace that does not exist has no servers', async () => {
  const nobody = randomUUID();
  const answers = [
    await ask('GET', at('', nobody)),
    await ask('PUT', at('x', nobody), stdio()),
    await ask('DELETE', at('x', nobody)),
    await ask('POST', `${at('x', nobody)}/restart`),
  ];
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [404, 'workspace_not_found']),
  );
});

test('a workspace may have 32 servers', async () => {
  for (let index = 0; index < 32; index += 1)
    expect((await ask('PUT', at(`s${index}`), stdio({ enabled: false }))).status).toBe(201);
  const more = await ask('PUT', at('more'), stdio({ enabled: false }));
  expect([more.status, more.body.code]).toEqual([409, 'too_many_mcp_servers']);
  for (let index = 0; index < 32; index += 1) await ask('DELETE', at(`s${index}`));
});

test('a removed server’s process ends', async () => {
  const script = 'process.stderr.write(String(process.pid)); setTimeout(() => process.exit(1), 50)';
  await ask('PUT', at('short'), { transport: 'stdio', command: process.execPath, args: ['-e', script] });
  const failed = (await reached('short', 'failed')) as unknown as { state: { reason: string } };
  expect(failed.state.reason).toMatch(/^it exited with code 1; the end of its stderr: \d+$/);
  const pid = Number(/\d+$/.exec(failed.state.reason)![0]);
  await ask('DELETE', at('short'));
  expect(isAlive(pid)).toBe(false);
});
