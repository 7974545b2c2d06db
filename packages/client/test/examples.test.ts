// Runs the examples against a real pod.

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  call,
  createThread,
  framesOf,
  PERSON_TOKEN,
  seen,
  startProxy,
  type RunBody,
} from '@continuo/testkit';
import { findBubblewrap, startPod, usePod } from '@continuo/testkit/fixtures';

const world = usePod({ CONTINUO_MODEL: 'offline/instant' });

function play(
  name: string,
  args: readonly string[] = [],
  url = world.url,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../examples', name), ...args], {
    env: { ...process.env, CONTINUO_URL: url, CONTINUO_PERSON_TOKEN: PERSON_TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: output + errors })));
}

test('PLUS-5 examples/start-and-stream.ts', async () => {
  const { code, output } = await play('start-and-stream.ts');
  expect(output).toMatch(/^\n?\[running\]\n[^]*→ .*haiku\.md[^]*\[done\]\n$/);
  expect(code).toBe(0);
});

test('PLUS-5 examples/chat-with-approval.ts', async () => {
  // The test database allows every call by default.
  await world.database.pool.query('update workspaces set policy = null');
  const { code, output } = await play('chat-with-approval.ts');
  expect(output).toMatch(/remove \{"path":"drafts\/old\.md"\}: .*\ndecided: approve\nremove: done\n/);
  expect(code).toBe(0);
});

test('PLUS-5 examples/files.ts', async () => {
  const { code, output } = await play('files.ts');
  expect(output).toContain('refused: ');
  expect(output).toContain('merged as version 3:\ntwelve eggs\nflour\noat milk\n');
  expect(output).toContain('version 1 is back');
  expect(code).toBe(0);
});

const { isThere, without } = await findBubblewrap();
test.skipIf(!isThere)(`WS-18 examples/commands.ts${without}`, async () => {
  const pod = await startPod({ databaseUrl: world.database.url, env: { CONTINUO_SANDBOX: 'auto' } });
  onTestFinished(() => pod.end());
  const { code, output } = await play('commands.ts', [], pod.url);
  expect(output).toMatch(
    /^node --test \| tee report\.txt: exit code 0\n[^]*applied \/node-app\/report\.txt, version 1\n/,
  );
  expect(output).toContain('python3 -m unittest: exit code 0\n');
  expect(code).toBe(0);
});

test('CHAT-4 examples/project.ts', async () => {
  const { code, output } = await play('project.ts');
  // The patches come while the program goes on.
  expect(output.split('\n').toSorted()).toEqual(
    [
      'created: project, goal, task, task, document',
      'patched: Rent chairs, version 3',
      'too late: it is done',
      'patched: Buy lemons, version 1',
      'the copy is equal to the database: 3 tasks',
      'Food is referred to by Buy lemons',
      '',
    ].toSorted(),
  );
  expect(code).toBe(0);
});

test('PLUS-5 examples/resume-after-a-restart.ts, with the pod killed in between', async () => {
  const settings = {
    databaseUrl: world.database.url,
    leaseSeconds: 1,
    env: { CONTINUO_MODEL: 'offline/demo' },
  };
  const first = await startPod(settings);
  const proxy = await startProxy(first.url);
  const { code, output } = await play('resume-after-a-restart.ts', [], proxy.url);
  expect(code).toBe(0);
  const [, run, last] = /resume-after-a-restart\.ts (\S+) (\d+)\n$/.exec(output)!;
  const going = play('resume-after-a-restart.ts', [run!, last!], proxy.url);
  await first.end();
  const second = await startPod(settings);
  proxy.set({ target: second.url });
  const rest = await going;
  expect(rest.code).toBe(0);
  const events = (text: string) => text.split('\n').filter((line) => /^\d+ \w+$/.test(line));
  const expected = (await framesOf(second.url, run!)).map(({ id, event }) => `${id} ${event}`);
  expect([...events(output), ...events(rest.output)]).toEqual(expected);
  await proxy.close();
  await second.end();
});

