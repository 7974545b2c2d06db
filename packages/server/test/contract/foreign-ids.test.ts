// What belongs to one workspace is not found from another one. The test walks the served OpenAPI document: every route stands in
// exactly one of the tables below, so that a new route fails here until somebody has said which ids it takes.

import { beforeAll, describe, expect, test } from 'vitest';
import { ask, framesOf, until, type Answer } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { createPool } from '../../src/db/pool.ts';
import type { Kind } from '../../src/knowledge/kind.ts';
import { KINDS } from '../../src/knowledge/kinds/index.ts';
import { doChores } from '../../src/upkeep/chores.ts';
import { DEFAULT_WORKSPACE } from '../../src/workspaces/workspaces.ts';
import { FETCH } from '../mcp/support.ts';

/** What a workspace has, by the ids and names that routes take. */
interface Ids {
  readonly chat: string;
  readonly run: string;
  readonly message: string;
  readonly result: string;
  readonly approval: string;
  readonly file: string;
  readonly path: string;
  readonly folder: string;
  readonly role: string;
  readonly server: string;
  readonly secret: string;
  readonly edge: string;
  /** The slug of a published page, which shows the file. */
  readonly slug: string;
  readonly schedule: string;
  readonly webhook: string;
  readonly webhook_message: string;
  readonly trigger: string;
  readonly read_key: string;
  /** An entity of each kind, by the kind. */
  readonly entities: Readonly<Record<string, string>>;
}

