// The tools that change what files say, by real runs on a real database: write, edit, patch.

import { describe, expect, test } from 'vitest';
import { place, said, useTools, type Call } from './support.ts';

const world = useTools({ maxFileBytes: 100 * 1024 });

describe('write', () => {
  test('WS-15 what a person changed since the thread knew it is not overwritten unseen', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'a person’s');
    expect(said(await call('write', { path: 'a.txt', content: 'mine' }))).toMatch(
      /already exists \(version 1, 12 B\), and this conversation has not read it; read it first/,
    );
    await call('read', { path: 'a.txt' });
    await write('a.txt', 'a person’s second');
    const refused = await call('write', { path: 'a.txt', content: 'mine' });
    expect(refused.success).toBe(false);
    expect(said(refused)).toBe(
      '/a.txt was changed by a person since you last read or wrote it (version 1); it is now at version 2 (19 B). Read it again before you write it, or use edit',
    );
    expect(await text('a.txt')).toBe('a person’s second');
    await call('read', { path: 'a.txt' });
    expect(said(await call('write', { path: 'a.txt', content: 'mine' }))).toContain('replaced: version 3');
    expect(said(await call('write', { path: 'a.txt', content: 'mine again' }))).toContain(
      'replaced: version 4',
    );
    expect(said(await call('write', { path: 'a.txt', content: 'mine again' }))).toContain(
      'already has this content',
    );
  });

  test('WS-15 an edit on top of a change that was not seen does not make it seen', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'one\ntwo\n');
    await call('read', { path: 'a.txt' });
    await write('a.txt', 'one\ntwo\nthree\n');
    expect(
      said(await call('edit', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'eins' }] })),
    ).toContain('version 3');
    expect((await call('write', { path: 'a.txt', content: 'eins\ntwo\n' })).success).toBe(false);
    expect(await text('a.txt')).toBe('eins\ntwo\nthree\n');
  });

  test('WS-15 the version that is replaced may be named instead', async () => {
    const { call, write } = await place(world);
    await write('a.txt', 'one');
    expect((await call('write', { path: 'a.txt', content: 'two', version: 2 })).success).toBe(false);
    expect(said(await call('write', { path: 'a.txt', content: 'two', version: 1 }))).toContain('version 2');
    expect(said(await call('write', { path: 'b.txt', content: 'two', version: 1 }))).toMatch(
      /no file at \/b.txt/,
    );
  });

  test('WS-20 two writes of one message know of each other', async () => {
    const { thread, text } = await place(world);
    const { ends } = await world.calls(thread, [
      { tool: 'write', input: { path: 'a.txt', content: 'one' } },
      { tool: 'write', input: { path: 'a.txt', content: 'two' } },
    ]);
    expect(ends.map(({ success }) => success)).toEqual([true, true]);
    expect(await text('a.txt')).toBe('two');
  });

  test('RT-2 NUL, a file where a folder is, and too much content are refused in words', async () => {
    const { call, write } = await place(world);
    await write('a/b.txt', 'x');
    expect(said(await call('write', { path: 'c.txt', content: 'a\0b' }))).toMatch(/NUL/);
    expect(said(await call('write', { path: 'a', content: 'x' }))).toBe(
      '/a is a folder; nothing was changed',
    );
    expect(said(await call('write', { path: 'a/b.txt/c', content: 'x' }))).toBe(
      '/a/b.txt is a file; nothing was changed',
    );
    expect(said(await call('write', { path: 'c.txt', content: 'x'.repeat(101 * 1024) }))).toMatch(
      /\(101\.0 KiB\); a file may have at most 100\.0 KiB/,
    );
  });
});

