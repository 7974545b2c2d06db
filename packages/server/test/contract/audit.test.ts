// The audit trail: `chat_messages` says what models thought and called and what came of it, whatever became of the run.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, createThread, follow, followToEnd, framesOf, seen, send } from '@continuo/testkit';
import {
  freshDatabase,
  holdEffects,
  startPod,
  waitedFor,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

let database: TestDatabase;
let pod: TestPod;
/** Those that a test starts for itself, also if it fails. */
const others: TestPod[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  pod = await startPod({ databaseUrl: database.url });
});
afterAll(async () => {
  await Promise.all([pod, ...others].map((each) => each.end()));
  await database.drop();
});

interface Row {
  role: string;
  message_type: string;
  reasoning_id: string | null;
  content: string | null;
  call: string | null;
  tool_name: string | null;
  tool_arguments: unknown;
  tool_output: unknown;
  tool_success: boolean | null;
}

/** Without what was said: chat-audit.test.ts is about that. */
async function audit(runId: string): Promise<Row[]> {
  const { rows } = await database.pool.query<Row>(
    `select c.role, c.message_type, c.reasoning_id, c.content, c.call, c.tool_name, c.tool_arguments, c.tool_output, c.tool_success
     from chat_messages c join runs r on r.thread_id = c.thread_id and r.id = c.run_id where r.id = $1 and c.message_type <> 'message'
     order by c.seq, c.part`,
    [runId],
  );
  return rows;
}

const NONE = {
  reasoning_id: null,
  content: null,
  call: null,
  tool_name: null,
  tool_arguments: null,
  tool_output: null,
  tool_success: null,
};
const thought = (content: string) => ({
  ...NONE,
  role: 'assistant',
  message_type: 'reasoning_complete',
  content,
  reasoning_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
});
const called = (call: string, tool_name: string, tool_arguments: unknown) => ({
  ...NONE,
  role: 'tool',
  message_type: 'tool_call',
  call,
  tool_name,
  tool_arguments,
});
const answered = (call: string, tool_name: string, tool_output: unknown, tool_success = true) => ({
  ...NONE,
  role: 'tool',
  message_type: 'tool_result',
  call,
  tool_name,
  tool_output,
  tool_success,
});

test('WS-12 a run’s thoughts, calls and results are in chat_messages, in order', async () => {
  const run = await send(pod.url, await createThread(pod.url), {
    steps: [
      {
        reasoning: 'first I look',
        text: 'looking',
        calls: [
          { tool: 'transactional', input: { note: 'n' } },
          { tool: 'external', raw: '{"note": oops' },
        ],
      },
      { reasoning: 'that is enough', text: 'done' },
    ],
  });
  await framesOf(pod.url, run.id);
  expect(await audit(run.id)).toEqual([
    called('m1_0', 'transactional', { note: 'n' }),
    called('m1_1', 'external', '{"note": oops'),
    answered('m1_0', 'transactional', { wrote: 'n' }),
    answered('m1_1', 'external', { error: expect.stringContaining('not valid JSON') }, false),
    thought('first I look\n\nthat is enough'),
  ]);
});

