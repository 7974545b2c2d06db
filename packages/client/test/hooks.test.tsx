// The hooks in React, against a real pod.

import { Window } from 'happy-dom';
import { StrictMode, type ReactNode } from 'react';
import type { Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foldView } from '@continuo/protocol';
import { startProxy, until, type Proxy } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { createClient, type Client } from '../src/index.ts';
import {
  liveChat,
  liveFile,
  useChat,
  useDocStructure,
  useEntities,
  useFile,
  useProjects,
  useRun,
} from '../src/react/index.ts';

const world = usePod();
let client: Client;
let proxy: Proxy;
let root: Root;
let page: Window;

beforeEach(async () => {
  proxy = await startProxy(world.url);
  client = createClient({ baseUrl: proxy.url });
  page = new Window();
  Object.assign(globalThis, {
    IS_REACT_ACT_ENVIRONMENT: false,
    window: page,
    document: page.document,
    requestAnimationFrame: page.requestAnimationFrame.bind(page),
  });
  const { createRoot } = await import('react-dom/client');
  root = createRoot(page.document.body as unknown as Element);
});
afterEach(async () => {
  root.unmount();
  await proxy.close();
  await page.happyDOM.close();
  for (const name of ['window', 'document', 'requestAnimationFrame'])
    Reflect.deleteProperty(globalThis, name);
});

const text = () => page.document.body.textContent;
const see = (wanted: string | RegExp) =>
  until(`the page says ${String(wanted)}`, async () =>
    typeof wanted === 'string' ? text() === wanted : wanted.test(text()),
  );
const show = (node: ReactNode) => root.render(<StrictMode>{node}</StrictMode>);

async function chat(script: object): Promise<{ id: string; run: string }> {
  const { chat: opened, run } = await client.chats.open({ goal: JSON.stringify(script), title: 'Tea' });
  return { id: opened.id, run: run.id };
}

function Run({ id }: { readonly id: string }) {
  const { turn, error } = useRun(client, id);
  if (error) return error.message;
  const said = turn?.items.flatMap((item) =>
    item.kind === 'answer' ? item.parts.map((part) => part.text) : [],
  );
  return `${turn?.state}: ${said?.join('')}`;
}

test('PLUS-5 useRun shows a run live, at most once per frame', async () => {
  const { run } = await chat({ steps: [{ text: 'one two three' }, {}] });
  await client.runs.ended(run);
  const frames: (() => void)[] = [];
  Object.assign(globalThis, { requestAnimationFrame: (callback: () => void) => frames.push(callback) });
  show(<Run id={run} />);
  await until('a frame has come', () => frames.length > 0);
  await proxy.idle();
  // All events came before the first frame, and no other frame was requested.
  expect([frames.length, text()]).toEqual([1, 'undefined: undefined']);
  frames[0]!();
  await see('done: one two three');
});

test('useRun returns the error of a refused request', async () => {
  const id = crypto.randomUUID();
  show(<Run id={id} />);
  await see(`There is no run with the id ${id}.`);
});

let older: (() => Promise<void>) | null = null;
function Chat({ id }: { readonly id: string }) {
  const { view, connection, older: more, loadOlder, loading } = useChat(client, id, { page: 6 });
  older = loadOlder;
  if (loading) return connection.kind;
  const turns = view.turns.map(({ state, items }) => `${state} ${items.length}`);
  return `${connection.kind} ${more} ${view.session?.state} | ${turns.join(', ')}`;
}

test('PLUS-5 useChat shows the end of a chat first, older events on request, and new events, across a restart', async () => {
  const { id, run } = await chat({ steps: [{ text: 'one two three four five' }] });
  await client.runs.ended(run);
  show(<Chat id={id} />);
  await see(/^open more idle \| done \d$/);
  while (!text().includes('none')) {
    await older!();
    await see(/ (more|none) idle/);
  }
  await see(/^open none idle \| done 2$/);
  proxy.set({ target: null });
  await see(/^reconnecting none/);
  const { run: next } = await createClient({ baseUrl: world.url }).chats.send(id, {
    content: JSON.stringify({ steps: [{ text: 'on', hang: true }] }),
  });
  proxy.set({ target: world.url });
  await see(/^open none running \| done 2, running 2$/);
  await client.runs.cancel(next.id);
  await see(/^open none cancelled \| done 2, canceled 2$/);
});

test('the view of useChat is the fold of the whole log, however it was loaded', async () => {
  const { id, run } = await chat({
    steps: [
      { text: 'one two three four', calls: [{ tool: 'pure', input: { note: 'x' } }] },
      { text: 'five six seven' },
    ],
  });
  await client.runs.ended(run);
  const live = liveChat(client, id, { page: 4 });
  const leave = live.subscribe(() => undefined);
  await until('the chat is loaded', async () => !live.get().loading && live.get().view.seq > 0);
  while (live.get().older !== 'none') {
    await live.loadOlder();
    await until('the older events are loaded', async () => live.get().older !== 'loading');
  }
  leave();
  const log = [];
  for (let after: string | null = '0'; after !== null;) {
    const events: Awaited<ReturnType<Client['threads']['events']>> = await client.threads.events(id, {
      after,
      limit: 1000,
    });
    log.push(...events.items);
    after = events.next;
  }
  const shown = (value: unknown) =>
    JSON.stringify(value, (key, each: unknown) =>
      ['version', 'fold', 'answers', 'calls'].includes(key) ? undefined : each,
    );
  expect(shown(live.get().view)).toBe(shown(foldView(log)));
});

