// What bounds the calls of runs: how many are made at a time, how they stop, and what models are told of errors.

import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { until } from '@continuo/testkit';
import { createFileTools } from '../../src/files/tools/index.ts';
import type { AnyTool } from '../../src/tools/registry.ts';
import { errorForModels, ToolFailure, type Tool, type TransactionContext } from '../../src/tools/tool.ts';
import { Workspaces } from '../../src/files/workspace-files.ts';
import { createLoop, play, requestCancel } from './support.ts';
import { place, said, useTools } from '../files/tools/support.ts';

const world = useTools();

/** A pure tool that counts how many of its calls are running, and ends when the test says so. */
function gate() {
  const input = z.object({});
  const held: (() => void)[] = [];
  let [now, most, begun] = [0, 0, 0];
  let isOpen = false;
  const tool: Tool<z.infer<typeof input>> = {
    name: 'look',
    description: 'Looks at something.',
    effect: 'pure',
    input,
    async run() {
      now += 1;
      begun += 1;
      most = Math.max(most, now);
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
      now -= 1;
      return { text: 'seen' };
    },
  };
  return {
    tool,
    counts: () => ({ now, most, begun }),
    open: () => {
      isOpen = true;
      for (const end of held.splice(0)) end();
    },
  };
}

const looks = (count: number) => ({
  steps: [{ calls: Array.from({ length: count }, () => ({ tool: 'look', input: {} })) }, { text: 'done' }],
});

test('pure calls run at most 8 at a time in a run, and twice as many as processors in a pod; runs take turns', async () => {
  const { tool, counts, open } = gate();
  const loop = await createLoop(world, { tools: [tool] });
  const threads = [await world.thread(), await world.thread()];
  for (const thread of threads) await world.run(thread, looks(40));
  const pod = 2 * availableParallelism();
  const first = loop.work(await loop.hold(threads[0]!));
  await expect.poll(() => counts().begun).toBe(Math.min(8, pod));
  const second = loop.work(await loop.hold(threads[1]!));
  await expect.poll(() => counts().begun).toBe(Math.min(16, pod));
  open();
  await Promise.all([first, second]);
  expect(counts()).toEqual({ now: 0, most: Math.min(16, pod), begun: 80 });
  for (const thread of threads) {
    const ends = (await world.log(thread)).filter(({ type }) => type === 'tool_end');
    expect(ends).toHaveLength(40);
  }
});

test('calls that wait for their turn are not made when the thread is lost', async () => {
  const { tool, counts, open } = gate();
  const loop = await createLoop(world, { tools: [tool] });
  const thread = await world.thread();
  await world.run(thread, looks(40));
  const hold = await loop.hold(thread);
  const work = loop.work(hold);
  await expect.poll(() => counts().begun).toBeGreaterThan(0);
  const { begun } = counts();
  hold.lose();
  await expect(work).rejects.toThrow();
  open();
  expect(counts().begun).toBe(begun);
});

test('of canceled calls, those that waited for their turn end as canceled, and the running ones as unknown', async () => {
  const { tool, counts, open } = gate();
  const loop = await createLoop(world, { tools: [tool], cancelGraceMs: 1 });
  const thread = await world.thread();
  const run = await world.run(thread, looks(40));
  const hold = await loop.hold(thread);
  const work = loop.work(hold);
  const begun = Math.min(8, 2 * availableParallelism());
  await until('as many calls as allowed are running', () => counts().begun === begun);
  await until('the others have started', async () => {
    const log = await world.log(thread);
    return log.filter(({ type }) => type === 'tool_start').length === 40;
  });
  await requestCancel(world, run);
  hold.onWake!();
  await work;
  open();
  expect(counts().begun).toBe(begun);
  const ends = (await world.log(thread)).flatMap((event) => (event.type === 'tool_end' ? [event.data] : []));
  expect(ends.map(({ outcome }) => outcome)).toEqual([
    ...Array.from({ length: begun }, () => 'unknown'),
    ...Array.from({ length: 40 - begun }, () => 'canceled'),
  ]);
  expect(ends.at(-1)!.output).toEqual({ error: 'the run ended before this call was made' });
});

test('of more than 128 calls of a message the others end at once with a result, and none of them is made', async () => {
  const { tool, counts, open } = gate();
  open();
  const loop = await createLoop(world, { tools: [tool] });
  const thread = await world.thread();
  await world.run(thread, looks(130));
  await loop.work(await loop.hold(thread));
  expect(counts().begun).toBe(128);
  const log = await world.log(thread);
  const ends = log.flatMap((event) => (event.type === 'tool_end' ? [event.data] : []));
  expect(ends).toHaveLength(130);
  const refused = ends.filter(({ success }) => !success);
  expect(refused.map(({ output }) => output)).toEqual(
    [1, 2].map(() => ({
      error: expect.stringMatching(/^not made: a message may request at most 128 calls/) as string,
    })),
  );
  expect(log.at(-1)).toMatchObject({ type: 'session' });
});

