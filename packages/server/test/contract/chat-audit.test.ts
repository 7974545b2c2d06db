// The audit trail of a chat over HTTP: everything that was said, thought and called, in the log's order, in pages.

import { expect, test } from 'vitest';
import { ask, framesOf } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace } from '../files/support.ts';

const world = usePod({ CONTINUO_TOOL_SUMMARY_LINES: '7' });
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');

async function played(...steps: unknown[]) {
  const space = await newSpace(world.url);
  await world.database.pool.query('update workspaces set policy = $1', [
    JSON.stringify({ rules: [{ tool: '*', action: 'allow' }] }),
  ]);
  const { chat, run } = (
    await ask('POST', `${space.url}/chats`, { goal: JSON.stringify({ steps }), title: 'x' })
  ).body;
  await framesOf(world.url, run.id);
  return { run, url: `${space.url}/chats/${chat.id}/messages` };
}

test('WS-12 the audit trail has all messages, reasoning and calls, in order, with their fields', async () => {
  const { run, url } = await played(
    { reasoning: 'let me see', text: 'looking', calls: [{ tool: 'pure', input: { note: 'n' } }] },
    { text: 'the end' },
  );
  const { items, next } = (await ask('GET', url)).body;
  expect(next).toBeNull();
  const common = { run_id: run.id, created_at: expect.any(String), seq: expect.any(Number) };
  expect(items).toEqual([
    {
      ...common,
      part: 0,
      role: 'user',
      message_type: 'message',
      message_id: run.message_id,
      content: expect.stringContaining('looking'),
    },
    { ...common, part: 2, role: 'assistant', message_type: 'message', content: 'looking', ended: 'complete' },
    {
      ...common,
      part: 3,
      role: 'tool',
      message_type: 'tool_call',
      call: 'm1_0',
      tool_name: 'pure',
      tool_arguments: { note: 'n' },
    },
    {
      ...common,
      part: 0,
      role: 'tool',
      message_type: 'tool_result',
      call: 'm1_0',
      tool_name: 'pure',
      tool_output: { saw: 'n' },
      tool_success: true,
      tool_result: `${run.id}:m1_0`,
    },
    { ...common, part: 1, role: 'assistant', message_type: 'message', content: 'the end', ended: 'complete' },
    {
      ...common,
      part: 0,
      role: 'assistant',
      message_type: 'reasoning_complete',
      reasoning_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      content: 'let me see',
    },
  ]);
  const places = items.map(({ seq, part }: { seq: number; part: number }) => seq * 1000 + part);
  expect(places).toEqual(places.toSorted((a: number, b: number) => a - b));
  const result = await ask('GET', `${world.url}/api/v1/tool-results/${items[3].tool_result}`);
  expect(result.body).toMatchObject({ output: { saw: 'n' }, success: true });

  const paged = [];
  for (let after = '0.0'; after !== null;) {
    const { body } = await ask('GET', `${url}?limit=1&after=${after}`);
    paged.push(...body.items);
    after = body.next;
  }
  expect(paged).toEqual(items);
  for (const query of ['after=1', 'after=x', 'after=1.-2', 'limit=0'])
    expect((await ask('GET', `${url}?${query}`)).status).toBe(400);
});

test('WS-12 a long output is a summary of CONTINUO_TOOL_SUMMARY_LINES lines, over HTTP and in SQL, and the whole is one request away', async () => {
  const { run, url } = await played(
    {
      calls: [
        { tool: 'pure', input: { note: lines(20) } },
        { tool: 'pure', input: { note: 'x'.repeat(5000) } },
        { tool: 'pure', input: { note: lines(7) } },
        { tool: 'write', input: { path: 'a.md', text: 'hello' } },
      ],
    },
    { text: 'done' },
  );
  const results = (await ask('GET', url)).body.items.filter(
    ({ message_type }: { message_type: string }) => message_type === 'tool_result',
  );
  const of = (call: string) =>
    results.find((row: { call: string }) => row.call === call).tool_output as unknown;
  expect(of('m1_0')).toBe(`${lines(7)}\n[Note: Summarized result]`);
  expect(of('m1_1')).toBe(`${'x'.repeat(2000)}\n[Note: Summarized result]`);
  expect(of('m1_2')).toEqual({ saw: lines(7) });
  const { rows } = await world.database.pool.query<{ tool_output: unknown }>(
    "select tool_output from chat_messages where run_id = $1 and message_type = 'tool_result' and call = 'm1_0'",
    [run.id],
  );
  expect(rows[0]!.tool_output).toBe(of('m1_0'));
  const { body } = await ask('GET', `${world.url}/api/v1/tool-results/${run.id}:m1_0`);
  expect(body.output).toEqual({ saw: lines(20) });
});

test('WS-12 characters that Postgres cannot store in text are shown as U+FFFD', async () => {
  const { url } = await played({ text: 'a\u0000b' });
  const { items } = (await ask('GET', url)).body;
  expect(items[1]).toMatchObject({ role: 'assistant', content: 'a\ufffdb' });
});
