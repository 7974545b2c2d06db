// What is recorded: one thread for each situation, played on real pods with the scripted model or with a provider that says
// what it is told. One after the other, so that each finds the policy that it needs and no pod is busy with another.

import { ask, framesOf, seen, until } from '@continuo/testkit';
import { MCP_SERVER, startPod, type TestDatabase } from '@continuo/testkit/fixtures';
import { Stage } from '../dialects/logs.ts';
import { ENV, startProvider, type ProviderServer } from '../models/server.ts';
import { MODEL } from '../models/support.ts';
import type { Reply, Said } from '../models/wire/reply.ts';
import { newSpace, put } from '../files/support.ts';

/** Plays a situation, and gives its thread. */
type Play = (stage: Stage, provider: ProviderServer) => Promise<string>;

interface Scenario {
  readonly name: string;
  readonly shows: string;
  readonly play: Play;
  /** Without a policy, external calls ask. */
  readonly asks?: true;
}

interface Played {
  readonly name: string;
  readonly shows: string;
  readonly thread: string;
}

export async function playScenarios(
  database: TestDatabase,
  isWanted: (name: string) => boolean,
): Promise<Played[]> {
  const provider = await startProvider();
  const pod = await startPod({
    databaseUrl: database.url,
    env: {
      ...ENV,
      CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS: '3600',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      ANTHROPIC_BASE_URL: provider.url,
      GOOGLE_GEMINI_BASE_URL: provider.url,
    },
  });
  const stage = new Stage(database, pod);
  const played: Played[] = [];
  try {
    for (const { name, shows, play, asks } of SCENARIOS.filter((each) => isWanted(each.name))) {
      await stage.policy(asks ? null : [{ tool: '*', action: 'allow' }]);
      const thread = await play(stage, provider);
      await quiet(stage, thread);
      played.push({ name, shows, thread });
    }
  } finally {
    await Promise.all([pod.end(), provider[Symbol.asyncDispose]()]);
  }
  return played;
}

/** Once nobody holds the thread, nothing more is written. */
async function quiet(stage: Stage, thread: string): Promise<void> {
  const held = 'select from threads where id = $1 and owner is not null';
  await until('no pod holds the thread', async () => (await stage.query(held, thread)).length === 0);
}

