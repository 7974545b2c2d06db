// The other tools on files, by real runs on a real database: what each does, how it fails, and what it refuses.

import { describe, expect, test } from 'vitest';
import { place, said, useTools, type Call } from './support.ts';

const world = useTools({ maxFileBytes: 100 * 1024 });

describe('read', () => {
  test('WS-20 read shows a part of a long file, and says how to go on', async () => {
    const { call, write } = await place(world);
    await write('a.txt', Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n'));
    const first = said(await call('read', { path: 'a.txt' }));
    expect(first.split('\n')).toHaveLength(2002);
    expect(first).toContain('[lines 1 to 2000 of 5000; continue with from_line: 2001]');
    const part = said(await call('read', { path: 'a.txt', from_line: 4999, max_lines: 10 }));
    expect(part).toBe('/a.txt, version 1, 5,000 lines\n  4999\tline 4999\n  5000\tline 5000');
    expect(said(await call('read', { path: 'a.txt', from_line: 5001 }))).toMatch(
      /has 5,000 lines; from_line 5001/,
    );
  });

  test('WS-20 a file of 2 MiB on one line, and one of a million lines, are bounded results', async () => {
    const { call, write } = await place(world);
    await write('long.txt', 'x'.repeat(2 * 2 ** 20));
    await write('many.txt', 'y'.repeat(500).concat('\n').repeat(4200));
    expect(said(await call('read', { path: 'long.txt' })).length).toBeLessThan(11_000);
    const many = said(await call('read', { path: 'many.txt' }));
    expect(many.length).toBeLessThan(260 * 1024);
    expect(many).toMatch(/\[lines 1 to 5\d\d of 4200; continue with from_line: 5\d\d\]$/);
  });

  test('WS-20 read shows an earlier version, and an unknown one is named with those there are', async () => {
    const { call, write } = await place(world);
    await write('a.txt', 'one');
    await write('a.txt', 'two');
    expect(said(await call('read', { path: 'a.txt', version: 1 }))).toBe(
      '/a.txt, version 1 (the newest is 2), 1 line\n     1\tone',
    );
    expect(said(await call('read', { path: 'a.txt', version: 3 }))).toMatch(
      /no version 3; it has versions 1 to 2/,
    );
  });

  test('RT-2 a path that is not there names the nearest ones, a folder and a removed file as what they are', async () => {
    const { call, write } = await place(world);
    await write('notes/haiku.md', 'x');
    await write('other/plan.md', 'x');
    expect(said(await call('read', { path: 'notes/haku.md' }))).toBe(
      'there is no file at /notes/haku.md. Did you mean /notes/haiku.md?',
    );
    expect(said(await call('read', { path: 'plan.md' }))).toContain('Did you mean /other/plan.md?');
    expect(said(await call('read', { path: 'notes' }))).toBe(
      '/notes is a folder, not a file; ls /notes lists it',
    );
    await call('remove', { path: 'other/plan.md' });
    expect(said(await call('read', { path: 'other/plan.md' }))).toContain(
      'removed as version 2; restore undoes the removal',
    );
    expect(said(await call('read', { path: 'qqq.zz' }))).toContain('Use glob or ls to see which files exist');
  });

  test('WS-20 bytes that are no text are named, not shown', async () => {
    const { call, write } = await place(world);
    await write('a.bin', Buffer.from([0, 1, 2]));
    expect(said(await call('read', { path: 'a.bin' }))).toBe(
      '/a.bin is not text (3 B); it cannot be shown here',
    );
  });

  test('RT-2 a folder that is not there is called one', async () => {
    const { call, write } = await place(world);
    await write('notes/haiku.md', 'x');
    for (const tool of ['ls', 'tree'])
      expect(said(await call(tool, { path: 'nots' }))).toMatch(/^there is no folder at \/nots\./);
    expect(said(await call('remove', { path: 'nots' }))).toMatch(/^there is no file or folder at \/nots\./);
  });

  test('RT-2 no failure names a path that a policy denies the agent to read', async () => {
    const { call, write, workspace } = await place(world);
    await write('notes/haiku.md', 'x');
    await write('secret/plan.md', 'x');
    await write('secret/deep/plan.md', 'x');
    await world.pool.query('update workspaces set policy = $2 where id = $1', [
      workspace,
      JSON.stringify({
        rules: [
          { tool: '*', action: 'allow' },
          { tool: 'read', path: '/secret/**', action: 'deny' },
        ],
      }),
    ]);
    expect(said(await call('read', { path: 'plan.md' }))).toBe(
      'there is no file at /plan.md. Use glob or ls to see which files exist.',
    );
    expect(said(await call('read', { path: 'notes/haiku.txt' }))).toContain('Did you mean /notes/haiku.md?');
  });
});

describe('chats', () => {
  test('WS-19 a chat is listed and read like a file, is a source, and nobody writes it', async () => {
    const { workspace, thread, call, write } = await place(world);
    await write('a.txt', 'one');
    await call('read', { path: 'a.txt' });
    const listed = said(await call('ls', { path: '/chats' })).split('\n');
    expect(listed[0]).toBe('/chats: 1 chat');
    expect(said(await call('ls', {}))).toContain('chats/  1 chat, read-only');
    const path = `/chats/${listed[1]}`;
    const chat = await call('read', { path });
    expect(said(chat)).toContain('a.txt');
    expect(chat.sources).toEqual([thread]);
    for (const [tool, input] of [
      ['write', { path, content: 'FORGED' }],
      ['write', { path: '/Chats/x', content: 'a' }],
      ['move', { from: 'a.txt', to: '/chats/a.txt' }],
      ['patch', { patch: `--- /dev/null\n+++ b/chats/x\n@@ -0,0 +1 @@\n+x\n` }],
    ] as const) {
      expect(said(await call(tool, input))).toContain('read-only');
    }
    expect(await world.paths(workspace)).toEqual(['/a.txt']);
  });
});

test('RT-2 a key that a tool does not know is refused, not passed over', async () => {
  const { call, write, text } = await place(world);
  await write('a.txt', 'one');
  await write('a.txt', 'two');
  const end = await call('restore', { path: 'a.txt', version: 1, to: '/agents/h.md' });
  expect(end.success).toBe(false);
  expect(said(end)).toContain('to');
  expect(await text('a.txt')).toBe('two');
});

test('RT-2 a search where nothing is says so', async () => {
  const { call } = await place(world);
  expect(said(await call('grep', { pattern: 'x', path: '/nope' }))).toContain(
    'there is no file or folder at /nope',
  );
});

describe('move and remove', () => {
  test('WS-20 a file and a folder move, with their ids and histories', async () => {
    const { workspace, thread, write } = await place(world);
    const file = await write('a/x.md', 'x');
    await write('a/deep/y.md', 'y');
    const { ends, events } = await world.calls(
      thread,
      { tool: 'move', input: { from: 'a', to: 'b/c' } },
      { tool: 'move', input: { from: 'b/c/x.md', to: 'd/' } },
    );
    expect(ends.map(said)).toEqual(['/a moved to /b/c: 2 files', '/b/c/x.md moved to /d/x.md: version 3']);
    expect(await world.paths(workspace)).toEqual(['/b/c/deep/y.md', '/d/x.md']);
    expect(events.flatMap((event) => (event.type === 'file_updated' ? [event.data] : []))).toContainEqual({
      path: '/d/x.md',
      from: '/b/c/x.md',
      v: 3,
      file: file.id,
      call: ends[1]!.call,
    });
  });

  test('RT-2 nothing is overwritten, and a folder does not go into itself', async () => {
    const { call, write, workspace } = await place(world);
    await write('a/x.md', 'x');
    await write('b.md', 'y');
    expect(said(await call('move', { from: 'a/x.md', to: 'b.md' }))).toBe(
      '/b.md is a file; nothing was changed',
    );
    expect(said(await call('move', { from: 'a', to: 'a/b' }))).toMatch(/into itself/);
    expect(said(await call('move', { from: 'zz', to: 'b' }))).toMatch(/no file or folder at \/zz/);
    expect(said(await call('move', { from: 'b.md', to: 'b.md' }))).toMatch(/the same/);
    expect(await world.paths(workspace)).toEqual(['/a/x.md', '/b.md']);
  });

  test('WS-20 a folder is removed only when told so, and comes back file by file', async () => {
    const { call, write, text, workspace } = await place(world);
    await write('a/x.md', 'x');
    await write('a/y.md', 'y');
    expect(said(await call('remove', { path: 'a' }))).toMatch(/a folder with 2 files; set recursive/);
    expect(said(await call('remove', { path: 'a', recursive: true }))).toBe(
      '/a removed: 2 files; restore undoes this',
    );
    expect(await world.paths(workspace)).toEqual([]);
    expect(said(await call('restore', { path: 'a/x.md' }))).toMatch(
      /restored to the content of version 2: version 3/,
    );
    expect(await text('a/x.md')).toBe('x');
  });
});

describe('history, diff and restore', () => {
  test('WS-20 the history says in words who did what, and diff what changed', async () => {
    const { call, write, thread } = await place(world);
    await write('a.txt', 'one\ntwo\n');
    await call('edit', { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] });
    const { ends } = await world.calls(
      thread,
      { tool: 'edit', input: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'eins' }] } },
      { tool: 'history', input: { path: 'a.txt' } },
      { tool: 'diff', input: { path: 'a.txt' } },
      { tool: 'diff', input: { path: 'a.txt', from: 1 } },
    );
    expect(
      said(ends[1])
        .split('\n')
        .map((line) => line.replace(/ {2}\d{4}-.* UTC/, '')),
    ).toEqual([
      '/a.txt: 3 versions',
      'v3  written by this run  10 B',
      'v2  written by an earlier run of this conversation  9 B',
      'v1  written by a person  8 B',
    ]);
    expect(said(ends[2])).toBe(
      '--- /a.txt\tversion 2\n+++ /a.txt\tversion 3\n@@ -1,2 +1,2 @@\n-one\n+eins\n zwei',
    );
    expect(said(ends[3])).toContain('-one\n-two\n+eins\n+zwei');
  });

  test('WS-20 undoing goes back over moves to what the file said before', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'one');
    await write('a.txt', 'two');
    await call('move', { from: 'a.txt', to: 'b.txt' });
    expect(said(await call('restore', { path: 'b.txt' }))).toBe(
      '/b.txt restored to the content of version 1: version 4',
    );
    expect(await text('b.txt')).toBe('one');
    expect(said(await call('restore', { path: 'b.txt', version: 1 }))).toMatch(/already has the content/);
    expect(said(await call('restore', { path: 'b.txt', version: 9 }))).toMatch(/no version 9/);
    expect(said(await call('restore', { path: 'c.txt' }))).toMatch(/no file at \/c.txt/);
  });

  test('WS-20 a difference of 1 MiB is bounded', async () => {
    const { call, write } = await place(world);
    await write('a.txt', 'a\n'.repeat(500_000));
    await write('a.txt', 'b\n'.repeat(500_000));
    const end = await call('diff', { path: 'a.txt' });
    expect(said(end)).toMatch(
      /more lines are not shown; read the versions in parts|was stopped; read both in parts/,
    );
    await write('b.txt', 'x');
    await write(
      'b.txt',
      Array.from({ length: 3000 }, (_, index) => `${index} ${'y'.repeat(100)}`).join('\n'),
    );
    expect(said(await call('diff', { path: 'b.txt' })).length).toBeLessThan(66 * 1024);
  });
});

