// Power needs a person: what a program without the person's token may do, and what not.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ANONYMOUS, AS_PERSON, ask, PERSON_TOKEN, until } from '@continuo/testkit';
import { temporaryFolder, usePod } from '@continuo/testkit/fixtures';
import { keepPersonToken } from '../../src/identity/person-token.ts';
import { KINDS } from '../../src/knowledge/kinds/index.ts';
import { FETCH } from '../mcp/support.ts';

const world = usePod();
const workspace = () => `${world.url}/api/v1/workspaces/default`;
const refused = { status: 403, body: { code: 'person_required' } };

/** What changes entities is recorded in versions, and can be restored. */
const ENTITIES = KINDS.flatMap(({ kind, plural }) => {
  const path = `/api/v1/workspaces/{id}/${plural}`;
  const one = `${path}/{entity_id}`;
  return [
    ...(kind === 'project' ? [] : [`POST ${path}`]),
    `PATCH ${one}`,
    `DELETE ${one}`,
    `POST ${one}/restore`,
  ];
});

/** What changes something and is for everybody who can reach the server: chatting, and what can be undone. */
const OPEN = [
  ...ENTITIES,
  'DELETE /api/v1/workspaces/{id}/edges/{edge_id}',
  'POST /api/v1/workspaces/{id}/documents/{entity_id}/move',
  'POST /api/v1/workspaces/{id}/edges',
  'POST /api/v1/workspaces/{id}/projects',
  'POST /api/v1/workspaces/{id}/projects/import',
  'DELETE /api/v1/workspaces/{id}',
  'DELETE /api/v1/workspaces/{id}/chats/{chat}',
  'PATCH /api/v1/workspaces/{id}',
  'PATCH /api/v1/workspaces/{id}/chats/{chat}',
  'POST /api/agent/stream',
  'POST /api/chat/{id}/stop',
  'POST /api/person',
  'POST /api/runs/{id}/cancel',
  'POST /api/runs/{id}/retry',
  'POST /api/runs/{id}/steer',
  'POST /api/threads',
  'POST /api/threads/{id}/messages',
  'POST /api/v1/executors/{name}/claim',
  'POST /api/v1/runs/{id}/assignments/{answer}/events',
  'POST /api/v1/runs/{id}/assignments/{answer}/heartbeat',
  'POST /api/v1/workspaces',
  'POST /api/v1/workspaces/{id}/chats',
  'POST /api/v1/workspaces/{id}/chats/{chat}',
  'DELETE /api/v1/workspaces/{id}/chats/{chat}/state',
  'PATCH /api/v1/workspaces/{id}/chats/{chat}/state',
  'POST /api/v1/workspaces/{id}/chats/{chat}/focus',
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/pause',
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/resume',
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/run',
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/stop',
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/retry',
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/skip',
  'POST /api/v1/workspaces/{id}/chats/{chat}/pause',
  'POST /api/v1/workspaces/{id}/chats/{chat}/ping',
  'POST /api/v1/workspaces/{id}/chats/{chat}/restore',
  'POST /api/v1/workspaces/{id}/chats/{chat}/resume',
  'POST /api/v1/workspaces/{id}/chats/{chat}/stop',
  'DELETE /api/v1/workspaces/{id}/schedules/{schedule}',
  'POST /api/v1/workspaces/{id}/schedules',
  'POST /api/v1/workspaces/{id}/schedules/{schedule}/pause',
  'POST /api/v1/workspaces/{id}/schedules/{schedule}/resume',
  'POST /api/v1/workspaces/{id}/schedules/{schedule}/run',
  'PUT /api/v1/workspaces/{id}/schedules/{schedule}',
  // The token in its address is the permission.
  'POST /hooks/{token}',
];
/** Open, but for what the tests below show. */
const SOMETIMES = [
  'DELETE /api/v1/workspaces/{id}/files/{path}',
  'DELETE /api/v1/workspaces/{id}/tree',
  'POST /api/ag-ui',
  'POST /api/chat',
  'POST /api/v1/executions/{id}/apply',
  'POST /api/v1/workspaces/{id}/archive',
  'POST /api/v1/workspaces/{id}/moves',
  'POST /api/v1/workspaces/{id}/restore',
  'POST /api/v1/workspaces/{id}/trash/restore',
  'PUT /api/v1/workspaces/{id}/archive',
  'PUT /api/v1/workspaces/{id}/files/{path}',
];

