// Approvals over HTTP: what runs ask people, what people decide, and what becomes of the run.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import {
  brokenInvariants,
  count,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { createPool } from '../../src/db/pool.ts';
import { doChores } from '../../src/upkeep/chores.ts';
import { newSpace, type Space } from '../files/support.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
let database: TestDatabase;
let a: TestPod;
let b: TestPod;
let space: Space;
const others: TestPod[] = [];
const start = async (settings: Partial<Parameters<typeof startPod>[0]> = {}): Promise<TestPod> => {
  const pod = await startPod({ databaseUrl: database.url, ...settings });
  others.push(pod);
  return pod;
};

beforeAll(async () => {
  database = await freshDatabase();
  [a, b] = (await Promise.all([1, 2].map(() => startPod({ databaseUrl: database.url })))) as [
    TestPod,
    TestPod,
  ];
});
// With the default policy: external effects are asked for.
beforeEach(async () => {
  space = await newSpace(a.url);
});
afterAll(async () => {
  await Promise.all([a, b, ...others].map((pod) => pod.end()));
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

// oxlint-disable-next-line typescript/no-explicit-any
type Approval = any;
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
const url = (pod: TestPod, rest = '') => `${pod.url}/api/v1/workspaces/${space.name}${rest}`;
const external = (note: string, more: object = {}) => ({ tool: 'external', input: { note, ...more } });
const open = async (steps: unknown[], pod = a) => {
  const { body } = await ask('POST', url(pod, '/chats'), { goal: JSON.stringify({ steps }), title: 'x' });
  return { chat: body.chat.id as string, run: body.run.id as string };
};
const list = async (query = ''): Promise<Approval[]> =>
  (await ask('GET', url(b, `/approvals${query}`))).body.items;
/** A chat whose run waits for these calls, and its approvals in the order of the calls. */
const asked = async (calls: unknown[], pod = a) => {
  const opened = await open([{ text: 'may I?', calls }, { text: 'thank you' }], pod);
  const waiting = await until('every call of the run waits for its approval', async () => {
    const items = (await list()).filter(({ run_id }: Approval) => run_id === opened.run);
    return items.length === calls.length && items;
  });
  await letGo(opened.chat);
  return {
    ...opened,
    approvals: waiting.toSorted((x: Approval, y: Approval) => x.call.localeCompare(y.call)),
  };
};
const decide = (pod: TestPod, { id }: { id: string }, body: unknown) =>
  ask('POST', url(pod, `/approvals/${id}`), body);
const letGo = (chat: string) =>
  until(
    'no pod holds the thread',
    async () =>
      (await count(
        database,
        'threads where id = $1 and owner is null and (wake_at is null or wake_at > now())',
        [chat],
      )) === 1,
  );
const ends = async (run: string) =>
  (await framesOf(a.url, run)).filter(({ event }) => event === 'tool_end').map(({ data }) => data);
const effects = (note: string) => count(database, 'effects where note = $1', [note]);
const status = async (run: string) => (await framesOf(a.url, run)).at(-1)!.data.status;

test('PLUS-3 a call that asks is listed with its exact arguments, and is made once when a person approves', async () => {
  const { chat, run, approvals } = await asked([external('yes', { path: 'notes/../x.md' })]);
  const [approval] = approvals;
  expect(approval).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    chat_id: chat,
    run_id: run,
    call: 'm1_0',
    tool: 'external',
    kind: 'call',
    input: { note: 'yes', path: 'notes/../x.md' },
    paths: ['/x.md'],
    reason: expect.stringContaining('says ask'),
    asked_at: expect.any(String),
    expires_at: null,
    decision: null,
    comment: null,
    decided_at: null,
    decided_by: null,
  });
  expect((await ask('GET', url(b, `/approvals/${approval.id}`))).body).toEqual(approval);
  expect((await ask('GET', url(b, `/chats/${chat}`))).body).toMatchObject({
    state: 'running',
    reason: 'waiting',
    waiting_approvals: 1,
    active_run: run,
  });
  expect(await effects('yes')).toBe(0);
  const decided = await decide(b, approval, { decision: 'approve', comment: 'go ahead' });
  expect(decided).toMatchObject({
    status: 200,
    body: {
      ...approval,
      decision: 'approve',
      comment: 'go ahead',
      decided_at: expect.any(String),
      decided_by: { kind: 'local' },
    },
  });
  expect(await ends(run)).toMatchObject([{ success: true, output: { wrote: 'yes' } }]);
  expect(await status(run)).toBe('done');
  expect(await effects('yes')).toBe(1);
  expect(await list()).toEqual([]);
  expect(await list('?state=decided')).toMatchObject([{ id: approval.id, decision: 'approve' }]);
  expect(await list('?state=all')).toHaveLength(1);
  expect((await ask('GET', url(b, `/chats/${chat}`))).body).toMatchObject({
    reason: null,
    waiting_approvals: 0,
  });
});