const WORKSPACE = '/api/v1/workspaces/default';
const call = (tool: string, input: object = { note: 'x' }) => ({ tool, input });
const pure = (note: string) => call('pure', { note, path: 'notes/a.md' });
/** So long that a person can do something meanwhile. */
const SLOW = call('pure', { note: 'x', delay_ms: 1500 });
const SLOWLY = { steps: [{ text: 'one', calls: [SLOW] }, { text: 'two' }] };
const MAY_I = {
  steps: [
    { text: 'may I?', calls: [call('external'), call('external', { note: 'y' }), pure('z')] },
    { text: 'thanks' },
  ],
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Plays scripts in one thread, one after the other. */
function scripts(...all: readonly object[][]): Play {
  return async (stage) => {
    const thread = await stage.thread();
    for (const steps of all) await stage.toEnd(thread, { steps });
    return thread;
  };
}

/** Plays a script whose run has a limit. */
function limited(limits: object, steps: readonly object[]): Play {
  return async (stage) => {
    const thread = await stage.thread();
    await framesOf(stage.url, await stage.send(thread, { steps }, { limits }));
    return thread;
  };
}

const says = (...pieces: string[]): Said => ({ kind: 'text', pieces });
const thinks = (...pieces: string[]): Said => ({ kind: 'reasoning', pieces, signature: 'signed' });
const calls = (id: string, tool: string, input: unknown): Said => ({
  kind: 'call',
  id,
  tool,
  pieces: [JSON.stringify(input)],
});
const refusal = (message: string): Reply => ({ refusal: { status: 400, message } });

/** Has a provider's model say this; each group of replies is for one message. */
function replies(model: string, ...messages: readonly (readonly Reply[])[]): Play {
  return async (stage, provider) => {
    const thread = await stage.thread();
    for (const each of messages) {
      provider.reply(...each);
      await framesOf(stage.url, await stage.send(thread, 'Go on.', { model }));
    }
    return thread;
  };
}

/** Plays a script on a pod that kills itself at a point; another takes over. */
function killed(
  fault: string,
  steps: readonly object[],
  meanwhile?: (stage: Stage, run: string) => Promise<unknown>,
): Play {
  return async (stage) => {
    const { thread, run } = await stage.killedAt(fault, { steps });
    await meanwhile?.(stage, run);
    await stage.ended(run);
    return thread;
  };
}

/** Works on a project's entities, in a chat about the project. */
async function knowledge(stage: Stage): Promise<string> {
  const created = await stage.do(`${WORKSPACE}/projects`, { name: 'Garden party', tasks: ['Rent chairs'] });
  const { project, entitiesCreated } = created as {
    project: { id: string };
    entitiesCreated: { id: string; kind: string }[];
  };
  const project_id = project.id;
  const task_id = entitiesCreated.find(({ kind }) => kind === 'task')!.id;
  const unknown = '00000000-0000-7000-8000-00000000ffff';
  const note = { project_id, parent_id: null, title: 'Chairs', content: 'They are white.' };
  const steps = [
    {
      text: 'looking',
      calls: [
        call('list_onto_tasks', { project_id }),
        call('search_onto_project', { project_id, query: 'chairs' }),
      ],
    },
    {
      calls: [
        call('update_onto_task', { task_id, expected_version: 1, state: 'done' }),
        call('create_onto_document', note),
      ],
    },
    {
      calls: [
        call('update_onto_task', { task_id, expected_version: 1, state: 'todo' }),
        call('get_onto_goal_details', { goal_id: unknown }),
      ],
    },
    { text: 'done' },
  ];
  const say = async (message: object) => {
    const { text } = await ask('POST', `${stage.url}/api/agent/stream`, message);
    return /"session_id":"([^"]+)"/.exec(text)![1]!;
  };
  const session_id = await say({ message: JSON.stringify({ steps }), scope: 'project', project_id });
  await say({ session_id, message: JSON.stringify({ steps: [{ text: 'bye' }] }), scope: 'global' });
  return session_id;
}

function unknownOutcome(decision: string): Play {
  return async (stage) => {
    const { thread, run, approval } = await stage.unknown();
    await stage.decide(approval, decision);
    await stage.ended(run);
    return thread;
  };
}

/** Asks for two calls, which people decide about. */
function decided(...decisions: readonly string[]): Play {
  return async (stage) => {
    const thread = await stage.thread();
    const run = await stage.say(thread, MAY_I);
    for (const [index, approval] of (await stage.asked(run, 2)).entries())
      await stage.decide(approval, decisions[index]!);
    await stage.ended(run);
    return thread;
  };
}

/** Does something while a call is being made. */
function during(act: (stage: Stage, thread: string, run: string) => Promise<unknown>): Play {
  return async (stage) => {
    const thread = await stage.thread();
    const run = await stage.say(thread, SLOWLY);
    await seen(stage.url, run, 'tool_start');
    await act(stage, thread, run);
    await stage.ended(run);
    const open = 'select from runs where thread_id = $1 and ended_at is null';
    await until('no run of the thread is open', async () => (await stage.query(open, thread)).length === 0);
    return thread;
  };
}

const sent = (policy: string) =>
  during((stage, thread) => stage.send(thread, { steps: [{ text: policy }] }, { policy }));

/** A tool of an MCP server asks a person while it is being called. */
function questioned(answer: (stage: Stage, approval: string, run: string) => Promise<unknown>): Play {
  return async (stage) => {
    const server = { transport: 'stdio', command: process.execPath, args: [MCP_SERVER] };
    await ask('PUT', `${stage.url}${WORKSPACE}/mcp-servers/fix`, server);
    const thread = await stage.thread();
    const steps = [{ calls: [call('fix__question', { note: 'the ball' })] }, { text: 'done' }];
    const run = await stage.say(thread, { steps });
    const [approval] = await stage.asked(run, 1);
    await answer(stage, approval!, run);
    await stage.ended(run);
    return thread;
  };
}