describe('ls, tree and glob', () => {
  test('WS-20 a folder, its tree and its files by name', async () => {
    const { call, write } = await place(world);
    for (const path of ['a.md', 'src/x.ts', 'src/lib/y.ts', 'src/lib/z.md']) await write(path, 'x');
    expect(said(await call('ls', {})).replaceAll(/ {2}20\S+/g, '')).toBe(
      '/: 3 entries\nchats/  1 chat, read-only\nsrc/  3 files\na.md  1 B  v1',
    );
    expect(said(await call('tree', {}))).toBe('/: 4 files\na.md\nsrc/\n  lib/\n    y.ts\n    z.md\n  x.ts');
    expect(said(await call('tree', { path: 'src', depth: 1 }))).toBe('/src: 3 files\nlib/\nx.ts');
    expect(said(await call('glob', { pattern: '*.md' }))).toBe('2 files match *.md\n/a.md\n/src/lib/z.md');
    expect(said(await call('glob', { pattern: 'src/**/*.{ts,md}' }))).toBe(
      '3 files match src/**/*.{ts,md}\n/src/lib/y.ts\n/src/lib/z.md\n/src/x.ts',
    );
    expect(said(await call('glob', { pattern: '*.ts', path: 'src/lib' }))).toContain('1 file matches');
    expect(said(await call('ls', { path: 'srcc' }))).toMatch(/no folder at \/srcc/);
    expect(said(await call('glob', { pattern: '[a-z].md' }))).toMatch(/is not supported/);
  });

  test('WS-20 three thousand files are bounded lists', async () => {
    const { call, workspace } = await place(world);
    await world.pool.query(
      `insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
        select gen_random_uuid(), $1, '/many/' || n || '.txt', '/many/' || n || '.txt', 'file', 1, '', 0, true
        from generate_series(1, 3000) n`,
      [workspace],
    );
    for (const [tool, input] of [
      ['ls', { path: 'many' }],
      ['tree', {}],
      ['glob', { pattern: '*' }],
    ] as const) {
      const text = said(await call(tool, input));
      expect(text.split('\n').length).toBeLessThanOrEqual(1005);
      expect(text).toMatch(/not shown|there are more/);
    }
    expect(said(await call('move', { from: 'many', to: 'more' }))).toMatch(/more than 1,000 files/);
  });
});

