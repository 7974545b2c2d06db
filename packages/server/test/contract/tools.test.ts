// Tools: what each effect class does, and that nothing a tool does, or a model asks of it, ends the run.

import { expect, test } from 'vitest';
import { createThread, framesOf, send, type Frame } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
type Call = { tool: string; input?: Record<string, unknown>; raw?: string };
const play = async (
  ...steps: { text?: string; calls?: Call[] }[]
): Promise<{ id: string; frames: Frame[] }> => {
  const { id } = await send(world.url, await createThread(world.url), { steps });
  return { id, frames: await framesOf(world.url, id) };
};
const named = (frames: readonly Frame[], event: string) => frames.filter((frame) => frame.event === event);
const ends = (frames: readonly Frame[]) => named(frames, 'tool_end').map(({ data }) => data);
const toolEvents = (frames: readonly Frame[]) =>
  frames
    .filter(({ event }) => event.startsWith('tool_'))
    .map(({ event, data }) => `${event} ${String(data.call)}`);
const effects = async (runId: string) => {
  const { rows } = await world.database.pool.query(
    'select kind, key, note from effects where key like $1 order by id',
    [`${runId}:%`],
  );
  return rows;
};

test.each(['transactional', 'idempotent', 'external'])(
  'a tool whose effect is %s does it once, under the key run:call',
  async (tool) => {
    const { id, frames } = await play(
      { text: 'acting', calls: [{ tool, input: { note: 'n' } }] },
      { text: 'acted' },
    );
    expect(ends(frames)).toEqual([{ tool, output: { wrote: 'n' }, call: 'm1_0', success: true }]);
    expect(await effects(id)).toEqual([{ kind: tool, key: `${id}:m1_0`, note: 'n' }]);
    expect(named(frames, 'final').map(({ data }) => data.text)).toEqual(['acted']);
  },
);

test('a pure tool gives its output and leaves nothing', async () => {
  const { id, frames } = await play({ calls: [{ tool: 'pure', input: { note: 'n' } }] }, { text: 'seen' });
  expect(ends(frames)).toEqual([{ tool: 'pure', output: { saw: 'n' }, call: 'm1_0', success: true }]);
  expect(await effects(id)).toEqual([]);
});

test('tools start only after the message that calls them is whole', async () => {
  const { frames } = await play(
    { text: 'a few words first', calls: [{ tool: 'external', input: { note: 'n' } }] },
    { text: 'x' },
  );
  const order = frames.map(({ event }) => event);
  expect(order.indexOf('message_end')).toBeLessThan(order.indexOf('tool_start'));
  expect(named(frames, 'message_end')[0]!.data.parts).toContainEqual(
    expect.objectContaining({ kind: 'tool_call', callId: 'm1_0', tool: 'external' }),
  );
});

test('pure tools run at once', async () => {
  const calls = [60, 30, 0].map((delay_ms) => ({
    tool: 'pure',
    input: { note: `after ${delay_ms}`, delay_ms },
  }));
  const { frames } = await play({ calls }, { text: 'x' });
  expect(toolEvents(frames).slice(0, 3)).toEqual(['tool_start m1_0', 'tool_start m1_1', 'tool_start m1_2']);
  expect(new Set(ends(frames).map(({ output }) => JSON.stringify(output)))).toEqual(
    new Set(calls.map(({ input }) => JSON.stringify({ saw: input.note }))),
  );
});

test('other tools run one by one, in the model’s order', async () => {
  const calls = ['external', 'transactional', 'idempotent', 'external'].map((tool, index) => ({
    tool,
    input: { note: String(index), delay_ms: 10 - index },
  }));
  const { id, frames } = await play({ calls }, { text: 'x' });
  expect(toolEvents(frames)).toEqual(
    [0, 1, 2, 3].flatMap((call) => [`tool_start m1_${call}`, `tool_end m1_${call}`]),
  );
  expect((await effects(id)).map(({ note }) => note)).toEqual(['0', '1', '2', '3']);
});

test('pure tools do not wait for the others, and the model is asked again only when all have ended', async () => {
  const calls = [
    { tool: 'external', input: { note: 'a', delay_ms: 20 } },
    { tool: 'pure', input: { note: 'b', delay_ms: 40 } },
    { tool: 'external', input: { note: 'c' } },
  ];
  const { frames } = await play({ calls }, { text: 'x' });
  const order = toolEvents(frames);
  expect(order.indexOf('tool_start m1_1')).toBeLessThan(order.indexOf('tool_end m1_0'));
  expect(order.indexOf('tool_end m1_0')).toBeLessThan(order.indexOf('tool_start m1_2'));
  const second = frames.findIndex(({ event, data }) => event === 'message_start' && data.message === 'm2');
  expect(frames.slice(0, second).filter(({ event }) => event === 'tool_end')).toHaveLength(3);
});