test('PLUS-3 a call needs approval, whatever its input contains', async () => {
  const odd = 'a\u0000b\ud800';
  const { run, approvals } = await asked([external(odd, { path: odd })]);
  expect(approvals[0].input).toEqual({ note: odd, path: odd });
  const edited = { note: 'plain', path: odd };
  expect((await decide(b, approvals[0], { decision: 'edit', input: edited })).body.decided_input).toEqual(
    edited,
  );
  expect(await ends(run)).toMatchObject([{ success: true, output: { wrote: 'plain' } }]);
});

test('PLUS-3 a call that a person denies is not made, and the model is told why', async () => {
  const { run, approvals } = await asked([external('no')]);
  expect((await decide(a, approvals[0], { decision: 'deny', comment: 'not on a Sunday' })).status).toBe(200);
  expect(await ends(run)).toMatchObject([
    { success: false, outcome: 'denied', output: { error: expect.stringContaining('not on a Sunday') } },
  ]);
  expect(await status(run)).toBe('done');
  expect(await effects('no')).toBe(0);
});

test('PLUS-3 a call that a person edits is made with that input alone', async () => {
  const { run, approvals } = await asked([external('before')]);
  const [approval] = approvals;
  for (const [body, code, detail] of [
    [{ decision: 'edit' }, 400, 'input: is missing'],
    [{ decision: 'edit', input: 'x' }, 400, 'input'],
    [{ decision: 'approve', input: { note: 'x' } }, 400, 'input: is allowed only with edit and answer'],
    [
      { decision: 'edit', input: { note: 7 } },
      422,
      'The input does not match the schema of external: input.note',
    ],
    [{ decision: 'edit', input: {} }, 422, 'input.note'],
    [{ decision: 'retry' }, 400, 'decision: is not a decision about a call; allowed: approve, deny, edit'],
    [{ decision: 'perhaps' }, 400, 'decision'],
    [{}, 400, 'decision'],
    [{ decision: 'approve', comment: 'a\u0000' }, 400, 'NUL'],
    [{ decision: 'approve', comment: 'x'.repeat(2001) }, 400, 'comment'],
    [{ decision: 'approve', surprise: 1 }, 400, 'surprise'],
    [{ decision: 'edit', input: { note: 'x', more: nested(64) } }, 400, '64 levels'],
  ] as const) {
    const refused = await decide(b, approval, body);
    expect(refused).toMatchObject({ status: code, body: { detail: expect.stringContaining(detail) } });
  }
  expect(await list()).toHaveLength(1);
  // The body around it and the input itself are two levels.
  const after = { note: 'after', more: nested(62) };
  const edited = await decide(b, approval, { decision: 'edit', input: after });
  expect(edited.body).toMatchObject({
    decision: 'edit',
    input: { note: 'before' },
    decided_input: after,
  });
  expect(await ends(run)).toMatchObject([{ success: true, output: { wrote: 'after' } }]);
  expect([await effects('before'), await effects('after')]).toEqual([0, 1]);
  const frames = await framesOf(a.url, run);
  expect(frames.find(({ event }) => event === 'approval_end')!.data).toMatchObject({
    decision: 'edit',
    input: after,
  });
});