const title: Play = async (stage) => {
  const thread = await stage.thread();
  await stage.query('update threads set title_wanted = true where id = $1', thread);
  await stage.toEnd(thread, { steps: [{ text: 'hello to you' }] });
  await stage.logged(thread, 'titled');
  return thread;
};

const approvalCanceled: Play = async (stage) => {
  const thread = await stage.thread();
  const run = await stage.say(thread, MAY_I);
  await stage.asked(run, 2);
  const dropped = await stage.say(thread, { steps: [{ text: 'never' }] });
  await stage.cancel(dropped);
  await stage.ended(dropped);
  await stage.cancel(run);
  await stage.ended(run);
  return thread;
};

const approvalWaits: Play = async (stage) => {
  const thread = await stage.thread();
  await stage.asked(await stage.say(thread, MAY_I), 2);
  return thread;
};

const canceledInQueue: Play = async (stage) => {
  const thread = await stage.thread();
  const first = await stage.say(thread, { steps: [{ text: 'on and on', hang: true }] });
  await seen(stage.url, first, 'token');
  const waiting = await stage.say(thread, { steps: [{ text: 'never' }] });
  await stage.cancel(waiting);
  await framesOf(stage.url, waiting);
  await stage.cancel(first);
  await stage.ended(first);
  await stage.toEnd(thread, { steps: [{ text: 'next' }] });
  return thread;
};

const stopped: Play = async (stage) => {
  const thread = await stage.thread();
  const run = await stage.say(thread, { steps: [{ reasoning: 'hm', text: 'on and on', hang: true }] });
  const waiting = await stage.say(thread, { steps: [{ text: 'never' }] });
  await seen(stage.url, run, 'token');
  await stage.control(thread, 'stop');
  await stage.ended(run);
  await stage.ended(waiting);
  await stage.toEnd(thread, { steps: [{ text: 'next' }] });
  return thread;
};

const expired: Play = async (stage) => {
  const thread = await stage.thread();
  await stage.toEnd(thread, { steps: [{ text: 'hello' }] });
  await quiet(stage, thread);
  // Another pod, on which sessions idle for a moment only, is the one that finds it.
  const hasty = await startPod({
    databaseUrl: stage.database.url,
    env: { CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS: '1' },
  });
  try {
    await new Stage(stage.database, hasty).toEnd(thread, { steps: [{ text: 'and again' }] });
    // The other pod may be the one that is woken, and lets the thread rest for longer.
    const wake = 'update threads set wake_at = now() where id = $1 and owner is null';
    const ended = "select from events where thread_id = $1 and data->>'to_state' = 'completed'";
    await until('the session is completed', async () => {
      await stage.query(wake, thread);
      return (await stage.query(ended, thread)).length > 0;
    });
  } finally {
    await hasty.end();
  }
  await stage.toEnd(thread, { steps: [{ text: 'a new session' }] });
  return thread;
};

const replaced: Play = async (stage) => {
  const thread = await stage.thread();
  await stage.toEnd(thread, { steps: [{ text: 'first' }] });
  await stage.toEnd(thread, { steps: [{ text: 'second' }] });
  const [message] = await stage.query<{ id: string }>(
    "select id from messages where thread_id = $1 and role = 'user' order by ordinal limit 1",
    thread,
  );
  const how = { replaces: message!.id };
  await framesOf(stage.url, await stage.send(thread, { steps: [{ text: 'better' }] }, how));
  return thread;
};