interface Request {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Route {
  readonly request?: (ids: Ids) => Request;
  /** What an id of another workspace is answered with, where that is not 404. */
  readonly status?: number;
  /** The route makes what it is asked for: under the same name, each workspace has its own. */
  readonly makes?: true;
}

const disabled = { transport: 'stdio', command: process.execPath, args: [FETCH], enabled: false };

/** The routes of entities, which are the same for every kind. A project is created by a route of its own. */
function routesOf({ kind, plural, states }: Kind): Readonly<Record<string, Route>> {
  const path = `/api/v1/workspaces/{id}/${plural}`;
  const inProject = ({ entities }: Ids) => ({ query: { project_id: entities['project']! } });
  const isProject = kind === 'project';
  return {
    ...(!isProject && {
      // A list of another workspace's project, which is empty.
      [`GET ${path}`]: { request: inProject, status: 200 },
      [`POST ${path}`]: {
        request: ({ entities }: Ids) => ({ body: { project_id: entities['project'], title: 'Another' } }),
      },
      ...(states && { [`GET ${path}/board`]: { request: inProject } }),
    }),
    [`GET ${path}/{entity_id}`]: {},
    [`GET ${path}/{entity_id}/versions`]: {},
    [`PATCH ${path}/{entity_id}`]: {
      request: () => ({ body: { [isProject ? 'name' : 'title']: 'Renamed' } }),
    },
    [`DELETE ${path}/{entity_id}`]: {},
    [`POST ${path}/{entity_id}/restore`]: {},
  };
}

/** The routes of a workspace that take the id, the name or the path of something in it. In an order in which all of them succeed. */
const INSIDE: Readonly<Record<string, Route>> = {
  'GET /api/v1/workspaces/{id}/approvals/{approval}': {},
  'POST /api/v1/workspaces/{id}/approvals/{approval}': { request: () => ({ body: { decision: 'deny' } }) },
  'GET /api/v1/workspaces/{id}/chats/{chat}': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/events': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/messages': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/sessions': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/digest': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/export': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/context': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/state': {},
  'PATCH /api/v1/workspaces/{id}/chats/{chat}/state': { request: () => ({ body: {} }) },
  'DELETE /api/v1/workspaces/{id}/chats/{chat}/state': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/summaries': {},
  'GET /api/v1/workspaces/{id}/chats/{chat}/summaries/{version}': {},
  'POST /api/v1/workspaces/{id}/chats/{chat}/focus': { request: () => ({ body: { scope: 'global' } }) },
  'PATCH /api/v1/workspaces/{id}/chats/{chat}': { request: () => ({ body: { title: 'Renamed' } }) },
  'POST /api/v1/workspaces/{id}/chats/{chat}': { request: () => ({ body: { content: HANGS } }) },
  'POST /api/v1/workspaces/{id}/chats/{chat}/ping': {},
  'POST /api/v1/workspaces/{id}/chats/{chat}/pause': {},
  'POST /api/v1/workspaces/{id}/chats/{chat}/resume': {},
  'POST /api/v1/workspaces/{id}/chats/{chat}/stop': {},
  'DELETE /api/v1/workspaces/{id}/chats/{chat}': {},
  'POST /api/v1/workspaces/{id}/chats/{chat}/restore': {},
  // A list of one chat's runs, which is empty.
  'GET /api/v1/workspaces/{id}/runs': { request: ({ chat }) => ({ query: { chat } }), status: 200 },
  'GET /api/v1/workspaces/{id}/roles/{name}': {},
  'POST /api/v1/workspaces/{id}/mcp-servers/{name}/restart': {},
  'DELETE /api/v1/workspaces/{id}/mcp-servers/{name}': {},
  'PUT /api/v1/workspaces/{id}/mcp-servers/{name}': {
    request: () => ({ body: disabled }),
    status: 201,
    makes: true,
  },
  'GET /api/v1/workspaces/{id}/schedules/{schedule}': {},
  'PUT /api/v1/workspaces/{id}/schedules/{schedule}': { request: () => ({ body: YEARLY }) },
  'POST /api/v1/workspaces/{id}/schedules/{schedule}/pause': {},
  'POST /api/v1/workspaces/{id}/schedules/{schedule}/resume': {},
  'POST /api/v1/workspaces/{id}/schedules/{schedule}/run': {},
  'DELETE /api/v1/workspaces/{id}/schedules/{schedule}': {},
  'DELETE /api/v1/workspaces/{id}/secrets/{name}': {},
  'PUT /api/v1/workspaces/{id}/secrets/{name}': {
    request: () => ({ body: { value: 'another value' } }),
    status: 201,
    makes: true,
  },
  'GET /api/v1/workspaces/{id}/content/{type}/{slug}/check': {},
  'POST /api/v1/workspaces/{id}/content/{type}/{slug}/publish': {},
  'POST /api/v1/workspaces/{id}/content/{type}/{slug}/restore': { request: () => ({ body: { version: 1 } }) },
  'GET /api/v1/workspaces/{id}/content/{type}/{slug}/publications': {},
  'POST /api/v1/workspaces/{id}/content/{type}/{slug}/schedule': {
    request: () => ({ body: { at: new Date(Date.now() + 86_400_000).toISOString() } }),
  },
  'DELETE /api/v1/workspaces/{id}/content/{type}/{slug}/schedule': { status: 204 },
  'GET /api/v1/content/{id}/{type}/{slug}': {},
  'GET /api/v1/content/{id}/assets/{file}': {},
  // Idempotent: it is not published here.
  'POST /api/v1/workspaces/{id}/content/{type}/{slug}/unpublish': { status: 204 },
  'GET /api/v1/workspaces/{id}/webhooks/{webhook}': {},
  'GET /api/v1/workspaces/{id}/webhooks/{webhook}/messages': {},
  'POST /api/v1/workspaces/{id}/webhooks/{webhook}/messages/{message}/send': {},
  'POST /api/v1/workspaces/{id}/webhooks/{webhook}/secret': {},
  'PUT /api/v1/workspaces/{id}/webhooks/{webhook}': { request: () => ({ body: HOOK }) },
  'DELETE /api/v1/workspaces/{id}/webhooks/{webhook}': {},
  'GET /api/v1/workspaces/{id}/triggers/{trigger}': {},
  'PUT /api/v1/workspaces/{id}/triggers/{trigger}': { request: () => ({ body: TRIGGER }) },
  'POST /api/v1/workspaces/{id}/triggers/{trigger}/token': {},
  'DELETE /api/v1/workspaces/{id}/triggers/{trigger}': {},
  'DELETE /api/v1/workspaces/{id}/read-keys/{key}': {},
  'GET /api/v1/workspaces/{id}/tree': { request: ({ folder }) => ({ query: { path: folder } }) },
  'POST /api/v1/workspaces/{id}/trash/restore': { request: ({ file }) => ({ body: { files: [file] } }) },
  'GET /api/v1/workspaces/{id}/archive': { request: ({ folder }) => ({ query: { path: folder } }) },
  'GET /api/v1/workspaces/{id}/versions': { request: ({ file }) => ({ query: { file } }) },
  'GET /api/v1/workspaces/{id}/diff': { request: ({ file }) => ({ query: { file } }) },
  'POST /api/v1/workspaces/{id}/chats': { request: ({ file }) => ({ body: { goal: SHORT, files: [file] } }) },
  'POST /api/v1/workspaces/{id}/restore': { request: ({ file }) => ({ body: { file, version: 1 } }) },
  'GET /api/v1/workspaces/{id}/files/{path}': {},
  'HEAD /api/v1/workspaces/{id}/files/{path}': {},
  // A write over a version that is not there.
  'PUT /api/v1/workspaces/{id}/files/{path}': {
    request: () => ({ body: 'Mine.', headers: { 'if-match': '"1"' } }),
    status: 412,
  },
  'DELETE /api/v1/workspaces/{id}/files/{path}': {},
  'POST /api/v1/workspaces/{id}/moves': {
    request: ({ folder }) => ({ body: { from: folder, to: '/elsewhere' } }),
  },
  'GET /api/v1/workspaces/{id}/entities/{entity_id}': {},
  'GET /api/v1/workspaces/{id}/entities/{entity_id}/edges': {},
  'GET /api/v1/workspaces/{id}/projects/{entity_id}/archive': {},
  'GET /api/v1/workspaces/{id}/projects/{entity_id}/doc-structure': {},
  'GET /api/v1/workspaces/{id}/projects/{entity_id}/document-by-path': {
    request: () => ({ query: { path: 'Context' } }),
  },
  'POST /api/v1/workspaces/{id}/documents/{entity_id}/move': {
    request: () => ({ body: { parent_id: null } }),
  },
  'GET /api/v1/workspaces/{id}/plans/{entity_id}/progress': {},
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/approve': { request: () => ({ body: {} }) },
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/run': { request: () => ({ body: {} }) },
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/pause': {},
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/resume': {},
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/stop': {},
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/retry': {},
  'POST /api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/skip': { request: () => ({ body: {} }) },
  'DELETE /api/v1/workspaces/{id}/edges/{edge_id}': {},
  'POST /api/v1/workspaces/{id}/edges': {
    request: ({ entities }) => ({
      body: { from_id: entities['task'], to_id: entities['risk'], rel: 'references' },
    }),
  },
  ...Object.assign({}, ...KINDS.map(routesOf)),
  // The folder to which another request has moved that of the plan.
  'DELETE /api/v1/workspaces/{id}/tree': { request: () => ({ query: { path: '/elsewhere' } }) },
};

/** The routes of a workspace that name nothing else. */
const WHOLE_WORKSPACE = [
  'DELETE /api/v1/workspaces/{id}',
  'GET /api/v1/workspaces/{id}',
  'GET /api/v1/workspaces/{id}/approvals',
  'GET /api/v1/content/{id}/{type}',
  'GET /api/v1/content/{id}/rss.xml',
  'GET /api/v1/content/{id}/sitemap.xml',
  'GET /api/v1/workspaces/{id}/changes',
  'GET /api/v1/workspaces/{id}/chats',
  'GET /api/v1/workspaces/{id}/content',
  'GET /api/v1/workspaces/{id}/content/{type}',
  'GET /api/v1/workspaces/{id}/events',
  'GET /api/v1/workspaces/{id}/hints',
  'GET /api/v1/workspaces/{id}/kinds',
  'GET /api/v1/workspaces/{id}/mcp-servers',
  'GET /api/v1/workspaces/{id}/plans/states',
  'GET /api/v1/workspaces/{id}/policy',
  'GET /api/v1/workspaces/{id}/secrets',
  'GET /api/v1/workspaces/{id}/projects',
  'GET /api/v1/workspaces/{id}/read-keys',
  'GET /api/v1/workspaces/{id}/roles',
  'GET /api/v1/workspaces/{id}/schedules',
  'GET /api/v1/workspaces/{id}/search',
  'GET /api/v1/workspaces/{id}/skills',
  'GET /api/v1/workspaces/{id}/teams',
  'GET /api/v1/workspaces/{id}/triggers',
  'GET /api/v1/workspaces/{id}/webhooks',
  'PATCH /api/v1/workspaces/{id}',
  'POST /api/v1/workspaces/{id}/archive',
  'POST /api/v1/workspaces/{id}/folder/accept-removals',
  'GET /api/v1/workspaces/{id}/trash',
  'GET /api/v1/workspaces/{id}/usage',
  'POST /api/v1/workspaces/{id}/folder/restore',
  'POST /api/v1/workspaces/{id}/projects',
  'POST /api/v1/workspaces/{id}/projects/import',
  'POST /api/v1/workspaces/{id}/read-keys',
  'POST /api/v1/workspaces/{id}/schedules',
  'POST /api/v1/workspaces/{id}/triggers',
  'POST /api/v1/workspaces/{id}/webhooks',
  'PUT /api/v1/workspaces/{id}/archive',
  'PUT /api/v1/workspaces/{id}/policy',
];

/** A request that nothing is wrong with, for routes that want one. */
const VALID: Readonly<Record<string, Request>> = {
  'GET /api/v1/workspaces/{id}/search': { query: { q: 'plan' } },
  'PATCH /api/v1/workspaces/{id}': { body: { name: 'renamed' } },
  'POST /api/v1/workspaces/{id}/archive': { body: 'zip' },
  'POST /api/v1/workspaces/{id}/projects': { body: { name: 'Mine' } },
  'POST /api/v1/workspaces/{id}/projects/import': { body: 'zip' },
  'POST /api/v1/workspaces/{id}/schedules': {
    body: { name: 'scheduled', cron: '@yearly', message: 'Hi.' },
  },
  'POST /api/v1/workspaces/{id}/read-keys': { body: { name: 'site' } },
  'POST /api/v1/workspaces/{id}/triggers': { body: { name: 'triggered', message: 'Hi.' } },
  'POST /api/v1/workspaces/{id}/webhooks': { body: { url: 'https://example.com/' } },
  'PUT /api/v1/workspaces/{id}/archive': { body: 'zip' },
  'PUT /api/v1/workspaces/{id}/policy': { body: { rules: [] } },
};

/** Addressed by an id that cannot be guessed, without a workspace: every principal of the thing’s own workspace may use it. */
const BY_ID: Readonly<Record<string, Route>> = {
  'GET /api/threads/{id}': {},
  'GET /api/threads/{id}/events': {},
  'GET /api/threads/{id}/messages': {},
  'GET /api/threads/{id}/requests': {},
  // The fourth event is the start of the model's first answer.
  'GET /api/threads/{id}/context': { request: () => ({ query: { seq: '4' } }) },
  'POST /api/threads/{id}/messages': { request: () => ({ body: { content: SHORT } }) },
  'GET /api/runs/{id}': {},
  'GET /api/runs/{id}/events': {},
  'GET /api/runs/{id}/why': {},
  'GET /api/runs/{id}/context': {},
  'POST /api/runs/{id}/cancel': {},
  'POST /api/runs/{id}/steer': {},
  'POST /api/runs/{id}/retry': {},
  'GET /api/agent/stream/{run_id}': {},
  'GET /api/v1/tool-results/{id}': {},
  'GET /api/v1/executions/{id}': {},
  'GET /api/v1/executions/{id}/diff': { request: () => ({ query: { path: '/proposed.md' } }) },
  'POST /api/v1/executions/{id}/apply': { request: () => ({ body: { paths: ['/proposed.md'] } }) },
  'POST /api/v1/runs/{id}/assignments/{answer}/events': {
    request: () => ({ body: { claim: UNKNOWN.run, seq: 1, events: [{ type: 'text', text: 'x' }] } }),
  },
  'POST /api/v1/runs/{id}/assignments/{answer}/heartbeat': {
    request: () => ({ body: { claim: UNKNOWN.run } }),
  },
  'POST /api/agent/stream': {
    request: ({ chat }) => ({ body: { message: SHORT, session_id: chat } }),
  },
};

/** Addressed by a name that the client chose, or by the id of a thread; `workspace` says where the name belongs. */
const BY_CLIENT_NAME: Readonly<Record<string, Route>> = {
  'GET /api/chat/{id}/stream': { request: ({ run }) => ({ query: { run } }) },
  'POST /api/chat/{id}/stop': {},
  'POST /api/chat': {
    request: ({ chat }) => ({
      body: { id: chat, messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: SHORT }] }] },
    }),
  },
  'GET /api/ag-ui': { request: ({ chat, run }) => ({ query: { threadId: chat, runId: 'mine', run } }) },
  'POST /api/ag-ui': {
    request: ({ chat }) => ({
      body: { threadId: chat, runId: 'r1', messages: [{ id: 'm2', role: 'user', content: SHORT }] },
    }),
  },
};

