// The executor protocol on one pod.

import { expect, test } from 'vitest';
import { ask, call, createThread, framesOf, readRun, seen, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { DEFAULT_WORKSPACE } from '../../src/workspaces/workspaces.ts';
import { claim, finish, heartbeat, post, start, startIn, text, tryClaim } from './support.ts';

const world = usePod({ CONTINUO_EXECUTOR_LEASE_SECONDS: '1' });
/** A pod whose leases no test can outlive. */
const patient = usePod({ CONTINUO_EXECUTOR_LEASE_SECONDS: '300' });

const KEY = { name: 'limited', secret: 'limited-to-the-default-workspace', isPerson: false };
const limited = usePod({ CONTINUO_TEST_KEYS: JSON.stringify([{ ...KEY, workspaceId: DEFAULT_WORKSPACE }]) });

const why = (runId: string) => ask('GET', `${patient.url}/api/runs/${runId}/why`).then(({ body }) => body);

test('RUN-14 a program claims the answer of a run, writes it in pieces, and clients see a run like any other', async () => {
  const { url } = patient;
  const run = await start(url, 'plain', 'What is six times seven?');
  const assignment = await claim(url, 'plain', { wait: 30, by: 'test program' });
  expect(assignment).toMatchObject({
    run_id: run.id,
    message: 'm1',
    executor: 'plain',
    lease_seconds: 300,
    request: { role: 'assistant', state: null, max_output_tokens: null },
  });
  expect(assignment.request.history).toEqual([
    { role: 'user', id: expect.any(String), content: 'What is six times seven?' },
  ]);
  expect(assignment.request.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['read', 'ask_person']),
  );
  // The assignment is offered while the run's first events are still being committed.
  await until('the run says who is writing', async () =>
    (await why(run.id)).sentence.startsWith('The executor plain (test program) is writing the answer'),
  );
  expect(
    (await post(url, assignment, 1, { type: 'reasoning', text: 'Six sevens' }, text('It is '))).status,
  ).toBe(200);
  expect(await seen(url, run.id, 'token')).toMatchObject({ data: { text: 'It is ' } });
  const usage = { input: 12, output: 3 };
  expect((await post(url, assignment, 2, text('42.'), finish({ usage }))).status).toBe(200);
  const frames = await framesOf(url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: 'It is 42.' } });
  expect(frames.at(-1)).toMatchObject({ event: 'state', data: { status: 'done' } });
  expect(await readRun(url, run.id)).toMatchObject({
    status: 'done',
    model: 'executor/plain',
    usage: { input: 12, output: 3 },
  });
});

test('RUN-14 the server runs the tools that an executor calls, and gives it the results and its state back', async () => {
  const { url } = patient;
  const thread = await createThread(url);
  const run = await startIn(url, thread, 'caller');
  const first = await claim(url, 'caller');
  const call_ = {
    type: 'tool_call' as const,
    call: 'one',
    tool: 'transactional',
    input: { note: 'by executor' },
  };
  await post(
    url,
    first,
    1,
    text('I write.'),
    call_,
    finish({ state: { node: 'written', deep: [1, '\0', '\ud800'] } }),
  );
  const second = await claim(url, 'caller');
  expect(second).toMatchObject({ run_id: run.id, message: 'm2' });
  expect(second.request.state).toEqual({ node: 'written', deep: [1, '\0', '\ud800'] });
  expect(second.request.history.slice(1)).toEqual([
    {
      role: 'assistant',
      id: `${run.id}/m1`,
      parts: [
        { type: 'text', text: 'I write.' },
        { type: 'tool_call', call: 'one', tool: 'transactional', input: { note: 'by executor' } },
      ],
    },
    { role: 'tool', call: 'one', tool: 'transactional', output: { wrote: 'by executor' }, failed: false },
  ]);
  await post(url, second, 1, text('Done.'), finish());
  await framesOf(url, run.id);
  const { rows } = await patient.database.pool.query("select note from effects where note = 'by executor'");
  expect(rows).toHaveLength(1);

  // The last answer stored no state, so the next one gets none.
  const next = await startIn(url, thread, 'caller', 'Again');
  const third = await claim(url, 'caller');
  expect(third.request.state).toBeNull();
  await post(url, third, 1, finish());
  expect((await framesOf(url, next.id)).at(-1)).toMatchObject({ data: { status: 'done' } });
});