const retried: Play = async (stage) => {
  const thread = await stage.thread();
  const error = { code: 'overloaded', message: 'busy' };
  const run = await stage.toEnd(thread, { steps: [{ text: 'hm', error }] });
  const again = (await stage.do(`/api/runs/${run}/retry`, undefined)) as { run: { id: string } };
  await stage.ended(again.run.id);
  return thread;
};

/** A rollback whose own run is canceled before it begins. */
const rollbackDropped = during(async (stage, thread) => {
  await stage.query(
    `select stop_thread($1, 'user_cancelled', '{"kind":"local"}') from enqueue_run(
      $1, gen_random_uuid(), gen_random_uuid(), '{"text": ""}', 'offline/script', 'assistant', null, null, null, 'rollback', null,
      '{"kind":"local"}')`,
    thread,
  );
  await stage.control(thread, 'stop');
  await stage.logged(thread, 'rewound');
});

function paused(then: 'resume' | 'stop'): Play {
  return during(async (stage, thread) => {
    await stage.control(thread, 'pause');
    await stage.logged(thread, 'session', 2);
    await quiet(stage, thread);
    await stage.control(thread, then);
  });
}

/** A chat in a workspace of its own, whose messages bring files. */
function attached(
  ...messages: readonly { readonly files?: readonly string[]; readonly replies: readonly Reply[] }[]
): Play {
  return async (stage, provider) => {
    const space = await newSpace(stage.url);
    await put(space, 'plan.md', 'water the plants');
    await put(space, 'a.png', PNG);
    await put(space, 'b.png', Buffer.concat([PNG, Buffer.from([1])]));
    let chat: string | null = null;
    for (const { files = [], replies: said } of messages) {
      provider.reply(...said);
      const url: string = chat === null ? `${space.url}/chats` : `${space.url}/chats/${chat}`;
      const words =
        chat === null ? { goal: 'Look.', title: 'x', model: MODEL.anthropic } : { content: 'And this?' };
      const { body } = await ask('POST', url, { ...words, files });
      chat ??= body.chat.id as string;
      await framesOf(stage.url, body.run.id as string);
    }
    return chat!;
  };
}

