// A chat's session while runs are open: stop, pause, resume, ping, and what a busy chat does with a message.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import {
  brokenInvariants,
  count,
  freshDatabase,
  holdEffects,
  holdLog,
  startPod,
  waitedFor,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { newSpace, type Space } from '../files/support.ts';

const MARKER = '[System: Response was interrupted by user (user_cancelled)]';
let database: TestDatabase;
let a: TestPod;
let b: TestPod;
let space: Space;
const others: TestPod[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  [a, b] = (await Promise.all([1, 2].map(() => startPod({ databaseUrl: database.url })))) as [
    TestPod,
    TestPod,
  ];
});
beforeEach(async () => {
  space = await newSpace(a.url);
  await database.pool.query('update workspaces set policy = $1', [
    JSON.stringify({ rules: [{ tool: '*', action: 'allow' }] }),
  ]);
});
afterAll(async () => {
  await Promise.all([a, b, ...others].map((pod) => pod.end()));
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

interface Chat {
  readonly id: string;
  readonly run: string;
}
const say = (...steps: unknown[]) => JSON.stringify({ steps });
const OK = say({ text: 'ok' });
const HANG = say({ text: 'half of it', hang: true });
const open = async (goal: string): Promise<Chat> => {
  const { body } = await ask('POST', `${space.url}/chats`, { goal, title: 'x' });
  return { id: body.chat.id as string, run: body.run.id as string };
};
const at = (pod: TestPod, { id }: { id: string }, rest = '') =>
  `${pod.url}/api/v1/workspaces/${space.name}/chats/${id}${rest}`;
const send = async (pod: TestPod, chat: Chat, body: Record<string, unknown>) =>
  (await ask('POST', at(pod, chat), body)).body.run.id as string;
const stop = (pod: TestPod, chat: Chat) => ask('POST', at(pod, chat, '/stop'));
const read = async (chat: Chat) => (await ask('GET', at(b, chat))).body;
const trail = async (chat: Chat): Promise<string[]> =>
  (await ask('GET', at(b, chat, '/messages'))).body.items.map(
    (row: { role: string; message_type: string; content?: string }) =>
      `${row.role} ${row.message_type === 'message' ? row.content : row.message_type}`,
  );
const sessions = async (chat: Chat): Promise<string[]> =>
  (await ask('GET', at(b, chat, '/sessions'))).body.items.map(({ state }: { state: string }) => state);
const end = async (run: string) => (await framesOf(a.url, run)).at(-1)!.data.status as string;
const inState = (chat: Chat, state: string) =>
  until(`the chat is ${state}`, async () => {
    const now = await read(chat);
    return now.state === state && now;
  });
const letGo = (chat: Chat) =>
  until(
    'no pod holds the thread',
    async () => (await count(database, 'threads where id = $1 and owner is null', [chat.id])) === 1,
  );

describe('stop', () => {
  test('WS-11 partial text stays, followed by the marker; the session is cancelled, and the next message works at once', async () => {
    const chat = await open(HANG);
    await seen(a.url, chat.run, 'token');
    expect(await stop(b, chat)).toMatchObject({
      status: 200,
      body: { status: 'cancelled', chat_id: chat.id },
    });
    expect(await end(chat.run)).toBe('canceled');
    await inState(chat, 'cancelled');
    expect(await trail(chat)).toEqual([
      `user ${HANG}`,
      expect.stringMatching(/^assistant half/),
      `system ${MARKER}`,
    ]);
    const next = await send(b, chat, { content: OK });
    expect(await end(next)).toBe('done');
    expect(await sessions(chat)).toEqual(['idle', 'cancelled']);
    const all = await ask('GET', at(a, chat, '/sessions?limit=1'));
    expect(all.body.items).toMatchObject([{ state: 'idle', started_at: expect.any(String) }]);
    expect(
      (await ask('GET', at(a, chat, `/sessions?limit=1&after=${all.body.next}`))).body.items,
    ).toMatchObject([{ state: 'cancelled', reason: 'user_cancelled' }]);
  });

  test('WS-11 before the first token there is no assistant’s message', async () => {
    const chat = await open(say({ first_delay_ms: 600_000, text: 'never' }));
    await seen(a.url, chat.run, 'state');
    await stop(a, chat);
    expect(await end(chat.run)).toBe('canceled');
    expect((await trail(chat)).filter((line) => line.startsWith('assistant'))).toEqual([]);
    expect((await trail(chat)).at(-1)).toBe(`system ${MARKER}`);
  });

  test('WS-11 partial reasoning is kept, and is not a message', async () => {
    const chat = await open(say({ reasoning: 'hm hm hm', hang: true }));
    await seen(a.url, chat.run, 'reasoning');
    await stop(b, chat);
    expect(await end(chat.run)).toBe('canceled');
    expect((await trail(chat)).slice(1)).toEqual([`system ${MARKER}`, 'assistant reasoning_complete']);
  });

  test('WS-11 the running tool completes; calls after it are not made', async () => {
    const release = await holdEffects(database);
    const chat = await open(
      say({
        text: 'now',
        calls: [
          { tool: 'idempotent', input: { note: 'first' } },
          { tool: 'external', input: { note: 'second' } },
        ],
      }),
    );
    await waitedFor(database, 'effects');
    await stop(b, chat);
    expect(await read(chat)).toMatchObject({ state: 'running', reason: 'stopping' });
    await release();
    expect(await end(chat.run)).toBe('canceled');
    expect(await count(database, "effects where note = 'first'")).toBe(1);
    expect(await count(database, "effects where note = 'second'")).toBe(0);
    const rows = (await ask('GET', at(b, chat, '/messages'))).body.items;
    expect(
      rows
        .filter(({ message_type }: { message_type: string }) => message_type === 'tool_result')
        .map(({ call, tool_success }: { call: string; tool_success: boolean }) => [call, tool_success]),
    ).toEqual([
      ['m1_0', true],
      ['m1_1', false],
    ]);
  });

  test('WS-11 queued runs are cancelled, too, and leave no marker', async () => {
    const chat = await open(HANG);
    const queued = [await send(a, chat, { content: OK }), await send(b, chat, { content: OK })];
    await seen(a.url, chat.run, 'token');
    await stop(b, chat);
    for (const run of [chat.run, ...queued]) expect(await end(run)).toBe('canceled');
    expect((await trail(chat)).filter((line) => line === `system ${MARKER}`)).toHaveLength(1);
    await inState(chat, 'cancelled');
  });

  test('WS-11 an idle chat’s session ends, without a marker', async () => {
    const chat = await open(OK);
    expect(await end(chat.run)).toBe('done');
    await inState(chat, 'idle');
    expect((await stop(b, chat)).status).toBe(200);
    await inState(chat, 'cancelled');
    expect((await trail(chat)).some((line) => line.startsWith('system'))).toBe(false);
    const next = await send(a, chat, { content: OK });
    expect(await end(next)).toBe('done');
    expect(await sessions(chat)).toEqual(['idle', 'cancelled']);
  });

  test('WS-11 repeating it is fine, also many times at once and afterwards', async () => {
    const chat = await open(HANG);
    await seen(a.url, chat.run, 'token');
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => stop(n % 2 ? a : b, chat)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await inState(chat, 'cancelled');
    await letGo(chat);
    expect(await stop(a, chat)).toMatchObject({
      status: 200,
      body: { status: 'cancelled', chat_id: chat.id },
    });
    expect(await sessions(chat)).toEqual(['cancelled']);
    const next = await send(a, chat, { content: OK });
    expect(await end(next)).toBe('done');
  });

  test('WS-11 stopping a chat whose session failed, or that has none, is 404', async () => {
    const chat = await open(say({ error: { code: 'x', message: 'y' } }));
    expect(await end(chat.run)).toBe('error');
    await inState(chat, 'error');
    expect(await stop(a, chat)).toMatchObject({
      status: 404,
      body: { code: 'nothing_to_stop', detail: expect.stringContaining('the last one is error') },
    });
    const { body } = await ask('POST', `${a.url}/api/threads`, { workspace: space.name });
    expect(await stop(a, { id: body.id as string, run: '' })).toMatchObject({
      status: 404,
      body: { code: 'nothing_to_stop', detail: expect.stringContaining('has no session yet') },
    });
  });

  test('WS-11 at the very moment of finishing, the chat is idle or cancelled, and takes the next message', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const chat = await open(OK);
      const stopped = stop(turn % 2 ? a : b, chat);
      const status = await end(chat.run);
      expect((await stopped).status).toBe(200);
      await inState(chat, 'cancelled');
      expect(['done', 'canceled']).toContain(status);
      expect(await end(await send(b, chat, { content: OK }))).toBe('done');
    }
  });
});