const python = spawnSync('python3', ['--version']).status === 0;
test.skipIf(!python)('RUN-14 examples/python-executor, killed in the middle of its answer', async () => {
  const pod = await startPod({
    databaseUrl: world.database.url,
    env: { CONTINUO_EXECUTOR_LEASE_SECONDS: '1' },
  });
  onTestFinished(() => pod.end());
  const program = join(import.meta.dirname, '../../../examples/python-executor/executor.py');
  const executor = (pause: string) => {
    const child = spawn('python3', [program], {
      env: { ...process.env, CONTINUO_URL: pod.url, CONTINUO_API_KEY: PERSON_TOKEN, TRAVEL_PAUSE: pause },
      stdio: 'inherit',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const slow = executor('0.3');
  const thread = await createThread(pod.url);
  const { run } = await call<{ run: RunBody }>('POST', `${pod.url}/api/threads/${thread}/messages`, {
    content: 'Plan a trip',
    model: 'executor/travel',
  });
  await seen(pod.url, run.id, 'token');
  slow.kill('SIGKILL');
  const quick = executor('0');
  const { data } = await seen(pod.url, run.id, 'approval');
  const approval = `${pod.url}/api/v1/workspaces/default/approvals/${String(data.approval)}`;
  await call('POST', approval, { decision: 'answer', input: { city: 'Rome', days: 2 } });
  const frames = await framesOf(pod.url, run.id);
  expect(frames.at(-2)!.data).toMatchObject({ text: 'Your 2 days in Rome are planned in trip.md. ' });
  expect(frames.some(({ data: { supersedes } }) => supersedes === 'm1')).toBe(true);
  const ended = new Promise((resolve) => quick.once('exit', resolve));
  quick.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('RUN-14 examples/langgraph: a graph reads two files at once, is killed in its draft, asks a person, and writes', async () => {
  const pod = await startPod({
    databaseUrl: world.database.url,
    env: { CONTINUO_EXECUTOR_LEASE_SECONDS: '1' },
  });
  onTestFinished(() => pod.end());
  const program = join(import.meta.dirname, '../../../examples/langgraph/worker.ts');
  const worker = (pause: string) => {
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, CONTINUO_URL: pod.url, CONTINUO_API_KEY: PERSON_TOKEN, EDITOR_PAUSE: pause },
      stdio: 'inherit',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  // Its draft does not end before it is killed, however slow the machine is.
  const slow = worker('60');
  const thread = await createThread(pod.url);
  const { run } = await call<{ run: RunBody }>('POST', `${pod.url}/api/threads/${thread}/messages`, {
    content: 'Write the newsletter',
    model: 'executor/editor',
  });
  const draft = (await seen(pod.url, run.id, 'token')).data.message;
  slow.kill('SIGKILL');
  const quick = worker('0');
  const { data } = await seen(pod.url, run.id, 'approval');
  expect(data).toMatchObject({
    kind: 'question',
    reason: 'Shall this be published, and under which title?',
  });
  // Nothing has to run while people think.
  const ended = new Promise((resolve) => quick.once('exit', resolve));
  quick.kill('SIGTERM');
  expect(await ended).toBe(0);
  const approval = `${pod.url}/api/v1/workspaces/default/approvals/${String(data.approval)}`;
  await call('POST', approval, { decision: 'answer', input: { title: 'Spring', publish: true } });
  worker('0');
  const frames = await framesOf(pod.url, run.id);
  expect(frames.at(-2)!.data).toMatchObject({ text: '“Spring” is in newsletter.md.' });
  const tools = frames.filter(({ event }) => event === 'tool_start').map(({ data: { tool } }) => tool);
  expect(tools).toEqual(['read', 'read', 'ask_person', 'write']);
  expect(frames.some(({ data: { supersedes } }) => supersedes === draft)).toBe(true);
  const written = await fetch(`${pod.url}/api/v1/workspaces/default/files/newsletter.md`, {
    headers: { authorization: `Bearer ${PERSON_TOKEN}` },
  });
  expect(await written.text()).toBe('# Spring\n\n- no ideas\n- no dates\n');
});
