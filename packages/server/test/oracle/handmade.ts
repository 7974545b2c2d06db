// Logs of what can hardly be provoked on real pods.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { RecordedLog } from './fixtures.ts';
import { fromRow } from '../../src/log/event.ts';

const THREAD = '0190a0b0-0000-7000-8000-000000000001';
const FIRST = '0190a0b0-0000-7000-8000-00000000000a';
const SECOND = '0190a0b0-0000-7000-8000-00000000000b';
const SESSION = '0190a0b0-0000-7000-8000-0000000000c1';
const MODEL = 'offline/script';

interface Made {
  readonly run: string | null;
  readonly event: NewEvent;
  readonly attempt: number;
}

const of =
  (run: string | null, attempt = 1) =>
  (...events: readonly NewEvent[]): Made[] =>
    events.map((event) => ({ run, event, attempt }));

/** An event each second. */
function logOf(name: string, shows: string, made: readonly Made[]): RecordedLog {
  const runSeqs = new Map<string, number>();
  const events = made.map(({ run, event, attempt }, index) => {
    if (run !== null) runSeqs.set(run, (runSeqs.get(run) ?? 0) + 1);
    return fromRow({
      thread_id: THREAD,
      seq: index + 1,
      run_id: run,
      run_seq: run === null ? null : runSeqs.get(run)!,
      attempt,
      type: event.type,
      data: JSON.stringify(event.data),
      at: new Date(Date.UTC(2026, 0, 1, 12, 0, index)),
    });
  });
  return { name, shows, events };
}

const session = (
  from_state: 'running' | 'idle' | null,
  to_state: 'running' | 'idle' | 'error',
  reason: string,
) => of(null)({ type: 'session', data: { session: SESSION, from_state, to_state, reason } });
const running = (attempt: number, supersedes?: string): NewEvent => ({
  type: 'state',
  data: { status: 'running', attempt, ...(supersedes !== undefined && { supersedes }) },
});
const done: NewEvent = { type: 'state', data: { status: 'done' } };
const person = (id: string, content: string, steer?: true): NewEvent => ({
  type: 'message',
  data: { id, role: 'user', content, ...(steer && { steer }) },
});
const start = (message: string): NewEvent => ({ type: 'message_start', data: { message, model: MODEL } });
const token = (message: string, text: string): NewEvent => ({ type: 'token', data: { message, text } });
const end = (message: string, text: string): NewEvent => ({
  type: 'message_end',
  data: {
    message,
    text,
    parts: [
      { kind: 'reasoning', text: 'so' },
      { kind: 'text', text },
    ],
    ended: 'complete',
    reason: 'end',
    model: MODEL,
  },
});
const final = (message: string, text: string): NewEvent => ({
  type: 'final',
  data: { text, sources: [], message },
});

/** More attempts than a run may take without finishing a step: another one fails it. */
const stalled = logOf('stalled', 'every pod that takes the run dies in its first message', [
  ...session(null, 'running', 'message'),
  ...of(FIRST)(running(1), person('u1', 'hello')),
  ...Array.from({ length: 21 }, (_, index) => [
    ...of(FIRST, index + 1)(start(`m${index + 1}`), token(`m${index + 1}`, 'one ')),
    ...of(FIRST, index + 2)(running(index + 2, `m${index + 1}`)),
  ]).flat(),
  ...of(FIRST, 22)(
    {
      type: 'error',
      data: {
        code: 'too_many_attempts',
        error: 'the run was taken over 21 times without finishing a step',
      },
    },
    { type: 'state', data: { status: 'error' } },
  ),
  ...session('running', 'error', 'error'),
]);