describe('grep', () => {
  test('WS-20 grep finds lines in the mirror, with their places, and names them as sources', async () => {
    const { write, thread } = await place(world);
    const file = await write('src/a.md', 'one\nTODO: this\n');
    await write('b.txt', 'todo: that\n');
    const { ends, events } = await world.calls(
      thread,
      { tool: 'grep', input: { pattern: 'TODO' } },
      { tool: 'grep', input: { pattern: 'todo', ignore_case: true, glob: '*.md' } },
      { tool: 'grep', input: { pattern: 'todo', ignore_case: true, path: 'src', glob: '*.txt' } },
      { tool: 'grep', input: { pattern: 'a(', path: 'src' } },
      { tool: 'grep', input: { pattern: '--files', literal: true } },
      { tool: 'grep', input: { pattern: 'todo', ignore_case: true, path: 'b.txt' } },
    );
    expect(said(ends[0])).toBe('1 line in 1 file\n/src/a.md:2: TODO: this');
    expect(said(ends[1])).toBe('1 line in 1 file\n/src/a.md:2: TODO: this');
    expect(said(ends[2])).toBe('0 lines in 0 files');
    expect(ends[3]!.success).toBe(false);
    expect(said(ends[3])).toMatch(/regex parse error/);
    expect(said(ends[4])).toBe('0 lines in 0 files');
    expect(said(ends[5])).toBe('1 line in 1 file\n/b.txt:1: todo: that');
    expect(events.findLast((event) => event.type === 'final')?.data.sources?.[0]).toBe(file.id);
  });

  test('WS-20 100,000 matches, and lines of 2 MiB, are a bounded result', async () => {
    const { call, write } = await place(world);
    await write('a.txt', 'match me\n'.repeat(100_000));
    await write('b.txt', `match ${'x'.repeat(2 * 2 ** 20)}`);
    const text = said(await call('grep', { pattern: 'match' }));
    expect(text.length).toBeLessThan(70 * 1024);
    expect(text).toMatch(/\[there may be more than 500 lines; narrow/);
    expect(said(await call('grep', { pattern: 'x{3}', path: 'b.txt' })).length).toBeLessThan(1000);
  });
});

describe('remember and recall', () => {
  test('WS-20 a note is kept for later runs of the thread, and for no other', async () => {
    const { call, workspace, thread } = await place(world);
    expect(said(await call('recall', {}))).toBe('0 notes');
    expect(said(await call('remember', { name: 'colour', text: 'blue' }))).toBe('remembered "colour", 4 B');
    expect(said(await call('recall', { name: 'colour' }))).toBe('blue');
    expect(said(await call('recall', { name: 'color' }))).toBe(
      'there is no note "color"; the notes are: colour',
    );
    const other = await world.threadIn(workspace);
    expect(said((await world.calls(other, { tool: 'recall', input: {} })).ends[0])).toBe('0 notes');
    expect(said(await call('remember', { name: 'colour', text: '' }))).toBe('deleted "colour"');
    await call('remember', { name: 'x', text: 'y' });
    await world.pool.query('select purge_thread($1)', [thread]);
    const { rowCount } = await world.pool.query('select from notes where thread_id = $1', [thread]);
    expect(rowCount).toBe(0);
  });

  test('RT-2 notes are bounded in size and number', async () => {
    const { call, thread } = await place(world);
    expect(said(await call('remember', { name: 'x', text: 'é'.repeat(9000) }))).toMatch(/17\.6 KiB; at most/);
    await world.pool.query(
      "insert into notes (thread_id, name, text, run_id) select $1, 'n' || n, repeat('z', 1000), $1 from generate_series(1, 200) n",
      [thread],
    );
    expect(said(await call('remember', { name: 'one more', text: 'x' }))).toMatch(/at most 200 notes/);
    expect((await call('remember', { name: 'n7', text: 'changed' })).success).toBe(true);
    expect(said(await call('recall', {})).length).toBeLessThan(80 * 1024);
  });
});

describe('paths', () => {
  const HOSTILE = [
    '../x',
    'a/../../x',
    '/../etc/passwd',
    'a//b',
    'a\0b',
    '.git/config',
    'x/.',
    'C:\\x',
    'a/‮b',
  ];
  const CALLS: readonly ((path: string) => Call)[] = [
    (path) => ({ tool: 'read', input: { path } }),
    (path) => ({ tool: 'write', input: { path, content: 'x' } }),
    (path) => ({ tool: 'edit', input: { path, edits: [{ old_text: 'a', new_text: 'b' }] } }),
    (path) => ({ tool: 'patch', input: { patch: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+x\n` } }),
    (path) => ({ tool: 'move', input: { from: path, to: 'fine.txt' } }),
    (path) => ({ tool: 'move', input: { from: 'is.txt', to: path } }),
    (path) => ({ tool: 'remove', input: { path, recursive: true } }),
    (path) => ({ tool: 'history', input: { path } }),
    (path) => ({ tool: 'diff', input: { path } }),
    (path) => ({ tool: 'restore', input: { path } }),
    (path) => ({ tool: 'ls', input: { path: `${path}/x` } }),
    (path) => ({ tool: 'tree', input: { path: `${path}/x` } }),
    (path) => ({ tool: 'glob', input: { pattern: '*', path: `${path}/x` } }),
    (path) => ({ tool: 'grep', input: { pattern: 'x', path: `${path}/x` } }),
  ];
  test('RT-2 a path out of the workspace is refused by every tool, in words, and changes nothing', async () => {
    const { workspace, write } = await place(world);
    await write('is.txt', 'a');
    const thread = await world.threadIn(workspace);
    const calls = HOSTILE.flatMap((path) => CALLS.map((call) => call(path)));
    const { ends } = await world.calls(thread, calls);
    const passed = ends.flatMap((end, index) => (end.success ? [[calls[index], end.output]] : []));
    expect(passed).toEqual([]);
    for (const end of ends)
      expect(said(end)).toMatch(/not a path|no file|patch|in the workspace|do not store/);
    expect(await world.paths(workspace)).toEqual(['/is.txt']);
  });

  test('RT-2 an absolute path is one in the workspace, never the machine’s', async () => {
    const { call } = await place(world);
    expect(said(await call('read', { path: '/etc/passwd' }))).toMatch(/no file at \/etc\/passwd/);
    await call('write', { path: '/etc/passwd', content: 'mine' });
    expect(said(await call('read', { path: '/etc/passwd' }))).toContain('1\tmine');
  });
});