/** About nothing that belongs to one workspace, or about the one that the request names in its query or body. */
const WITHOUT_ID = [
  'GET /api',
  'GET /api/models',
  'GET /api/person',
  'GET /api/threads',
  'GET /api/usage',
  'GET /api/v1/sandbox',
  'GET /api/v1/workspaces',
  'GET /healthz',
  'GET /metrics',
  'GET /readyz',
  'POST /api/person',
  'POST /api/threads',
  'POST /api/v1/workspaces',
  // Claims work of the workspaces that the key may use; executors/protocol.test.ts checks that it is no other.
  'POST /api/v1/executors/{name}/claim',
  // The token in the address leads to its own trigger and to nothing else.
  'POST /hooks/{token}',
];

const SHORT = JSON.stringify({ steps: [{ text: 'Hi.' }] });
const YEARLY = { name: 'yearly', cron: '@yearly', message: SHORT };
const HOOK = { url: 'https://example.com/', enabled: false };
const TRIGGER = { name: 'trigger', message: SHORT };
const HANGS = JSON.stringify({ steps: [{ text: 'x', hang: true }] });
const UNKNOWN: Ids = {
  chat: '01890000-0000-7000-8000-000000000001',
  run: '01890000-0000-7000-8000-000000000002',
  message: '01890000-0000-7000-8000-000000000003',
  result: '01890000-0000-7000-8000-000000000002:nothing',
  approval: '01890000-0000-7000-8000-000000000004',
  file: '01890000-0000-7000-8000-000000000005',
  path: 'nothing/nowhere.md',
  folder: '/nothing',
  role: 'nobody',
  server: 'none',
  secret: 'NONE',
  edge: '01890000-0000-7000-8000-00000000000a',
  schedule: '01890000-0000-7000-8000-00000000000b',
  slug: 'nothing-at-all',
  webhook: '01890000-0000-7000-8000-00000000000c',
  webhook_message: '01890000-0000-7000-8000-00000000000d',
  trigger: '01890000-0000-7000-8000-00000000000e',
  read_key: '01890000-0000-7000-8000-00000000000f',
  entities: Object.fromEntries(
    KINDS.map(({ kind }, index) => [kind, `01890000-0000-7000-8000-0000000001${index + 10}`]),
  ),
};