describe('edit', () => {
  const edits = (...pairs: [old_text: string, new_text: string][]) => ({
    path: 'a.txt',
    edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })),
  });

  test('WS-20 several replacements are one version', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'one\ntwo\nthree\n');
    expect(said(await call('edit', edits(['one', 'eins'], ['three', 'drei'])))).toBe(
      '/a.txt edited: 2 replacements, version 2',
    );
    expect(await text('a.txt')).toBe('eins\ntwo\ndrei\n');
  });

  test('RT-2 a text that occurs more than once is named with its lines, and replace_all takes them all', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'x\nfoo\ny\nfoo\n\nfoo');
    const refused = await call('edit', edits(['foo', 'bar']));
    expect(said(refused)).toBe(
      'old_text occurs 3 times (lines 2, 4, 6); include more of the surrounding text, or set replace_all',
    );
    expect(await text('a.txt')).toBe('x\nfoo\ny\nfoo\n\nfoo');
    await call('edit', { path: 'a.txt', edits: [{ old_text: 'foo', new_text: '$&', replace_all: true }] });
    expect(await text('a.txt')).toBe('x\n$&\ny\n$&\n\n$&');
  });

  test('RT-2 a text that is not there gets the nearest lines, and all edits or none are made', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'an old pond\na frog jumps in\nthe sound of water\n');
    const refused = await call('edit', edits(['an old pond', 'a pond'], ['the sounds of watr', 'x']));
    expect(said(refused)).toBe(
      'edit 2: old_text is not in the file. The most similar lines are:\n     3\tthe sound of water',
    );
    expect(said(await call('edit', edits(['     1\tan old pond', 'x'])))).toMatch(/line numbers/);
    expect(said(await call('edit', edits(['zzzzzz', 'x'])))).toMatch(/No line is similar to it/);
    expect(said(await call('edit', edits(['an old pond', 'an old pond'])))).toMatch(/change nothing/);
    expect(await text('a.txt')).toContain('an old pond');
  });

  test('WS-20 a file with Windows line ends keeps them', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'one\r\ntwo\r\nthree\r\n');
    await call('edit', edits(['one\ntwo', '1\n2']));
    expect(await text('a.txt')).toBe('1\r\n2\r\nthree\r\n');
  });

  test('WS-15 two threads that edit one file at once lose nothing', async () => {
    const { workspace, write, text } = await place(world);
    const lines = Array.from({ length: 24 }, (_, index) => `line ${index}.`);
    await write('a.txt', lines.join('\n'));
    const threads = await Promise.all([1, 2, 3].map(() => world.threadIn(workspace)));
    const played = await Promise.all(
      threads.map((thread, who) =>
        world.calls(
          thread,
          ...lines
            .filter((_, index) => index % 3 === who)
            .map((line): Call => ({
              tool: 'edit',
              input: { path: 'a.txt', edits: [{ old_text: line, new_text: `${line} by ${who}` }] },
            })),
        ),
      ),
    );
    expect(played.flatMap(({ ends }) => ends).every(({ success }) => success)).toBe(true);
    expect(await text('a.txt')).toBe(lines.map((line, index) => `${line} by ${index % 3}`).join('\n'));
    const versions = played.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'file_updated' ? [event.data.v] : [])),
    );
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 2));
  });
});

describe('patch', () => {
  test('WS-20 a patch changes, creates, moves and removes files, all in one', async () => {
    const { call, write, workspace, text } = await place(world);
    await write('a.txt', 'one\ntwo\nthree\n');
    await write('b.txt', 'gone\n');
    await write('c.txt', 'moved\n');
    const patch = `--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
--- /dev/null
+++ b/new/d.txt
@@ -0,0 +1,2 @@
+hello
+world
diff --git a/c.txt b/e.txt
similarity index 50%
rename from c.txt
rename to e.txt
--- a/c.txt
+++ b/e.txt
@@ -1 +1 @@
-moved
+moved and changed
`;
    const end = await call('patch', { patch });
    expect(said(end)).toBe('3 files patched\n/a.txt: version 2\n/new/d.txt: version 1\n/e.txt: version 3');
    expect(await world.paths(workspace)).toEqual(['/a.txt', '/b.txt', '/e.txt', '/new/d.txt']);
    expect(await text('a.txt')).toBe('one\nzwei\nthree\n');
    expect(await text('e.txt')).toBe('moved and changed\n');
  });

  test('RT-2 a hunk that does not fit changes nothing, and names the nearest lines', async () => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'one\ntwo\n');
    await write('b.txt', 'the sound of water\n');
    const patch = `--- a.txt
+++ a.txt
@@ -1,2 +1,2 @@
-one
+eins
 two
--- b.txt
+++ b.txt
@@ -1 +1 @@
-the sounds of water
+x
`;
    expect(said(await call('patch', { patch }))).toBe(
      'the hunk @@ -1,1 +1,1 @@ does not apply to /b.txt. Nothing was changed. The lines most similar to "the sounds of water" are:\n     1\tthe sound of water',
    );
    expect(await text('a.txt')).toBe('one\ntwo\n');
  });

  test.each([
    ['nothing', ''],
    ['prose', 'please change the second line'],
    ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b\n'],
    ['a hunk whose counts are wrong', '--- a.txt\n+++ a.txt\n@@ -1,9 +1,9 @@\n-one\n+two\n'],
    [
      'a file twice',
      '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n',
    ],
    ['a removal, which is a tool of its own', '--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n'],
    ['a new file that is there', '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n'],
  ])('RT-2 a patch that is %s is refused in words', async (_, patch) => {
    const { call, write, text } = await place(world);
    await write('a.txt', 'one\n');
    const end = await call('patch', { patch });
    expect(end.success).toBe(false);
    expect(said(end)).toMatch(/patch|does not apply/);
    expect(await text('a.txt')).toBe('one\n');
  });
});