const step = { text: 'so', calls: [pure('a')] };
const look = {
  steps: [
    { text: 'look', calls: [pure('a'), pure('b'), call('transactional', { note: 't' })] },
    { text: 'so' },
  ],
};
const deep = `{"note":${'['.repeat(300)}${']'.repeat(300)}}`;
const fine: Reply = { said: [says('Fine.')] };
const half: Reply = { said: [says('Half ', 'an ')], instead: 'cut' };

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'answer',
    shows: 'two plain answers',
    play: scripts([{ text: 'hello to you' }], [{ text: 'and again' }]),
  },
  { name: 'answer-empty', shows: 'an answer without a word', play: scripts([{ text: '' }]) },
  {
    name: 'answer-reasoning',
    shows: 'reasoning before the answer',
    play: scripts([{ reasoning: 'let me think', text: 'four' }]),
  },
  { name: 'title', shows: 'a model makes a title', play: title },
  {
    name: 'tools-parallel',
    shows: 'two pure calls side by side, then an answer',
    play: scripts([{ text: 'two', calls: [pure('a'), pure('b')] }, { text: 'done' }]),
  },
  {
    name: 'tools-effects',
    shows: 'calls of every effect class in one message',
    play: scripts([
      { calls: [call('transactional'), pure('p'), call('idempotent'), call('external')] },
      { reasoning: 'good', text: 'done' },
    ]),
  },
  {
    name: 'tools-failed',
    shows: 'a tool fails, another is not there',
    play: scripts([
      {
        calls: [
          call('transactional', { note: 't', fail: true }),
          { tool: 'nothing' },
          call('pure', { note: 1 }),
        ],
      },
      { text: 'well' },
    ]),
  },
  {
    name: 'tools-invalid-json',
    shows: 'inputs that are no JSON, or nested too deep',
    play: scripts([
      { text: 'try', calls: [{ tool: 'pure', raw: '{no' }, { tool: 'pure', raw: deep }, pure('a')] },
      { text: 'well' },
    ]),
  },
  {
    name: 'tools-files',
    shows: 'a file is written, moved, read and removed; a later run is shown summaries',
    play: scripts(
      [
        { calls: [call('write', { path: '/n.md', content: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n' })] },
        { calls: [call('move', { from: '/n.md', to: '/m.md' })] },
        { calls: [call('read', { path: '/m.md' })] },
        { calls: [call('remove', { path: '/m.md' })] },
        { text: 'all done' },
      ],
      [{ text: 'later' }],
    ),
  },
  {
    name: 'tools-same-id',
    shows: 'two answers of a run give a call the same id',
    play: replies(MODEL.compatible, [
      { said: [calls('call_1', 'pure', { note: 'a' })] },
      { said: [calls('call_1', 'pure', { note: 'b' })] },
      fine,
    ]),
  },
  {
    name: 'files-attached',
    shows: 'a text and an image come with a message',
    play: attached({ files: ['/plan.md', '/a.png'], replies: [fine] }, { replies: [fine] }),
  },
  {
    name: 'files-image-read',
    shows: 'a tool shows the model an image',
    play: attached({
      replies: [{ said: [calls('toolu_1', 'read', { path: '/a.png' })] }, { said: [says('A dot.')] }],
    }),
  },
  {
    name: 'files-refused',
    shows: 'a provider refuses an image, and the chat goes on without it',
    play: attached(
      { files: ['/a.png'], replies: [fine] },
      { files: ['/b.png'], replies: [refusal('messages.2.content.0: Could not process image')] },
      { replies: [fine] },
    ),
  },
  {
    name: 'model-error',
    shows: 'a model fails at once, in the middle, and after a call',
    play: scripts(
      [{ error: { code: 'broken', message: 'at once' } }],
      [{ text: 'half a', error: { code: 'broken', message: 'in the middle' } }],
      [{ calls: [pure('a')] }, { error: { code: 'broken', message: 'later' } }],
      [{ text: 'at last' }],
    ),
  },
  {
    name: 'model-error-with-calls',
    shows: 'a message with a call is cut by an error: the call is never answered',
    play: scripts(
      [{ text: 'calling', calls: [pure('a')], error: { code: 'broken', message: 'after a call' } }],
      [{ text: 'next' }],
    ),
  },
  {
    name: 'model-refusal',
    shows: 'a provider refuses the request',
    play: replies(MODEL.google, [refusal('There is no such parameter.')]),
  },
  {
    name: 'model-length',
    shows: 'an answer that is cut at its length, one that is filtered',
    play: replies(
      MODEL.anthropic,
      [{ said: [says('So ', 'long')], finish: 'length' }],
      [{ said: [says('No')], finish: 'filtered' }],
    ),
  },
  {
    name: 'stream-cut',
    shows: 'a stream is cut, and the message begun again with the cause',
    play: replies(MODEL.anthropic, [half, fine]),
  },
  {
    name: 'stream-cut-later',
    shows: 'the stream of a later step is cut',
    play: replies(MODEL.compatible, [
      { said: [calls('call_1', 'pure', { note: 'a' })] },
      { said: [thinks('so'), says('Half ')], instead: 'cut' },
      fine,
    ]),
  },
  {
    name: 'stream-cut-twice',
    shows: 'a stream that is cut twice ends the run',
    play: replies(MODEL.anthropic, [half, half]),
  },
  {
    name: 'stream-cut-in-call',
    shows: 'a stream is cut in the input of a call',
    play: replies(MODEL.anthropic, [
      { said: [says('I '), { kind: 'call', id: 'toolu_1', tool: 'pure', pieces: ['{"no'] }], instead: 'cut' },
      { said: [calls('toolu_2', 'pure', { note: 'a' })] },
      fine,
    ]),
  },
  {
    name: 'usage',
    shows: 'cached and reasoning tokens, with a price; then a model without one',
    play: async (stage, provider) => {
      const thread = await replies(MODEL.google, [
        {
          said: [thinks('I must ', 'look.'), says('Looking. '), calls('call_a', 'pure', { note: 'a' })],
          tokens: { input: 1000, output: 200, cached: 600, reasoning: 50 },
        },
        { said: [says('All.')], tokens: { input: 1500, output: 20 } },
      ])(stage, provider);
      provider.reply({ said: [says('Free.')], tokens: { input: 0, output: 0 } });
      await framesOf(stage.url, await stage.send(thread, 'And you?', { model: MODEL.compatible }));
      return thread;
    },
  },
  {
    name: 'context-too-long',
    shows: 'a model refuses a history that is too long, and is shown fewer turns',
    play: replies(
      MODEL.anthropic,
      [{ said: [says('word '.repeat(100))] }],
      [{ said: [says('word '.repeat(100))] }],
      [fine],
      [refusal("This model's maximum context length is 8192 tokens."), fine],
      [fine],
    ),
  },
  {
    name: 'limit-steps',
    shows: 'a run that reaches its limit of steps',
    play: limited({ steps: 2 }, [step, step, step]),
  },
  {
    name: 'limit-tokens',
    shows: 'a run that used up its tokens',
    play: limited({ tokens: 1 }, [step, step]),
  },
  {
    name: 'limit-seconds',
    shows: 'a run whose time is over in the middle of a message',
    play: limited({ seconds: 1 }, [{ text: 'so far', hang: true }]),
  },
  {
    name: 'limit-cost',
    shows: 'a run that used up its cost',
    play: async (stage, provider) => {
      const thread = await stage.thread();
      provider.reply({ said: [calls('toolu_1', 'pure', { note: 'a' })] });
      await framesOf(
        stage.url,
        await stage.send(thread, 'Go on.', { model: MODEL.anthropic, limits: { cost: 0.000001 } }),
      );
      return thread;
    },
  },
  {
    name: 'killed-in-text',
    shows: 'a pod dies in the middle of a message, and another begins it again',
    play: async (stage, provider) => {
      const thread = await killed('append.after.token#2', [
        { text: 'one two three four five', delay_ms: 200 },
      ])(stage, provider);
      await stage.toEnd(thread, { steps: [{ text: 'and on' }] });
      return thread;
    },
  },
  {
    name: 'killed-in-reasoning',
    shows: 'a pod dies while the model reasons',
    play: killed('append.after.reasoning', [{ reasoning: 'one two three', delay_ms: 5, text: 'four five' }]),
  },
  {
    name: 'killed-in-pure-tool',
    shows: 'a pod dies in a pure call, which is made again',
    play: killed('tool.after_effect.pure', look.steps),
  },
  {
    name: 'killed-in-transactional-tool',
    shows: 'a pod dies in a transactional call, which is made again',
    play: killed('tool.before_effect.transactional', look.steps),
  },
  {
    name: 'killed-in-external-tool',
    shows: 'a pod dies in an external call, whose outcome stays unknown',
    play: killed('tool.after_effect.external', [{ calls: [call('external')] }, { text: 'well' }]),
  },
  {
    name: 'killed-then-canceled',
    shows: 'a run is canceled after its pod died in the middle of a message',
    play: killed(
      'append.after.token#3',
      [{ text: 'one two three four five', delay_ms: 20, hang: true }],
      (stage, run) => stage.cancel(run),
    ),
  },
  {
    name: 'unknown-outcome-retried',
    shows: 'a person has a call of unknown outcome made again',
    play: unknownOutcome('retry'),
    asks: true,
  },
  {
    name: 'unknown-outcome-skipped',
    shows: 'a person leaves a call of unknown outcome as it is',
    play: unknownOutcome('skip'),
    asks: true,
  },
  {
    name: 'canceled-in-queue',
    shows: 'a run is canceled before it starts, another in its message',
    play: canceledInQueue,
  },
  {
    name: 'canceled-in-tool',
    shows: 'a run is canceled while it makes a call',
    play: during((stage, _thread, run) => stage.cancel(run)),
  },
  {
    name: 'canceled-in-external-tool',
    shows: 'a run is canceled while it makes an external call, which cannot be taken back',
    play: async (stage) => {
      const thread = await stage.thread();
      const run = await stage.say(thread, {
        steps: [{ calls: [call('external', { note: 'x', delay_ms: 5000 }), pure('never')] }],
      });
      await seen(stage.url, run, 'tool_start');
      await stage.cancel(run);
      await stage.ended(run);
      return thread;
    },
  },
  { name: 'stopped', shows: 'a session is stopped with a run and another in the queue', play: stopped },
  {
    name: 'expired',
    shows: 'a session idles until it is over; the next message starts another',
    play: expired,
  },
  {
    name: 'approval-approved',
    shows: 'one call is approved, one with another input',
    play: decided('approve', 'edit'),
    asks: true,
  },
  {
    name: 'approval-denied',
    shows: 'one call is denied, one approved with a comment',
    play: async (stage) => {
      const thread = await stage.thread();
      const run = await stage.say(thread, MAY_I);
      const [first, second] = await stage.asked(run, 2);
      await stage.do(`${WORKSPACE}/approvals/${first}`, { decision: 'deny', comment: 'not this' });
      await stage.do(`${WORKSPACE}/approvals/${second}`, { decision: 'approve', comment: 'but this' });
      await stage.ended(run);
      return thread;
    },
    asks: true,
  },
  {
    name: 'approval-expired',
    shows: 'one call is denied, nobody answers about the other',
    play: decided('deny', 'expired'),
    asks: true,
  },
  {
    name: 'approval-canceled',
    shows: 'a run that waits is canceled, and one behind it before',
    play: approvalCanceled,
    asks: true,
  },
  { name: 'approval-waits', shows: 'a run that waits for two decisions', play: approvalWaits, asks: true },
  {
    name: 'approval-policy-denies',
    shows: 'a policy denies a call at once',
    play: async (stage, provider) => {
      await stage.policy([
        { tool: '*', action: 'allow' },
        { tool: 'external', action: 'deny' },
      ]);
      return scripts([{ calls: [call('external'), pure('a')] }, { text: 'well' }])(stage, provider);
    },
  },
  {
    name: 'question-answered',
    shows: 'a tool asks a person, who answers',
    play: questioned((stage, approval) =>
      stage.do(`${WORKSPACE}/approvals/${approval}`, {
        decision: 'answer',
        input: { colour: 'red', count: 2 },
      }),
    ),
  },
  {
    name: 'question-denied',
    shows: 'a tool asks a person, who does not want to answer',
    play: questioned((stage, approval) => stage.decide(approval, 'deny')),
  },
  {
    name: 'question-canceled',
    shows: 'a run is canceled while its tool asks',
    play: questioned((stage, _approval, run) => stage.cancel(run)),
  },
  {
    name: 'steered',
    shows: 'a message comes while a run is at work, and becomes part of it',
    play: sent('steer'),
  },
  { name: 'interrupted', shows: 'a message interrupts the run', play: sent('interrupt') },
  { name: 'rolled-back', shows: 'a message takes the run back', play: sent('rollback') },
  {
    name: 'rollback-dropped',
    shows: 'a rollback whose own run is canceled before it begins',
    play: rollbackDropped,
  },
  { name: 'replaced', shows: 'the first message is replaced: the chat is rewound', play: replaced },
  { name: 'retried', shows: 'a run that failed is run again', play: retried },
  { name: 'paused-resumed', shows: 'a run is paused and goes on', play: paused('resume') },
  { name: 'paused-stopped', shows: 'a run is paused and then stopped', play: paused('stop') },
  {
    name: 'knowledge',
    shows:
      'a chat about a project: entities are created, listed, changed and not found, and then it is about the workspace',
    play: knowledge,
  },
];
