// The worker library: in this process for what an answer sees, and as a process that is killed, stopped and told to end.

import { expect, onTestFinished, test, vi } from 'vitest';
import {
  ask as request,
  call,
  createThread,
  framesOf,
  PERSON_TOKEN,
  readRun,
  seen,
  startProxy,
  until,
  type RunBody,
} from '@continuo/testkit';
import { startWorker, usePod } from '@continuo/testkit/fixtures';
import { ask, finish, runWorker, toolCall, type Task, type WorkerOptions } from '../src/worker/index.ts';

const world = usePod({ CONTINUO_EXECUTOR_LEASE_SECONDS: '1' });

async function start(executor: string, content: unknown = 'Hello', more: object = {}): Promise<RunBody> {
  const body = {
    content: typeof content === 'string' ? content : JSON.stringify(content),
    model: `executor/${executor}`,
    ...more,
  };
  const thread = await createThread(world.url);
  return (await call<{ run: RunBody }>('POST', `${world.url}/api/threads/${thread}/messages`, body)).run;
}

/** A worker in this process, until the test ends. */
function work(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'executor' | 'answer'>) {
  const stop = new AbortController();
  const running = runWorker({
    baseUrl: world.url,
    apiKey: PERSON_TOKEN,
    stopOnSignals: false,
    signal: stop.signal,
    ...options,
  });
  onTestFinished(async () => {
    stop.abort();
    await running.catch(() => undefined);
  });
  return { stop: () => stop.abort(), running };
}

const finalOf = async (run: RunBody) => (await framesOf(world.url, run.id)).at(-2)!.data;

test('RUN-14 an answer yields text and events, and clients see each piece at once', async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  work({
    executor: 'pieces',
    async *answer({ history }) {
      yield { type: 'reasoning', text: 'Hm.' };
      yield `You said ${history.length} thing`;
      await go;
      yield '.';
      yield finish({ usage: { input: 3, output: 4 } });
      yield 'never posted';
    },
  });
  const run = await start('pieces');
  expect((await seen(world.url, run.id, 'token')).data.text).toBe('You said 1 thing');
  resolve();
  expect(await finalOf(run)).toMatchObject({ text: 'You said 1 thing.' });
  expect(await readRun(world.url, run.id)).toMatchObject({ usage: { input: 3, output: 4 } });
});

test('RUN-14 an answer calls tools, asks a person, and gets results and its state back', async () => {
  const states: unknown[] = [];
  work({
    executor: 'steps',
    async *answer({ state, results }) {
      states.push(state);
      if (state === null) {
        yield toolCall('pure', { note: 'look' }, 'look');
        return yield finish({ state: 'looked' });
      }
      if (state === 'looked') {
        expect(results).toMatchObject([
          { call: 'look', tool: 'pure', output: { saw: 'look' }, failed: false },
        ]);
        yield ask('Which colour?');
        return yield finish({ state: 'asked' });
      }
      const { answer } = results[0]!.output as { answer: { answer: string } };
      yield `It is ${answer.answer}.`;
    },
  });
  const run = await start('steps');
  const { data } = await seen(world.url, run.id, 'approval');
  const approval = `${world.url}/api/v1/workspaces/default/approvals/${String(data.approval)}`;
  await call('POST', approval, { decision: 'answer', input: { answer: 'green' } });
  expect(await finalOf(run)).toMatchObject({ text: 'It is green.' });
  expect(states).toEqual([null, 'looked', 'asked']);
});

test('RUN-14 the run after a canceled one gets the state, and no results of calls that are not its own', async () => {
  const given: unknown[] = [];
  work({
    executor: 'anew',
    async *answer({ state, results }) {
      given.push({ state, results });
      if (state === 'asked') return yield 'Let us begin again.';
      yield ask('Which colour?');
      yield finish({ state: 'asked' });
    },
  });
  const run = await start('anew');
  await seen(world.url, run.id, 'approval');
  await call('POST', `${world.url}/api/runs/${run.id}/cancel`);
  const body = { content: 'Something else', model: 'executor/anew' };
  const path = `${world.url}/api/threads/${String(run.thread_id)}/messages`;
  const next = (await call<{ run: RunBody }>('POST', path, body)).run;
  expect(await finalOf(next)).toMatchObject({ text: 'Let us begin again.' });
  expect(given).toEqual([
    { state: null, results: [] },
    { state: 'asked', results: [] },
  ]);
});

test('RUN-14 a cancel aborts the answer’s signal, the generator is closed, and the worker takes the next answer', async () => {
  const cleaned = vi.fn();
  let task: Task | undefined;
  work({
    executor: 'canceled',
    async *answer(given) {
      task ??= given;
      try {
        yield 'begun';
        if (given === task) await new Promise((resolve) => given.signal.addEventListener('abort', resolve));
      } finally {
        cleaned();
      }
    },
  });
  const run = await start('canceled');
  await seen(world.url, run.id, 'token');
  await call('POST', `${world.url}/api/runs/${run.id}/cancel`);
  await until('the signal aborts', () => task!.signal.aborted);
  expect(task!.signal.reason).toMatchObject({ code: 'run_canceled' });
  await until('the generator is closed', () => cleaned.mock.calls.length === 1);
  expect(await finalOf(await start('canceled'))).toMatchObject({ text: 'begun' });
});

test('RUN-14 an answer that is silent for longer than its lease keeps its claim', async () => {
  const answers = vi.fn();
  work({
    executor: 'thinker',
    async *answer() {
      answers();
      await new Promise((resolve) => setTimeout(resolve, 2500));
      yield 'thought';
    },
  });
  expect(await finalOf(await start('thinker'))).toMatchObject({ text: 'thought' });
  expect(answers).toHaveBeenCalledOnce();
});

