// AG-UI's own HttpAgent over real HTTP. What it takes without a word (a patch that does not apply, an event that it does not
// know) it warns of: a warning fails the test.

import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { AS_PERSON, ask, createThread, readRun, send, until } from '@continuo/testkit';
import { count, holdEffects, usePod, waitedFor } from '@continuo/testkit/fixtures';

const world = usePod();
// The default: external effects are asked for.
beforeAll(async () => void (await world.database.pool.query('update workspaces set policy = null')));
const warned = vi.spyOn(console, 'warn');
beforeEach(() => warned.mockClear());
afterEach(() => expect(warned.mock.calls).toEqual([]));

const api = () => `${world.url}/api/ag-ui`;
let threads = 0;
const name = () => `thread ${(threads += 1)}`;
const script = (...steps: unknown[]) => JSON.stringify({ steps });
const effects = (note: string) =>
  count(world.database, "effects where kind = 'external' and note = $1", [note]);

/** An agent, and what came to it. */
function open(threadId = name()) {
  const agent = new HttpAgent({ url: api(), threadId, headers: AS_PERSON });
  const events: BaseEvent[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
  const say = (content: string, id = `u${agent.messages.length}`) =>
    agent.addMessage({ id, role: 'user', content });
  const said = () => agent.messages.map(({ role, content }) => [role, content]);
  return { agent, events, say, said };
}

test('runs are listed newest first, whatever their ids are made from, and the pages have no gap and no repeat', async () => {
  const path = `${world.url}/api/v1/workspaces/default/runs`;
  const made: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const { agent, say } = open();
    say(script({ text: 'From the client.' }));
    await agent.runAgent();
    const run = await send(world.url, await createThread(world.url), { steps: [{ text: 'From here.' }] });
    made.unshift(run.id, (agent.state as { run: string }).run);
  }
  const listed: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const cursor: string = next && `&after=${next}`;
    const { body } = await ask('GET', `${path}?limit=2${cursor}`);
    listed.push(...body.items.map(({ id }: { id: string }) => id));
    next = body.next;
  }
  expect(listed.slice(0, made.length)).toEqual(made);
  expect(new Set(listed).size).toBe(listed.length);
});

test('PLUS-1 an agent runs, and runs again on the same thread', async () => {
  const { agent, events, say, said } = open();
  say(
    script(
      {
        reasoning: 'hm',
        text: 'Let me see. ',
        calls: [{ tool: 'transactional', input: { note: 'x', path: 'a.md' } }],
      },
      { text: 'All is well.' },
    ),
  );
  const { result } = await agent.runAgent({ runId: 'first' });
  expect(result).toMatchObject({ text: 'All is well.' });
  expect(said().slice(1)).toEqual([
    ['reasoning', 'hm'],
    ['assistant', 'Let me see. '],
    ['tool', expect.stringContaining('{')],
    ['assistant', 'All is well.'],
  ]);
  expect(events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: agent.threadId, runId: 'first' });
  expect(events[1]).toMatchObject({ type: 'STATE_SNAPSHOT', snapshot: { status: 'running' } });
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: 'first', outcome: { type: 'success' } });
  expect(agent.state).toMatchObject({ status: 'done', attempt: 1, usage: { input: expect.any(Number) } });
  const { run } = agent.state as { run: string };

  say(script({ text: 'Again.', calls: [{ tool: 'pure', input: { note: 'y' } }] }, { text: 'Bye.' }));
  await agent.runAgent({ runId: 'second' });
  expect(said().at(-1)).toEqual(['assistant', 'Bye.']);
  expect(said().filter(([role]) => role === 'tool')).toHaveLength(2);
  const [first, second] = await Promise.all([run, agent.state.run].map((id) => readRun(world.url, id)));
  expect(second!.thread_id).toBe(first!.thread_id);
});

