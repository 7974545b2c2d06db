// An id or path cannot lead to another route, whichever call it is given to.

import { expect, onTestFinished, test } from 'vitest';
import { address } from '../src/address.ts';
import { PERSON_TOKEN } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { createClient, InputError, type Client } from '../src/index.ts';

const world = usePod();
const ID = '01a1e264-eff2-7144-8d90-9c91a4b3dc89';

/** A client of the real server, with the requests that it sent. */
function watched(workspace?: string): { readonly client: Client; readonly sent: readonly string[] } {
  const sent: string[] = [];
  const client = createClient({
    baseUrl: world.url,
    apiKey: PERSON_TOKEN,
    ...(workspace !== undefined && { workspace }),
    fetch: (input, init) => {
      sent.push(`${init?.method} ${input as string}`);
      return fetch(input, init);
    },
  });
  return { client, sent };
}

async function first(events: AsyncGenerator<unknown>): Promise<void> {
  await events.next();
}

const RULES = { rules: [] };
const SCHEDULE = { name: 'x', cron: '@daily', message: 'x' };
const TRIGGER = { name: 'x', message: 'x' };
const SERVER = { transport: 'http', url: 'http://127.0.0.1:9/mcp' } as never;

const BY_ID: Record<string, (client: Client, id: string) => Promise<unknown>> = {
  'threads.get': ({ threads }, id) => threads.get(id),
  'threads.send': ({ threads }, id) => threads.send(id, { content: 'x' }),
  'threads.stream': ({ threads }, id) => first(threads.stream(id)),
  'threads.events': ({ threads }, id) => threads.events(id),
  'threads.messages': ({ threads }, id) => threads.messages(id),
  'runs.get': ({ runs }, id) => runs.get(id),
  'runs.stream': ({ runs }, id) => first(runs.stream(id)),
  'runs.events': ({ runs }, id) => runs.events(id),
  'runs.ended': ({ runs }, id) => runs.ended(id),
  'runs.cancel': ({ runs }, id) => runs.cancel(id),
  'runs.retry': ({ runs }, id) => runs.retry(id),
  'runs.steer': ({ runs }, id) => runs.steer(id),
  'runs.why': ({ runs }, id) => runs.why(id),
  'runs.context': ({ runs }, id) => runs.context(id),
  'threads.requests': ({ threads }, id) => threads.requests(id),
  'threads.context': ({ threads }, id) => threads.context(id, { seq: 1 }),
  'chats.state': ({ chats }, id) => chats.state(id),
  'chats.changeState': ({ chats }, id) => chats.changeState(id, {}),
  'chats.clearState': ({ chats }, id) => chats.clearState(id),
  'chats.summaries': ({ chats }, id) => chats.summaries(id),
  'chats.summary': ({ chats }, id) => chats.summary(id, 1),
  'chats.context': ({ chats }, id) => chats.context(id),
  'chats.focus': ({ chats }, id) => chats.focus(id, { scope: 'global' }),
  'chats.get': ({ chats }, id) => chats.get(id),
  'chats.send': ({ chats }, id) => chats.send(id, { content: 'x' }),
  'chats.change': ({ chats }, id) => chats.change(id, { title: 'x' }),
  'chats.remove': ({ chats }, id) => chats.remove(id),
  'chats.restore': ({ chats }, id) => chats.restore(id),
  'chats.stop': ({ chats }, id) => chats.stop(id),
  'chats.pause': ({ chats }, id) => chats.pause(id),
  'chats.resume': ({ chats }, id) => chats.resume(id),
  'chats.ping': ({ chats }, id) => chats.ping(id),
  'chats.messages': ({ chats }, id) => chats.messages(id),
  'chats.export': ({ chats }, id) => chats.export(id),
  'chats.digest': ({ chats }, id) => chats.digest(id),
  'chats.sessions': ({ chats }, id) => chats.sessions(id),
  'approvals.get': ({ approvals }, id) => approvals.get(id),
  'approvals.decide': ({ approvals }, id) => approvals.decide(id, { decision: 'approve' }),
  'roles.get': ({ roles }, id) => roles.get(id),
  'mcp.set': ({ mcp }, id) => mcp.set(id, SERVER),
  'mcp.remove': ({ mcp }, id) => mcp.remove(id),
  'mcp.restart': ({ mcp }, id) => mcp.restart(id),
  'secrets.set': ({ secrets }, id) => secrets.set(id, { value: 'a value of it' }),
  'secrets.remove': ({ secrets }, id) => secrets.remove(id),
  'executions.get': ({ executions }, id) => executions.get(id),
  'executions.diff': ({ executions }, id) => executions.diff(id, '/a'),
  'executions.apply': ({ executions }, id) => executions.apply(id, ['/a']),
  'schedules.get': ({ schedules }, id) => schedules.get(id),
  'schedules.change': ({ schedules }, id) => schedules.change(id, SCHEDULE),
  'schedules.remove': ({ schedules }, id) => schedules.remove(id),
  'schedules.pause': ({ schedules }, id) => schedules.pause(id),
  'schedules.resume': ({ schedules }, id) => schedules.resume(id),
  'schedules.run': ({ schedules }, id) => schedules.run(id),
  'webhooks.get': ({ webhooks }, id) => webhooks.get(id),
  'webhooks.change': ({ webhooks }, id) => webhooks.change(id, { url: 'https://hooks.example' }),
  'webhooks.remove': ({ webhooks }, id) => webhooks.remove(id),
  'webhooks.replaceSecret': ({ webhooks }, id) => webhooks.replaceSecret(id),
  'webhooks.messages': ({ webhooks }, id) => webhooks.messages(id),
  'webhooks.sendAgain': ({ webhooks }, id) => webhooks.sendAgain(ID, id),
  'triggers.get': ({ triggers }, id) => triggers.get(id),
  'triggers.change': ({ triggers }, id) => triggers.change(id, TRIGGER),
  'triggers.remove': ({ triggers }, id) => triggers.remove(id),
  'triggers.replaceToken': ({ triggers }, id) => triggers.replaceToken(id),
  'plans.get': ({ plans }, id) => plans.get(id),
  'plans.change': ({ plans }, id) => plans.change(id, { title: 'x' }),
  'plans.remove': ({ plans }, id) => plans.remove(id),
  'plans.restore': ({ plans }, id) => plans.restore(id),
  'plans.versions': ({ plans }, id) => plans.versions(id),
  'plans.progress': ({ plans }, id) => plans.progress(id),
  'plans.approve': ({ plans }, id) => plans.approve(id),
  'plans.run': ({ plans }, id) => plans.run(id),
  'plans.pause': ({ plans }, id) => plans.pause(id),
  'plans.resume': ({ plans }, id) => plans.resume(id),
  'plans.stop': ({ plans }, id) => plans.stop(id),
  'plans.retryStep': ({ plans }, id) => plans.retryStep(ID, id),
  'plans.skipStep': ({ plans }, id) => plans.skipStep(ID, id),
  'projects.get': ({ projects }, id) => projects.get(id),
  'projects.change': ({ projects }, id) => projects.change(id, { name: 'x' }),
  'projects.remove': ({ projects }, id) => projects.remove(id),
  'projects.restore': ({ projects }, id) => projects.restore(id),
  'projects.versions': ({ projects }, id) => projects.versions(id),
  'projects.pack': ({ projects }, id) => projects.pack(id),
  'documents.get': ({ documents }, id) => documents.get(id),
  'documents.change': ({ documents }, id) => documents.change(id, { title: 'x' }),
  'documents.remove': ({ documents }, id) => documents.remove(id),
  'documents.restore': ({ documents }, id) => documents.restore(id),
  'documents.versions': ({ documents }, id) => documents.versions(id),
  'documents.move': ({ documents }, id) => documents.move(id, { parent_id: null }),
  'documents.byPath': ({ documents }, id) => documents.byPath(id, 'x'),
  'documents.structure': ({ documents }, id) => documents.structure(id),
  'edges.remove': ({ edges }, id) => edges.remove(id),
  'edges.list': ({ edges }, id) => edges.list(id),
  entity: ({ entity }, id) => entity(id),
  'entities.get': ({ entities }, id) => entities('task').get(id),
  'entities.change': ({ entities }, id) => entities('task').change(id, { title: 'x' }),
  'entities.remove': ({ entities }, id) => entities('task').remove(id),
  'entities.restore': ({ entities }, id) => entities('task').restore(id),
  'entities.versions': ({ entities }, id) => entities('task').versions(id),
  'content.pieces': ({ content }, id) => content.pieces(id),
  'content.check': ({ content }, id) => content.check('pages', id),
  'content.publish': ({ content }, id) => content.publish('pages', id),
  'content.schedule': ({ content }, id) => content.schedule('pages', id, { at: '2099-01-01T00:00:00Z' }),
  'content.cancelSchedule': ({ content }, id) => content.cancelSchedule('pages', id),
  'content.unpublish': ({ content }, id) => content.unpublish('pages', id),
  'content.restore': ({ content }, id) => content.restore('pages', id),
  'content.publications': ({ content }, id) => content.publications('pages', id),
  'content.list': ({ content }, id) => content.list(id),
  'content.read': ({ content }, id) => content.read('pages', id),
  'readKeys.remove': ({ readKeys }, id) => readKeys.remove(id),
  toolResult: ({ toolResult }, id) => toolResult(id),
};

