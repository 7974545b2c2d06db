// The offline model with the built-in tools, over HTTP: real calls, real files, no key.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, send, type Frame } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod({ CONTINUO_MODEL: 'offline/instant' });

async function tell(thread: string, text: string) {
  const { id } = await send(world.url, thread, text);
  const frames = await framesOf(world.url, id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  const named = (event: string) => frames.filter((frame) => frame.event === event).map(({ data }) => data);
  return {
    id,
    frames,
    tools: named('tool_start').map(({ tool }) => tool),
    failed: named('tool_end').filter(({ success }) => success !== true),
    final: String(named('final')[0]!.text),
    sources: named('final')[0]!.sources as string[],
    updates: named('file_updated').map(({ path, v }) => `${String(path)} v${String(v)}`),
  };
}

async function textOf(path: string): Promise<string | null> {
  const { rows } = await world.database.pool.query<{ data: Buffer }>(
    `select c.data from files f join file_versions v on v.file_id = f.id and v.version = f.version
      join chunks c on c.hash = v.chunks[1] where f.path = $1 and f.removed_at is null`,
    [path],
  );
  return rows[0]?.data.toString() ?? null;
}

test('RT-7 "write a haiku to notes/haiku.md, then change its last line and show me the history" works without a key', async () => {
  const thread = await createThread(world.url);
  const { tools, failed, final, updates, sources } = await tell(
    thread,
    'write a haiku to notes/haiku.md, then change its last line and show me the history',
  );
  expect(failed).toEqual([]);
  expect(tools).toEqual(['write', 'read', 'edit', 'history']);
  expect(updates).toEqual(['/notes/haiku.md v1', '/notes/haiku.md v2']);
  const { rows } = await world.database.pool.query<{ text: string; id: string }>(
    `select convert_from(c.data, 'utf8') as text, f.id from files f join file_versions v on v.file_id = f.id
      join chunks c on c.hash = v.chunks[1] where f.path = '/notes/haiku.md' order by v.version`,
  );
  const [before, after] = rows.map(({ text }) => text.split('\n'));
  expect(before).toHaveLength(4);
  expect(after!.slice(0, 2)).toEqual(before!.slice(0, 2));
  expect(after![2]).not.toBe(before![2]);
  expect(after![2]).not.toBe('');
  expect(sources).toEqual([rows[0]!.id]);
  expect(final).toMatch(
    /\/notes\/haiku\.md: 2 versions\nv2 .* written by this run .*\nv1 .* written by this run/,
  );
  expect(final).toContain('no language model is connected. What I wrote comes from a fixed stock of lines.');
});

test('RT-7 a file that is there already is read before it is written again', async () => {
  const words = 'write a haiku to notes/again.md, then change its last line and show me the history';
  await tell(await createThread(world.url), words);
  const { tools, final, updates, failed } = await tell(await createThread(world.url), words);
  expect(tools).toEqual(['write', 'read', 'write', 'read', 'edit', 'history']);
  expect(failed).toHaveLength(1);
  expect(updates.at(-1)).toMatch(/^\/notes\/again\.md v[34]$/);
  expect(final).toContain('/notes/again.md:');
  expect(final).not.toContain('failed');
});

test('RT-7 several files that are there already are all read before they are written again', async () => {
  const words = 'write "one" to both/a.md and write "two" to both/b.md';
  expect((await tell(await createThread(world.url), words)).failed).toEqual([]);
  const other = 'write "three" to both/a.md and write "four" to both/b.md';
  const { final, failed } = await tell(await createThread(world.url), other);
  expect(failed).toHaveLength(2);
  expect(final).not.toContain('failed');
  expect([await textOf('/both/a.md'), await textOf('/both/b.md')]).toEqual(['three', 'four']);
});

test('RT-7 other words do what they say', async () => {
  const thread = await createThread(world.url);
  const say = (text: string) => tell(thread, text);
  const made = await say('create drafts/letter.md with content "Dear Ada,\nhow are you?\nYours, Bob"');
  expect(made.tools).toEqual(['write']);
  expect(await textOf('/drafts/letter.md')).toBe('Dear Ada,\nhow are you?\nYours, Bob');

  const replaced = await say('replace the first line of drafts/letter.md with "Dear Grace,"');
  expect(replaced.failed).toEqual([]);
  expect(await textOf('/drafts/letter.md')).toBe('Dear Grace,\nhow are you?\nYours, Bob');

  const found = await say('search for "Grace"');
  expect(found.tools).toEqual(['grep']);
  expect(found.final).toContain('/drafts/letter.md:1: Dear Grace,');

  const changed = await say('what changed in drafts/letter.md?');
  expect(changed.tools).toEqual(['diff']);
  expect(changed.final).toContain('-Dear Ada,');

  const undone = await say('undo the last change to drafts/letter.md, then read it');
  expect(undone.tools).toEqual(['restore', 'read']);
  expect(await textOf('/drafts/letter.md')).toMatch(/^Dear Ada,/);

  expect((await say('replace "Bob" with "B." in drafts/letter.md')).tools).toEqual(['edit']);
  expect(await textOf('/drafts/letter.md')).toMatch(/Yours, B\.$/);

  const listed = await say('list the files in drafts');
  expect(listed.tools).toEqual(['ls']);
  expect(listed.final).toContain('letter.md');
  expect((await say('find all *.md files')).final).toContain('/drafts/letter.md');

  expect((await say('move drafts/letter.md to sent/letter.md')).updates).toEqual(['/sent/letter.md v5']);
  const removed = await say('remove sent/letter.md');
  expect(removed.tools).toEqual(['remove']);
  expect(await textOf('/sent/letter.md')).toBeNull();
  const missing = await say('read sent/letter.md');
  expect(missing.final).toContain('restore undoes the removal');
});

test('RT-7 a line that is not there, or that nobody named, is said plainly and nothing is changed', async () => {
  const thread = await createThread(world.url);
  await tell(thread, 'write "only one line" to one.txt');
  const none = await tell(thread, 'change line 7 of one.txt to hello');
  expect(none.tools).toEqual(['read']);
  expect(none.final).toContain('one.txt has no such line; it has 1 line.');
  const what = await tell(thread, 'change the last line of one.txt');
  expect(what.final).toContain('I cannot make up another line');
  expect(await textOf('/one.txt')).toBe('only one line');
});

test('RT-5 the full output of a call stays retrievable at its own address', async () => {
  const thread = await createThread(world.url);
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');
  await tell(thread, `write to long.txt:\n\`\`\`\n${lines}\`\`\``);
  const { id, frames } = await tell(thread, 'read long.txt');
  const end = frames.find(({ event }) => event === 'tool_end') as Frame;
  const found = await ask('GET', `${world.url}/api/v1/tool-results/${id}:${String(end.data.call)}`);
  expect(found.status).toBe(200);
  expect(found.body).toMatchObject({
    id: `${id}:${String(end.data.call)}`,
    run_id: id,
    call: end.data.call,
    tool: 'read',
    title: 'Reads /long.txt',
    input: { path: 'long.txt' },
    success: true,
    output: end.data.output,
  });
  expect(found.body.output.text).toContain('line 40');
  for (const unknown of [
    `${id}:nothing`,
    `${id}`,
    'x',
    '00000000-0000-7000-8000-00000000000f:m1_0',
    `${id}:%22`,
  ])
    expect((await ask('GET', `${world.url}/api/v1/tool-results/${unknown}`)).status).toBe(404);
});
