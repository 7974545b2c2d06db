// Hints across pods: each request that changes something is made to one pod, and a screen that is connected to the other
// pod hears of it. The log stands still meanwhile, so that no event can tell of the change.

import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { AS_PERSON, ask, until, type Answer } from '@continuo/testkit';
import {
  freshDatabase,
  holdLog,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import type { Kind } from '../../src/knowledge/kind.ts';
import { KINDS } from '../../src/knowledge/kinds/index.ts';
import { bytes, newSpace, type Space } from '../files/support.ts';

interface Hint {
  readonly chats: readonly string[];
  readonly files: boolean;
  readonly servers: boolean;
  readonly automation: boolean;
  readonly executions: readonly string[];
}

let database: TestDatabase;
let a: TestPod;
let b: TestPod;
let space: Space;
const gone = new AbortController();

beforeAll(async () => {
  database = await freshDatabase();
  [a, b] = await Promise.all([
    startPod({ databaseUrl: database.url, leaseSeconds: 20 }),
    startPod({ databaseUrl: database.url, leaseSeconds: 20 }),
  ]);
  // Each pod knows of the other before anything is announced.
  await until(
    'both pods are registered',
    async () => (await database.pool.query('select from pods')).rowCount === 2,
  );
  space = await newSpace(a.url);
});
afterAll(async () => {
  gone.abort();
  await Promise.all([a.end(), b.end()]);
  await database.drop();
});

/** What a screen hears on the other pod, of one workspace. */
class Screen {
  readonly #hints: Hint[] = [];
  #wake: () => void = () => undefined;

  static async open(workspaceId: string): Promise<Screen> {
    const response = await fetch(`${b.url}/api/v1/workspaces/${workspaceId}/hints`, { signal: gone.signal });
    expect(response.status).toBe(200);
    const screen = new Screen();
    screen.#read(response).catch(() => undefined);
    return screen;
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data) this.#hints.push(JSON.parse(data) as Hint);
      }
      this.#wake();
    }
  }

  /** Resolves when a hint says that; hints of before are forgotten with `forget`. */
  async hears(says: (hint: Hint) => boolean): Promise<void> {
    while (!this.#hints.some(says)) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  forget(): void {
    this.#hints.length = 0;
  }
}

const at = (rest = '', pod = a) => `${pod.url}/api/v1/workspaces/${space.id}${rest}`;
const say = (...steps: object[]) => JSON.stringify({ steps });
const HANGS = say({ text: 'begun', hang: true });

async function ok(answer: Promise<Pick<Answer, 'status' | 'body'>>): Promise<Answer['body']> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

async function open(goal: string): Promise<{ chat: string; run: string }> {
  const { chat, run } = await ok(ask('POST', at('/chats'), { goal, title: 'a chat' }));
  return { chat: chat.id as string, run: run.id as string };
}

async function openUntil(goal: string, status: string): Promise<{ chat: string; run: string }> {
  const opened = await open(goal);
  await until(
    `the run is ${status}`,
    async () => (await ask('GET', `${a.url}/api/runs/${opened.run}`)).body.status === status,
  );
  return opened;
}

async function queueIn(chat: string): Promise<string> {
  return (await ok(ask('POST', at(`/chats/${chat}`), { content: say({ text: 'next' }) }))).run.id as string;
}