describe('pause', () => {
  const twoSteps = (note: string) =>
    say({ text: 'one', calls: [{ tool: 'idempotent', input: { note } }] }, { text: 'two' });

  test('WS-6 a chat pauses before the next step, has no owner, and continues where it was', async () => {
    const release = await holdEffects(database);
    const chat = await open(twoSteps('paused'));
    await waitedFor(database, 'effects');
    expect(await ask('POST', at(b, chat, '/pause'))).toMatchObject({
      status: 200,
      body: { status: 'pausing', chat_id: chat.id },
    });
    expect(await read(chat)).toMatchObject({ state: 'running', reason: 'pausing' });
    await release();
    expect(await inState(chat, 'paused')).toMatchObject({
      reason: null,
      active_run: chat.run,
      session: { reason: 'user_paused' },
    });
    await letGo(chat);
    expect((await ask('POST', at(a, chat, '/pause'))).body).toEqual({ status: 'paused', chat_id: chat.id });
    expect((await ask('GET', `${a.url}/api/runs/${chat.run}`)).body.status).toBe('running');

    expect(await ask('POST', at(a, chat, '/resume'))).toMatchObject({
      status: 200,
      body: { status: 'running', chat_id: chat.id },
    });
    expect(await end(chat.run)).toBe('done');
    expect((await trail(chat)).at(-1)).toBe('assistant two');
    expect(await count(database, "effects where note = 'paused'")).toBe(1);
    expect(await sessions(chat)).toEqual(['idle']);
  });

  test('WS-6 a pause that is revoked before it takes effect does nothing', async () => {
    const release = await holdEffects(database);
    const chat = await open(twoSteps('back'));
    await waitedFor(database, 'effects');
    await ask('POST', at(b, chat, '/pause'));
    expect((await ask('POST', at(b, chat, '/resume'))).body.status).toBe('running');
    expect(await read(chat)).toMatchObject({ state: 'running', reason: null });
    await release();
    expect(await end(chat.run)).toBe('done');
  });

  test('WS-6 a paused chat survives its pod, and can be stopped', async () => {
    const pod = await startPod({ databaseUrl: database.url });
    others.push(pod);
    const release = await holdEffects(database);
    const chat = await open(twoSteps('survives'));
    await waitedFor(database, 'effects');
    await ask('POST', at(pod, chat, '/pause'));
    await release();
    await inState(chat, 'paused');
    await pod.end();
    expect((await read(chat)).state).toBe('paused');
    const queued = await send(a, chat, { content: OK });
    await letGo(chat);
    expect((await read(chat)).state).toBe('paused');
    await stop(b, chat);
    expect(await end(chat.run)).toBe('canceled');
    expect(await end(queued)).toBe('canceled');
    await inState(chat, 'cancelled');
  });

  test('WS-6 an invalid transition is refused with the sentence of the state machine', async () => {
    const chat = await open(OK);
    await end(chat.run);
    await inState(chat, 'idle');
    for (const [rest, detail] of [
      ['/pause', 'A session that is idle cannot pause; allowed: start, stop, expire.'],
      ['/resume', 'A session that is idle cannot resume; allowed: start, stop, expire.'],
    ] as const)
      expect(await ask('POST', at(a, chat, rest))).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', detail },
      });
    await stop(a, chat);
    await inState(chat, 'cancelled');
    expect((await ask('POST', at(a, chat, '/pause'))).body.detail).toBe(
      'A session that is cancelled cannot pause: it has ended; a new message starts a new session.',
    );
    const running = await open(HANG);
    await seen(a.url, running.run, 'token');
    expect((await ask('POST', at(a, running, '/resume'))).body.detail).toBe(
      'A session that is running cannot resume; allowed: finish, complete, fail, pause, stop.',
    );
    await stop(a, running);
    await end(running.run);
  });

  test('WS-6 a run that is being stopped cannot pause', async () => {
    const release = await holdEffects(database);
    const chat = await open(twoSteps('stopping'));
    await waitedFor(database, 'effects');
    await stop(b, chat);
    expect(await ask('POST', at(b, chat, '/pause'))).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', detail: expect.stringContaining('stopped') },
    });
    await release();
    expect(await end(chat.run)).toBe('canceled');
  });
});