/** The key of a principal that may use the default workspace alone. */
const LIMITED = { name: 'limited', secret: 'limited-to-the-default-workspace', isPerson: true };
const world = usePod({
  CONTINUO_TEST_KEYS: JSON.stringify([{ ...LIMITED, workspaceId: DEFAULT_WORKSPACE }]),
});
const workspaceUrl = (name: string, rest = '') => `${world.url}/api/v1/workspaces/${name}${rest}`;
let owned: Ids;

beforeAll(async () => {
  for (const name of ['owner', 'other'])
    expect((await ask('POST', `${world.url}/api/v1/workspaces`, { name })).status).toBe(201);
  owned = await fill('owner');
});

/** Makes one of everything. */
async function fill(name: string): Promise<Ids> {
  const put = async (path: string, text: string) => {
    const { body } = await ask('PUT', workspaceUrl(name, `/files/${path}`), text);
    return body.id as string;
  };
  const file = await put('plans/secret.md', 'A plan.');
  await put('plans/other.md', 'Another one.');
  await put('agents/spy.md', 'You look.');
  await put('content/pages/hidden.md', '---\ntitle: Hidden\n---\n[plan](../../plans/secret.md)');
  const published = await ask('POST', workspaceUrl(name, '/content/pages/hidden/publish'));
  expect(published.status).toBe(200);
  expect((await ask('PUT', workspaceUrl(name, '/mcp-servers/crawler'), disabled)).status).toBe(201);
  const stored = await ask('PUT', workspaceUrl(name, '/secrets/WEB_KEY'), { value: 'a value of it' });
  expect(stored.status).toBe(201);
  const open = async (steps: unknown[]) =>
    (await ask('POST', workspaceUrl(name, '/chats'), { goal: JSON.stringify({ steps }) })).body;
  const { chat, run } = await open([
    { calls: [{ tool: 'ls', input: { path: '/' } }] },
    { text: 'That is all.' },
  ]);
  const frames = await framesOf(world.url, run.id);
  await summarizeChat(workspaceUrl(name, `/chats/${chat.id}`));
  const call = frames.find(({ event }) => event === 'tool_end')!.data['call'] as string;
  await propose(run.id, call);
  await assign(run.id);
  await open([{ calls: [{ tool: 'external', input: { note: 'x' } }] }, { text: 'Done.' }]);
  const approval = await until(
    'a call waits for its approval',
    async () => (await ask('GET', workspaceUrl(name, '/approvals'))).body.items[0]?.id as string | undefined,
  );
  return {
    chat: chat.id,
    run: run.id,
    message: run.message_id,
    result: `${run.id}:${call}`,
    approval,
    file,
    path: 'plans/secret.md',
    folder: '/plans',
    role: 'spy',
    server: 'crawler',
    secret: 'WEB_KEY',
    slug: 'hidden',
    ...(await fillAutomation(name)),
    ...(await fillKnowledge(name)),
  };
}