test('PLUS-3 each of several calls is decided on its own, and the run continues when all are', async () => {
  const { chat, run, approvals } = await asked([external('one'), external('two'), external('three')]);
  const before = await count(database, 'events where run_id = $1', [run]);
  await decide(a, approvals[1], { decision: 'deny' });
  await decide(b, approvals[0], { decision: 'approve' });
  expect((await list()).map(({ id }) => id)).toEqual([approvals[2].id]);
  expect((await ask('GET', url(a, `/chats/${chat}`))).body).toMatchObject({
    reason: 'waiting',
    waiting_approvals: 1,
  });
  // Nobody was woken for less.
  expect(await count(database, 'threads where id = $1 and owner is null and wake_at is null', [chat])).toBe(
    1,
  );
  expect(await count(database, 'events where run_id = $1', [run])).toBe(before);
  await decide(b, approvals[2], { decision: 'approve' });
  expect((await ends(run)).toSorted((x, y) => String(x.call).localeCompare(String(y.call)))).toMatchObject([
    { call: 'm1_0', success: true },
    { call: 'm1_1', success: false, outcome: 'denied' },
    { call: 'm1_2', success: true },
  ]);
  expect(await Promise.all(['one', 'two', 'three'].map(effects))).toEqual([1, 0, 1]);
});

test('PLUS-3 repeating a decision is fine; a different one is 409 with the first decision', async () => {
  const { run, approvals } = await asked([external('twice')]);
  const [approval] = approvals;
  const body = { decision: 'edit', input: { note: 'twice', path: 'a' }, comment: 'so' };
  const clicks = await Promise.all(
    Array.from({ length: 10 }, (_, n) => decide(n % 2 ? a : b, approval, body)),
  );
  expect(clicks.map((click) => click.status)).toEqual(Array(10).fill(200));
  expect(new Set(clicks.map((click) => click.body.decided_at)).size).toBe(1);
  expect(await status(run)).toBe('done');
  expect((await decide(a, approval, { ...body, input: { path: 'a', note: 'twice' } })).status).toBe(200);
  for (const other of [
    { decision: 'approve' },
    { decision: 'deny' },
    { ...body, comment: 'else' },
    { ...body, input: { note: 'else' } },
  ]) {
    const refused = await decide(b, approval, other);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'already_decided',
        detail: expect.stringMatching(/^The approval was already decided: edit \("so"\), at 20/),
        approval: { id: approval.id, decision: 'edit', comment: 'so' },
      },
    });
  }
  expect(await effects('twice')).toBe(1);
});

test('PLUS-3 of two contradicting decisions at the same time one wins, and the run follows it', async () => {
  for (let turn = 0; turn < 8; turn += 1) {
    const note = `race ${turn}`;
    const { run, approvals } = await asked([external(note)]);
    const answers = await Promise.all([
      decide(a, approvals[0], { decision: 'approve' }),
      decide(b, approvals[0], { decision: 'deny' }),
    ]);
    expect(answers.map((answer) => answer.status).toSorted((x, y) => x - y)).toEqual([200, 409]);
    const won = answers.find((answer) => answer.status === 200)!.body.decision;
    expect(await status(run)).toBe('done');
    expect(await effects(note)).toBe(won === 'approve' ? 1 : 0);
  }
});