const BY_PATH: Record<string, (client: Client, path: string) => Promise<unknown>> = {
  'files.read': ({ files }, path) => files.read(path),
  'files.write': ({ files }, path) => files.write(path, 'x'),
  'files.remove': ({ files }, path) => files.remove(path),
  'files.url': async ({ files }, path) => files.url(path),
};

const BY_WORKSPACE: Record<string, (client: Client) => Promise<unknown>> = {
  'chats.open': ({ chats }) => chats.open({ goal: 'x' }),
  'chats.list': ({ chats }) => chats.list(),
  'runs.list': ({ runs }) => runs.list(),
  'approvals.list': ({ approvals }) => approvals.list(),
  'files.tree': ({ files }) => files.tree(),
  'files.search': ({ files }) => files.search({ q: 'x' }),
  'files.removeFolder': ({ files }) => files.removeFolder('/a'),
  'files.trash': ({ files }) => files.trash(),
  'files.restoreRemoved': ({ files }) => files.restoreRemoved([ID]),
  'files.move': ({ files }) => files.move({ from: '/a', to: '/b' }),
  'files.versions': ({ files }) => files.versions({ path: '/a' }),
  'files.diff': ({ files }) => files.diff({ path: '/a' }),
  'files.restore': ({ files }) => files.restore({ path: '/a', version: 1 }),
  'files.pack': ({ files }) => files.pack(),
  'files.unpack': ({ files }) => files.unpack('x'),
  'workspaces.get': ({ workspaces }) => workspaces.get(),
  'workspaces.rename': ({ workspaces }) => workspaces.rename('x'),
  'workspaces.restoreFolder': ({ workspaces }) => workspaces.restoreFolder(),
  'workspaces.acceptRemovals': ({ workspaces }) => workspaces.acceptRemovals(),
  'workspaces.stream': ({ workspaces }) => first(workspaces.stream()),
  'workspaces.hints': ({ workspaces }) => first(workspaces.hints()),
  'workspaces.changes': ({ workspaces }) => workspaces.changes(),
  'roles.list': ({ roles }) => roles.list(),
  'policies.get': ({ policies }) => policies.get(),
  'policies.set': ({ policies }) => policies.set(RULES),
  'mcp.list': ({ mcp }) => mcp.list(),
  'secrets.list': ({ secrets }) => secrets.list(),
  'readKeys.list': ({ readKeys }) => readKeys.list(),
  'readKeys.create': ({ readKeys }) => readKeys.create('x'),
  'content.types': ({ content }) => content.types(),
  'skills.list': ({ skills }) => skills.list(),
  'teams.list': ({ teams }) => teams.list(),
  'schedules.list': ({ schedules }) => schedules.list(),
  'schedules.create': ({ schedules }) => schedules.create(SCHEDULE),
  'webhooks.list': ({ webhooks }) => webhooks.list(),
  'webhooks.create': ({ webhooks }) => webhooks.create({ url: 'https://hooks.example' }),
  'triggers.list': ({ triggers }) => triggers.list(),
  'triggers.create': ({ triggers }) => triggers.create(TRIGGER),
  'plans.create': ({ plans }) => plans.create({ title: 'x' }),
  'plans.list': ({ plans }) => plans.list(),
  'plans.states': ({ plans }) => plans.states(),
  'projects.create': ({ projects }) => projects.create({ name: 'x' }),
  'projects.list': ({ projects }) => projects.list(),
  'projects.unpack': ({ projects }) => projects.unpack('x'),
  'documents.create': ({ documents }) => documents.create({ project_id: ID, title: 'x' }),
  'documents.list': ({ documents }) => documents.list(),
  'edges.create': ({ edges }) => edges.create({ from_id: ID, rel: 'references', to_id: ID }),
  'entities.create': ({ entities }) => entities('task').create({ project_id: ID, title: 'x' }),
  'entities.list': ({ entities }) => entities('task').list(),
  'entities.board': ({ entities }) => entities('task').board({ project_id: ID }),
  usageOverTime: ({ usageOverTime }) => usageOverTime(),
  kinds: ({ kinds }) => kinds(),
  search: ({ search }) => search({ q: 'x' }),
};