test('PLUS-1 the wire: LF only, no [DONE], no null; the same runId again is the same run', async () => {
  const input = {
    threadId: name(),
    runId: 'r1',
    messages: [{ id: 'u1', role: 'user', content: [{ type: 'text', text: script({ text: 'hello' }) }] }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: { role: 'assistant' },
  };
  const { text, headers } = await ask('POST', api(), input);
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(text).not.toMatch(/\r|\[DONE\]|null/);
  expect((await ask('POST', api(), input)).text).toBe(text);
  // Another run of the same message takes it up again.
  const again = await ask('POST', api(), { ...input, runId: 'r2' });
  const runs = [text, again.text].map((each) => /"run":"([0-9a-f-]{36})"/.exec(each)![1]!);
  expect(runs[0]).not.toBe(runs[1]);
  expect(await readRun(world.url, runs[1]!)).toMatchObject({ retry_of: runs[0], status: 'done' });
});

test('PLUS-1 a client that disconnects stops nothing, and the same runId catches up; a cancel is an outcome', async () => {
  const { agent, say, said } = open();
  const release = await holdEffects(world.database);
  say(
    script(
      { text: 'Working. ', calls: [{ tool: 'idempotent', input: { note: agent.threadId } }] },
      { text: 'Done.' },
    ),
  );
  const left = agent.runAgent({ runId: 'r1' });
  await waitedFor(world.database, 'effects');
  await until('two messages are shown', async () => said().length === 2);
  agent.abortRun();
  await left.catch(() => undefined);
  const { run } = agent.state as { run: string };
  expect((await readRun(world.url, run)).status).toBe('running');

  const back = open(agent.threadId);
  back.agent.addMessage(agent.messages[0]!);
  const caughtUp = back.agent.runAgent({ runId: 'r1' });
  await until('two messages are shown again', async () => back.said().length === 2);
  await ask('POST', `${world.url}/api/runs/${run}/cancel`);
  await release();
  await caughtUp;
  expect(back.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  expect(back.agent.state).toMatchObject({ status: 'canceled' });
});

test('PLUS-1 a run that fails is an error with its code', async () => {
  const { agent, events, say } = open();
  say(script({ text: 'so f', error: { code: 'model_error', message: 'the model is away' } }));
  await agent.runAgent();
  expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: expect.stringContaining('away') });
});

test.each([
  [{ status: 'resolved', payload: { approved: true } }, 1, 'x'],
  [{ status: 'resolved', payload: { approved: true, input: { note: 'edited' } } }, 1, 'edited'],
  [{ status: 'resolved', payload: { approved: false, comment: 'not now' } }, 0, 'x'],
  [{ status: 'cancelled' }, 0, 'x'],
] as const)(
  'PLUS-1 an approval is an interrupt; resumed with %j the run goes on',
  async (answer, made, note) => {
    const { agent, events, say, said } = open();
    const own = `${agent.threadId} ${note}`;
    const resumed =
      'payload' in answer && 'input' in answer.payload
        ? { ...answer, payload: { ...answer.payload, input: { note: own } } }
        : answer;
    const asked = note === 'x' ? own : 'x';
    say(
      script(
        { text: 'May I?', calls: [{ tool: 'external', input: { note: asked } }] },
        { text: 'Thank you.' },
      ),
    );
    await agent.runAgent({ runId: 'first' });
    expect(agent.state).toMatchObject({ status: 'waiting' });
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      reason: 'tool_call',
      metadata: { tool: 'external', input: { note: asked } },
    });
    expect(said()).toHaveLength(2);

    events.length = 0;
    const resume = [{ interruptId: interrupt!.id, ...resumed }];
    await agent.runAgent({ runId: 'second', resume });
    expect(events[0]).toMatchObject({ type: 'RUN_STARTED', runId: 'second' });
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      runId: 'second',
      outcome: { type: 'success' },
    });
    expect(said().slice(2)).toEqual([
      ['tool', expect.any(String)],
      ['assistant', 'Thank you.'],
    ]);
    expect(agent.pendingInterrupts).toEqual([]);
    expect(agent.state).toMatchObject({ status: 'done' });
    expect(await effects(own)).toBe(made);
  },
);

test('PLUS-1 denying a call that will not be made any more is accepted; approving it is too late', async () => {
  const { agent, events, say } = open();
  say(script({ calls: [{ tool: 'external', input: { note: agent.threadId } }] }, { text: 'never' }));
  await agent.runAgent();
  await ask('POST', `${world.url}/api/runs/${agent.state.run}/cancel`);
  await until(
    'the run is canceled',
    async () => (await readRun(world.url, agent.state.run)).status === 'canceled',
  );
  const [interrupt] = agent.pendingInterrupts;
  const resume = (status: 'resolved' | 'cancelled') => [
    { interruptId: interrupt!.id, status, ...(status === 'resolved' && { payload: { approved: true } }) },
  ];
  await expect(agent.clone().runAgent({ resume: resume('resolved') })).rejects.toThrow('run_ended');
  await agent.runAgent({ resume: resume('cancelled') });
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  expect(await effects(agent.threadId)).toBe(0);
});

test.each([
  [{ messages: [] }, 'nothing_to_do'],
  [{ messages: [{ id: 'u', role: 'user', content: [{ type: 'image', source: {} }] }] }, 'unsupported_part'],
  [{ messages: [], resume: [{ interruptId: 'x', status: 'resolved' }] }, 'invalid_body'],
  [{ messages: [], resume: [{ interruptId: 'x', status: 'cancelled' }] }, 'approval_not_found'],
  [
    { messages: [{ id: 'u', role: 'user', content: 'x' }], forwardedProps: { role: 'nobody' } },
    'unknown_role',
  ],
] as const)('PLUS-1 an input that cannot be understood is refused: %j', async (input, code) => {
  const answer = await ask('POST', api(), { threadId: name(), runId: 'r', tools: [], context: [], ...input });
  expect(answer.body).toMatchObject({ code });
});
