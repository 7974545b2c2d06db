// The mode autonomous: rounds of work, a check command, a judge, a watchdog, limits. The models are scripts; commands run in the sandbox.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventData } from '@continuo/protocol';
import { ask, script, until } from '@continuo/testkit';
import {
  brokenInvariants,
  findBubblewrap,
  freshDatabase,
  startPod,
  unfaithfulRequests,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { nextOf } from '../../src/planning/autonomous/decision.ts';
import type { QueuedRun } from '../../src/runs/loop/decide.ts';
import type { RunState } from '../../src/threads/fold.ts';

const { isThere, without } = await findBubblewrap();
let database: TestDatabase;
let pod: TestPod;
const start = () =>
  startPod({ databaseUrl: database.url, env: { CONTINUO_SANDBOX: isThere ? 'auto' : 'off' } });
beforeAll(async () => {
  database = await freshDatabase();
  pod = await start();
});
afterAll(async () => {
  expect(await unfaithfulRequests(pod.url, database.pool)).toEqual([]);
  await pod.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

const workspace = () => `${pod.url}/api/v1/workspaces/default`;
const write = (path: string, content: string) => ({ calls: [{ tool: 'write', input: { path, content } }] });
const verdict = (value: string, ...reasons: string[]) =>
  script({ text: JSON.stringify({ verdict: value, reasons }) });

async function open(goal: string, more: object = {}) {
  const answer = await ask('POST', `${workspace()}/chats`, { goal, title: 't', mode: 'autonomous', ...more });
  expect(answer.body).toMatchObject({ chat: { mode: 'autonomous' } });
  return { chat: answer.body.chat.id as string, run: answer.body.run.id as string };
}
const runOf = async (id: string) => (await ask('GET', `${pod.url}/api/runs/${id}`)).body;
const ended = (id: string) =>
  until('the run has ended', async () => {
    const run = await runOf(id);
    return ['done', 'error', 'canceled'].includes(run.status) ? run : null;
  });
const eventsOf = async <T extends keyof EventData>(thread: string, type: T) =>
  (
    await database.pool.query<{ data: EventData[T] }>(
      'select data from events where thread_id = $1 and type = $2 order by seq',
      [thread, type],
    )
  ).rows.map(({ data }) => data);
const messagesTo = async (run: string, role: string) =>
  (
    await database.pool.query<{ said: string }>(
      `select m.content ->> 'text' as said from runs r join messages m on m.id = r.message_id
        where r.parent_run = $1 and r.role = $2 order by r.queued_at`,
      [run, role],
    )
  ).rows.map(({ said }) => said);

test('WS-16 a judge that sees results and versions, never what the worker says, decides that the goal is met', async () => {
  const goal = script(write('/auto/a.md', 'the content'), { text: 'CLAIM: all of it is finished' });
  const { chat, run } = await open(goal, {
    done_when: { criteria: [`There is a file ${verdict('met', 'the file is there')}`] },
  });
  expect(await ended(run)).toMatchObject({ status: 'done' });
  expect(await eventsOf(chat, 'verdict')).toEqual([
    { round: 1, verdict: 'met', by: 'judge', reasons: ['the file is there'], changed: 1, idle: 0 },
  ]);
  const [asked] = await messagesTo(run, 'judge');
  expect(asked).toContain('/auto/a.md, version 1:\nthe content');
  expect(asked).toContain('Writes /auto/a.md');
  // The goal holds the script; beside it, the claim is nowhere.
  expect(asked!.replaceAll(goal, '')).not.toContain('CLAIM');
  const digest = (await ask('GET', `${workspace()}/chats/${chat}/digest`)).body;
  expect(digest).toMatchObject({ verdict: { verdict: 'met', round: 1 }, files: [{ path: '/auto/a.md' }] });
  expect((await eventsOf(chat, 'final'))[0]!.text).toContain('The goal is met after one round');
});

test('WS-16 criteria are derived first if none are given; a derived list that cannot be read is asked for once more', async () => {
  const { chat, run } = await open(script({ text: 'no list' }));
  expect(await ended(run)).toMatchObject({ status: 'error', error: { code: 'no_criteria' } });
  expect((await eventsOf(chat, 'child_start')).map(({ child }) => child)).toEqual(['criteria', 'criteria#2']);
  const derived = JSON.stringify({ criteria: [`Derived ${verdict('met', 'seen')}`] });
  const second = await open(script({ text: derived }));
  expect(await ended(second.run)).toMatchObject({ status: 'done' });
  expect(await messagesTo(second.run, 'judge')).toMatchObject([
    expect.stringContaining('Write down how somebody'),
    expect.stringContaining('1. Derived'),
  ]);
});

test.skipIf(!isThere)(
  `WS-16 a check command runs in the sandbox on committed files; its failure starts another round${without}`,
  async () => {
    const read = { calls: [{ tool: 'read', input: { path: '/auto/check.md' } }] };
    const right = script(read, write('/auto/check.md', 'right'), { text: 'corrected' });
    const { chat, run } = await open(script(write('/auto/check.md', 'wrong'), { text: 'done!' }), {
      done_when: {
        check: `grep -q right /workspace/auto/check.md || { cat <<'END'\n${right}\nEND\nexit 3; }`,
      },
    });
    expect(await ended(run)).toMatchObject({ status: 'done' });
    expect(await eventsOf(chat, 'verdict')).toMatchObject([
      { round: 1, verdict: 'not_met', by: 'check', changed: 1 },
      { round: 2, verdict: 'met', by: 'check', changed: 1 },
    ]);
    expect(
      (await eventsOf(chat, 'tool_end')).map(({ call, output }) => [
        call,
        (output as { exit_code: number }).exit_code,
      ]),
    ).toEqual([
      ['check1', 3],
      ['check2', 0],
    ]);
  },
);

test.skipIf(!isThere)(`WS-16 a judge cannot overrule a check that failed${without}`, async () => {
  const { chat, run } = await open(script({ text: 'nothing to do' }), {
    done_when: { check: 'exit 1', criteria: [`x ${verdict('met', 'I say so')}`] },
  });
  expect(await ended(run)).toMatchObject({ status: 'error', error: { code: 'no_progress' } });
  expect((await eventsOf(chat, 'verdict')).map(({ verdict: value, by }) => `${value} ${by}`)).toEqual(
    Array(3).fill('not_met check'),
  );
});

test('WS-16 an impossible goal ends as an error, never as done', async () => {
  const { run } = await open(script({ text: 'I cannot' }), {
    done_when: { criteria: [`x ${verdict('impossible', 'there is no network')}`] },
  });
  expect(await ended(run)).toMatchObject({
    status: 'error',
    error: { code: 'goal_impossible', error: expect.stringContaining('there is no network') },
  });
});

test('WS-16 the watchdog ends a run after three rounds in a row that change nothing', async () => {
  const { chat, run } = await open(script({ text: 'thinking' }), {
    done_when: { criteria: [`x ${verdict('not_met', 'nothing is there')}`] },
  });
  expect(await ended(run)).toMatchObject({ status: 'error', error: { code: 'no_progress' } });
  expect((await eventsOf(chat, 'verdict')).map(({ idle }) => idle)).toEqual([1, 2, 3]);
});

test('WS-16 the watchdog ends a run whose rounds go in circles: files change, and end as they were', async () => {
  const read = { calls: [{ tool: 'read', input: { path: '/auto/circle.md' } }] };
  const goal = script(read, write('/auto/circle.md', 'there'), write('/auto/circle.md', 'and back'), {
    text: 'ok',
  });
  const { chat, run } = await open(goal, {
    done_when: { criteria: [`x ${verdict('not_met', 'not yet')}`] },
  });
  expect(await ended(run)).toMatchObject({
    status: 'error',
    error: { code: 'no_progress', error: expect.stringContaining('3 rounds in a row made no progress') },
  });
  expect((await eventsOf(chat, 'verdict')).map(({ changed, idle }) => [changed, idle])).toEqual([
    [1, 0],
    [1, 1],
    [1, 2],
    [1, 3],
  ]);
});

test('WS-16 a run has at most 50 rounds, however much they change', () => {
  const last: EventData['verdict'] = {
    round: 50,
    verdict: 'not_met',
    by: 'judge',
    reasons: ['more is needed'],
    changed: 1,
    idle: 0,
  };
  const after = (round: number) =>
    nextOf(
      { children: [], messages: 0 } as unknown as RunState,
      {
        role: 'assistant',
        limits: { steps: 1000 },
        family: {
          directive: { mode: 'autonomous', check: null, criteria: ['x'], judge_model: null },
          ended: null,
        },
      } as unknown as QueuedRun,
      {
        goal: 'x',
        verdicts: Array.from({ length: round }, (_, index) => ({ ...last, round: index + 1 })),
        ends: new Map(),
        checks: new Map(),
        hashes: new Map(),
        added: [],
        isUntrusted: false,
        steps: 0,
      },
    );
  expect(after(49)).toMatchObject({ kind: 'act', spawn: [{ child: 'work#50' }] });
  expect(after(50)).toMatchObject({ kind: 'fail', code: 'round_limit' });
});

test('WS-16 a verdict that cannot be read counts as not met, after one repetition', async () => {
  const { chat, run } = await open(script({ text: 'thinking' }), {
    done_when: { criteria: [`x ${script({ text: 'It is met, believe me.' })}`] },
  });
  expect(await ended(run)).toMatchObject({ error: { code: 'no_progress' } });
  const judges = (await eventsOf(chat, 'child_start')).filter(({ role }) => role === 'judge');
  expect(judges.map(({ child }) => child).slice(0, 2)).toEqual(['judge#1', 'judge#1.2']);
});

test.each([
  [{ steps: 4 }, 'step_limit'],
  [{ tokens: 3000 }, 'token_limit'],
] as const)('WS-16 the limit %j stops all rounds together, and says so', async (limits, code) => {
  const goal = script(write('/auto/limit.md', 'x'.repeat(40)), { text: 'more' });
  const { run } = await open(goal, { limits, done_when: { criteria: [`x ${verdict('not_met', 'go on')}`] } });
  expect(await ended(run)).toMatchObject({
    status: 'error',
    error: { code, error: expect.stringContaining('the budget of') },
  });
});

test('WS-16 the time limit ends a run and its round', async () => {
  const { run } = await open(script({ text: 'x', hang: true }), {
    limits: { seconds: 1 },
    done_when: { criteria: ['x'] },
  });
  expect(await ended(run)).toMatchObject({ status: 'error', error: { code: 'time_limit' } });
  await until('its round is canceled', async () => {
    const { rows } = await database.pool.query<{ status: string }>(
      'select status from runs where parent_run = $1',
      [run],
    );
    return rows.every(({ status }) => status === 'canceled');
  });
});

test('WS-16 a cancel reaches the running round', async () => {
  const { chat, run } = await open(script({ text: 'x', hang: true }), { done_when: { criteria: ['x'] } });
  await until('the round runs', async () => (await eventsOf(chat, 'child_start')).length === 1);
  expect((await ask('POST', `${workspace()}/chats/${chat}/stop`)).status).toBe(200);
  expect(await ended(run)).toMatchObject({ status: 'canceled' });
  await until('its round is canceled', async () => {
    const { rows } = await database.pool.query<{ status: string }>(
      'select status from runs where parent_run = $1',
      [run],
    );
    return rows[0]!.status === 'canceled';
  });
});

/** Has a pod that is alone killed at the fault, after it got the request; then another pod, on the same database, is asked. */
async function afterKill(fault: string, body: object, check: (run: string, chat: string) => Promise<void>) {
  const before = { database, pod };
  database = await freshDatabase();
  try {
    const victim = await startPod({ databaseUrl: database.url, fault, env: { CONTINUO_SANDBOX: 'off' } });
    // The victim may be dead before it has answered.
    await ask('POST', `${victim.url}/api/v1/workspaces/default/chats`, body).catch(() => null);
    expect((await victim.exited).signal).toBe('SIGKILL');
    await victim.end();
    pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_SANDBOX: 'off' } });
    const { rows } = await database.pool.query<{ id: string; thread_id: string }>(
      'select id, thread_id from runs where parent_run is null',
    );
    expect(rows).toHaveLength(1);
    await check(rows[0]!.id, rows[0]!.thread_id);
    await pod.end();
    expect(await brokenInvariants(database.pool)).toEqual([]);
  } finally {
    await database.drop();
    ({ database, pod } = before);
  }
}