test('RUN-14 a question of an executor is an approval with a form, and its answer is the result of the call', async () => {
  const { url } = patient;
  const run = await start(url, 'asking');
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const first = await claim(url, 'asking');
  const input = { question: 'What is your name?', schema };
  await post(url, first, 1, { type: 'tool_call', tool: 'ask_person', input }, finish({ state: 'asked' }));
  const asked = await seen(url, run.id, 'approval');
  expect(asked.data).toMatchObject({ kind: 'question', reason: 'What is your name?', schema });
  const approvals = `${url}/api/v1/workspaces/default/approvals/${String(asked.data.approval)}`;
  const wrong = await ask('POST', approvals, { decision: 'answer', input: { name: 7 } });
  expect(wrong).toMatchObject({ status: 422 });
  await call('POST', approvals, { decision: 'answer', input: { name: 'Ada' } });
  const second = await claim(url, 'asking');
  expect(second.request.state).toBe('asked');
  expect(second.request.history.at(-1)).toMatchObject({
    role: 'tool',
    tool: 'ask_person',
    output: { answered: true, answer: { name: 'Ada' } },
  });
  await post(url, second, 1, text('Hello Ada'), finish());
  expect((await framesOf(url, run.id)).at(-2)).toMatchObject({ data: { text: 'Hello Ada' } });
});

test('RUN-14 a batch that is sent twice counts once, and batches come in order', async () => {
  const { url } = patient;
  const run = await start(url, 'again');
  const assignment = await claim(url, 'again');
  const once = await post(url, assignment, 1, text('one '));
  expect([once.status, (await post(url, assignment, 1, text('one '))).status]).toEqual([200, 200]);
  expect(await post(url, assignment, 3, text('three'))).toMatchObject({
    status: 409,
    body: { code: 'sequence_gap', expected: 2 },
  });
  await post(url, assignment, 2, text('two'), finish());
  const frames = await framesOf(url, run.id);
  expect(frames.at(-2)).toMatchObject({ data: { text: 'one two' } });
  // Also after the end: the answer to the last post may have been lost.
  expect((await post(url, assignment, 2, text('two'), finish())).status).toBe(200);
  expect((await post(url, assignment, 3, text('more'))).status).toBe(410);
  expect((await heartbeat(url, assignment)).status).toBe(410);
});

test('RUN-14 a canceled run ends at once, a waiting heartbeat says so, and posts are refused', async () => {
  const { url } = patient;
  const run = await start(url, 'canceled');
  const assignment = await claim(url, 'canceled');
  await post(url, assignment, 1, text('half'));
  await seen(url, run.id, 'token');
  const waiting = heartbeat(url, assignment, 30);
  await call('POST', `${url}/api/runs/${run.id}/cancel`);
  expect((await framesOf(url, run.id)).at(-1)).toMatchObject({ data: { status: 'canceled' } });
  expect(await waiting).toMatchObject({ status: 410, body: { code: 'run_canceled' } });
  expect(await post(url, assignment, 2, finish())).toMatchObject({
    status: 410,
    body: { code: 'run_canceled' },
  });
});

test('RUN-14 a canceled run that nobody has claimed is never claimed', async () => {
  const { url } = patient;
  const run = await start(url, 'nobody');
  await until('the assignment waits', async () =>
    (await why(run.id)).sentence.includes('no program has ever asked for work'),
  );
  expect((await why(run.id)).sentence).toMatch(
    /^The run waits for an executor nobody, .* Start one, or cancel the run\.$/,
  );
  await call('POST', `${url}/api/runs/${run.id}/cancel`);
  await framesOf(url, run.id);
  expect((await tryClaim(url, 'nobody')).status).toBe(204);
});

test('RUN-14 a run whose executor is not there ends by its time limit', async () => {
  const run = await start(patient.url, 'absent', 'Hello', { limits: { seconds: 1 } });
  const frames = await framesOf(patient.url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'error', data: { code: 'time_limit' } });
});

test('RUN-14 an executor gets only assignments of its own name', async () => {
  const { url } = patient;
  const run = await start(url, 'right');
  await until('it waits', async () => (await why(run.id)).sentence.includes('executor right'));
  expect((await tryClaim(url, 'wrong')).status).toBe(204);
  const assignment = await claim(url, 'right');
  await post(url, assignment, 1, finish());
  await framesOf(url, run.id);
});

test('RUN-14 a failure ends the run with the code of the executor', async () => {
  const { url } = patient;
  const run = await start(url, 'failing');
  const assignment = await claim(url, 'failing');
  await post(url, assignment, 1, text('so far'), { type: 'fail', code: 'graph_broken', error: 'no edge' });
  const frames = await framesOf(url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'error', data: { code: 'graph_broken', error: 'no edge' } });
});