function Shown({ path }: { readonly path: string }) {
  const { text: content, version, error } = useFile(client, path);
  return error ? error.message : `${version}: ${content}`;
}

test('PLUS-5 useFile shows the current content of a file, and all files share one stream', async () => {
  await client.files.write('/a.md', 'one');
  show(
    <>
      <Shown path="/a.md" /> <Shown path="/b.md" />
    </>,
  );
  await see(/^1: one There is no file \/b\.md/);
  await client.files.write('/a.md', 'two');
  await client.files.write('/b.md', 'new');
  await see('2: two 1: new');
  await client.files.remove('/a.md');
  await see(/^There is no file \/a\.md.* 1: new$/);
  root.unmount();
  await proxy.idle();
});

test('PLUS-5 useFile accepts the same paths as files.read, and retries a failed read', async () => {
  await client.files.write('/notes/ä.md', 'one');
  let failures = 0;
  const flaky = createClient({
    baseUrl: proxy.url,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (failures === 0 || !response.url.includes('/files/')) return response;
      failures -= 1;
      if (failures === 1) return new Response('away', { status: 503 });
      const broken = new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) });
      return new Response(broken, response);
    },
  });
  const file = liveFile(flaky, 'notes/a\u0308.md');
  const seen: unknown[] = [];
  const leave = file.subscribe(() => seen.push(file.get()));
  const shown = (content: string) =>
    until(`the file says ${content}`, async () => file.get().text === content);
  await shown('one');
  failures = 2;
  await client.files.write('/notes/ä.md', 'two');
  await shown('two');
  expect(failures).toBe(0);
  expect(file.get()).toMatchObject({ version: 2, error: null, connection: { kind: 'open' } });
  expect(seen).toContainEqual(
    expect.objectContaining({ text: 'one', error: null, connection: expect.objectContaining({ tries: 1 }) }),
  );
  leave();
});

test('PLUS-5 each listener gets the error of a refused stream, and all recover once one of them subscribes again', async () => {
  const name = `later-${crypto.randomUUID()}`;
  const first = liveFile(client, '/a.md', name);
  const leaveFirst = first.subscribe(() => undefined);
  await until('the first file is loaded', async () => !first.get().loading);
  const second = liveFile(client, '/b.md', name);
  const leaveSecond = second.subscribe(() => undefined);
  await until('the second file is loaded', async () => !second.get().loading);
  for (const { get } of [first, second]) expect(get().error).toMatchObject({ code: 'workspace_not_found' });

  await client.workspaces.create({ name });
  await client.files.write('/a.md', 'there', { workspace: name });
  const leaveThird = liveFile(client, '/c.md', name).subscribe(() => undefined);
  await until('the first file has its new text', async () => first.get().text === 'there');
  expect(first.get().error).toBe(null);
  for (const leave of [leaveFirst, leaveSecond, leaveThird]) leave();

  const chat = liveChat(client, crypto.randomUUID());
  const leaveChat = chat.subscribe(() => undefined);
  await until('the chat has an error', async () => chat.get().error !== null);
  expect(chat.get().loading).toBe(false);
  leaveChat();
});

function Project({ id }: { readonly id: string }) {
  const projects = useProjects(client);
  const tasks = useEntities(client, 'task', { project_id: id });
  const { structure, documents } = useDocStructure(client, id);
  const names = projects.items.filter((each) => each.id === id).map(({ name }) => name);
  const titles = structure?.root.map((node) => documents.get(node.id)?.title);
  return `${names.join()} | ${tasks.items.map(({ title, state }) => `${title} ${state}`).join()} | ${titles?.join()}`;
}

test('CHAT-4 useProjects, useEntities and useDocStructure show every change, on one stream', async () => {
  const { project } = await client.projects.create({ name: 'Moon', tasks: ['Build'] });
  show(<Project id={project.id} />);
  await see('Moon | Build todo | Context');
  const connections = proxy.connections;
  const direct = createClient({ baseUrl: world.url });
  const [task] = (await direct.entities('task').list({ project_id: project.id })).items;
  await direct.entities('task').change(task!.id, { state: 'done' });
  await direct.projects.change(project.id, { name: 'Mars' });
  const made = await direct.documents.create({ project_id: project.id, title: 'Plan', order: 0 });
  await see('Mars | Build done | Plan,Context');
  await direct.documents.remove(made.id);
  await see('Mars | Build done | Context');
  expect(proxy.connections).toBe(connections);
});
