// Commands on a real server: live output, proposals over HTTP, and process trees that end with their run.

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send, until } from '@continuo/testkit';
import {
  findBubblewrap,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { running, stubborn } from './processes.ts';

const { isThere, without } = await findBubblewrap();

describe.skipIf(!isThere)(`commands on a server${without}`, () => {
  let database: TestDatabase;
  let pod: TestPod;
  beforeAll(async () => {
    database = await freshDatabase();
    pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_SANDBOX: 'auto' } });
  });
  afterAll(async () => {
    await pod.end();
    await database.drop();
  });
  const exec = async (input: Record<string, unknown>, url = pod.url) => {
    const thread = await createThread(url);
    const steps = [{ calls: [{ tool: 'exec', input }] }, { text: 'Done.' }];
    const run = await send(url, thread, { steps });
    const start = await seen(url, run.id, 'tool_start');
    const call = (start.data as { call: string }).call;
    return { thread, run, execution: `${url}/api/v1/executions/${encodeURIComponent(`${run.id}:${call}`)}` };
  };
  const toolEnd = async (runId: string) =>
    (await framesOf(pod.url, runId)).find(({ event }) => event === 'tool_end')!.data as {
      success: boolean;
      output: Record<string, unknown>;
    };

  test('WS-18 the output of a command can be read while it runs, and its proposal be compared and applied', async () => {
    expect((await ask('GET', `${pod.url}/api/v1/sandbox`)).body).toEqual({
      usable: true,
      runner: 'bubblewrap',
      reason: null,
      remedy: null,
    });
    const command =
      'echo first; while [ ! -e /scratch/go ]; do sleep 0.05; done; echo second; echo text > proposed.md; seq 20000';
    const { execution, run, thread } = await exec({ command });
    const live = await until('the first line is shown', async () => {
      const { body } = await ask('GET', `${execution}?wait=30&after=0`);
      return body.output?.startsWith('first') ? body : null;
    });
    expect(live).toMatchObject({ status: 'running', command, exit_code: null, changes: [] });
    writeFileSync(join(pod.home, 'sandbox', thread, 'scratch/go'), '');
    const end = await toolEnd(run.id);
    expect(end.output).toMatchObject({
      exit_code: 0,
      changes: [{ path: '/proposed.md', base: 0, size: 5 }],
      output_file: '/outputs/1.txt',
    });
    expect(end.output.text).toContain('characters are left out here');
    const { body: ended } = await ask('GET', execution);
    expect(ended).toMatchObject({ status: 'ended', exit_code: 0, ended_by: null });
    expect(ended.output.split('\n').slice(0, 3)).toEqual(['first', 'second', '1']);
    expect(ended.output_bytes).toBe(ended.output.length);
    const diff = await ask('GET', `${execution}/diff?path=/proposed.md`);
    expect(diff.body).toMatchObject({ path: '/proposed.md', from: 0, to: 1, added: 1, removed: 0 });
    const none = await ask('POST', `${execution}/apply`, { paths: ['/other.md'] });
    expect(none).toMatchObject({ status: 404, body: { code: 'change_not_found' } });
    // Several people press the button at once: one of them applies it.
    const pressed = await Promise.all(
      Array.from({ length: 8 }, () => ask('POST', `${execution}/apply`, { paths: ['/proposed.md'] })),
    );
    const [applied, ...late] = pressed.toSorted((a, b) => a.status - b.status);
    expect(applied).toMatchObject({ status: 200, body: { items: [{ path: '/proposed.md', version: 1 }] } });
    expect(late.map(({ status }) => status)).toEqual(late.map(() => 412));
    const again = await ask('POST', `${execution}/apply`, { paths: ['/proposed.md'] });
    expect(again).toMatchObject({ status: 412, body: { code: 'version_conflict' } });
  });

  test('WS-18 a file that somebody moved since the command started is not made again', async () => {
    const space = `${pod.url}/api/v1/workspaces/default`;
    await ask('PUT', `${space}/files/moved.txt`, 'one');
    const command = 'echo two > moved.txt; echo written; until [ -e /scratch/go ]; do sleep 0.05; done';
    const { execution, run, thread } = await exec({ command });
    await until('the file is written', async () => {
      const { body } = await ask('GET', `${execution}?wait=30&after=0`);
      return body.output?.startsWith('written');
    });
    const moved = await ask('POST', `${space}/moves`, { from: '/moved.txt', to: '/kept.txt' });
    expect(moved.status).toBe(200);
    writeFileSync(join(pod.home, 'sandbox', thread, 'scratch/go'), '');
    expect((await toolEnd(run.id)).output).toMatchObject({ changes: [{ path: '/moved.txt', base: 1 }] });
    const applied = await ask('POST', `${execution}/apply`, { paths: ['/moved.txt'] });
    expect(applied).toMatchObject({ status: 412, body: { code: 'version_conflict' } });
  });

  test('WS-18 as many commands run at once as there are cores, and all that wait get their turn', async () => {
    const input = { command: 'date +%s%N; sleep 0.1; date +%s%N' };
    const calls = Array.from({ length: 12 }, () => ({ tool: 'exec', input }));
    const run = await send(pod.url, await createThread(pod.url), { steps: [{ calls }, { text: 'Done.' }] });
    const ends = (await framesOf(pod.url, run.id)).filter(({ event }) => event === 'tool_end');
    const spans = ends.map(({ data }) => (data.output as { text: string }).text.split('\n').map(Number));
    const atOnce = spans.map(
      ([start]) => spans.filter(([from, to]) => from! <= start! && start! < to!).length,
    );
    expect(ends.map(({ data }) => data.success)).toEqual(calls.map(() => true));
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(availableParallelism());
  });

  test.each(['cancel', 'stop', 'time-out'])(
    'WS-11 a %s kills the whole process tree of a command',
    async (how) => {
      const { command, name } = stubborn();
      const { run, thread } = await exec({ command, ...(how === 'time-out' && { timeout: 1 }) });
      await until('the tree runs', () => running(name).length === 3);
      if (how === 'cancel') await ask('POST', `${pod.url}/api/runs/${run.id}/cancel`);
      if (how === 'stop') await ask('POST', `${pod.url}/api/v1/workspaces/default/chats/${thread}/stop`);
      await until('the tree is gone', () => running(name).length === 0);
      const end = await toolEnd(run.id);
      expect(end.output).toMatchObject(
        how === 'time-out'
          ? { ended_by: 'time', text: expect.stringContaining('longer than its time-out of 1 s') }
          : { error: expect.stringContaining('canceled') },
      );
    },
  );

  test('WS-11 kill -9 of the server leaves no process of a command, and another pod runs the command again', async () => {
    const { command, name } = stubborn();
    const doomed = await startPod({ databaseUrl: database.url, env: { CONTINUO_SANDBOX: 'auto' } });
    const elsewhere = 'written on the pod that is killed';
    await ask('PUT', `${doomed.url}/api/v1/workspaces/default/files/elsewhere.txt`, elsewhere);
    const { execution } = await exec({ command: `cat elsewhere.txt; ${command}`, timeout: 600 }, doomed.url);
    await until('the tree runs', () => running(name).length === 3);
    const first = new Set(running(name));
    doomed.kill('SIGKILL');
    await until('the tree is gone', () => !running(name).some((pid) => first.has(pid)));
    const second = await until('another pod runs it again', () => {
      const found = running(name);
      return found.length === 3 ? found : null;
    });
    expect(second.some((pid) => first.has(pid))).toBe(false);
    // Its folder has caught up before the command began.
    const { pathname } = new URL(execution);
    await until('the second command shows the file', async () =>
      (await ask('GET', `${pod.url}${pathname}?wait=30&after=0`)).body.output?.startsWith(elsewhere),
    );
  });
});