test('RUN-14 a failure that is worth another attempt is asked once more, also if nothing was written before it', async () => {
  const { url } = patient;
  const overloaded = { type: 'fail', code: 'overloaded', error: 'not now', retryable: true } as const;
  const [lucky, unlucky] = await Promise.all(['lucky', 'unlucky'].map((name) => start(url, name)));
  await post(url, await claim(url, 'lucky'), 1, overloaded);
  await post(url, await claim(url, 'lucky'), 1, text('Now.'), finish());
  const frames = await framesOf(url, lucky!.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: 'Now.' } });

  await post(url, await claim(url, 'unlucky'), 1, overloaded);
  await post(url, await claim(url, 'unlucky'), 1, overloaded);
  await framesOf(url, unlucky!.id);
  expect(await readRun(url, unlucky!.id)).toMatchObject({
    status: 'error',
    error: { code: 'overloaded', error: 'not now' },
  });
});

test('RUN-14 an executor that is silent for its lease loses the claim, and another one starts the message over', async () => {
  const { url } = world;
  const run = await start(url, 'slow');
  const silent = await claim(url, 'slow');
  const second = await claim(url, 'slow');
  expect(second).toMatchObject({ run_id: run.id, message: 'm1' });
  expect(second.claim).not.toBe(silent.claim);
  expect(await post(url, silent, 1, text('late'))).toMatchObject({
    status: 409,
    body: { code: 'claim_lost' },
  });
  await post(url, second, 1, text('half of it'));
  // The second one had begun: its text is superseded like that of a dead pod.
  const third = await claim(url, 'slow');
  expect(third).toMatchObject({ run_id: run.id, message: 'm2' });
  expect(await post(url, second, 2, finish())).toMatchObject({ status: 409, body: { code: 'claim_lost' } });
  await post(url, third, 1, text('whole'), finish());
  const frames = await framesOf(url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: 'whole' } });
  expect(frames.find(({ data }) => data.supersedes === 'm1')).toMatchObject({
    event: 'state',
    data: { cause: { code: 'executor_lost' } },
  });
});

test('RUN-14 heartbeats keep a claim for as long as the executor needs', async () => {
  const { url } = world;
  const run = await start(url, 'thinking');
  const assignment = await claim(url, 'thinking');
  for (let beat = 0; beat < 5; beat += 1) expect((await heartbeat(url, assignment, 0.5)).status).toBe(200);
  await post(url, assignment, 1, text('thought'), finish());
  expect((await framesOf(url, run.id)).at(-2)).toMatchObject({ data: { text: 'thought' } });
});

test('RUN-14 bad input of an executor is refused with a sentence', async () => {
  const { url } = patient;
  const run = await start(url, 'strict');
  const assignment = await claim(url, 'strict');
  const events = `${url}/api/v1/runs/${run.id}/assignments/m1/events`;
  const { claim: own } = assignment;
  const refused = async (body: unknown, status: number, code: string, words: RegExp, to = events) => {
    const answer = await ask('POST', to, body);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.body.detail).toMatch(words);
  };
  const none = '00000000-0000-4000-8000-000000000000';
  await refused({ claim: own, seq: 1, events: [] }, 400, 'invalid_body', /events/);
  await refused({ claim: own, seq: 0, events: [text('x')] }, 400, 'invalid_body', /seq/);
  await refused({ claim: own, seq: 1, events: [{ type: 'shout' }] }, 400, 'invalid_body', /events\[0\]/);
  await refused({ claim: own, seq: 1, events: [finish(), text('x')] }, 400, 'invalid_body', /follows finish/);
  const large = finish({ state: 'x'.repeat(300_000) });
  await refused(
    { claim: own, seq: 1, events: [large] },
    400,
    'invalid_body',
    /state: has 300002 bytes; at most 262144/,
  );
  await refused({ claim: none, seq: 1, events: [text('x')] }, 409, 'claim_lost', /claim again/);
  const other = `${url}/api/v1/runs/${run.id}/assignments/m7/events`;
  await refused({ claim: own, seq: 1, events: [text('x')] }, 404, 'assignment_not_found', /m7/, other);
  const gone = `${url}/api/v1/runs/${none}/assignments/m1/events`;
  await refused({ claim: own, seq: 1, events: [text('x')] }, 404, 'run_not_found', /no run/, gone);
  await refused({ wait: 31 }, 400, 'invalid_body', /wait/, `${url}/api/v1/executors/strict/claim`);
  await refused({}, 400, 'invalid_params', /name/, `${url}/api/v1/executors/Not%20a%20name/claim`);
  await refused(
    { workspace: 'no-such' },
    404,
    'workspace_not_found',
    /no-such/,
    `${url}/api/v1/executors/x/claim`,
  );
  await post(url, assignment, 1, text('fine'), finish());
  expect((await framesOf(url, run.id)).at(-2)).toMatchObject({ data: { text: 'fine' } });
});

