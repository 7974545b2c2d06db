// Documents whose files people wrote: what they wrote stays, whatever is changed by the API. TypeScript prints, SQL reads.

import { expect, test } from 'vitest';
import { holdContent } from '../../src/files/content.ts';
import { readFile, writeFile } from '../../src/files/files.ts';
import { parsePath } from '../../src/files/paths.ts';
import { readHead } from '../../src/files/save.ts';
import { contentOf, printDocument } from '../../src/knowledge/front-matter.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

async function open() {
  const caller = await world.newCaller();
  const { project } = await world.knowledge.projects.create(caller, { name: 'Texts' });
  const { documents } = world.knowledge;
  const write = async (text: string, name = 'A') => {
    const path = parsePath(`/projects/texts/docs/${name}.md`);
    if (!path.ok) throw new Error(path.problem);
    const content = await holdContent(world.pool, text);
    const changed = await writeFile(world.pool, { ...caller, base: null, path: path.path, content });
    return (changed as { file: { id: string } }).file.id;
  };
  const textOf = async (id: string) => {
    const file = await readFile(world.pool, caller.workspaceId, id);
    return (await readHead(world.pool, file!)).toString();
  };
  return { caller, project, documents, write, textOf };
}

test.each([
  '---\nHello world\n\nsecond para\n---\nrest',
  '\n\nleading lines',
  '---',
  '---\ntitle: not mine\n---\n\nbody',
  'a\r\nb\r\n',
  '',
])('ONT-10 content comes back as it was given: %j', async (content) => {
  const { caller, project, documents } = await open();
  const { entities } = await documents.create(caller, { title: 'A', content }, project.id);
  const read = await documents.read(caller, entities[0]!.id);
  expect(read).toMatchObject({ title: 'A', content, content_length: Buffer.byteLength(content) });
  await documents.update(caller, read!.id, { description: 'new' }, null);
  expect(await documents.read(caller, read!.id)).toMatchObject({ title: 'A', description: 'new', content });
});

const WRITTEN = `---
people:
- name: Ada
  age: 1
- name: Ben
  age: 2
title: "Moon # 1" # a comment
notes: |
  one

  two
description: >
  what we
  know
---

Text.
`;

test('ONT-10 a change of one key leaves the others, and the content, as people wrote them', async () => {
  const { caller, documents, write, textOf } = await open();
  const id = await write(WRITTEN);
  expect(await documents.read(caller, id)).toMatchObject({
    title: 'Moon # 1',
    description: 'what we know',
    content: 'Text.\n',
  });
  await documents.update(caller, id, { content: 'Other.\n' }, null);
  expect(await textOf(id)).toBe(WRITTEN.replace('Text.', 'Other.'));
  await documents.update(caller, id, { description: 'new' }, null);
  expect(await textOf(id)).toBe(
    WRITTEN.replace('description: >\n  what we\n  know\n', '')
      .replace('---\npeople', '---\ndescription: new\npeople')
      .replace('Text.', 'Other.'),
  );
});

test.each([
  ['---  \ntitle: Spaces\n---\t\nx', 'Spaces', 'x'],
  ['---\ntitle: A\n---foo\ntitle: B\n---\nx', 'B', 'x'],
  [`---\ntitle: Long\nmore: ${'x'.repeat(17_000)}\n---\nx`, 'T', null],
  ['---\r\ntitle: Lines\r\n---\r\n\r\nx', 'Lines', 'x'],
  ['\uFEFF---\ntitle: Mark\n---\nx', 'Mark', 'x'],
  ['---\ntitle: &a Hello\n---\nx', 'Hello', 'x'],
  ['---\ntitle: "a\\nb"\n---\nx', 'a b', 'x'],
  ['---\ntitle: ’quotes’ — ü\n---', '’quotes’ — ü', ''],
  ['---\ntitle: never ends\n', 'T', null],
])('ONT-10 the database and the API find the same front matter: %j', async (text, title, content) => {
  const { caller, documents, write } = await open();
  const id = await write(text, 'T');
  const read = await documents.read(caller, id);
  expect(read).toMatchObject({ title, content: content ?? text });
  expect(read!.content_length).toBe(Buffer.byteLength(content ?? text));
});

test('ONT-10 a printed document is read as it was printed', () => {
  const text = printDocument({ title: 'A: b', description: '- x', content: 'body' });
  expect(text).toBe('---\ntitle: "A: b"\ndescription: "- x"\n---\n\nbody');
  expect(contentOf(text)).toBe('body');
});