const rewoundIntoRun = logOf(
  'rewound-into-run',
  'a chat is taken back into a run that was steered; messages say more than their tokens did; sums with and without prices',
  [
    ...session(null, 'running', 'message'),
    ...of(FIRST)(
      running(1),
      person('u1', 'hello'),
      start('m1'),
      token('m1', 'one'),
      end('m1', 'one and two'),
    ),
    ...of(FIRST)(
      {
        type: 'usage',
        data: {
          message: 'm1',
          model: MODEL,
          usage: { input: 10, output: 5, reasoning: 2 },
          cost: null,
          duration_ms: 3,
        },
      },
      person('u2', 'and this', true),
      start('m2'),
      end('m2', 'whole at once'),
      {
        type: 'usage',
        data: {
          message: 'm2',
          model: MODEL,
          usage: { input: 20, output: 5, cachedInput: 7 },
          cost: 0.25,
          duration_ms: 3,
        },
      },
      final('m2', 'whole at once'),
      done,
    ),
    ...session('running', 'idle', 'done'),
    ...of(null)({
      type: 'titled',
      data: { title: 'A chat', model: MODEL, usage: { input: 3, output: 2 }, cost: null },
    }),
    ...session('idle', 'running', 'message'),
    ...of(SECOND)(running(1), { type: 'rewound', data: { to_seq: 7 } }, person('u3', 'rather this')),
    ...of(SECOND)(start('m1'), token('m1', 'well'), end('m1', 'well'), final('m1', 'well'), done),
    ...session('running', 'idle', 'done'),
  ],
);

const planStep = (
  step: number,
  step_id: string,
  status: 'running' | 'done' | 'failed' | 'blocked',
): NewEvent => ({
  type: 'plan_step',
  data: {
    plan: '0190a0b0-0000-7000-8000-0000000000d1',
    step,
    step_id,
    status,
    title: `Step ${step}`,
    ...(status === 'blocked' && { error: 'A step that it waits for failed.' }),
  },
});

const planSteps = logOf(
  'plan-steps',
  'the steps of a plan: one is done, one fails, and one is blocked by it',
  [
    ...session(null, 'running', 'message'),
    ...of(FIRST)(running(1), person('u1', 'run the plan')),
    ...of(FIRST)(
      planStep(1, 'trends', 'running'),
      planStep(2, 'competitors', 'running'),
      planStep(2, 'competitors', 'done'),
      planStep(1, 'trends', 'failed'),
      planStep(3, 'draft', 'blocked'),
    ),
    ...of(FIRST)(
      start('m1'),
      token('m1', 'one step failed'),
      end('m1', 'one step failed'),
      final('m1', 'one step failed'),
      done,
    ),
    ...session('running', 'idle', 'done'),
  ],
);

const CHILD = '0190a0b0-0000-7000-8000-0000000000e';
const child = (n: number) => ({ child: `step-${n}`, run: `${CHILD}${n}`, thread: `${CHILD}${n + 4}` });

const children = logOf(
  'children',
  'a run with two children: one is done, another owner takes in its end, and one is canceled with the run',
  [
    ...session(null, 'running', 'message'),
    ...of(FIRST)(running(1), person('u1', 'do both')),
    ...of(FIRST)(
      { type: 'child_start', data: { ...child(1), title: 'First', role: 'writer' } },
      { type: 'child_start', data: { ...child(2), title: 'Second', role: 'editor' } },
    ),
    ...of(FIRST, 2)(
      running(2),
      {
        type: 'child_end',
        data: {
          ...child(1),
          status: 'done',
          text: 'written',
          usage: { input: 10, output: 4 },
          cost: null,
          files: [{ path: '/a.md', v: 1, file: '0190a0b0-0000-7000-8000-0000000000f1' }],
        },
      },
      { type: 'child_end', data: { ...child(2), status: 'canceled' } },
      { type: 'canceled', data: { reason: 'user_cancelled' } },
      { type: 'state', data: { status: 'canceled' } },
    ),
  ],
);

const verdicts = logOf(
  'verdicts',
  'an autonomous run: the check fails after the first round, the second round meets the goal',
  [
    ...session(null, 'running', 'message'),
    ...of(FIRST)(running(1), person('u1', 'reach the goal')),
    ...of(FIRST)(
      { type: 'child_start', data: { ...child(1), title: 'Round 1', role: 'assistant' } },
      { type: 'child_end', data: { ...child(1), status: 'done', text: 'done, I say' } },
      {
        type: 'verdict',
        data: {
          round: 1,
          verdict: 'not_met',
          by: 'check',
          reasons: ['the check command failed'],
          changed: 0,
          idle: 1,
        },
      },
      { type: 'child_start', data: { ...child(2), title: 'Round 2', role: 'assistant' } },
      { type: 'child_end', data: { ...child(2), status: 'done', text: 'now it is' } },
      {
        type: 'verdict',
        data: { round: 2, verdict: 'met', by: 'judge', reasons: ['the file is there'], changed: 1, idle: 0 },
      },
    ),
    ...of(FIRST)(start('m1'), token('m1', 'met'), end('m1', 'met'), final('m1', 'met'), done),
    ...session('running', 'idle', 'done'),
  ],
);