test.each<[string, Call, RegExp]>([
  ['an input of the wrong type', { tool: 'external', input: { note: 7 } }, /note.*expected string/],
  ['a missing field', { tool: 'transactional', input: {} }, /note/],
  ['a number out of range', { tool: 'external', input: { note: 'x', delay_ms: -1 } }, /delay_ms/],
  ['an input that is not JSON', { tool: 'external', raw: '{"note": "x' }, /not valid JSON.*"note": "x/],
  ['an input that is no object', { tool: 'pure', raw: '["x"]' }, /does not match/],
  ['an input that is null', { tool: 'idempotent', raw: 'null' }, /does not match/],
  [
    'an unknown tool',
    { tool: 'teleport', input: {} },
    /no tool named teleport.*transactional, idempotent, external, pure/,
  ],
  ['a name that every object has', { tool: 'constructor', input: {} }, /no tool named constructor/],
])('%s comes back as a failed result, and the run goes on', async (_, call, problem) => {
  const { id, frames } = await play({ text: 'try', calls: [call] }, { text: 'never mind' });
  expect(named(frames, 'tool_start')).toHaveLength(1);
  expect(named(frames, 'tool_start')[0]!.data.input).toBeTypeOf('object');
  expect(ends(frames)).toEqual([
    { tool: call.tool, output: { error: expect.stringMatching(problem) }, call: 'm1_0', success: false },
  ]);
  expect(await effects(id)).toEqual([]);
  expect(named(frames, 'final').map(({ data }) => data.text)).toEqual(['never mind']);
});

test('a tool without an input gets an empty object', async () => {
  const { frames } = await play({ calls: [{ tool: 'pure', raw: '' }] }, { text: 'x' });
  expect(named(frames, 'tool_start')[0]!.data.input).toEqual({});
  expect(ends(frames)[0]).toMatchObject({
    success: false,
    output: { error: expect.stringContaining('note') },
  });
});

test('one bad call does not keep its neighbours from running', async () => {
  const { id, frames } = await play(
    {
      calls: [
        { tool: 'external', input: { note: 'a' } },
        { tool: 'nothing_such' },
        { tool: 'external', raw: '{' },
        { tool: 'external', input: { note: 'b' } },
      ],
    },
    { text: 'x' },
  );
  expect(ends(frames).map(({ call, success }) => [call, success])).toEqual([
    ['m1_0', true],
    ['m1_1', false],
    ['m1_2', false],
    ['m1_3', true],
  ]);
  expect((await effects(id)).map(({ note }) => note)).toEqual(['a', 'b']);
});

test('a tool that throws gives its message to the model, and the run goes on', async () => {
  const { id, frames } = await play(
    { calls: [{ tool: 'external', input: { note: 'n', fail: true } }] },
    { text: 'too bad' },
  );
  expect(ends(frames)).toEqual([
    { tool: 'external', output: { error: 'it was told to fail' }, call: 'm1_0', success: false },
  ]);
  expect(await effects(id)).toHaveLength(1);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
});

test('a transactional tool that throws leaves none of its rows', async () => {
  const { id, frames } = await play(
    {
      calls: [
        { tool: 'transactional', input: { note: 'a', fail: true } },
        { tool: 'transactional', input: { note: 'b' } },
      ],
    },
    { text: 'x' },
  );
  expect(ends(frames)).toEqual([
    { tool: 'transactional', output: { error: 'it was told to fail' }, call: 'm1_0', success: false },
    { tool: 'transactional', output: { wrote: 'b' }, call: 'm1_1', success: true },
  ]);
  expect((await effects(id)).map(({ note }) => note)).toEqual(['b']);
});

test('a transactional tool’s rows and its end are written by one transaction', async () => {
  const { id } = await play({ calls: [{ tool: 'transactional', input: { note: 'n' } }] }, { text: 'x' });
  const { rows } = await world.database.pool.query(
    "select e.xmin::text = f.xmin::text as together from events e join effects f on f.key = $1 || ':m1_0' where e.run_id = $1::uuid and e.type = 'tool_end'",
    [id],
  );
  expect(rows).toEqual([{ together: true }]);
});

test('a statement that fails in a transactional tool undoes it, and the run goes on', async () => {
  const { id, frames } = await play(
    { calls: [{ tool: 'transactional', input: { note: 'a\u0000b' } }] },
    { text: 'x' },
  );
  expect(ends(frames)).toMatchObject([{ success: false, output: { error: expect.any(String) } }]);
  expect(await effects(id)).toEqual([]);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
});