/** Calls without an id or path, and calls that take only a workspace. */
const OTHERS = [
  'threads.create',
  'threads.list',
  'workspaces.create',
  'workspaces.list',
  'workspaces.remove',
  'workspaces.restore',
  'ready',
  'executions.sandbox',
  'metrics',
  'models',
  'usage',
];

const IDS = ['', '.', '..', '../default', 'a/..', '..\\x', '/../..', '\uD800', undefined, null, 7];
const PATHS = ['', '/', '..', '/..', '/../policy', '../policy', '/a/../../../victim', '/./a', '/a/.', '//a'];

test('every call with an id or path is in the tables of this test', () => {
  const { client } = watched();
  const members = Object.entries({ ...client, entities: client.entities('task') }).flatMap(([name, member]) =>
    typeof member === 'function' ? [name] : Object.keys(member).map((each) => `${name}.${each}`),
  );
  const known = [BY_ID, BY_PATH, BY_WORKSPACE].flatMap((table) => Object.keys(table));
  expect(members.toSorted()).toEqual([...known, ...OTHERS].toSorted());
});

test('an id that is empty or has a dot segment is refused, and nothing is sent', async () => {
  const { client, sent } = watched();
  for (const [name, call] of Object.entries(BY_ID)) {
    for (const id of IDS) {
      const error: unknown = await call(client, id as string).catch((thrown: unknown) => thrown);
      expect([name, id, error]).toEqual([name, id, expect.any(InputError)]);
      expect(error).toMatchObject({ code: 'invalid_id' });
    }
  }
  for (const id of IDS) {
    const removal = client.workspaces.remove({ workspace: id as string });
    await expect(removal).rejects.toMatchObject({ code: 'invalid_id' });
    const restoration = client.workspaces.restore({ workspace: id as string });
    await expect(restoration).rejects.toMatchObject({ code: 'invalid_id' });
  }
  expect(sent).toEqual([]);
});

