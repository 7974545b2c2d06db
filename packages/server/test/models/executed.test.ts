// RT-4 on logs that the run loop wrote: whatever was said, called, canceled, taken away, broken off or tried
// again, what the next run would send is taken by every provider. The judges are the test server's validators.

import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { brokenInvariants } from '@continuo/testkit/fixtures';
import type { StoredEvent } from '../../src/log/event.ts';
import { readForFold } from '../../src/log/statements.ts';
import { createModels } from '../../src/models/catalog.ts';
import { EMPTY, foldAll } from '../../src/threads/fold.ts';
import { shownHistory } from '../../src/context/history.ts';
import { useLog } from '../runs/support.ts';
import { type Executor, type Moment, STUCK, createExecutor } from './executed.ts';
import { ENV, PROVIDERS, type ProviderName, WIRES } from './server.ts';
import { MODEL, ask, modelFrom, user } from './support.ts';
import type { Reply, Request, Said } from './wire/reply.ts';

const world = useLog();
let executor: Executor;
beforeAll(async () => {
  executor = await createExecutor(world);
});

// ——— what the next request would be

let body: Request = {};
const models = createModels(
  { now: Date.now, sleep: () => Promise.resolve() },
  {
    env: { ...ENV, OPENAI_BASE_URL: 'http://provider/v1' },
    fetch: async (_url, init) => {
      body = JSON.parse(init!.body as string) as Request;
      return new Response('{}', { status: 400 });
    },
  },
);

/** Problems of the requests that a run after these would make, by provider; oldest turns are left out over the budget. */
async function problemsAfter(threadId: string, budget: number | null = null): Promise<string[]> {
  const { history, run } = foldAll(EMPTY, await readForFold(world.pool, threadId));
  const problems: string[] = run ? [`run ${run.id} has no end`] : [];
  const shown = shownHistory(history, { runId: 'next', summaryLines: 5, budget });
  for (const name of PROVIDERS) {
    await ask(modelFrom({ models, slept: [] }, MODEL[name]), {
      history: [...shown.messages, user('And now?')],
      reasoning: 'high',
    });
    const problem = WIRES[name].problemWith(body, executor.issued);
    if (problem !== null) problems.push(`${name}: ${problem}`);
    // The executor answers every call itself; nothing is left for the driver to make up.
    if (JSON.stringify(body).includes('No result')) problems.push(`${name}: a call has no result`);
  }
  return problems;
}

// ——— any thread

const text = fc.constantFrom('Hello there. ', 'One two three four. ', 'x', ' \n');
const NO_OBJECT = new Set(['{"lines": oops', '[1]', '"words"']);
const call = fc.record({
  tool: fc.constantFrom(
    'pure',
    'pure',
    'idempotent',
    'external',
    'transactional',
    'asked',
    'denied',
    'no such tool!',
  ),
  input: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('{}', '{"lines":12}', '{"fail":true}', '{"wait":true}') },
    { weight: 1, arbitrary: fc.constantFrom(...NO_OBJECT, '{"lines":"many"}') },
  ),
});
interface Step {
  readonly reasoning: boolean;
  readonly text: string | null;
  readonly calls: readonly { readonly tool: string; readonly input: string }[];
  readonly end: 'well' | 'refused' | NonNullable<Reply['instead']>;
}
interface Turn {
  readonly model: 'offline/script' | ProviderName;
  readonly steps: readonly Step[];
  readonly moments: readonly Moment[];
  /** Whether the same message is sent again if the run failed or was canceled. */
  readonly retried: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  reasoning: fc.boolean(),
  text: fc.option(text),
  calls: fc.oneof(fc.constant([]), fc.array(call, { minLength: 1, maxLength: 3 })),
  end: fc.oneof(
    { weight: 6, arbitrary: fc.constant('well' as const) },
    { weight: 2, arbitrary: fc.constantFrom('cut', 'error', 'silent end', 'refused') },
    { weight: 1, arbitrary: fc.constant('stall' as const) },
  ),
});
const moment: fc.Arbitrary<Moment> = fc.record({
  on: fc.constantFrom(
    'state',
    'message_start',
    'reasoning',
    'token',
    'message_end',
    'approval',
    'tool_start',
    'tool_end',
  ),
  nth: fc.integer({ min: 1, max: 4 }),
  act: fc.constantFrom('cancel', 'lose', 'lose'),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  model: fc.constantFrom('offline/script', ...PROVIDERS),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  moments: fc.array(moment, { maxLength: 2 }),
  retried: fc.boolean(),
});

const EVERY: readonly Turn['model'][] = ['offline/script', ...PROVIDERS];
const words = ({ text: said, end }: Step) => (end === 'stall' ? `${said ?? ''}${STUCK}` : said);

function scriptOf(steps: readonly Step[]): string {
  const played = steps.map((each) => ({
    ...(each.reasoning && { reasoning: 'I must think.' }),
    ...(words(each) !== null && { text: words(each) }),
    calls: each.calls.map(({ tool, input: raw }) => ({ tool, raw })),
    ...(each.end === 'stall' && { hang: true }),
    ...(each.end !== 'well' && each.end !== 'stall' && { error: { code: 'broken', message: each.end } }),
  }));
  return JSON.stringify({ steps: played });
}

let signatures = 0;
const sign = () => `signature-${++signatures}`;