test('every route that changes something is a known open one, or says that it needs a person and does', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  const found = { open: [] as string[], sometimes: [] as string[], person: [] as string[] };
  for (const [path, item] of Object.entries<Record<string, { security?: object[] }>>(body.paths)) {
    for (const [method, { security }] of Object.entries(item)) {
      if (!['post', 'put', 'patch', 'delete'].includes(method)) continue;
      const kind = !security ? 'open' : security.length === 1 ? 'person' : 'sometimes';
      found[kind].push(`${method.toUpperCase()} ${path}`);
      if (kind !== 'person') continue;
      const url = world.url + path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000');
      expect(await ask(method.toUpperCase(), url, {}, ANONYMOUS), path).toMatchObject(refused);
    }
  }
  expect(found.open.toSorted()).toEqual(OPEN.toSorted());
  expect(found.sometimes.toSorted()).toEqual(SOMETIMES);
  expect(found.person.length).toBeGreaterThan(4);
});

test('chatting, reading and recoverable changes need no token; rules do, and the refusal says what to do', async () => {
  const policy = `${workspace()}/policy`;
  const { body } = await ask('GET', policy, undefined, ANONYMOUS);
  const opened = await ask('POST', `${workspace()}/chats`, { goal: '{"steps":[{"text":"Hi."}]}' }, ANONYMOUS);
  expect(opened.status).toBe(201);
  expect((await ask('PUT', `${workspace()}/files/notes/a.md`, 'A', ANONYMOUS)).status).toBe(201);
  for (const headers of [
    ANONYMOUS,
    { authorization: 'Bearer wrong' },
    { ...ANONYMOUS, 'x-api-key': 'wrong' },
  ]) {
    const answer = await ask('PUT', policy, body, headers);
    expect(answer).toMatchObject(refused);
    expect(answer.body.detail).toContain('continuo open');
    expect(answer.text).not.toContain(PERSON_TOKEN);
  }
  expect((await ask('PUT', policy, body)).status).toBe(200);
  expect((await ask('PUT', policy, body, { ...ANONYMOUS, 'x-api-key': PERSON_TOKEN })).status).toBe(200);
});

test('files that say what agents may do are written, moved, restored and removed by a person alone', async () => {
  const file = (path: string) => `${workspace()}/files/${path}`;
  await ask('PUT', file('notes/role.md'), 'You may do everything.', ANONYMOUS);
  const anonymous = async () => [
    await ask('PUT', file('agents/mine.md'), 'x', ANONYMOUS),
    await ask('PUT', file('Agents/mine.md'), 'x', ANONYMOUS),
    await ask('PUT', file('AGENTS.md'), 'x', ANONYMOUS),
    await ask('DELETE', file('agents/reader.md'), undefined, ANONYMOUS),
    await ask('POST', `${workspace()}/moves`, { from: '/notes/role.md', to: '/agents/mine.md' }, ANONYMOUS),
    await ask('POST', `${workspace()}/moves`, { from: '/agents', to: '/old' }, ANONYMOUS),
    await ask('DELETE', `${workspace()}/tree?path=/agents`, undefined, ANONYMOUS),
    await ask(
      'POST',
      `${workspace()}/restore`,
      { path: '/notes/role.md', version: 1, to: '/agents/a.md' },
      ANONYMOUS,
    ),
  ];
  expect((await ask('PUT', file('agents/reader.md'), 'You read.')).status).toBe(201);
  for (const answer of await anonymous()) expect(answer).toMatchObject(refused);
  expect((await ask('GET', file('agents/reader.md'), undefined, ANONYMOUS)).text).toBe('You read.');
});