const delta = (data: EventData['agent_state_delta']): NewEvent => ({ type: 'agent_state_delta', data });
const at = '2026-01-01T12:00:00.000Z';

const memory = logOf(
  'memory',
  'a call, the summarizer and a person change the agent state; a summary is refused, made, and taken back by a rewind',
  [
    ...session(null, 'running', 'message'),
    ...of(FIRST)(
      running(1),
      person('u1', 'maybe we should call Ada'),
      delta({
        source: 'result',
        call: 'c1',
        state: {
          current_understanding: {
            entities: [{ id: 't1', kind: 'task', name: 'Chairs' }],
            dependencies: [{ from: 't1', to: 't2', rel: 'depends_on' }],
          },
        },
      }),
      start('m1'),
      end('m1', 'shall I make a task?'),
      final('m1', 'shall I make a task?'),
      done,
    ),
    ...session('running', 'idle', 'done'),
    ...of(null)(
      {
        type: 'summary_failed',
        data: {
          to_seq: 7,
          tries: 1,
          error: 'the summary does not shrink enough',
          retry_at: 1_767_268_860_000,
          model: MODEL,
          usage: { input: 30, output: 40 },
          cost: 0.5,
        },
      },
      {
        type: 'summary',
        data: {
          version: 1,
          replaces: null,
          text: 'Somebody may call Ada.',
          to_seq: 7,
          kept_message_ids: [],
          dropped_message_ids: ['u1', `${FIRST}/m1`],
          tokens: { replaced: 40, summary: 6 },
          model: MODEL,
          usage: { input: 30, output: 6 },
          cost: null,
        },
      },
      delta({
        source: 'summarizer',
        to_seq: 7,
        covers: ['u1'],
        items: [
          { op: 'add', item: { id: 'i1', kind: 'task', title: 'Call Ada', status: 'active' }, at },
          { op: 'add', item: { id: 'i2', kind: 'idea', title: 'Write to Ada', status: 'active' }, at },
        ],
        state: { assumptions: [{ id: 'a1', hypothesis: 'Ada has a phone', confidence: 0.5 }] },
        refused: [{ update: { op: 'remove', id: 'i9' }, reason: 'there is no item "i9"' }],
      }),
      delta({
        source: 'person',
        by: { kind: 'local' },
        items: [
          { op: 'remove', id: 'i2', at },
          { op: 'update', id: 'i1', patch: { status: 'resolved' }, at },
          { op: 'add', item: { id: 'i3', kind: 'note', title: 'Mine', status: 'active' }, at },
        ],
      }),
    ),
    ...session('idle', 'running', 'message'),
    ...of(SECOND)(running(1), { type: 'rewound', data: { to_seq: 1 } }, person('u2', 'forget that')),
    ...of(SECOND)(start('m1'), end('m1', 'well'), final('m1', 'well'), done),
    ...session('running', 'idle', 'done'),
  ],
);

const modes = logOf(
  'modes',
  'the rules do not decide the mode, the model decides, and a steering message changes it',
  [
    ...session(null, 'running', 'message'),
    ...of(FIRST)(running(1), person('u1', 'the lander'), {
      type: 'mode',
      data: { mode: 'clarify', by: 'default', why: 'it is not clear whether the message asks for a change' },
    }),
    ...of(FIRST)(
      start('m1'),
      { type: 'mode', data: { mode: 'act', by: 'model', why: 'the lander' } },
      end('m1', 'so'),
      person('u2', 'what does it cost?', true),
      { type: 'mode', data: { mode: 'inform', by: 'rules', why: 'the message asks a question' } },
    ),
    ...of(FIRST)(start('m2'), token('m2', 'much'), end('m2', 'much'), final('m2', 'much'), done),
    ...session('running', 'idle', 'done'),
  ],
);

export const HANDMADE: readonly RecordedLog[] = [
  stalled,
  rewoundIntoRun,
  planSteps,
  children,
  verdicts,
  memory,
  modes,
];