function replyOf(each: Step, name: ProviderName): Reply {
  const { reasoning, calls, end } = each;
  if (end === 'refused') return { refusal: { status: 400, message: 'No.' } };
  const said: Said[] = [];
  if (reasoning) said.push({ kind: 'reasoning', pieces: ['I must ', 'think.'], signature: sign() });
  if (words(each) !== null) said.push({ kind: 'text', pieces: words(each)!.match(/\S+\s*|\s+/g) ?? [] });
  for (const [index, { tool, input }] of calls.entries()) {
    // Google's calls come whole, as objects; elsewhere many servers name calls per answer.
    const pieces = [name === 'google' && NO_OBJECT.has(input) ? '{}' : input];
    said.push({ kind: 'call', id: `call_${index}`, tool, pieces, ...(index === 0 && { signature: sign() }) });
  }
  return { said, ...(end !== 'well' && { instead: end }) };
}

function workOf({ model, steps, moments }: Turn) {
  const own = { moments, content: scriptOf(steps) };
  return model === 'offline/script'
    ? { ...own, model }
    : { ...own, model: MODEL[model], replies: steps.map((each) => replyOf(each, model)) };
}

// ——— what must have happened in one of them

const well: Step = { reasoning: true, text: 'I look. ', calls: [], end: 'well' };
const calling = (...tools: string[]): Step => ({
  ...well,
  calls: tools.map((tool) => ({ tool, input: '{"wait":true}' })),
});
const plainly: Omit<Turn, 'model'> = { steps: [well], moments: [], retried: false };
const cases: readonly Omit<Turn, 'model'>[] = [
  { ...plainly, steps: [calling('pure', 'external', 'idempotent'), well] },
  // Canceled in the middle of the text, and of three calls at once and in order.
  { ...plainly, steps: [{ ...well, end: 'stall' }], retried: true },
  {
    ...plainly,
    steps: [calling('pure', 'pure', 'pure')],
    moments: [{ on: 'tool_start', nth: 2, act: 'cancel' }],
  },
  {
    ...plainly,
    steps: [calling('external', 'transactional', 'idempotent')],
    moments: [{ on: 'tool_start', nth: 1, act: 'cancel' }],
  },
  // Taken away in the middle of the text, of a call whose outcome nobody knows, and then canceled.
  { ...plainly, moments: [{ on: 'token', nth: 1, act: 'lose' }] },
  {
    ...plainly,
    steps: [calling('external', 'pure', 'external'), well],
    moments: [
      { on: 'tool_start', nth: 1, act: 'lose' },
      { on: 'tool_end', nth: 1, act: 'cancel' },
    ],
  },
  { ...plainly, steps: [calling('external'), well], moments: [{ on: 'tool_start', nth: 1, act: 'lose' }] },
  // Parked, alone and beside others; taken away when it is asked.
  { ...plainly, steps: [calling('asked')], retried: true },
  { ...plainly, steps: [calling('asked', 'pure', 'denied', 'external', 'asked')] },
  { ...plainly, steps: [calling('denied'), calling('pure', 'denied'), well] },
  {
    ...plainly,
    steps: [calling('external', 'asked')],
    moments: [
      { on: 'approval', nth: 1, act: 'lose' },
      { on: 'tool_start', nth: 1, act: 'lose' },
    ],
  },
  // Broken off once, and twice; refused.
  { ...plainly, steps: [{ ...well, end: 'cut' }, well] },
  {
    ...plainly,
    steps: [
      { ...calling('pure'), end: 'cut' },
      { ...calling('pure'), end: 'error' },
    ],
    retried: true,
  },
  { ...plainly, steps: [calling('pure'), { ...well, end: 'refused' }], retried: true },
];

function told(events: readonly StoredEvent[]): string[] {
  const found: string[] = [];
  for (const { type, data, attempt, runId } of events) {
    if (type === 'state' && 'supersedes' in data) {
      const begun = events.find(
        (each) =>
          each.runId === runId && each.type === 'message_start' && each.data.message === data.supersedes,
      );
      found.push(begun?.attempt === attempt ? 'broken off' : 'taken over in a message');
    }
    if (type === 'message_end' && data.ended !== 'complete') found.push(`${data.ended} message`);
    if (type === 'approval') found.push('asked');
    if (type === 'tool_end' && data.outcome) found.push(`outcome ${data.outcome}`);
    if (type === 'tool_end' && !data.success) found.push('failed call');
    if (type === 'state' && data.status !== 'running') found.push(data.status);
  }
  return found;
}

/** The examples come first; the others are made up by chance. */
const THREADS = EVERY.length + 20;

test('RT-4 any thread that runs left behind yields requests that every provider takes', async () => {
  const happened = new Map<string, number>();
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
      const thread = await executor.thread();
      for (const each of turns) {
        const ended = await thread.run(workOf(each));
        expect(await problemsAfter(thread.id)).toEqual([]);
        if (!each.retried || ended.status === 'done') continue;
        await thread.retry(ended, workOf(each));
        expect(await problemsAfter(thread.id)).toEqual([]);
        happened.set('retried', (happened.get('retried') ?? 0) + 1);
      }
      expect(await problemsAfter(thread.id, 150)).toEqual([]);
      expect(executor.refused).toEqual([]);
      for (const what of told(await world.log(thread.id))) happened.set(what, (happened.get(what) ?? 0) + 1);
      checked += 1;
    }),
    {
      numRuns: THREADS,
      examples: EVERY.map((model): [Turn[]] => [cases.map((each) => ({ ...each, model }))]),
    },
  );
  // Every thread was checked to its end, those that were made up by chance included.
  expect(checked).toBe(THREADS);
  expect(await brokenInvariants(world.database.pool)).toEqual([]);
  for (const what of [
    'retried',
    'broken off',
    'taken over in a message',
    'interrupted message',
    'error message',
    'outcome unknown',
    'outcome canceled',
    'outcome denied',
    'asked',
    'failed call',
    'done',
    'error',
    'canceled',
  ])
    expect(happened.get(what) ?? 0, what).toBeGreaterThan(0);
}, 120_000);