test('RUN-14 what an answer throws fails the run, and so does what the server refuses', async () => {
  const onError = vi.fn();
  work({
    executor: 'thrower',
    onError,
    async *answer({ history }) {
      const { content } = history[0] as { content: string };
      if (content === 'throw') throw new Error('The graph has no edge.');
      if (content === 'long') yield finish({ state: 'x'.repeat(300_000) });
      yield 'fine';
    },
  });
  const thrown = await start('thrower', 'throw');
  expect(await finalOf(thrown)).toMatchObject({ code: 'executor_failed', error: 'The graph has no edge.' });
  expect(onError).toHaveBeenCalledOnce();
  const refused = await finalOf(await start('thrower', 'long'));
  expect(refused).toMatchObject({ code: 'invalid_event', error: expect.stringMatching(/at most 262144/) });
  expect(await finalOf(await start('thrower', 'go on'))).toMatchObject({ text: 'fine' });
});

test('RUN-14 a long text arrives whole, with its characters of two halves', async () => {
  const text = `x${'😀'.repeat(300_000)}`;
  work({
    executor: 'long',
    answer: async function* () {
      yield text;
    },
  });
  expect((await finalOf(await start('long'))).text).toBe(text);
});

test('RUN-14 lost connections and errors of a proxy double nothing', async () => {
  const proxy = await startProxy(world.url);
  onTestFinished(() => proxy.close());
  let posts = 0;
  const words = Array.from({ length: 40 }, (_, index) => `${index} `);
  work({
    executor: 'cut',
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!(input as string).endsWith('/events')) return response;
      posts += 1;
      // The server has stored the batch; the worker does not learn of it.
      if (posts % 3 === 1) throw new TypeError('fetch failed');
      return posts % 3 === 2 ? new Response('', { status: 502 }) : response;
    },
    async *answer() {
      for (const word of words) {
        yield word;
        await new Promise(setImmediate);
      }
    },
  });
  expect((await finalOf(await start('cut'))).text).toBe(words.join(''));
  expect(posts).toBeGreaterThan(2);
});

test('RUN-14 a worker that the server refuses says so', async () => {
  const { running } = work({ executor: 'Not a name', answer: async function* () {} });
  await expect(running).rejects.toMatchObject({ code: 'invalid_params' });
});

test('RUN-14 a worker that is stopped finishes what it has begun, and claims nothing more', async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  const { stop, running } = work({
    executor: 'draining',
    async *answer() {
      yield 'begun ';
      await go;
      yield 'and finished';
    },
  });
  const run = await start('draining');
  await seen(world.url, run.id, 'token');
  stop();
  const next = await start('draining');
  resolve();
  await running;
  expect(await finalOf(run)).toMatchObject({ text: 'begun and finished' });
  expect(await readRun(world.url, next.id)).toMatchObject({ status: 'running' });
  await call('POST', `${world.url}/api/runs/${next.id}/cancel`);
});

test('RUN-14 what is not finished after the drain is given back at once', async () => {
  const patient = { executor: 'returned', drainSeconds: 0 };
  const { stop, running } = work({
    ...patient,
    async *answer({ signal }) {
      yield 'half';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  });
  const run = await start('returned');
  await seen(world.url, run.id, 'token');
  stop();
  await running;
  work({
    ...patient,
    answer: async function* () {
      yield 'whole';
    },
  });
  expect(await finalOf(run)).toMatchObject({ text: 'whole' });
});

const SLOW = { steps: [{ text: 'one two three four five six seven', delay_ms: 400 }] };

test('RUN-14 kill -9 of a worker in the middle of an answer: another one starts the message over', async () => {
  const first = startWorker({ url: world.url, executor: 'mortal' });
  onTestFinished(() => first.end());
  const run = await start('mortal', SLOW);
  await seen(world.url, run.id, 'token');
  first.kill('SIGKILL');
  const second = startWorker({ url: world.url, executor: 'mortal' });
  onTestFinished(() => second.end());
  const frames = await framesOf(world.url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: SLOW.steps[0]!.text } });
  expect(frames.some(({ data }) => data.supersedes === 'm1')).toBe(true);
});

test('RUN-14 a worker that is stopped for longer than its lease and wakes up adds nothing to the answer of another', async () => {
  // Stopped, it still has a claim that waits: one more assignment is lost to it.
  const first = startWorker({ url: world.url, executor: 'frozen', concurrency: 2 });
  onTestFinished(() => first.end());
  const run = await start('frozen', SLOW);
  await seen(world.url, run.id, 'token');
  first.kill('SIGSTOP');
  const second = startWorker({ url: world.url, executor: 'frozen' });
  onTestFinished(() => second.end());
  await until('the second one writes', async () => {
    const { body } = await request('GET', `${world.url}/api/runs/${run.id}/events?limit=1000`, undefined, {
      accept: 'application/json',
    });
    return body.items.filter(({ type }: { type: string }) => type === 'message_start').length === 2;
  });
  first.kill('SIGCONT');
  expect(await finalOf(run)).toMatchObject({ text: SLOW.steps[0]!.text });
  // It goes on with other work.
  await second.end();
  expect(await finalOf(await start('frozen', { steps: [{ text: 'awake' }] }))).toMatchObject({
    text: 'awake',
  });
});

test('RUN-14 SIGTERM lets a worker finish its answer, and then it ends with 0', async () => {
  const worker = startWorker({ url: world.url, executor: 'polite' });
  onTestFinished(() => worker.end());
  const run = await start('polite', SLOW);
  await seen(world.url, run.id, 'token');
  worker.kill('SIGTERM');
  const frames = await framesOf(world.url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: SLOW.steps[0]!.text } });
  expect(frames.some(({ data }) => data.supersedes !== undefined)).toBe(false);
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});