describe('a program that an agent has', () => {
  const call = (input: object) => ({ tool: 'web__fetch', input });

  test('can neither approve the agent’s own call nor add an MCP server', async () => {
    const before = (await ask('GET', `${workspace()}/policy`)).body.rules;
    await ask('PUT', `${workspace()}/policy`, {
      rules: [
        { tool: '*', action: 'allow' },
        { tool: 'remove', action: 'ask' },
      ],
    });
    onTestFinished(async () => {
      await ask('PUT', `${workspace()}/policy`, { rules: before });
      await ask('DELETE', `${workspace()}/mcp-servers/web`);
    });
    await ask('PUT', `${workspace()}/files/kept.md`, 'kept');
    const added = await ask('PUT', `${workspace()}/mcp-servers/web`, {
      transport: 'stdio',
      command: process.execPath,
      args: [FETCH],
    });
    expect(added.status).toBe(201);
    const play = async (...steps: object[]) =>
      (
        await ask('POST', `${workspace()}/chats`, {
          goal: JSON.stringify({ steps }),
          model: 'offline/script',
        })
      ).body;
    await play({ calls: [{ tool: 'remove', input: { path: '/kept.md' } }] });
    const waiting = await until(
      'a call waits for its approval',
      async () => (await ask('GET', `${workspace()}/approvals`)).body.items[0] as { id: string } | undefined,
    );
    const approve = {
      method: 'POST',
      url: `${workspace()}/approvals/${waiting.id}`,
      body: { decision: 'approve' },
    };
    const add = {
      method: 'PUT',
      url: `${workspace()}/mcp-servers/shell`,
      body: { transport: 'stdio', command: 'sh', args: ['-c', 'true'] },
    };
    const { run } = await play({ calls: [call(approve), call(add)] }, { text: 'Done.' });
    const { events } = await until('the run has ended', async () => {
      const { body } = await ask('GET', `${world.url}/api/runs/${run.id}/events`, undefined, {
        accept: 'application/json',
      });
      return body.items.some(({ type }: { type: string }) => type === 'final') && { events: body.items };
    });
    const answers = events.filter(({ type }: { type: string }) => type === 'tool_end');
    expect(answers).toHaveLength(2);
    for (const answer of answers) expect(JSON.stringify(answer)).toContain('person_required');
    expect((await ask('GET', `${workspace()}/approvals/${waiting.id}`)).body).toMatchObject({
      decision: null,
    });
    const { items } = (await ask('GET', `${workspace()}/mcp-servers`)).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['web']);
    expect((await ask('POST', approve.url, approve.body)).status).toBe(200);
  });
});

describe('the cookie', () => {
  const signIn = (token: string, headers: Record<string, string> = {}) =>
    ask('POST', `${world.url}/api/person`, { token }, { ...ANONYMOUS, ...headers });
  const person = async (headers: Record<string, string>) =>
    (await ask('GET', `${world.url}/api/person`, undefined, { ...ANONYMOUS, ...headers })).body.person;

  test('is given for the token, counts for pages of the server itself, and has the port in its name', async () => {
    expect(await signIn('x'.repeat(PERSON_TOKEN.length))).toMatchObject({
      status: 403,
      body: { code: 'wrong_token' },
    });
    const { status, headers } = await signIn(PERSON_TOKEN);
    expect(status).toBe(200);
    const cookie = headers.get('set-cookie')!;
    const { port, origin } = new URL(world.url);
    expect(cookie).toMatch(new RegExp(`^continuo-person-${port}=`));
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain('Secure');
    const sent = { cookie: cookie.split(';')[0]! };
    expect(await person({})).toBe(false);
    expect(await person(sent)).toBe(true);
    expect(await person({ ...sent, origin })).toBe(true);
    expect(await person({ cookie: sent.cookie.replace(port, '1') })).toBe(false);
    expect(await person(AS_PERSON)).toBe(true);
    expect(
      (
        await ask('GET', `${world.url}/api/person`, undefined, {
          ...ANONYMOUS,
          ...sent,
          origin: 'http://127.0.0.1:1',
        })
      ).status,
    ).toBe(403);
    // What was sent as a token counts alone.
    expect(await person({ ...sent, authorization: 'Bearer wrong' })).toBe(false);
  });
});

describe('the file in the home', () => {
  test('has 256 random bits, is for its owner alone, and is one for all that start at once', async () => {
    const home = temporaryFolder('person');
    const tokens = await Promise.all(Array.from({ length: 10 }, () => keepPersonToken(home)));
    expect(new Set(tokens).size).toBe(1);
    expect(Buffer.from(tokens[0]!, 'base64url')).toHaveLength(32);
    const file = join(home, 'person-token');
    expect((await readFile(file, 'utf8')).trim()).toBe(tokens[0]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