/** A command that proposes a file, as if the call had been one: these pods have no sandbox. */
async function propose(runId: string, call: string): Promise<void> {
  await world.database.pool.query(
    `insert into executions (workspace_id, thread_id, run_id, call_id, command, cwd, ended_at)
      select workspace_id, thread_id, id, $2, 'true', '/', clock_timestamp() from runs where id = $1`,
    [runId, call],
  );
  await world.database.pool.query(
    `insert into execution_changes (workspace_id, run_id, call_id, path, part, base, size, is_text, data)
      select workspace_id, run_id, call_id, '/proposed.md', 0, 0, 3, true, 'new' from executions where run_id = $1`,
    [runId],
  );
}

/** An assignment that nobody has claimed, as if an executor were to write an answer of the run. */
async function assign(runId: string): Promise<void> {
  await world.database.pool.query(
    `insert into assignments (run_id, message, workspace_id, thread_id, executor, role, attempt, request)
      select id, 'm1', workspace_id, thread_id, 'nobody', 'assistant', 0, '{}' from runs where id = $1`,
    [runId],
  );
}

/** Makes a schedule, a webhook with a message, a trigger and a read key. */
async function fillAutomation(
  name: string,
): Promise<Pick<Ids, 'schedule' | 'webhook' | 'webhook_message' | 'trigger' | 'read_key'>> {
  const made = async (path: string, body: unknown) =>
    (await ask('POST', workspaceUrl(name, path), body)).body.id as string;
  const webhook = await made('/webhooks', HOOK);
  const { rows } = await world.database.pool.query<{ id: string }>(
    `insert into webhook_deliveries (id, workspace_id, webhook_id, event, payload, state)
      select gen_random_uuid(), workspace_id, id, 'run.ended', '{}', 'dead' from webhooks where id = $1 returning id`,
    [webhook],
  );
  return {
    schedule: await made('/schedules', YEARLY),
    webhook,
    webhook_message: rows[0]!.id,
    trigger: await made('/triggers', TRIGGER),
    read_key: await made('/read-keys', { name: 'mine' }),
  };
}