describe('too late', () => {
  test('PLUS-3 after the run was stopped a decision is 409, and its calls were canceled', async () => {
    const { chat, run, approvals } = await asked([external('stopped'), external('stopped')]);
    await decide(a, approvals[0], { decision: 'approve' });
    expect((await ask('POST', url(b, `/chats/${chat}/stop`))).status).toBe(200);
    expect(await decide(a, approvals[1], { decision: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'run_ended', detail: expect.stringContaining('so the call is not made') },
    });
    expect(await status(run)).toBe('canceled');
    expect(await decide(b, approvals[1], { decision: 'deny' })).toMatchObject({
      status: 409,
      body: { code: 'run_ended', approval: { decision: 'canceled' } },
    });
    expect(await effects('stopped')).toBe(0);
    expect(await list()).toEqual([]);
    expect(new Set((await list('?state=decided')).map(({ decision }) => decision as string))).toEqual(
      new Set(['approve', 'canceled']),
    );
  });

  test('PLUS-3 a message that interrupts cancels the waiting approvals', async () => {
    const { chat, run, approvals } = await asked([external('interrupted')]);
    const next = await ask('POST', url(b, `/chats/${chat}`), {
      content: JSON.stringify({ steps: [{ text: 'instead' }] }),
      policy: 'interrupt',
    });
    expect(await status(run)).toBe('canceled');
    expect(await status(next.body.run.id)).toBe('done');
    expect((await decide(a, approvals[0], { decision: 'approve' })).body.code).toBe('run_ended');
    expect(await effects('interrupted')).toBe(0);
  });

  test('PLUS-3 where approvals expire, the run goes on without the call, and a late decision is 409', async () => {
    const pod = await start({ env: { CONTINUO_APPROVAL_EXPIRES_SECONDS: '1' } });
    const opened = await open([{ calls: [external('expired')] }, { text: 'well' }], pod);
    expect(await status(opened.run)).toBe('done');
    const [approval] = await list('?state=decided');
    expect(approval).toMatchObject({
      run_id: opened.run,
      decision: 'expired',
      expires_at: expect.any(String),
    });
    expect(await decide(a, approval, { decision: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'approval_expired', detail: expect.stringContaining(approval.expires_at) },
    });
    expect(await ends(opened.run)).toMatchObject([{ success: false, outcome: 'denied' }]);
    expect(await effects('expired')).toBe(0);
  });

  test('PLUS-3 an expired approval is not listed as waiting, even before its run has noticed', async () => {
    const { run, approvals } = await asked([external('over')]);
    await database.pool.query("update approvals set expires_at = now() - interval '1 s' where id = $1", [
      approvals[0].id,
    ]);
    expect(await list()).toEqual([]);
    expect(await list('?state=decided')).toMatchObject([{ decision: 'expired', decided_at: null }]);
    expect((await decide(a, approvals[0], { decision: 'approve' })).body.code).toBe('approval_expired');
    await ask('POST', `${a.url}/api/runs/${run}/cancel`);
    expect(await status(run)).toBe('canceled');
  });
});

test('PLUS-3 a decision reaches a run whose pod no longer exists', async () => {
  const pod = await start();
  const { run, approvals } = await asked([external('outlived')], pod);
  await pod.end();
  await decide(b, approvals[0], { decision: 'approve' });
  expect(await status(run)).toBe('done');
  expect(await effects('outlived')).toBe(1);
});

test('PLUS-3 a chat that waits for approval can be paused; decisions made meanwhile take effect when it is resumed', async () => {
  const { chat, run, approvals } = await asked([external('in pause')]);
  const state = (wanted: string) =>
    until(
      `the chat is ${wanted}`,
      async () => (await ask('GET', url(b, `/chats/${chat}`))).body.state === wanted,
    );
  expect((await ask('POST', url(b, `/chats/${chat}/pause`))).body.status).toBe('pausing');
  await state('paused');
  expect((await decide(a, approvals[0], { decision: 'approve' })).status).toBe(200);
  await letGo(chat);
  expect(await effects('in pause')).toBe(0);
  expect((await ask('POST', url(a, `/chats/${chat}/resume`))).status).toBe(200);
  expect(await status(run)).toBe('done');
  expect(await effects('in pause')).toBe(1);
});