test('RUN-14 an answer of more than 4 Mi characters ends its run, and its executor is told to stop', async () => {
  const { url } = patient;
  const run = await start(url, 'endless');
  const assignment = await claim(url, 'endless');
  const large = text('x'.repeat(1_000_000));
  for (let seq = 1; seq <= 5; seq += 1) await post(url, assignment, seq, large);
  const frames = await framesOf(url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'error', data: { code: 'answer_too_large' } });
  expect(await post(url, assignment, 6, finish())).toMatchObject({
    status: 410,
    body: { code: 'assignment_over' },
  });
});

test('RUN-14 two calls with one name are two calls, and a name that is special to JavaScript is a name', async () => {
  const { url } = patient;
  const run = await start(url, 'namesakes');
  const first = await claim(url, 'namesakes');
  const look = (name: string) => ({
    type: 'tool_call' as const,
    call: name,
    tool: 'pure',
    input: { note: name },
  });
  await post(url, first, 1, look('same'), look('same'), look('__proto__'), look('constructor'), finish());
  const second = await claim(url, 'namesakes');
  const results = second.request.history.filter(({ role }) => role === 'tool');
  expect(results).toMatchObject(
    ['same', 'same_2', '__proto__', 'constructor'].map((name) => ({ call: name, failed: false })),
  );
  await post(url, second, 1, finish());
  await framesOf(url, run.id);
});

test('RUN-14 a model that names no executor is refused', async () => {
  const body = { content: 'Hello', model: 'executor/Not a name' };
  const answer = await ask(
    'POST',
    `${patient.url}/api/threads/${await createThread(patient.url)}/messages`,
    body,
  );
  expect(answer.status).toBe(400);
});

test('RUN-14 a key for one workspace claims no assignment of another, and a claim may name its workspace', async () => {
  const { url } = limited;
  await call('POST', `${url}/api/v1/workspaces`, { name: 'closed' });
  const { id } = await call<{ id: string }>('POST', `${url}/api/threads`, { workspace: 'closed' });
  const run = await startIn(url, id, 'private');
  await until('it waits', async () => (await tryRow('private')) === 1);
  const headers = { authorization: `Bearer ${KEY.secret}` };
  const claims = `${url}/api/v1/executors/private/claim`;
  expect((await ask('POST', claims, {}, headers)).status).toBe(204);
  expect((await ask('POST', claims, { workspace: 'closed' }, headers)).status).toBe(404);
  expect((await tryClaim(url, 'private', { workspace: 'default' })).status).toBe(204);
  const assignment = await claim(url, 'private', { workspace: 'closed' });
  await post(url, assignment, 1, text('mine'), finish());
  expect((await framesOf(url, run.id)).at(-2)).toMatchObject({ data: { text: 'mine' } });
});

test('RUN-14 a claim may name a role, and gets only answers of its runs, also while others wait', async () => {
  const { url } = patient;
  // The first waiter has another role: it must not take the notice away from the second.
  const wrong = tryClaim(url, 'staffed', { wait: 2, role: 'researcher' });
  await until('the first one waits', async () => (await waiters('staffed')) === 1);
  const right = claim(url, 'staffed', { wait: 30, role: 'writer' });
  await until('both wait', async () => (await waiters('staffed')) === 2);
  const run = await start(url, 'staffed', 'Write', { role: 'writer' });
  const assignment = await right;
  expect(assignment).toMatchObject({ run_id: run.id, request: { role: 'writer' } });
  expect((await wrong).status).toBe(204);
  await post(url, assignment, 1, text('written'), finish());
  expect((await framesOf(url, run.id)).at(-2)).toMatchObject({ data: { text: 'written' } });
});

test('RUN-14 why names no executor that waits for other roles alone', async () => {
  const { url } = patient;
  const run = await start(url, 'picky');
  expect((await tryClaim(url, 'picky', { role: 'researcher' })).status).toBe(204);
  await until('nobody is known', async () =>
    (await why(run.id)).sentence.includes('no program has ever asked for work'),
  );
  await post(url, await claim(url, 'picky', { role: 'assistant' }), 1, finish());
  await framesOf(url, run.id);
});

async function waiters(executor: string): Promise<number | null> {
  const { rowCount } = await patient.database.pool.query('select from executors where name = $1', [executor]);
  return rowCount;
}

async function tryRow(executor: string): Promise<number | null> {
  const { rowCount } = await limited.database.pool.query('select from assignments where executor = $1', [
    executor,
  ]);
  return rowCount;
}