describe('ping', () => {
  test('WS-7 a ping moves the idle session’s deadline; other states have none', async () => {
    const chat = await open(OK);
    await end(chat.run);
    await inState(chat, 'idle');
    const before = Date.now();
    const { status, body } = await ask('POST', at(b, chat, '/ping'));
    expect([status, body.state]).toEqual([200, 'idle']);
    expect(Date.parse(body.expires_at)).toBeGreaterThan(before + 500_000);
    const again = await ask('POST', at(b, chat, '/ping'));
    expect(Date.parse(again.body.expires_at)).toBeGreaterThanOrEqual(Date.parse(body.expires_at));
    await stop(a, chat);
    await inState(chat, 'cancelled');
    expect((await ask('POST', at(b, chat, '/ping'))).body).toEqual({ state: 'cancelled', expires_at: null });
  });
});

describe('a busy chat', () => {
  test('WS-5 interrupt: open runs are canceled, and the message is answered', async () => {
    const chat = await open(HANG);
    const queued = await send(a, chat, { content: OK });
    await seen(a.url, chat.run, 'token');
    const run = await send(b, chat, { content: OK, policy: 'interrupt' });
    expect(await end(chat.run)).toBe('canceled');
    expect(await end(queued)).toBe('canceled');
    expect(await end(run)).toBe('done');
    expect(await trail(chat)).toEqual([
      `user ${HANG}`,
      expect.stringMatching(/^assistant half/),
      'system [System: Response was interrupted by user (interrupted)]',
      `user ${OK}`,
      'assistant ok',
    ]);
  });

  test('WS-5 rollback: open runs disappear from the history, and stay in the audit trail', async () => {
    const chat = await open(OK);
    await end(chat.run);
    const hanging = await send(a, chat, { content: HANG });
    await seen(a.url, hanging, 'token');
    const run = await send(b, chat, { content: say({ text: 'instead' }), policy: 'rollback' });
    expect(await end(hanging)).toBe('canceled');
    expect(await end(run)).toBe('done');
    const rows = (await ask('GET', at(b, chat, '/messages'))).body.items;
    expect(
      rows.map(({ run_id, rewound }: { run_id: string; rewound?: true }) => [run_id, rewound ?? false]),
    ).toEqual([
      [chat.run, false],
      [chat.run, false],
      [hanging, true],
      [hanging, true],
      [hanging, true],
      [run, false],
      [run, false],
    ]);
    const said = (await ask('GET', `${a.url}/api/threads/${chat.id}/messages`)).body.items;
    expect(said.map(({ rewound }: { rewound?: true }) => rewound ?? false)).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  test('WS-5 steer: the message goes to the running run', async () => {
    const release = await holdEffects(database);
    const chat = await open(
      say({ text: 'one', calls: [{ tool: 'idempotent', input: { note: 'steered' } }] }, { text: 'two' }),
    );
    await waitedFor(database, 'effects');
    const steered = await ask(
      'POST',
      at(b, chat),
      { content: OK, policy: 'steer' },
      { 'idempotency-key': 'steer-1' },
    );
    expect(steered).toMatchObject({ status: 202, body: { run: { id: chat.run, status: 'running' } } });
    await release();
    expect(await end(chat.run)).toBe('done');
    expect((await trail(chat)).filter((line) => line.startsWith('user'))).toHaveLength(2);
    expect((await trail(chat)).at(-1)).toBe('assistant ok');
    const again = await ask(
      'POST',
      at(a, chat),
      { content: OK, policy: 'steer' },
      { 'idempotency-key': 'steer-1' },
    );
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.run.id).toBe(chat.run);
  });

  test('WS-5 a queued message moves to the running run atomically, with its files', async () => {
    await fetch(`${space.url}/files/with.md`, { method: 'PUT', body: 'Came along.' });
    const release = await holdEffects(database);
    const chat = await open(
      say({ text: 'one', calls: [{ tool: 'idempotent', input: { note: 'given' } }] }, { text: 'two' }),
    );
    await waitedFor(database, 'effects');
    const first = await send(a, chat, { content: OK, files: ['/with.md'] });
    const second = await send(a, chat, { content: say({ text: 'in its turn' }) });
    const steer = (pod: TestPod, run: string) => ask('POST', `${pod.url}/api/runs/${run}/steer`);
    expect(await steer(b, chat.run)).toMatchObject({ status: 409, body: { code: 'not_waiting' } });
    // At once, on two pods, and again.
    const answers = [...(await Promise.all([steer(a, first), steer(b, first)])), await steer(b, first)];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { id: chat.run, status: 'running' } });
    // Until the run takes it in, it waits, and is told as such.
    const messages = `${a.url}/api/threads/${chat.id}/messages`;
    const page = (await ask('GET', `${messages}?limit=3`)).body;
    expect(page.items.at(-1)).toMatchObject({ run_id: chat.run, content: OK, waiting: true });
    const after = (await ask('GET', `${messages}?after=${page.next}`)).body.items;
    expect(after).toMatchObject([{ run_id: second }]);
    expect(after[0]).not.toHaveProperty('waiting');
    expect((await ask('GET', at(b, chat))).body).toMatchObject({ waiting_steers: 1 });
    await release();
    expect(await end(chat.run)).toBe('done');
    expect(await end(first)).toBe('canceled');
    expect(await end(second)).toBe('done');
    const said = (await ask('GET', at(b, chat, '/messages'))).body.items.filter(
      ({ role }: { role: string }) => role === 'user',
    );
    expect(
      said.map(({ run_id, content }: { run_id: string; content: string }) => [run_id, content]),
    ).toMatchObject([
      [chat.run, expect.any(String)],
      [chat.run, OK],
      [second, expect.any(String)],
    ]);
    expect(said[1].files).toMatchObject([{ path: '/with.md' }]);
    const listed = (await ask('GET', messages)).body.items;
    expect(listed.filter(({ content }: { content: string }) => content === OK)).toHaveLength(1);
    expect(listed.some(({ waiting }: { waiting?: true }) => waiting)).toBe(false);
    expect((await ask('GET', at(b, chat))).body).toMatchObject({ waiting_steers: 0 });
    const runs = (await ask('GET', `${space.url}/runs?chat=${chat.id}`)).body.items;
    expect(
      runs.map(({ id, steered_into }: { id: string; steered_into: string | null }) => [id, steered_into]),
    ).toEqual([
      [second, null],
      [first, chat.run],
      [chat.run, null],
    ]);
    expect(await ask('POST', `${a.url}/api/runs/${first}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'run_not_retryable' },
    });
    expect((await steer(a, first)).body.id).toBe(chat.run);
  });

  test('WS-5 a queued message stays in the queue if no run is running', async () => {
    const chat = await open(HANG);
    await seen(a.url, chat.run, 'token');
    const waiting = await send(a, chat, { content: OK });
    const release = await holdLog(database);
    await ask('POST', `${b.url}/api/runs/${chat.run}/cancel`);
    expect(await ask('POST', `${b.url}/api/runs/${waiting}/steer`)).toMatchObject({
      status: 409,
      body: { code: 'nothing_at_work' },
    });
    await release();
    expect(await end(waiting)).toBe('done');
    expect(await ask('POST', `${b.url}/api/runs/${waiting}/steer`)).toMatchObject({ status: 409 });
    expect((await trail(chat)).filter((line) => line === `user ${OK}`)).toHaveLength(1);
  });

  test('WS-5 edit and resend: the chat is rewound to before the message, whatever came after it', async () => {
    const chat = await open(say({ text: 'first' }));
    await end(chat.run);
    const second = await send(a, chat, { content: say({ text: 'second' }) });
    await end(second);
    const third = await send(a, chat, { content: HANG });
    await seen(a.url, third, 'token');
    const rows = (await ask('GET', at(b, chat, '/messages'))).body.items as {
      run_id: string;
      message_id?: string;
    }[];
    const replaces = rows.find(({ run_id }) => run_id === second)!.message_id!;
    const run = await send(b, chat, { content: say({ text: 'better' }), replaces });
    expect(await end(third)).toBe('canceled');
    expect(await end(run)).toBe('done');
    const after = (await ask('GET', at(b, chat, '/messages'))).body.items as {
      run_id: string;
      rewound?: true;
    }[];
    expect(new Set(after.filter(({ rewound }) => rewound).map(({ run_id }) => run_id))).toEqual(
      new Set([second, third]),
    );
    expect((await ask('GET', `${space.url}/files${(await read(chat)).path}`)).text).toContain(
      'The chat was rewound to event',
    );
    // A model’s message, or another chat’s, cannot be replaced.
    const other = await open(OK);
    await end(other.run);
    expect(await ask('POST', at(a, other), { content: OK, replaces })).toMatchObject({
      status: 422,
      body: { code: 'unknown_message' },
    });
  });
});