/** Says so much that the chat gets a summary. */
async function summarizeChat(url: string): Promise<void> {
  const content = JSON.stringify({ steps: [{ text: 'so it goes '.repeat(200) }] });
  for (let turn = 0; turn < 8; turn += 1)
    await framesOf(world.url, (await ask('POST', url, { content })).body.run.id);
  await until('there is a summary', async () => (await ask('GET', `${url}/summaries`)).body.items.length > 0);
}

/** Makes an entity of each kind, and an edge. */
async function fillKnowledge(name: string): Promise<Pick<Ids, 'edge' | 'entities'>> {
  const made = await ask('POST', workspaceUrl(name, '/projects'), { name: 'Secret' });
  const entities: Record<string, string> = { project: made.body.project.id };
  for (const { kind, plural } of KINDS) {
    if (kind === 'project') continue;
    const content = '# A plan\n\n## Work\n\n- [x] Do it {#step}\n';
    const body = {
      project_id: entities['project'],
      title: `A ${kind}`,
      ...(kind === 'plan' && { content }),
    };
    entities[kind] = (await ask('POST', workspaceUrl(name, `/${plural}`), body)).body.id;
  }
  const edge = { from_id: entities['task'], to_id: entities['goal'], rel: 'supports' };
  return { entities, edge: (await ask('POST', workspaceUrl(name, '/edges'), edge)).body.id };
}

/** Sends a route's request with these ids. */
function send(route: string, { request }: Route, workspace: string, ids: Ids): Promise<Answer> {
  const [method, path] = route.split(' ') as [string, string];
  const { query = {}, body, headers = {} } = request?.(ids) ?? {};
  const address = path
    .replace(/(?<=\/(workspaces|content)\/)\{id\}/, workspace)
    .replace('{type}', 'pages')
    .replace('{slug}', ids.slug)
    .replace('{version}', '1')
    .replace('{file}', ids.file)
    .replace(/(?<=\/(threads|chat)\/)\{id\}/, ids.chat)
    .replace(/(?<=\/runs\/)\{id\}|\{run_id\}/, ids.run)
    .replace(/(?<=\/(tool-results|executions)\/)\{id\}/, encodeURIComponent(ids.result))
    .replace(/(?<=\/roles\/)\{name\}/, ids.role)
    .replace(/(?<=\/mcp-servers\/)\{name\}/, ids.server)
    .replace(/(?<=\/secrets\/)\{name\}/, ids.secret)
    .replace(/\{entity_id\}/, entityFor(path, ids))
    .replace('{answer}', 'm1')
    .replace('{edge_id}', ids.edge)
    .replace('{step_id}', 'step')
    .replace('{message}', ids.webhook_message)
    .replace('{key}', ids.read_key)
    .replace(
      /\{(chat|approval|path|schedule|webhook|trigger)\}/,
      (_all, name: 'chat' | 'approval' | 'path' | 'schedule' | 'webhook' | 'trigger') => ids[name],
    );
  expect(address, route).not.toContain('{');
  const search = new URLSearchParams(query).toString();
  return ask(method, `${world.url}${address}${search && `?${search}`}`, body, {
    accept: 'application/json',
    ...headers,
  });
}