test('PLUS-3 WS-11 concurrent stops, pauses, decisions and messages through any pod all get an answer, and the chat continues', async () => {
  const call = { tool: 'external', input: { note: 'at once' } };
  const content = JSON.stringify({ steps: [{ calls: [call, call] }, { text: 'done' }] });
  const chatsOpened = await Promise.all(Array.from({ length: 6 }, () => asked([call, call])));
  const answers = await Promise.all(
    chatsOpened.flatMap(({ chat, approvals }) => {
      const wishes: [string, unknown?][] = [
        [`/approvals/${approvals[0].id}`, { decision: 'approve' }],
        [`/approvals/${approvals[0].id}`, { decision: 'deny' }],
        [`/approvals/${approvals[1].id}`, { decision: 'edit', input: { note: 'at once' } }],
        [`/chats/${chat}/pause`],
        [`/chats/${chat}/resume`],
        [`/chats/${chat}/ping`],
        [`/chats/${chat}`, { content }],
        [`/chats/${chat}`, { content, policy: 'steer' }],
        [`/chats/${chat}`, { content, policy: 'interrupt' }],
        [`/chats/${chat}`, { content, policy: 'rollback' }],
        [`/chats/${chat}/stop`],
      ];
      return wishes.map(([rest, body], n) => ask('POST', url(n % 2 ? a : b, rest), body));
    }),
  );
  expect(answers.filter((answer) => ![200, 202, 409].includes(answer.status))).toEqual([]);
  for (const { chat } of chatsOpened) {
    // A message that came after the stop may be asking again.
    await until('the chat has no active run', async () => {
      await ask('POST', url(b, `/chats/${chat}/stop`));
      return (await ask('GET', url(a, `/chats/${chat}`))).body.active_run === null;
    });
    const next = await ask('POST', url(b, `/chats/${chat}`), {
      content: JSON.stringify({ steps: [{ text: 'and on' }] }),
    });
    expect(await status(next.body.run.id)).toBe('done');
  }
});

test('approvals are listed newest first, in pages, and each workspace has its own', async () => {
  const first = await asked([external('p1'), external('p2')]);
  const second = await asked([external('p3')]);
  const ids = (await list('?state=all')).map(({ id }) => id);
  expect(ids[0]).toBe(second.approvals[0].id);
  expect(new Set(ids.slice(1))).toEqual(new Set(first.approvals.map(({ id }: Approval) => id)));
  const paged: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const { body } = await ask('GET', url(a, `/approvals?limit=1${after && `&after=${after}`}`));
    paged.push(...body.items.map(({ id }: Approval) => id));
    after = body.next;
  }
  expect(paged).toEqual(ids);
  for (const query of ['state=open', 'after=x', 'limit=0'])
    expect((await ask('GET', url(a, `/approvals?${query}`))).status).toBe(400);

  const other = await newSpace(a.url);
  expect((await ask('GET', `${other.url}/approvals`)).body.items).toEqual([]);
  for (const [method, body] of [['GET'], ['POST', { decision: 'approve' }]] as const)
    for (const id of [ids[0], NOBODY])
      expect(await ask(method, `${other.url}/approvals/${id}`, body)).toMatchObject({
        status: 404,
        body: { code: 'approval_not_found' },
      });
  expect((await ask('GET', url(a, '/approvals/x'))).body.code).toBe('invalid_params');
  expect((await ask('GET', `${a.url}/api/v1/workspaces/nobody/approvals`)).status).toBe(404);
  for (const { chat, run } of [first, second]) {
    await ask('DELETE', url(a, `/chats/${chat}`));
    const canceled = "runs where id = $1 and status = 'canceled'";
    await until('the run is canceled', async () => (await count(database, canceled, [run])) === 1);
  }
  expect(await list('?state=all')).toEqual([]);
  // They go with their chat.
  const chats = [first.chat, second.chat];
  await database.pool.query("update threads set removed_at = now() - interval '8 days' where id = any ($1)", [
    chats,
  ]);
  const pool = createPool(
    { connection: database.url, applicationName: 'chores', leaseSeconds: 30 },
    () => undefined,
  );
  try {
    await until(
      'the chats are purged',
      async () =>
        (await count(database, 'threads where id = any ($1)', [chats])) === 0 ||
        doChores(pool).then(() => false),
    );
  } finally {
    await pool.end();
  }
  expect(await count(database, 'approvals where thread_id = any ($1)', [chats])).toBe(0);
});
