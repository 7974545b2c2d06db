// Logs of real runs on real pods: talked, called tools, failed, canceled, stopped, killed, asked, paused, steered, rewound.

import { ask, createThread, framesOf, readRun, seen, send, until } from '@continuo/testkit';
import { startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';

const WORKSPACE = '/api/v1/workspaces/default';
/** So long that a person can do something meanwhile. */
const SLOW = { tool: 'pure', input: { note: 'x', delay_ms: 2000 } };
const SLOWLY = { steps: [{ text: 'one', calls: [SLOW] }, { text: 'two' }] };
const pure = (note: string) => ({ tool: 'pure', input: { note, path: 'notes/a.md' } });
const external = (note: string) => ({ tool: 'external', input: { note } });
const ASKING = {
  steps: [{ text: 'may I?', calls: [external('x'), external('y'), pure('z')] }, { text: 'thanks' }],
};

/** Plays every scenario, and ends its pods. */
export async function makeLogs(database: TestDatabase): Promise<void> {
  const pods = await Promise.all([1, 2].map(() => startPod({ databaseUrl: database.url })));
  try {
    await new Stage(database, pods[0]!).policy(null);
    // One after the other: a pod that is about to die must not meet the others' runs.
    for (const play of KILLED) await play(new Stage(database, pods[0]!));
    await Promise.all(PLAYED.map((play, index) => play(new Stage(database, pods[index % 2]!))));
  } finally {
    await Promise.all(pods.map((pod) => pod.end()));
  }
}

/** A pod and its database, with what people and programs do there. */
export class Stage {
  readonly database: TestDatabase;
  readonly pod: TestPod;

  constructor(database: TestDatabase, pod: TestPod) {
    this.database = database;
    this.pod = pod;
  }

  get url(): string {
    return this.pod.url;
  }

  thread(): Promise<string> {
    return createThread(this.url);
  }

  async say(thread: string, script: unknown): Promise<string> {
    return (await send(this.url, thread, script)).id;
  }

  async toEnd(thread: string, script: unknown): Promise<string> {
    const run = await this.say(thread, script);
    await framesOf(this.url, run);
    return run;
  }

  cancel(run: string): Promise<unknown> {
    return ask('POST', `${this.url}/api/runs/${run}/cancel`);
  }

  async ended(run: string): Promise<void> {
    await until(`run ${run} has ended`, async () => (await readRun(this.url, run)).ended_at !== null);
  }

  async query<T extends object>(sql: string, ...values: unknown[]): Promise<T[]> {
    return (await this.database.pool.query<T>(sql, values)).rows;
  }

  /** pause, resume or stop */
  control(chat: string, what: string): Promise<unknown> {
    return this.do(`${WORKSPACE}/chats/${chat}/${what}`, {});
  }

  async logged(thread: string, type: string, times = 1): Promise<void> {
    const count = 'select count(*)::int as count from events where thread_id = $1 and type = $2';
    await until(
      `the thread has ${times} of ${type}`,
      async () => (await this.query<{ count: number }>(count, thread, type))[0]!.count >= times,
    );
  }

  /** A message for a thread that may be busy, or instead of another. */
  async send(thread: string, script: unknown, how: object): Promise<string> {
    const content = typeof script === 'string' ? script : JSON.stringify(script);
    const body = await this.do(`/api/threads/${thread}/messages`, { content, ...how });
    return (body as { run: { id: string } }).run.id;
  }

  /** The approvals that the run waits for, once there are so many. */
  asked(run: string, count: number): Promise<string[]> {
    return until(`${count} calls wait for approvals`, async () => {
      const sql = 'select id from approvals where run_id = $1 and decision is null order by id';
      const rows = await this.query<{ id: string }>(sql, run);
      return rows.length >= count && rows.map(({ id }) => id);
    });
  }

  async decide(approval: string, decision: string): Promise<void> {
    const input = decision === 'edit' ? { input: { note: 'rather this' } } : {};
    if (decision !== 'expired')
      return void (await this.do(`${WORKSPACE}/approvals/${approval}`, { decision, ...input }));
    await this.query('update approvals set expires_at = now() where id = $1', approval);
    const woken =
      'update threads set wake_at = now() from approvals a where a.id = $1 and threads.id = a.thread_id';
    await this.query(woken, approval);
  }

  async do(path: string, body: unknown): Promise<unknown> {
    const answer = await ask('POST', this.url + path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  }

  /** Plays a script on a pod of its own that kills itself at a point; another takes over. */
  async killedAt(fault: string, script: unknown): Promise<{ thread: string; run: string }> {
    const victim = await startPod({ databaseUrl: this.database.url, fault });
    try {
      const thread = await createThread(victim.url);
      const run = (await send(victim.url, thread, script)).id;
      await victim.exited;
      if (victim.hits.length === 0) throw new Error(`the pod did not come to ${fault}: ${victim.output()}`);
      return { thread, run };
    } finally {
      await victim.end();
    }
  }

  /** A call of unknown outcome that people are asked about: its pod died in the middle of it. */
  async unknown(): Promise<{ thread: string; run: string; approval: string }> {
    await this.policy([{ tool: '*', action: 'allow' }]);
    const victim = await startPod({ databaseUrl: this.database.url });
    try {
      const thread = await createThread(victim.url);
      const call = { tool: 'external', input: { note: 'x', delay_ms: 2000 } };
      const run = (await send(victim.url, thread, { steps: [{ calls: [call] }, { text: 'end' }] })).id;
      await seen(victim.url, run, 'tool_start');
      await this.policy(null);
      await victim.end();
      return { thread, run, approval: (await this.asked(run, 1))[0]! };
    } finally {
      await victim.end();
    }
  }

  policy(rules: readonly unknown[] | null): Promise<unknown> {
    return this.query('update workspaces set policy = $1', rules && JSON.stringify({ rules }));
  }
}

type Scenario = (stage: Stage) => Promise<void>;

const killedInText: Scenario = async (stage) => {
  const { thread, run } = await stage.killedAt('append.after.token#4', {
    steps: [{ tokens: 60, delay_ms: 5 }],
  });
  await stage.ended(run);
  await stage.toEnd(thread, { steps: [{ text: 'and on' }] });
};

const killedInReasoning: Scenario = async (stage) => {
  const { run } = await stage.killedAt('append.after.reasoning', {
    steps: [{ reasoning: 'one two three', delay_ms: 5, text: 'four five' }, { text: 'unused' }],
  });
  await stage.ended(run);
};

const killedInATool: Scenario = async (stage) => {
  const script = {
    steps: [
      { text: 'look', calls: [pure('a'), pure('b'), { tool: 'transactional', input: { note: 't' } }] },
      { text: 'so' },
    ],
  };
  await stage.ended((await stage.killedAt('tool.after_effect.pure', script)).run);
  await stage.ended((await stage.killedAt('tool.before_effect.transactional', script)).run);
};

const killedThenCanceled: Scenario = async (stage) => {
  const { run } = await stage.killedAt('append.after.token#3', {
    steps: [{ tokens: 60, delay_ms: 5, hang: true }],
  });
  await stage.cancel(run);
  await stage.ended(run);
};

const unknownOutcome: Scenario = async (stage) => {
  for (const decision of ['retry', 'skip']) {
    const { run, approval } = await stage.unknown();
    await stage.decide(approval, decision);
    await stage.ended(run);
  }
};

const talk: Scenario = async (stage) => {
  const thread = await stage.thread();
  await stage.query('update threads set title_wanted = true where id = $1', thread);
  await stage.toEnd(thread, { steps: [{ reasoning: 'let me think', text: 'hello to you' }] });
  await stage.logged(thread, 'titled');
  await stage.toEnd(thread, {
    steps: [
      { text: 'two at once', calls: [pure('a'), pure('b')] },
      {
        calls: [
          { tool: 'transactional', input: { note: 't', fail: true } },
          { tool: 'nothing' },
          { tool: 'pure', raw: '{no' },
        ],
      },
      { reasoning: 'files', calls: [{ tool: 'write', input: { path: '/n.md', content: 'one\n' } }] },
      { calls: [{ tool: 'move', input: { from: '/n.md', to: '/m.md' } }] },
      { text: 'all done' },
    ],
  });
};

const failed: Scenario = async (stage) => {
  const thread = await stage.thread();
  await stage.toEnd(thread, { steps: [{ error: { code: 'broken', message: 'at once' } }] });
  await stage.toEnd(thread, {
    steps: [{ text: 'half a', error: { code: 'broken', message: 'in the middle' } }],
  });
  await stage.toEnd(thread, {
    steps: [{ calls: [pure('a')] }, { error: { code: 'broken', message: 'later' } }],
  });
  await stage.toEnd(thread, { steps: [{ text: 'at last' }] });
};

const canceled: Scenario = async (stage) => {
  const thread = await stage.thread();
  const first = await stage.say(thread, { steps: [{ text: 'on and on', hang: true }] });
  await seen(stage.url, first, 'token');
  const waiting = await stage.say(thread, { steps: [{ text: 'never' }] });
  const next = await stage.say(thread, SLOWLY);
  await stage.cancel(waiting);
  await framesOf(stage.url, waiting);
  await stage.cancel(first);
  await seen(stage.url, next, 'tool_start');
  await stage.cancel(next);
  await stage.ended(next);
};

const stopped: Scenario = async (stage) => {
  const thread = await stage.thread();
  const run = await stage.say(thread, { steps: [{ reasoning: 'hm', text: 'on and on', hang: true }] });
  const waiting = await stage.say(thread, { steps: [{ text: 'never' }] });
  await seen(stage.url, run, 'token');
  await stage.control(thread, 'stop');
  await stage.ended(run);
  await stage.ended(waiting);
  await stage.toEnd(thread, { steps: [{ text: 'next' }] });
};

const asked: Scenario = async (stage) => {
  const thread = await stage.thread();
  for (const decisions of [
    ['approve', 'edit'],
    ['deny', 'approve'],
    ['deny', 'expired'],
  ] as const) {
    const run = await stage.say(thread, ASKING);
    for (const [index, approval] of (await stage.asked(run, 2)).entries()) {
      const decision = decisions[index]!;
      await stage.decide(approval, decision);
    }
    await stage.ended(run);
  }
  const parked = await stage.say(thread, ASKING);
  await stage.asked(parked, 2);
  const dropped = await stage.say(thread, { steps: [{ text: 'never' }] });
  await stage.cancel(dropped);
  await stage.ended(dropped);
  await stage.cancel(parked);
  await stage.ended(parked);
  // This one still waits when the pods end.
  await stage.asked(await stage.say(thread, ASKING), 2);
};

const paused: Scenario = async (stage) => {
  const thread = await stage.thread();
  for (const [sessions, then] of [
    [2, 'resume'],
    [6, 'stop'],
  ] as const) {
    const run = await stage.say(thread, SLOWLY);
    await seen(stage.url, run, 'tool_start');
    await stage.control(thread, 'pause');
    await stage.logged(thread, 'session', sessions);
    await stage.control(thread, then);
    await stage.ended(run);
  }
};

const steered: Scenario = async (stage) => {
  const thread = await stage.thread();
  for (const policy of ['steer', 'interrupt', 'rollback']) {
    const run = await stage.say(thread, SLOWLY);
    await seen(stage.url, run, 'tool_start');
    await stage.send(thread, { steps: [{ text: policy }] }, { policy });
    await stage.ended(run);
  }
  const [message] = await stage.query<{ id: string }>(
    "select id from messages where thread_id = $1 and role = 'user' and seq = 0 order by ordinal limit 1",
    thread,
  );
  await stage.send(thread, { steps: [{ text: 'better' }] }, { replaces: message!.id });
  await stage.logged(thread, 'rewound', 2);
  // A rollback whose own run is canceled before it begins.
  const last = await stage.say(thread, SLOWLY);
  await seen(stage.url, last, 'tool_start');
  await stage.query(
    `select stop_thread($1, 'user_cancelled', '{"kind":"local"}') from enqueue_run(
      $1, gen_random_uuid(), gen_random_uuid(), '{"text": ""}', 'offline/script', 'assistant', null, null, null, 'rollback', null,
      '{"kind":"local"}')`,
    thread,
  );
  await stage.control(thread, 'stop');
  await stage.logged(thread, 'rewound', 3);
  const open = 'select from runs where thread_id = $1 and ended_at is null';
  await until('no run of the thread is open', async () => (await stage.query(open, thread)).length === 0);
};

const KILLED = [killedInText, killedInReasoning, killedInATool, killedThenCanceled, unknownOutcome];
const PLAYED = [talk, failed, canceled, stopped, asked, paused, steered];