/** The entity that a route of its kind takes; any, where the route takes any. */
function entityFor(path: string, { entities }: Ids): string {
  const { kind } = KINDS.find(({ plural }) => path.includes(`/${plural}/`)) ?? { kind: 'task' };
  return entities[kind]!;
}

/** An answer in which nothing tells which ids were asked for. */
function anonymized({ status, text }: Answer, ids: Ids): { status: number; text: string } {
  const { entities, ...others } = ids;
  const names = [...Object.values(others), ...Object.values(entities)].toSorted(
    (a, b) => b.length - a.length,
  );
  return { status, text: names.reduce((all, name) => all.replaceAll(name, '<id>'), text) };
}

test('every route of the document stands in one of the tables, and every route of the tables in the document', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  const served = Object.entries<object>(body.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const known = [INSIDE, BY_ID, BY_CLIENT_NAME].flatMap((table) => Object.keys(table));
  expect(served.toSorted()).toEqual([...known, ...WHOLE_WORKSPACE, ...WITHOUT_ID].toSorted());
});

describe('an id of another workspace is answered like an unknown id', () => {
  test.each(Object.entries(INSIDE))('%s', async (route, table) => {
    const foreign = await send(route, table, 'other', owned);
    expect(foreign.status, foreign.text).toBe(table.status ?? 404);
    if (table.makes) return;
    const unknown = await send(route, table, 'other', UNKNOWN);
    expect(anonymized(foreign, owned)).toEqual(anonymized(unknown, UNKNOWN));
  });

  test.each(Object.entries(BY_CLIENT_NAME))(
    '%s, where the request names the workspace',
    async (route, table) => {
      const named: Route = {
        request: (ids) => {
          const request = table.request?.(ids) ?? {};
          return { ...request, query: { ...request.query, workspace: 'other' } };
        },
      };
      const foreign = await send(route, named, 'other', owned);
      expect(foreign, foreign.text).toMatchObject({ status: 404, body: { code: 'thread_not_found' } });
    },
  );
});

describe('a principal of another workspace gets the same answer as for an unknown id', () => {
  const headers = { authorization: `Bearer ${LIMITED.secret}` };
  const asLimited = (table: Route): Route => ({
    request: (ids) => {
      const request = table.request?.(ids) ?? {};
      return { ...request, headers: { ...request.headers, ...headers } };
    },
  });
  const UNKNOWN_WORKSPACE = '01890000-0000-7000-8000-000000000009';
  const isHidden = async (route: string, table: Route) => {
    const foreign = await send(route, asLimited(table), 'owner', owned);
    const unknown = await send(route, asLimited(table), UNKNOWN_WORKSPACE, UNKNOWN);
    expect(foreign.status, foreign.text).toBe(404);
    const named = (answer: Answer, name: string, ids: Ids) => {
      const { status, text } = anonymized(answer, ids);
      return { status, text: text.replaceAll(name, '<workspace>') };
    };
    expect(named(foreign, 'owner', owned)).toEqual(named(unknown, UNKNOWN_WORKSPACE, UNKNOWN));
  };
  test.each(Object.entries(BY_ID))('%s', isHidden);
  test.each(Object.entries(INSIDE))('%s', isHidden);
  test.each(WHOLE_WORKSPACE)('%s', (route) => isHidden(route, { request: () => VALID[route] ?? {} }));

  test.each(Object.entries(BY_CLIENT_NAME))('%s, where the request names the workspace', (route, table) =>
    isHidden(route, {
      request: (ids) => {
        const request = table.request?.(ids) ?? {};
        const workspace = ids === owned ? 'owner' : UNKNOWN_WORKSPACE;
        return { ...request, query: { ...request.query, workspace } };
      },
    }),
  );

  test('GET /api/ag-ui and GET /api/chat/{id}/stream by the id of a thread', async () => {
    for (const route of ['GET /api/ag-ui', 'GET /api/chat/{id}/stream'])
      await isHidden(route, BY_CLIENT_NAME[route]!);
  });

  test('lists show nothing of it', async () => {
    const list = async (path: string) =>
      (await ask('GET', `${world.url}${path}`, undefined, headers)).body.items;
    expect(await list('/api/v1/workspaces')).toMatchObject([{ id: DEFAULT_WORKSPACE }]);
    expect(await list('/api/v1/workspaces?removed=true')).toEqual([]);
    expect(await list('/api/usage?by=thread')).toEqual([]);
    const { items } = (await ask('GET', `${world.url}/api/usage?by=thread`)).body;
    expect(items.length).toBeGreaterThan(0);
  });

  test.each([
    ['POST', '/api/v1/workspaces', { name: 'mine' }],
    ['GET', '/metrics', undefined],
  ])('%s %s is refused', async (method, path, body) => {
    const answer = await ask(method, `${world.url}${path}`, body, headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'key_limited' } });
    expect(answer.body.detail).toContain('The key limited is limited to one workspace');
  });

  test('its own workspace is there', async () => {
    const { status } = await ask('GET', workspaceUrl('default'), undefined, headers);
    expect(status).toBe(200);
    const made = await ask('POST', `${world.url}/api/threads`, {}, headers);
    expect(made.status).toBe(201);
    expect((await ask('GET', `${world.url}/api/threads/${made.body.id}`, undefined, headers)).status).toBe(
      200,
    );
  });
});