test.each([
  'append.before.verdict',
  'append.after.verdict',
  'append.after.child_end',
  'append.inside.child_start',
])(
  'WS-16 kill -9 at %s: another pod goes on, and no round is done twice',
  { timeout: 120_000 },
  async (fault) => {
    const body = {
      title: 'killed',
      mode: 'autonomous',
      goal: script(write('/auto/killed.md', 'once'), { text: 'ok' }),
      done_when: { criteria: [`x ${verdict('met', 'seen')}`] },
    };
    await afterKill(fault, body, async (run, chat) => {
      expect(await ended(run)).toMatchObject({ status: 'done' });
      expect(await eventsOf(chat, 'verdict')).toHaveLength(1);
      expect((await eventsOf(chat, 'child_end')).map(({ child }) => child)).toEqual(['work#1', 'judge#1']);
      const { rows } = await database.pool.query<{ version: number }>(
        "select version from files where path = '/auto/killed.md'",
      );
      expect(rows).toEqual([{ version: 1 }]);
    });
  },
);

test('done_when and plan_id are refused in modes that do not take them, with a sentence', async () => {
  const refused = await ask('POST', `${workspace()}/chats`, { goal: 'x', done_when: { criteria: ['y'] } });
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(refused.body.detail).toContain('done_when');
});