test('grep does not follow a link in the place of the workspace’s folder, and tells no path of the server', async () => {
  const home = await mkdtemp(join(tmpdir(), 'continuo-grep-'));
  const { workspace, thread, write } = await place(world);
  await write('a.txt', 'a secret\n');
  const outside = join(home, 'outside');
  const folder = join(home, 'folder');
  const workspaces = new Workspaces(world.workspaces.options);
  let prepare = () => Promise.resolve();
  workspaces.attach({
    stage: () => null,
    flush: () => Promise.resolve(),
    problem: () => null,
    folder: async () => {
      await prepare();
      return folder;
    },
  });
  const tools = createFileTools({
    pool: world.pool,
    workspaces,
    chats: { list: () => Promise.resolve([]), read: () => Promise.resolve(null) },
    rules: () => Promise.resolve({ workspace: [{ tool: '*', action: 'allow' }], role: [] }),
  });
  const loop = await createLoop(world, { tools });
  const grep = async () => {
    await world.run(thread, {
      steps: [{ calls: [{ tool: 'grep', input: { pattern: 'secret' } }] }, { text: 'x' }],
    });
    await loop.work(await loop.hold(thread));
    const ends = (await world.log(thread)).flatMap((event) =>
      event.type === 'tool_end' ? [event.data] : [],
    );
    return said(ends.at(-1));
  };
  try {
    prepare = async () => {
      await rm(folder, { recursive: true, force: true });
      await rename(await mkdtemp(join(home, 'new-')), folder);
      await writeFile(join(folder, 'a.txt'), 'a secret\n');
    };
    expect(await grep()).toBe('1 line in 1 file\n/a.txt:1: a secret');
    await rename(folder, outside);
    await symlink(outside, folder);
    prepare = () => Promise.resolve();
    const replaced = await grep();
    expect(replaced).toMatch(/was replaced by something else/);
    await rm(folder);
    for (const text of [replaced, await grep()]) {
      expect(text).not.toContain(home);
      expect(text).not.toContain(workspace);
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test.each([
  ['pure', 'the call was made, but its result is nested deeper than the 64 levels that are allowed'],
  ['external', 'the call was made, but its result is nested deeper than the 64 levels that are allowed'],
  ['transactional', 'nothing was done: the result is nested deeper than the 64 levels that are allowed'],
] as const)(
  'a call (%s) whose own result is nested too deep ends with a sentence that says whether it was made',
  async (effect, sentence) => {
    await world.pool.query('create table if not exists made (effect text)');
    for (const depth of [65, 100_000]) {
      let deep: unknown[] = [];
      for (let level = 1; level < depth; level += 1) deep = [deep];
      const tool = {
        name: 'dig',
        description: 'Digs.',
        effect,
        input: z.object({}),
        run: async (_: object, { sql }: Partial<TransactionContext>) => {
          await (sql ?? world.pool).query('insert into made values ($1)', [effect]);
          return deep;
        },
      } as AnyTool;
      const script = { steps: [{ calls: [{ tool: 'dig', input: {} }] }, { text: 'went on' }] };
      const { events } = await play(world, script, { tools: [tool] });
      const ends = events.flatMap((event) => (event.type === 'tool_end' ? [event.data] : []));
      expect(ends).toMatchObject([
        { success: false, output: { error: expect.stringContaining(sentence) as string } },
      ]);
      expect(events.flatMap((event) => (event.type === 'final' ? [event.data.text] : []))).toEqual([
        'went on',
      ]);
    }
    const { rowCount } = await world.pool.query('select from made where effect = $1', [effect]);
    expect(rowCount).toBe(effect === 'transactional' ? 0 : 2);
  },
);

test('errors told to models hold no path of the server, and failures of tools keep those of the workspace', async () => {
  const odd = Object.assign(new Error("ENOENT: no such file or directory, open '/home/My Name/x y.txt'"), {
    path: '/home/My Name/x y.txt',
  });
  expect(errorForModels(odd)).toBe("ENOENT: no such file or directory, open '[a path of the server]'");
  expect(
    errorForModels(new Error('spawn /usr/lib/rg ENOENT; see file:///srv/a.js, https://a.b/c/d and 1/2')),
  ).toBe('spawn [a path of the server] ENOENT; see [a path of the server], https://a.b/c/d and 1/2');
  expect(errorForModels(new Error(String.raw`EPERM: C:\Users\x\y`))).toBe('EPERM: [a path of the server]');
  expect(errorForModels(new ToolFailure('there is no file at /notes/a.md'))).toBe(
    'there is no file at /notes/a.md',
  );

  // Every built-in tool, where the database and the disk fail with a path in their words.
  const broken = new Error("ENOENT: open '/var/lib/continuo/secret'");
  const fail = () => Promise.reject(broken);
  const tools = createFileTools({
    pool: { query: fail, connect: fail } as never,
    workspaces: {
      mirrors: { folder: fail },
      options: world.workspaces.options,
      stage: () => null,
      committed: () => Promise.resolve(),
    } as never,
    chats: { list: fail, read: fail },
    rules: fail,
  });
  const inputs: Record<string, unknown> = {
    write: { path: '/a', content: 'x' },
    edit: { path: '/a', edits: [{ old_text: 'a', new_text: 'b' }] },
    patch: { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n' },
    move: { from: '/a', to: '/b' },
    glob: { pattern: '*' },
    grep: { pattern: 'x' },
    remember: { name: 'a', text: 'b' },
  };
  const loop = await createLoop(world, { tools });
  const thread = await world.thread();
  const calls = tools.map(({ name }) => ({ tool: name, input: inputs[name] ?? { path: '/a' } }));
  await world.run(thread, { steps: [{ calls }, { text: 'done' }] });
  await loop.work(await loop.hold(thread));
  const ends = (await world.log(thread)).flatMap((event) => (event.type === 'tool_end' ? [event.data] : []));
  expect(ends).toHaveLength(tools.length);
  expect(JSON.stringify(ends)).not.toContain('/var/lib');
  expect(ends.filter(({ success }) => !success).length).toBeGreaterThan(8);
});