// After the tests above: these change what they ask for.
describe('in its own workspace, the same request finds it', () => {
  const found = async (route: string, table: Route) => {
    const { status, text } = await send(route, table, 'owner', owned);
    expect(status, text).not.toBe(404);
    expect(status, text).toBeLessThan(500);
  };
  test.each(Object.entries(BY_ID))('%s', found);
  test.each(Object.entries(BY_CLIENT_NAME))('%s', found);
  test.each(Object.entries(INSIDE))('%s', found);
});

// The last test: it removes what the tests above use.
test('a purge of the workspace leaves no row that names anything of it, in any table', async () => {
  const { pool } = world.database;
  const columns = await uuidColumns();
  const { rows: workspaces } = await pool.query<{ id: string }>(
    "select id from workspaces where name = 'owner'",
  );
  const workspace = workspaces[0]!.id;
  const ids = new Set([workspace]);
  const tables = [...columns].filter(([, names]) => names.includes('id') && names.includes('workspace_id'));
  for (const [table] of tables) {
    const { rows } = await pool.query<{ id: string }>(`select id from ${table} where workspace_id = $1`, [
      workspace,
    ]);
    for (const { id } of rows) ids.add(id);
  }
  expect(ids.size).toBeGreaterThan(20);
  expect(await namingTables(columns, [...ids])).toEqual(expect.arrayContaining(['threads', 'entities']));

  expect((await ask('DELETE', workspaceUrl('owner'))).status).toBe(200);
  await pool.query("update workspaces set removed_at = now() - interval '1 year' where id = $1", [workspace]);
  const settings = { connection: world.database.url, applicationName: 'chores', leaseSeconds: 30 };
  const choring = createPool(settings, () => undefined);
  try {
    await until('the workspace is purged', async () => {
      await doChores(choring);
      const { rowCount } = await pool.query('select from workspaces where id = $1', [workspace]);
      return rowCount === 0;
    });
  } finally {
    await choring.end();
  }
  expect(await namingTables(columns, [...ids])).toEqual([]);
});

/** The columns of uuids, by table. */
async function uuidColumns(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await world.database.pool.query<{ table: string; columns: string[] }>(
    `select table_name as table, array_agg(column_name::text) as columns
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = current_schema() and table_type = 'BASE TABLE' and udt_name = 'uuid' group by 1`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** The tables in which a column of uuids has one of the ids. */
async function namingTables(
  columns: ReadonlyMap<string, readonly string[]>,
  ids: readonly string[],
): Promise<string[]> {
  const naming: string[] = [];
  for (const [table, names] of columns) {
    const { rowCount } = await world.database.pool.query(
      `select from ${table} where ${names.map((name) => `${name} = any ($1)`).join(' or ')} limit 1`,
      [ids],
    );
    if (rowCount !== 0) naming.push(table);
  }
  return naming.toSorted();
}
