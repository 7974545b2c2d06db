// write and read, by real runs on a real database.

import { expect, test } from 'vitest';
import { said, useTools } from './support.ts';

const world = useTools();

test('WS-20 what a run writes it reads back, and both are in its log', async () => {
  const workspace = await world.workspace();
  const thread = await world.threadIn(workspace);
  const { ends, events, runId } = await world.calls(
    thread,
    { tool: 'write', input: { path: 'notes/haiku.md', content: 'one\ntwo\nthree\n' } },
    { tool: 'read', input: { path: '/notes/haiku.md' } },
    { tool: 'ls', input: { path: 'notes' } },
  );
  expect(ends.map(({ success }) => success)).toEqual([true, true, true]);
  expect(said(ends[0])).toBe('/notes/haiku.md created: version 1, 14 B');
  expect(said(ends[1])).toBe('/notes/haiku.md, version 1, 3 lines\n     1\tone\n     2\ttwo\n     3\tthree');
  expect(said(ends[2])).toMatch(/^\/notes: 1 entry\nhaiku\.md {2}14 B {2}v1 {2}20/);
  const { rows } = await world.pool.query('select id from files where workspace_id = $1', [workspace]);
  const file = rows[0].id as string;
  expect(events.flatMap((event) => (event.type === 'file_updated' ? [event.data] : []))).toEqual([
    { path: '/notes/haiku.md', v: 1, file, call: ends[0]!.call },
  ]);
  expect(events.flatMap((event) => (event.type === 'tool_start' ? [event.data.title] : []))).toEqual([
    'Writes /notes/haiku.md',
    'Reads /notes/haiku.md',
    'Lists /notes',
  ]);
  expect(events.findLast((event) => event.type === 'final')?.data).toMatchObject({ sources: [file] });
  expect(runId).toBeTruthy();
});

test('RUN-15 final.sources has the ids of the files that the run’s calls used, in order, each once', async () => {
  const workspace = await world.workspace();
  const thread = await world.threadIn(workspace);
  const [a, b, c] = [
    await world.write(workspace, 'a.txt', 'one'),
    await world.write(workspace, 'b.txt', 'two'),
    await world.write(workspace, 'c.txt', 'three'),
  ];
  const read = (path: string) => ({ tool: 'read', input: { path } });
  const first = await world.calls(
    thread,
    read('b.txt'),
    { tool: 'edit', input: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'eins' }] } },
    read('b.txt'),
    read('missing.txt'),
    { tool: 'write', input: { path: 'd.txt', content: 'made of b' } },
    { tool: 'ls', input: {} },
  );
  const sourcesOf = ({ events }: typeof first) =>
    events.findLast((event) => event.type === 'final')?.data.sources;
  expect(sourcesOf(first)).toEqual([b.id, a.id]);
  const second = await world.calls(thread, read('c.txt'));
  expect(sourcesOf(second)).toEqual([c.id]);
  expect(sourcesOf(await world.calls(thread, { tool: 'ls', input: {} }))).toEqual([]);
});
