// Modes and instructions in runs, with a model that follows the instructions that it is given. It speaks a provider's wire format.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, framesOf, type Frame } from '@continuo/testkit';
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
  return { chat: known ?? chat.id, frames, requests };
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

test('CTX-3 where the rules do not decide, the model does, and can act from then on', async () => {
  const { frames, requests } = await send('Bitte leg eine Aufgabe an.', { project_id: moon });
  expect(dataOf(frames, 'mode')).toMatchObject([
    { mode: 'clarify', by: 'default' },
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
});

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
