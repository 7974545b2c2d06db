// Modes and instructions in runs, with a model that follows the instructions that it is given. It speaks a provider's wire format.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, framesOf, until, type Frame } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { ENV, startProvider, type ProviderServer } from '../models/server.ts';
import type { Reply, Request, Said } from '../models/wire/reply.ts';

// Tests look into bodies of every shape, and a wrong guess fails the test.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

const env: Record<string, string> = { ...ENV };
let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider(follow);
  env.OPENAI_BASE_URL = `${provider.url}/v1`;
});
const world = usePod(env);
afterAll(() => provider[Symbol.asyncDispose]());
const base = () => `${world.url}/api/v1/workspaces/default`;

const toolsIn = (request: Request): string[] =>
  ((request as Body).tools ?? []).map((tool: Body) => tool.function.name);
const textsIn = (request: Request): { role: string; text: string }[] =>
  (request as Body).messages.map(({ role, content }: Body) => ({
    role,
    text: typeof content === 'string' ? content : (content ?? []).map((part: Body) => part.text).join('\n'),
  }));

/** Does what the instructions say about a message like the last one; afterwards it says that it is done. */
function follow(request: Request): Reply {
  const texts = textsIn(request);
  const says = (text: string): Reply => ({ said: [{ kind: 'text', pieces: [text] }] });
  const system = texts[0]!.text;
  const asked = texts.findLast(({ role }) => role === 'user')!.text;
  const made = texts
    .slice(texts.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool');
  const offered = toolsIn(request);
  const call = (tool: string, input: object): Reply => {
    const said: Said = { kind: 'call', id: `c${texts.length}`, tool, pieces: [JSON.stringify(input)] };
    return { said: [said] };
  };
  if (asked.endsWith('disobediently?') && made.length === 0) return { said: disobedience() };
  const started = made.some(({ text }) => text.includes('available now'));
  if (asked.includes('`start_acting`') && asked.includes('Bitte') && made.length === 0)
    return call('start_acting', { asks: 'Bitte leg eine Aufgabe an' });
  if (made.length > (started ? 1 : 0)) return says('Done.');
  const message = asked.split('\n').at(-1)!;
  for (const [, when, what] of system.matchAll(/^- When asked (?:for|to) ([^:]+): ([^;]+)/gm)) {
    const words = when!.match(/\b(?:structure|plan|overview|do|schedule|carry out)\b/g)!;
    if (!started && !words.some((word) => message.toLowerCase().includes(word))) continue;
    const tool = [...what!.matchAll(/`(\w+)`/g)]
      .map(([, name]) => name!)
      .find((name) => offered.includes(name));
    if (tool === undefined) return says('That is not available now.');
    const project_id = /project_id ([0-9a-f-]{36})/.exec(system)![1];
    return call(tool, { project_id, title: message.slice(0, 60) });
  }
  return says('I understand.');
}

/** Calls of tools that are not offered, and writes where none are allowed. */
function disobedience(): readonly Said[] {
  const call = (id: string, tool: string, input: object): Said => ({
    kind: 'call',
    id,
    tool,
    pieces: [JSON.stringify(input)],
  });
  return [
    call('a', 'create_onto_task', { project_id: moon, title: 'x' }),
    call('b', 'write', { path: '/projects/moon/docs/x.md', content: 'x' }),
    call('c', 'write', { path: '/notes/x.md', content: 'x' }),
  ];
}

async function post(path: string, body: unknown): Promise<Body> {
  const answer = await ask('POST', `${base()}/${path}`, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

interface Turn {
  readonly chat: string;
  readonly run: string;
  readonly frames: readonly Frame[];
  readonly requests: readonly Request[];
}

async function send(
  message: string,
  about: { project_id?: string; entity_id?: string; chat?: string },
): Promise<Turn> {
  const before = provider.received.length;
  const { chat: known, ...scope } = about;
  const model = 'compatible/qwen3';
  const { run, chat } = known
    ? await post(`chats/${known}`, { content: message, model })
    : await post('chats', { goal: message, title: 'a test', model, ...scope });
  const frames = await framesOf(world.url, run.id);
  const requests = provider.received
    .slice(before)
    .map(({ body }) => body)
    // Summaries of earlier turns are asked for meanwhile.
    .filter((request) => textsIn(request)[0]!.text.startsWith('Rules that always apply'));
  return { chat: known ?? chat.id, run: run.id, frames, requests };
}

const dataOf = (frames: readonly Frame[], event: string): Body[] =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);
const called = (frames: readonly Frame[]) =>
  dataOf(frames, 'tool_end').map(({ tool, success }) => [tool, success]);

let moon: string;
beforeAll(async () => {
  moon = (await post('projects', { name: 'Moon', purpose: 'Land there.' })).project.id;
});

test('CTX-3 STATE-5 in clarify and inform no tool that changes the project is offered, and no file below /projects is written', async () => {
  for (const [message, mode] of [
    ['Maybe we need an overview of the fuel', 'clarify'],
    ['What is in the plan?', 'inform'],
  ] as const) {
    const { frames, requests } = await send(message, { project_id: moon });
    const events = frames.map(({ event }) => event);
    expect(dataOf(frames, 'mode')).toMatchObject([{ mode, by: 'rules' }]);
    expect(events.indexOf('mode')).toBeLessThan(events.indexOf('message_start'));
    const offered = toolsIn(requests[0]!);
    expect(offered.filter((name) => /^(create|update|delete|move|link|unlink)_onto/.test(name))).toEqual([]);
    expect(offered).toEqual(
      expect.arrayContaining(['get_onto_document_details', 'search_onto_project', 'write']),
    );
    expect(offered).not.toContain('start_acting');
    expect(textsIn(requests[0]!).at(-1)!.text).toContain(`Mode: ${mode}.`);
    expect(called(frames)).toEqual([]);
  }
  const { frames } = await send('Perhaps a task, disobediently?', { project_id: moon });
  // A denied call ends before the others begin.
  expect(called(frames)).toEqual([
    ['write', false],
    ['create_onto_task', false],
    ['write', true],
  ]);
  expect(dataOf(frames, 'tool_end')[0].output.error).toContain('the conversation’s mode');
  expect((await ask('GET', `${base()}/tasks?project_id=${moon}`)).body.items).toEqual([]);
});

test('STATE-5 a provisional item becomes an entity only when the person clearly wants it', async () => {
  const tasks = async (): Promise<string[]> =>
    (await ask('GET', `${base()}/tasks?project_id=${moon}`)).body.items.map(({ title }: Body) => title);
  const { chat } = await send('What is in the plan?', { project_id: moon });
  const item = { id: 'hall', kind: 'task', title: 'Book the hall' };
  const edited = await ask('PATCH', `${base()}/chats/${chat}/state`, {
    agent_state_item_updates: [{ op: 'add', item }],
  });
  expect(edited.status).toBe(200);
  const before = await tasks();
  for (const message of ['Maybe we schedule the hall', 'Which of our ideas should we do?']) {
    const { frames, requests } = await send(message, { chat });
    expect(textsIn(requests[0]!).at(-1)!.text).toContain('"title":"Book the hall"');
    expect(toolsIn(requests[0]!)).not.toContain('create_onto_task');
    expect(called(frames)).toEqual([]);
  }
  expect(await tasks()).toEqual(before);
  const { frames } = await send('Schedule it: book the hall', { chat });
  expect(called(frames)).toEqual([['create_onto_task', true]]);
  expect(await tasks()).toHaveLength(before.length + 1);
});

test('CTX-9 a turn’s request has the instructions, the summary, the messages, outputs, tools, the agent state and the message', async () => {
  const filler = 'What is known of that? '.repeat(100);
  const { chat } = await send(`What is the oldest fact? It is OLDEST. ${filler}`, { project_id: moon });
  for (let turn = 1; turn <= 8; turn += 1) await send(`What is fact ${turn}? ${filler}`, { chat });
  await until(
    'the chat has a summary',
    async () => (await ask('GET', `${base()}/chats/${chat}/summaries`)).body.items.length > 0,
  );
  await send('Schedule the landing', { chat });
  const item = { id: 'i', kind: 'idea', title: 'Bring a flag' };
  await ask('PATCH', `${base()}/chats/${chat}/state`, { agent_state_item_updates: [{ op: 'add', item }] });
  const { run, requests } = await send('What is next?', { chat });
  const [first, ...texts] = textsIn(requests[0]!);
  const at = (text: string) => [
    first!.text.indexOf(text) >= 0,
    texts.findIndex((each) => each.text.includes(text)),
  ];
  expect(first!.role).toBe('system');
  expect(at('Rules that always apply')).toEqual([true, -1]);
  // The oldest message is in the summary alone, the latest ones are there word for word.
  expect(at('OLDEST')).toEqual([true, -1]);
  const said = texts.findIndex(({ text }) => text.startsWith('What is fact 8?'));
  const output = texts.findIndex(
    ({ role, text }) => role === 'tool' && text.includes('Schedule the landing'),
  );
  expect([said >= 0, said < output, output < texts.length - 1]).toEqual([true, true, true]);
  const last = texts.at(-1)!.text;
  expect(last).toMatch(/Bring a flag[\s\S]*Mode: inform[\s\S]*What is next\?$/);
  expect(toolsIn(requests[0]!)).toContain('get_onto_document_details');
  // The inspector names these parts, and no others.
  const { exact, parts } = (await ask('GET', `${world.url}/api/runs/${run}/context`)).body;
  const kinds: string[] = parts.map(({ place, kind }: Body) => `${place} ${kind}`);
  expect([exact, [...new Set(kinds)].toSorted((a, b) => (a < b ? -1 : 1))]).toEqual([
    true,
    [
      ...['assistant', 'tool', 'user'].map((kind) => `history ${kind}`),
      ...[
        'base',
        'documents',
        'project',
        'role',
        'scope',
        'structure',
        'summary',
        'tools',
        'verification',
      ].map((kind) => `system ${kind}`),
      'tools tool',
      ...['activity', 'agent_state', 'mode'].map((kind) => `turn ${kind}`),
    ],
  ]);
});

test.for([
  ['clarify', 'Bitte leg eine Aufgabe an.'],
  ['inform', 'Bitte, kannst du eine Aufgabe anlegen?'],
] as const)(
  'CTX-3 where the rules do not decide, the model does, and can act from then on: %s, %s',
  async ([mode, message]) => {
    const { frames, requests } = await send(message, { project_id: moon });
    expect(dataOf(frames, 'mode')).toMatchObject([
      { mode, by: 'default' },
      { mode: 'act', by: 'model', why: 'Bitte leg eine Aufgabe an' },
    ]);
    expect(toolsIn(requests[0]!)).toContain('start_acting');
    expect(toolsIn(requests[0]!)).not.toContain('create_onto_task');
    expect(toolsIn(requests[1]!)).toContain('create_onto_task');
    expect(toolsIn(requests[1]!)).not.toContain('start_acting');
    expect(called(frames)).toMatchObject([
      ['start_acting', true],
      [expect.stringMatching(/^create_onto_/), true],
    ]);
  },
);

test('ONT-7 structure and overviews go to documents first, execution to tasks and plans first', async () => {
  const overview = await send('Write an overview of the landing.', { project_id: moon });
  expect(dataOf(overview.frames, 'mode')).toMatchObject([{ mode: 'act', by: 'rules' }]);
  expect(called(overview.frames)).toEqual([['create_onto_document', true]]);
  const structure = await send('Make a structure for the research.', { project_id: moon });
  expect(called(structure.frames)).toEqual([['create_onto_document', true]]);
  const work = await send('Schedule the launch for May.', { project_id: moon });
  expect(called(work.frames)).toEqual([['create_onto_task', true]]);
});

test('CTX-2 while nothing changes, the request of a turn begins with that of the turn before, byte for byte', async () => {
  const first = await send('What is in the plan?', { project_id: moon });
  const second = await send('Which tasks are open?', { chat: first.chat });
  const [one, two] = [first.requests[0] as Body, second.requests[0] as Body];
  expect(JSON.stringify(two.tools)).toBe(JSON.stringify(one.tools));
  expect(two.messages[0]).toEqual(one.messages[0]);
  expect(two.messages).toHaveLength(4);
  // The note of a turn stands right before its message, and not in later turns.
  expect(textsIn(one).at(-1)!.text).toMatch(
    /^\[System: Changed last[^]*Mode: inform\.[^]*\]\nWhat is in the plan\?$/,
  );
  expect(textsIn(two)[1]!.text).toBe('What is in the plan?');
  const third = await send('Who is on it?', { chat: first.chat });
  const three = third.requests[0] as Body;
  const before = JSON.stringify(two.messages.slice(0, -1)).slice(0, -1);
  expect(JSON.stringify(three.messages).startsWith(before)).toBe(true);
});

test('the documents that a message is about are loaded, and are sources of the answer', async () => {
  const document = await post('documents', {
    project_id: moon,
    title: 'Crater survey',
    content: 'Very deep.',
  });
  const { frames, requests } = await send('What does the crater survey say?', { project_id: moon });
  expect(textsIn(requests[0]!).at(-1)!.text).toContain('<document>\nVery deep.\n</document>');
  expect(textsIn(requests[0]!)[0]!.text).not.toContain('Very deep.');
  expect(dataOf(frames, 'final')[0].sources).toEqual([document.id]);
});

test('WS-13 a plain chat acts: it has no mode, and no tools of projects', async () => {
  const { frames, requests } = await send('Maybe.', {});
  expect(dataOf(frames, 'mode')).toEqual([]);
  expect(toolsIn(requests[0]!)).toEqual(expect.arrayContaining(['read', 'write']));
  expect(toolsIn(requests[0]!).filter((name) => name.includes('onto') || name === 'start_acting')).toEqual(
    [],
  );
});

test('CTX-8 a focus is the scope of the next message, and is read ahead', async () => {
  const { chat } = await send('Hello.', {});
  const focus = (body: unknown) => ask('POST', `${base()}/chats/${chat}/focus`, body);
  const { status, body } = await focus({ scope: 'project', project_id: moon });
  expect(status).toBe(200);
  expect(body).toMatchObject({ scope: 'project', project_id: moon, entity: null });
  expect(body.parts.map(({ kind }: Body) => kind)).toContain('structure');
  // The pack has the fields of a project's scope, and the chat's agent state.
  expect(body.pack).toMatchObject({
    scope: 'project',
    focus: { projectId: moon, projectName: 'Moon' },
    systemInstructions: expect.stringMatching(
      /^Rules that always apply[^]*This conversation is about one project/,
    ),
    data: {
      docStructure: { version: expect.any(Number), root: expect.any(Array) },
      projectSummary: expect.stringContaining('Land there.'),
      recentActivity: expect.any(Array),
      agentState: { sessionId: chat, items: [] },
    },
    retrievalHints: { keywords: [], docIds: [] },
    budgets: { maxTokens: expect.any(Number), summaryTokens: 2000, recentMessages: 12 },
  });
  const wanted = await post('documents', { project_id: moon, title: 'Lunar dust', content: 'Fine.' });
  const message = 'What is known of lunar dust?';
  const entity = { type: 'document', id: wanted.id };
  const near = (await focus({ scope: 'entity', entity, message })).body.pack;
  expect(near).toMatchObject({
    scope: 'entity',
    focus: { entityId: wanted.id, entityType: 'document' },
    data: { entityDetails: { id: wanted.id }, linkedEntities: [] },
    retrievalHints: { keywords: ['known', 'lunar', 'dust'], docIds: [wanted.id] },
  });
  expect(JSON.stringify(near)).not.toContain('Fine.');
  expect((await focus({ scope: 'global' })).body.pack).toMatchObject({
    scope: 'global',
    data: { projectSummary: expect.stringContaining('Moon') },
    retrievalHints: { keywords: [], docIds: [] },
  });
  await focus({ scope: 'project', project_id: moon });
  const about = await send('What is in the plan?', { chat });
  expect(textsIn(about.requests[0]!)[0]!.text).toContain(`project_id ${moon}`);
  expect(dataOf(about.frames, 'message')[0].scope).toEqual({ project_id: moon });
  // The thread stays with it, and a later message does not repeat it.
  const later = await send('Which risks are there?', { chat });
  expect(dataOf(later.frames, 'message')[0].scope).toBeUndefined();
  expect(dataOf(later.frames, 'mode')).toMatchObject([{ mode: 'inform' }]);
  expect(await focus({ scope: 'project' })).toMatchObject({ status: 400, body: { code: 'invalid_scope' } });
  expect(await focus({})).toMatchObject({ status: 400 });
  expect(await focus({ scope: 'project', project_id: chat })).toMatchObject({ status: 404 });
});