test('WS-12 a turn has one row of reasoning, with an id that stays the same and that no other has', async () => {
  const thread = await createThread(pod.url);
  const ids: (string | null)[] = [];
  for (const run of [
    await send(pod.url, thread, {
      steps: [{ reasoning: 'a', calls: [{ tool: 'pure', input: { note: 'x' } }] }, { reasoning: 'b' }],
    }),
    await send(pod.url, thread, { steps: [{ reasoning: 'a', text: 'x' }] }),
  ]) {
    await framesOf(pod.url, run.id);
    const thoughts = (await audit(run.id)).filter(
      ({ message_type }) => message_type === 'reasoning_complete',
    );
    const again = (await audit(run.id)).filter(({ message_type }) => message_type === 'reasoning_complete');
    expect(again).toEqual(thoughts);
    ids.push(...thoughts.map(({ reasoning_id }) => reasoning_id));
  }
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

test('WS-12 after a cancel every call has its result, and the thought so far is there', async () => {
  const release = await holdEffects(database);
  const run = await send(pod.url, await createThread(pod.url), {
    steps: [
      {
        reasoning: 'two calls',
        calls: [
          { tool: 'idempotent', input: { note: 'a' } },
          { tool: 'external', input: { note: 'b' } },
        ],
      },
    ],
  });
  await waitedFor(database, 'effects');
  await ask('POST', `${pod.url}/api/runs/${run.id}/cancel`);
  await release();
  await framesOf(pod.url, run.id);
  const rows = await audit(run.id);
  expect(rows.slice(0, 2)).toEqual([
    called('m1_0', 'idempotent', { note: 'a' }),
    called('m1_1', 'external', { note: 'b' }),
  ]);
  expect(rows.slice(2, 4).map(({ call, message_type }) => [call, message_type])).toEqual([
    ['m1_0', 'tool_result'],
    ['m1_1', 'tool_result'],
  ]);
  expect(rows[3]).toMatchObject({ tool_success: false });
  expect(rows.slice(4)).toEqual([thought('two calls')]);

  const half = await send(pod.url, await createThread(pod.url), {
    steps: [{ reasoning: 'let me think', text: 'half of', hang: true }],
  });
  await seen(pod.url, half.id, 'token');
  await ask('POST', `${pod.url}/api/runs/${half.id}/cancel`);
  await framesOf(pod.url, half.id);
  expect(await audit(half.id)).toEqual([thought('let me think')]);
});

test('WS-12 a turn that a killed pod left unfinished is not in the trail; the next pod’s is, and each call is there once', async () => {
  const victim = await startPod({ databaseUrl: database.url, fault: 'tool.after_effect.external' });
  others.push(victim);
  const run = await send(victim.url, await createThread(victim.url), {
    steps: [
      {
        reasoning: 'one of each',
        calls: [
          { tool: 'pure', input: { note: 'p' } },
          { tool: 'external', input: { note: 'e' } },
        ],
      },
      { reasoning: 'well then', text: 'the end' },
    ],
  });
  await victim.exited;
  await followToEnd(() => [pod.url], run.id);
  const rows = await audit(run.id);
  expect(rows.filter(({ message_type }) => message_type !== 'tool_result')).toEqual([
    called('m1_0', 'pure', { note: 'p' }),
    called('m1_1', 'external', { note: 'e' }),
    thought('one of each\n\nwell then'),
  ]);
  const results = rows.filter(({ message_type }) => message_type === 'tool_result');
  expect(new Set(results.map(({ call }) => call))).toEqual(new Set(['m1_0', 'm1_1']));
  expect(results).toHaveLength(2);
  expect(results.find(({ call }) => call === 'm1_1')).toMatchObject({
    tool_success: false,
    tool_output: { error: expect.stringContaining('outcome unknown') },
  });

  const speaker = await startPod({ databaseUrl: database.url });
  others.push(speaker);
  const second = await send(speaker.url, await createThread(speaker.url), {
    steps: [{ reasoning: 'hm', tokens: 200, delay_ms: 5 }],
  });
  for await (const frame of follow(speaker.url, second.id)) if (frame.event === 'token') break;
  await speaker.end();
  const frames = await followToEnd(() => [pod.url], second.id);
  expect(frames.some(({ data }) => data.supersedes === 'm1')).toBe(true);
  expect(await audit(second.id)).toEqual([thought('hm')]);
});

test('WS-12 text that the database cannot hold does not hide the rest', async () => {
  const note = 'a\u0000b \ud800 \\u0000 💡 \u0000\u0000';
  const shown = 'a\ufffdb \ufffd \\u0000 💡 \ufffd\ufffd';
  const run = await send(pod.url, await createThread(pod.url), {
    steps: [{ reasoning: note, text: 'x', calls: [{ tool: 'pure', input: { note } }] }, { text: 'y' }],
  });
  await framesOf(pod.url, run.id);
  expect(await audit(run.id)).toEqual([
    called('m1_0', 'pure', { note: shown }),
    answered('m1_0', 'pure', { saw: shown }),
    thought(shown),
  ]);
});

test('WS-12 the trail of a thread is read by an index of the log', async () => {
  const thread = await createThread(pod.url);
  const { rows } = await database.pool
    .query<{ 'QUERY PLAN': string }>(
      `set local enable_seqscan = off; explain select * from chat_messages where thread_id = '${thread}'`,
    )
    .then((results) => (results as unknown as { rows: { 'QUERY PLAN': string }[] }[])[1]!);
  expect(
    rows.map((row) => row['QUERY PLAN']).filter((line) => /events_(pkey|whole)/.test(line)),
  ).toHaveLength(7);
});