test('a path that is empty or has a dot segment is refused, and nothing is sent', async () => {
  const { client, sent } = watched();
  for (const [name, call] of Object.entries(BY_PATH)) {
    for (const path of [...PATHS, '/a/', '/\uDC00', undefined, 7]) {
      const error: unknown = await call(client, path as string).catch((thrown: unknown) => thrown);
      expect([name, path, error]).toEqual([name, path, expect.any(InputError)]);
      expect(error).toMatchObject({ code: 'invalid_path' });
    }
  }
  expect(sent).toEqual([]);
});

test('a workspace that is empty or has a dot segment is refused by every call, and nothing is sent', async () => {
  for (const workspace of ['', '..', '../../threads']) {
    const { client, sent } = watched(workspace);
    for (const [name, call] of Object.entries(BY_WORKSPACE)) {
      const error: unknown = await call(client).catch((thrown: unknown) => thrown);
      expect([name, workspace, error]).toEqual([name, workspace, expect.any(InputError)]);
    }
    for (const call of Object.values(BY_PATH))
      await expect(call(client, '/a.md')).rejects.toMatchObject({ code: 'invalid_id' });
    for (const member of ['chats', 'approvals'] as const)
      await expect(client[member].get(ID)).rejects.toMatchObject({ code: 'invalid_id' });
    expect(sent).toEqual([]);
  }
});

test('unusual but valid names arrive unchanged, and the leading slash of a path is optional', async () => {
  const { client, sent } = watched();
  for (const path of ['notes/x.md', '/notes/..x', '/notes/%2e%2e', '/a b/&#%.md', '/...a/ä']) {
    await client.files.write(path, path);
    expect(await (await client.files.read(path)).text()).toBe(path);
    const { items } = await client.files.versions({ path });
    expect(items[0]!.path).toBe(path.startsWith('/') ? path : `/${path}`);
  }
  expect(sent).toContain(`GET ${world.url}/api/v1/workspaces/default/files/notes/x.md`);
  await expect(client.runs.why('a/b')).rejects.toMatchObject({ code: 'invalid_params' });
});

test('a version is a number in the address', () => {
  expect(address('/summaries/{version}', { version: 3 })).toBe('/summaries/3');
  expect(() => address('/summaries/{version}', { version: 1.5 })).toThrow('not valid');
});

test('an API key that a header cannot carry is refused as such, and nothing is sent', async () => {
  const client = createClient({ baseUrl: world.url, apiKey: '“quoted”' });
  await expect(client.workspaces.get()).rejects.toMatchObject({
    name: 'InputError',
    code: 'invalid_header',
    message: 'The API key has characters that cannot be sent in a header.',
  });
  const { client: keyless, sent } = watched();
  await expect(keyless.chats.open({ goal: 'x' }, { idempotencyKey: '\u2603' })).rejects.toMatchObject({
    code: 'invalid_header',
    message: expect.stringContaining('idempotency-key'),
  });
  expect(sent).toEqual([]);
});

test('a request constructs one Headers object, however many headers it has', async () => {
  const { Headers: Real } = globalThis;
  let made = 0;
  globalThis.Headers = class extends Real {
    constructor(init?: HeadersInit) {
      super(init);
      made += 1;
    }
  };
  onTestFinished(() => void (globalThis.Headers = Real));
  const counts: number[] = [];
  const client = createClient({
    baseUrl: world.url,
    apiKey: 'a-key',
    fetch: (input, init) => {
      counts.push(made);
      return fetch(input, init);
    },
  });
  await client.chats.open({ goal: '{"steps":[]}' });
  expect(counts).toEqual([1]);
});