/** Begins a request whose answer is a stream, and does not wait for it. */
function stream(path: string, body: unknown): void {
  fetch(`${a.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...AS_PERSON },
    body: JSON.stringify(body),
    signal: gone.signal,
  }).catch(() => undefined);
}

type Prepared = { readonly chat?: string; readonly run?: string; readonly id?: string };

interface Route {
  /** Before the log stands still. */
  readonly prepare?: () => Promise<Prepared>;
  /** Makes the request; answers what a hint must say, by default that the prepared chat changed. */
  readonly request: (prepared: Prepared) => Promise<unknown>;
  readonly says?: (prepared: Prepared, answer: unknown) => (hint: Hint) => boolean;
}

const chatOf = (chat: string) => (hint: Hint) => hint.chats.includes(chat);
const someChat = () => (hint: Hint) => hint.chats.length > 0;
const files = () => (hint: Hint) => hint.files;
const servers = () => (hint: Hint) => hint.servers;
const automation = () => (hint: Hint) => hint.automation;
const control = (action: string, prepare: () => Promise<Prepared>): Route => ({
  prepare,
  request: ({ chat }) => ok(ask('POST', at(`/chats/${chat}/${action}`))),
});
const schedule = { name: 'scheduled', cron: '@yearly', message: say({ text: 'done' }) };
/** A request about a schedule of its own. */
const scheduled = (method: string, rest = '', body?: unknown): Route => ({
  prepare: async () => (await ask('POST', at('/schedules'), { ...schedule, name: `${method}${rest}` })).body,
  request: ({ id }) => ok(ask(method, at(`/schedules/${id}${rest}`), body)),
  says: automation,
});
const webhook = { url: 'https://example.com/' };
/** Disabled: nothing is sent there. */
const hookedOnce = async () =>
  (await ask('POST', at('/webhooks'), { ...webhook, enabled: false })).body as { id: string };
const hooked = (method: string, rest = '', body?: unknown): Route => ({
  prepare: hookedOnce,
  request: ({ id }) => ok(ask(method, at(`/webhooks/${id}${rest}`), body)),
  says: automation,
});
const trigger = { name: 'triggering', message: say({ text: 'done' }) };
const triggering = (method: string, rest = '', body?: unknown): Route => ({
  prepare: async () => (await ask('POST', at('/triggers'), { ...trigger, name: `${method}${rest}` })).body,
  request: ({ id }) => ok(ask(method, at(`/triggers/${id}${rest}`), body)),
  says: automation,
});
const hanging = () => openUntil(HANGS, 'running');
const done = () => openUntil(say({ text: 'done' }), 'done');

async function zipped(): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('zipped'), 'zipped.md');
  zip.end();
  return buffer(zip.outputStream);
}
const put = (path: string) => ok(bytes('PUT', at(`/files/${path}`), path));
const server = { transport: 'http', url: 'http://127.0.0.1:1/mcp' };

/** A person decides about removals that the mirror holds back; it may find at any time that none are, and drop the question. */
const decided = (action: string): Route => ({
  request: () =>
    until('the held removals are decided', async () => {
      await database.pool.query(
        `insert into held_removals (workspace_id, files, removed) values ($1, 1, '{}')
          on conflict (workspace_id) do update set decision = null`,
        [space.id],
      );
      return (await ask('POST', at(`/folder/${action}`))).status === 200;
    }),
  says: files,
});

/** The entities that the requests have made, by kind. */
const entities: Record<string, string> = {};
let edge = '';
/** A file that was removed with its folder. */
let trashed = '';

/** The routes of a kind of entity. The project is there before the others. */
function routesOf({ kind, plural, titleField }: Kind): Record<string, Route> {
  const path = `/api/v1/workspaces/{id}/${plural}`;
  const one = () => `/${plural}/${entities[kind]}`;
  const request = (method: string, rest: () => string, body?: object): Route => ({
    request: () => ok(ask(method, at(rest()), body)),
    says: files,
  });
  return {
    ...(kind !== 'project' && {
      [`post ${path}`]: {
        request: async () => {
          const body = { project_id: entities['project'], title: kind };
          entities[kind] = (await ok(ask('POST', at(`/${plural}`), body))).id;
        },
        says: files,
      },
    }),
    [`patch ${path}/{entity_id}`]: request('PATCH', one, { [titleField]: 'Another' }),
    [`delete ${path}/{entity_id}`]: request('DELETE', one),
    [`post ${path}/{entity_id}/restore`]: request('POST', () => `${one()}/restore`),
  };
}

const KNOWLEDGE: Readonly<Record<string, Route>> = {
  'post /api/v1/workspaces/{id}/projects': {
    request: async () => {
      entities['project'] = (await ok(ask('POST', at('/projects'), { name: 'P' }))).project.id;
    },
    says: files,
  },
  ...(Object.assign({}, ...KINDS.map(routesOf)) as Record<string, Route>),
  'post /api/v1/workspaces/{id}/documents/{entity_id}/move': {
    request: () =>
      ok(ask('POST', at(`/documents/${entities['document']}/move`), { parent_id: null, order: 0 })),
    says: files,
  },
  'post /api/v1/workspaces/{id}/edges': {
    request: async () => {
      const body = { from_id: entities['task'], to_id: entities['goal'], rel: 'supports' };
      edge = (await ok(ask('POST', at('/edges'), body))).id;
    },
    says: files,
  },
  'delete /api/v1/workspaces/{id}/edges/{edge_id}': {
    request: () => ok(ask('DELETE', at(`/edges/${edge}`))),
    says: files,
  },
  'post /api/v1/workspaces/{id}/projects/import': {
    request: async () => {
      const archive = await fetch(at(`/projects/${entities['project']}/archive`));
      await ok(bytes('POST', at('/projects/import'), Buffer.from(await archive.arrayBuffer())));
    },
    says: files,
  },
};

/** What a plan's page shows comes from its own rows and events. */
const PLAN_EVENTS = 'a plan’s page reads its progress again when the plan’s topic or the feed says so';

/** Each route that is not a GET: how its change is heard, or why there is nothing to hear. In the order of the requests. */
const ROUTES: Readonly<Record<string, Route | string>> = {
  'post /api/threads': {
    request: () => ok(ask('POST', `${a.url}/api/threads`, { workspace: space.id })),
    says: (_, thread) => chatOf((thread as { id: string }).id),
  },
  'post /api/threads/{id}/messages': {
    prepare: done,
    request: ({ chat }) => ok(ask('POST', `${a.url}/api/threads/${chat}/messages`, { content: HANGS })),
  },
  'post /api/runs/{id}/cancel': {
    prepare: hanging,
    request: ({ run }) => ok(ask('POST', `${a.url}/api/runs/${run}/cancel`)),
  },
  'post /api/runs/{id}/steer': {
    prepare: async () => {
      const { chat } = await hanging();
      return { chat, run: await queueIn(chat) };
    },
    request: ({ run }) => ok(ask('POST', `${a.url}/api/runs/${run}/steer`)),
  },
  'post /api/runs/{id}/retry': {
    prepare: () => openUntil(say({ error: { code: 'broken', message: 'it broke' } }), 'error'),
    request: ({ run }) => ok(ask('POST', `${a.url}/api/runs/${run}/retry`)),
  },
  'post /api/v1/workspaces/{id}/chats': {
    request: () => open(HANGS),
    says: (_, opened) => chatOf((opened as { chat: string }).chat),
  },
  'post /api/v1/workspaces/{id}/chats/{chat}': { prepare: done, request: ({ chat }) => queueIn(chat!) },
  'patch /api/v1/workspaces/{id}/chats/{chat}': {
    prepare: done,
    request: ({ chat }) => ok(ask('PATCH', at(`/chats/${chat}`), { archived: true })),
  },
  'delete /api/v1/workspaces/{id}/chats/{chat}': {
    prepare: done,
    request: ({ chat }) => ok(ask('DELETE', at(`/chats/${chat}`))),
  },
  'post /api/v1/workspaces/{id}/chats/{chat}/restore': control('restore', async () => {
    const { chat } = await done();
    await ok(ask('DELETE', at(`/chats/${chat}`)));
    return { chat };
  }),
  'post /api/v1/workspaces/{id}/chats/{chat}/stop': control('stop', hanging),
  'post /api/v1/workspaces/{id}/chats/{chat}/pause': control('pause', hanging),
  'post /api/v1/workspaces/{id}/chats/{chat}/resume': control('resume', async () => {
    const { chat } = await hanging();
    await ok(ask('POST', at(`/chats/${chat}/pause`)));
    return { chat };
  }),
  'post /api/v1/workspaces/{id}/chats/{chat}/ping': control('ping', done),
  'post /api/v1/workspaces/{id}/chats/{chat}/focus': {
    prepare: done,
    request: ({ chat }) => ok(ask('POST', at(`/chats/${chat}/focus`), { scope: 'global' })),
  },
  'post /api/v1/workspaces/{id}/approvals/{approval}': {
    prepare: async () => {
      const { chat } = await open(
        say({ text: 'may I?', calls: [{ tool: 'external', input: { note: 'x' } }] }),
      );
      const { id } = await until(
        'a call waits for its approval',
        async () => (await ask('GET', at('/approvals'))).body.items[0],
      );
      return { chat, id };
    },
    request: ({ id }) => ok(ask('POST', at(`/approvals/${id}`), { decision: 'approve' })),
  },
  'post /api/agent/stream': {
    request: async () => stream('/api/agent/stream', { message: HANGS, workspace: space.id }),
    says: someChat,
  },
  'post /api/chat': {
    request: async () =>
      stream(`/api/chat?workspace=${space.id}`, {
        id: 'an ai sdk chat',
        messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: HANGS }] }],
      }),
    says: someChat,
  },
  'post /api/chat/{id}/stop': {
    prepare: hanging,
    request: ({ chat }) => ok(ask('POST', `${a.url}/api/chat/${chat}/stop?workspace=${space.id}`)),
  },
  'post /api/ag-ui': {
    request: async () =>
      stream(`/api/ag-ui?workspace=${space.id}`, {
        threadId: 'an ag-ui thread',
        runId: '1',
        messages: [{ id: '1', role: 'user', content: HANGS }],
      }),
    says: someChat,
  },
  'put /api/v1/workspaces/{id}/files/{path}': { request: () => put('a.md'), says: files },
  'post /api/v1/workspaces/{id}/moves': {
    request: () => ok(ask('POST', at('/moves'), { from: '/a.md', to: '/b.md' })),
    says: files,
  },
  'delete /api/v1/workspaces/{id}/files/{path}': {
    request: () => ok(ask('DELETE', at('/files/b.md'))),
    says: files,
  },
  'delete /api/v1/workspaces/{id}/tree': {
    prepare: () => put('trashed/a.md').then(({ id }) => ({ id: (trashed = id as string) })),
    request: () => ok(ask('DELETE', at('/tree?path=/trashed'))),
    says: files,
  },
  'post /api/v1/workspaces/{id}/trash/restore': {
    request: () => ok(ask('POST', at('/trash/restore'), { files: [trashed] })),
    says: files,
  },
  'post /api/v1/workspaces/{id}/restore': {
    request: () => ok(ask('POST', at('/restore'), { path: '/b.md', version: 1 })),
    says: files,
  },
  'put /api/v1/workspaces/{id}/archive': {
    request: async () => ok(bytes('PUT', at('/archive?path=/put'), await zipped())),
    says: files,
  },
  'post /api/v1/workspaces/{id}/archive': {
    request: async () => ok(bytes('POST', at('/archive?path=/posted'), await zipped())),
    says: files,
  },
  'post /api/v1/workspaces/{id}/folder/restore': decided('restore'),
  'post /api/v1/workspaces/{id}/folder/accept-removals': decided('accept-removals'),
  'put /api/v1/workspaces/{id}/mcp-servers/{name}': {
    request: () => ok(ask('PUT', at('/mcp-servers/hinted'), server)),
    says: servers,
  },
  'post /api/v1/workspaces/{id}/mcp-servers/{name}/restart': {
    request: () => ok(ask('POST', at('/mcp-servers/hinted/restart'))),
    says: servers,
  },
  'delete /api/v1/workspaces/{id}/mcp-servers/{name}': {
    request: () => ok(ask('DELETE', at('/mcp-servers/hinted'))),
    says: servers,
  },
  'post /api/v1/workspaces/{id}/schedules': {
    request: () => ok(ask('POST', at('/schedules'), { ...schedule, name: 'hinted' })),
    says: automation,
  },
  'put /api/v1/workspaces/{id}/schedules/{schedule}': scheduled('PUT', '', schedule),
  'post /api/v1/workspaces/{id}/schedules/{schedule}/pause': scheduled('POST', '/pause'),
  'post /api/v1/workspaces/{id}/schedules/{schedule}/resume': scheduled('POST', '/resume'),
  'post /api/v1/workspaces/{id}/schedules/{schedule}/run': scheduled('POST', '/run'),
  'delete /api/v1/workspaces/{id}/schedules/{schedule}': scheduled('DELETE'),
  'post /api/v1/workspaces/{id}/content/{type}/{slug}/publish': {
    prepare: async () => {
      await ok(bytes('PUT', at('/files/content/pages/hinted.md'), '---\ntitle: Hinted\n---\n'));
      return {};
    },
    request: () => ok(ask('POST', at('/content/pages/hinted/publish'))),
    says: files,
  },
  'post /api/v1/workspaces/{id}/content/{type}/{slug}/restore': {
    request: () => ok(ask('POST', at('/content/pages/hinted/restore'), { version: 1 })),
    says: files,
  },
  'post /api/v1/workspaces/{id}/content/{type}/{slug}/schedule': {
    request: () => ok(ask('POST', at('/content/pages/hinted/schedule'), { at: '2029-01-01T00:00:00Z' })),
    says: files,
  },
  'delete /api/v1/workspaces/{id}/content/{type}/{slug}/schedule': {
    request: () => ok(ask('DELETE', at('/content/pages/hinted/schedule'))),
    says: files,
  },
  'post /api/v1/workspaces/{id}/content/{type}/{slug}/unpublish': {
    request: () => ok(ask('POST', at('/content/pages/hinted/unpublish'))),
    says: files,
  },
  'post /api/v1/workspaces/{id}/read-keys': {
    request: () => ok(ask('POST', at('/read-keys'), { name: 'hinted' })),
    says: files,
  },
  'delete /api/v1/workspaces/{id}/read-keys/{key}': {
    prepare: async () => (await ask('POST', at('/read-keys'), { name: 'removed' })).body,
    request: ({ id }) => ok(ask('DELETE', at(`/read-keys/${id}`))),
    says: files,
  },
  'post /api/v1/workspaces/{id}/webhooks': {
    request: () => ok(ask('POST', at('/webhooks'), webhook)),
    says: automation,
  },
  'put /api/v1/workspaces/{id}/webhooks/{webhook}': hooked('PUT', '', webhook),
  'post /api/v1/workspaces/{id}/webhooks/{webhook}/secret': hooked('POST', '/secret'),
  'post /api/v1/workspaces/{id}/webhooks/{webhook}/messages/{message}/send': {
    prepare: async () => {
      const { id } = await hookedOnce();
      const message = randomUUID();
      await database.pool.query(
        `insert into webhook_deliveries (id, workspace_id, webhook_id, event, payload, state)
          values ($1, $2, $3, 'run.ended', '{}', 'dead')`,
        [message, space.id, id],
      );
      return { id: `${id}/messages/${message}` };
    },
    request: ({ id }) => ok(ask('POST', at(`/webhooks/${id}/send`))),
    says: automation,
  },
  'delete /api/v1/workspaces/{id}/webhooks/{webhook}': hooked('DELETE'),
  'post /api/v1/workspaces/{id}/triggers': {
    request: () => ok(ask('POST', at('/triggers'), { ...trigger, name: 'hinted' })),
    says: automation,
  },
  'put /api/v1/workspaces/{id}/triggers/{trigger}': triggering('PUT', '', trigger),
  'post /api/v1/workspaces/{id}/triggers/{trigger}/token': triggering('POST', '/token'),
  'delete /api/v1/workspaces/{id}/triggers/{trigger}': triggering('DELETE'),
  'post /hooks/{token}': {
    prepare: async () => ({
      id: (await ask('POST', at('/triggers'), { ...trigger, name: 'fired' })).body.path,
    }),
    request: ({ id }) => ok(ask('POST', `${a.url}${id}`, 'hi')),
    says: someChat,
  },
  ...KNOWLEDGE,
  'patch /api/v1/workspaces/{id}': {
    request: () => ok(ask('PATCH', at(), { name: `${space.name}-renamed` })),
    says: files,
  },
  'delete /api/v1/workspaces/{id}': { request: () => ok(ask('DELETE', at())), says: files },
  'post /api/v1/workspaces': 'nobody can listen to a workspace before it is made',
  'put /api/v1/workspaces/{id}/policy': 'no list shows it, and it is read whenever it is needed',
  'put /api/v1/workspaces/{id}/secrets/{name}':
    'only the settings show it, and they read it when they are opened',
  'delete /api/v1/workspaces/{id}/secrets/{name}':
    'only the settings show it, and they read it when they are opened',
  'patch /api/v1/workspaces/{id}/chats/{chat}/state':
    'it is answered after its event, which the log announces',
  'delete /api/v1/workspaces/{id}/chats/{chat}/state':
    'it is answered after its event, which the log announces',
  'post /api/v1/executions/{id}/apply': 'it writes files as PUT …/files does, after a command in the sandbox',
  'post /api/v1/workspaces/{id}/plans/{entity_id}/approve': PLAN_EVENTS,
  'post /api/v1/workspaces/{id}/plans/{entity_id}/run': PLAN_EVENTS,
  'post /api/v1/workspaces/{id}/plans/{entity_id}/pause': PLAN_EVENTS,
  'post /api/v1/workspaces/{id}/plans/{entity_id}/resume': PLAN_EVENTS,
  'post /api/v1/workspaces/{id}/plans/{entity_id}/stop': PLAN_EVENTS,
  'post /api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/retry': PLAN_EVENTS,
  'post /api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/skip': PLAN_EVENTS,
  'post /api/v1/executors/{name}/claim': 'no list shows claims',
  'post /api/v1/runs/{id}/assignments/{answer}/events':
    'the owner of the thread appends them, and the log announces them',
  'post /api/v1/runs/{id}/assignments/{answer}/heartbeat': 'no list shows leases',
  'post /api/person': 'it changes nothing',
};

test('PLUS-5 every request that changes something sends a hint to other pods, also where the log has no event of it', async () => {
  const { paths } = (await ask('GET', `${a.url}/openapi.json`)).body as {
    paths: Record<string, Record<string, unknown>>;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => (/^(get|head)$/.test(method) ? [] : [`${method} ${path}`])),
  );
  expect(Object.keys(ROUTES).toSorted()).toEqual(documented.toSorted());

  const screen = await Screen.open(space.id);
  const routes = Object.entries(ROUTES).flatMap(([name, route]) =>
    typeof route === 'string' ? [] : [{ name, route }],
  );
  const prepared = await Promise.all(
    routes.map(async ({ route }): Promise<Prepared> => (await route.prepare?.()) ?? {}),
  );
  const sentinel = await open(say({ text: 'first' }));
  const release = await holdLog(database);
  try {
    // What is committed is heard in its order: when this has come, so has whatever the log had to say.
    await ok(ask('PATCH', at(`/chats/${sentinel.chat}`), { title: 'sentinel' }));
    await screen.hears(chatOf(sentinel.chat));
    for (const [index, { name, route }] of routes.entries()) {
      screen.forget();
      const given = prepared[index]!;
      const answer = await route.request(given);
      const says = route.says?.(given, answer) ?? chatOf(given.chat!);
      await Promise.race([
        screen.hears(says),
        new Promise((_, reject) => setTimeout(reject, 10_000, new Error(`${name} was not heard`))),
      ]);
    }
  } finally {
    await release();
  }
}, 60_000);
