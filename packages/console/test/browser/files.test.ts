// Files in a browser: read, edited, compared and restored, while others write.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { openScripted, say, useConsole } from '../support/console.ts';

/** The smallest image: one pixel. */
const PIXEL = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);

describe.skipIf(chromiumPath === null)(`the files in a browser${WITHOUT}`, () => {
  const key = { name: 'deploy-bot', secret: 'the-secret-of-deploy-bot', isPerson: false, workspaceId: null };
  const world = useConsole({ CONTINUO_TEST_KEYS: JSON.stringify([key]) });
  const at = (path: string) => `${world.url}/api/v1/workspaces/default/files${path}`;

  const write = async (path: string, content: string | Uint8Array<ArrayBuffer>, headers = {}) => {
    const response = await fetch(at(path), { method: 'PUT', body: content, headers });
    expect(response.ok).toBe(true);
  };
  const read = async (path: string) => {
    const response = await fetch(at(path));
    return { text: await response.text(), version: response.headers.get('etag') };
  };
  const editor = (page: Page, path: string) => page.getByRole('textbox', { name: `Text of ${path}` });
  const saved = async (page: Page, version: number) => {
    await page.getByText(`Version v${version}`).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
  };

  test('WS-2 the console asks about files that disappear from the folder at once, and restores or removes them', async () => {
    const paths = Array.from({ length: 24 }, (_, index) => `/swept/${index}.md`);
    for (const path of ['/stays.md', ...paths]) await write(path, path);
    const swept = join(world.pod.home, 'workspaces/default/swept');
    const page = await world.open('/files');
    const asked = page.getByRole('region', { name: 'Files that disappeared' });
    const heading = asked.getByRole('heading', { name: '24 files disappeared from the folder on disk' });
    rmSync(swept, { recursive: true });
    await heading.waitFor();
    expect(await violations(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Restore the files' }).click();
    await asked.waitFor({ state: 'detached' });
    // A file that is being written has another name at first.
    const names = paths.map((path) => path.slice('/swept/'.length)).toSorted();
    await expect.poll(() => readdirSync(swept).toSorted(), { timeout: 15_000 }).toEqual(names);
    for (const path of paths)
      expect(readFileSync(join(world.pod.home, 'workspaces/default', path), 'utf8')).toBe(path);

    rmSync(swept, { recursive: true });
    await heading.waitFor();
    await asked.getByRole('button', { name: 'Remove the files from the workspace' }).click();
    await asked.waitFor({ state: 'detached' });
    await page.getByRole('treeitem', { name: 'swept' }).waitFor({ state: 'detached' });
    expect((await fetch(at('/stays.md'))).status).toBe(200);
  });

  test('PLUS-5 a file is created, edited, saved as a version by keyboard, renamed, removed and restored', async () => {
    const page = await world.open('/files');
    const browse = page.getByRole('region', { name: 'Browse' });
    const header = page.getByRole('region', { name: 'File', exact: true });
    await browse.getByRole('button', { name: 'New file' }).click();
    await page.getByLabel('Path').fill('/notes/a plan 100%.md');
    await page.keyboard.press('Enter');
    const text = editor(page, '/notes/a plan 100%.md');
    await text.click();
    await page.keyboard.type('# Plan\n\nSow the beans.');
    await page.getByText('Not saved').waitFor();
    await page.keyboard.press('Control+s');
    await saved(page, 2);
    expect(await read('/notes/a%20plan%20100%25.md')).toEqual({
      text: '# Plan\n\nSow the beans.',
      version: '"2"',
    });
    await page.reload();
    await text.waitFor();
    expect(await text.innerText()).toContain('Sow the beans.');

    await header.getByRole('button', { name: 'Actions for a plan 100%.md' }).click();
    await page.getByRole('menuitem', { name: 'Rename or move…' }).click();
    await page.getByLabel('Path').fill('/notes/beans.md');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.waitForURL(/\/files\/notes\/beans\.md$/);
    await page.getByRole('treeitem', { name: 'beans.md', selected: true }).waitFor();
    expect((await read('/notes/beans.md')).version).toBe('"3"');

    await header.getByRole('button', { name: 'Actions for beans.md' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    const sure = page.getByRole('alertdialog', { name: 'Remove /notes/beans.md?' });
    await sure.getByRole('button', { name: 'Cancel' }).click();
    expect((await fetch(at('/notes/beans.md'))).status).toBe(200);
    await header.getByRole('button', { name: 'Actions for beans.md' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await sure.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'beans.md was removed' }).waitFor();
    expect((await fetch(at('/notes/beans.md'))).status).toBe(404);
    await page.getByRole('button', { name: 'Restore version 3' }).click();
    await text.or(editor(page, '/notes/beans.md')).waitFor();
    expect(await read('/notes/beans.md')).toEqual({ text: '# Plan\n\nSow the beans.', version: '"5"' });
  });

  test('PLUS-5 a version saved in the meantime shows at once, and never overwrites a draft', async () => {
    await write('/shared.md', 'one\ntwo\nthree\n');
    const page = await world.open('/files/shared.md');
    const text = editor(page, '/shared.md');
    await text.waitFor();
    await write('/shared.md', 'one\ntwo\nthree\nfour\n');
    await text.getByText('four').waitFor();

    await text.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Mine: ');
    await write('/shared.md', 'ONE\ntwo\nthree\nfour\n');
    await page.getByText('Version 3 was saved in the meantime').waitFor();
    expect(await text.innerText()).toContain('Mine: one');
    await page.getByRole('button', { name: 'Save', exact: true }).click();

    const conflict = page.getByRole('region', { name: 'Conflict' });
    await conflict.getByRole('textbox', { name: 'Yours, not saved' }).getByText('Mine: one').waitFor();
    expect(await conflict.getByRole('textbox', { name: 'Version 3 (current)' }).innerText()).toContain('ONE');
    expect((await read('/shared.md')).text).toBe('ONE\ntwo\nthree\nfour\n');
    expect(await violations(page)).toEqual([]);

    await conflict.getByRole('button', { name: 'Merge by lines' }).click();
    await conflict.getByText('Both sides changed the same lines').waitFor();
    await conflict.getByRole('button', { name: 'Keep editing' }).click();
    expect(await text.innerText()).toContain('Mine: one');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await conflict.getByRole('button', { name: 'Save my side' }).click();
    await saved(page, 4);
    expect(await read('/shared.md')).toEqual({ text: 'Mine: one\ntwo\nthree\nfour\n', version: '"4"' });

    await text.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('five');
    await write('/shared.md', 'Mine: one\nTWO\nthree\nfour\n');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await conflict.getByRole('button', { name: 'Merge by lines' }).click();
    await saved(page, 6);
    expect((await read('/shared.md')).text).toBe('Mine: one\nTWO\nthree\nfour\nfive');
    await text.getByText('TWO').waitFor();

    await text.click();
    await page.keyboard.type('gone');
    await write('/shared.md', 'theirs\n');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await conflict.getByRole('button', { name: 'Discard mine…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await text.getByText('theirs').waitFor();
    await saved(page, 7);
  });

  test('PLUS-5 text typed while a merge is being saved is rebased onto the result', async () => {
    await write('/merged.md', 'one\ntwo\nthree\n');
    const page = await world.open('/files/merged.md');
    const text = editor(page, '/merged.md');
    await text.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Mine: ');
    await write('/merged.md', 'one\ntwo\nthree, theirs\n');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const { promise: typed, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/files/merged.md*', async (route) => {
      if (route.request().method() === 'PUT') await typed;
      await route.continue();
    });
    const mine = page.getByRole('textbox', { name: 'Yours, not saved' });
    await mine.getByText('Mine: one').waitFor();
    await page.getByRole('button', { name: 'Merge by lines' }).click();
    await mine.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Later: ');
    await mine.getByText('Later: Mine: one').waitFor();
    letGo();
    await text.getByText('three, theirs').waitFor();
    await page.getByText('Not saved', { exact: true }).waitFor();
    // Typing continues at the same place.
    await page.keyboard.type('and on, ');
    await page.keyboard.press('Control+s');
    await saved(page, 4);
    expect((await read('/merged.md')).text).toBe('Later: and on, Mine: one\ntwo\nthree, theirs\n');

    // A merge that does not change the saved text.
    await text.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Both: ');
    await write('/merged.md', 'Both: Later: and on, Mine: one\ntwo\nthree, again theirs\n');
    await page.getByText('Version 5 was saved in the meantime').waitFor();
    // By keyboard.
    await page.keyboard.press('Control+s');
    await mine.getByText('Both: Later').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Merge by lines');
    await page.keyboard.press('Enter');
    await saved(page, 5);
    await text.getByText('three, again theirs').waitFor();
    expect(await focused(page)).toBe('Text of /merged.md');
    await page.getByRole('link', { name: 'History' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Versions' }).waitFor();
    await expect.poll(() => focused(page)).toBe('Back to the text');
    await page.keyboard.press('Enter');
    await text.waitFor();
    expect(await focused(page)).toBe('History');
  });

  test('PLUS-5 a draft survives a reload, and is still based on its version', async () => {
    await write('/kept.md', 'one\n');
    const page = await world.open('/files/kept.md');
    page.on('dialog', (dialog) => void dialog.accept());
    const text = editor(page, '/kept.md');
    const type = async (words: string) => {
      await text.click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type(words);
      await page.getByText('Not saved', { exact: true }).waitFor();
    };
    const again = page.getByText('your unsaved changes from before the page was reloaded');
    await type('Mine: ');
    await page.reload();
    await again.waitFor();
    expect(await text.innerText()).toContain('Mine: one');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await again.waitFor({ state: 'detached' });
    expect((await text.innerText()).trim()).toBe('one');
    await page.reload();
    await text.waitFor();
    expect(await again.count()).toBe(0);

    await type('Again: ');
    await page.goto('about:blank');
    await write('/kept.md', 'two\n');
    await page.goBack();
    await again.waitFor();
    await page.getByText('Version 2 was saved in the meantime').waitFor();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('button', { name: 'Save my side' }).click();
    await saved(page, 3);
    expect((await read('/kept.md')).text).toBe('Again: one\n');
    await page.reload();
    await text.getByText('Again: one').waitFor();
    expect(await again.count()).toBe(0);
  });

  test('PLUS-5 the history shows who wrote each version, compares any two, and restores one', async () => {
    await write('/notes/poem.md', 'a line\nanother line\n');
    const chat = await world.open('/');
    await say(chat, 'Write a haiku to /notes/poem.md');
    await chat.getByText('From the offline stand-in').waitFor();
    await chat.getByRole('link', { name: 'v2 of /notes/poem.md' }).click();
    await editor(chat, '/notes/poem.md').waitFor();
    const page = chat;
    await page.getByRole('link', { name: 'History' }).click();
    const versions = page.getByRole('navigation', { name: 'Versions' }).getByRole('listitem');
    await versions.nth(1).waitFor();
    expect(await versions.nth(0).innerText()).toMatch(/Version 2\s+now[^]*Written[^]*An agent/);
    expect(await versions.nth(1).innerText()).toMatch(/Version 1[^]*A person/);
    await page.getByRole('textbox', { name: 'Version 1', exact: true }).getByText('another line').waitFor();
    const haiku = (await read('/notes/poem.md')).text.split('\n')[0]!;
    await page.getByRole('textbox', { name: 'Version 2', exact: true }).getByText(haiku).waitFor();

    await write('/notes/poem.md', 'third\n', { 'x-api-key': key.secret });
    await versions.nth(2).waitFor();
    expect(await versions.nth(0).innerText()).toMatch(/Version 3\s+now[^]*The key deploy-bot/);
    await page.getByRole('link', { name: 'Version 3' }).click();
    await page.getByLabel('compared with').selectOption('1');
    await page.getByRole('textbox', { name: 'Version 1', exact: true }).getByText('another line').waitFor();
    await page.getByRole('textbox', { name: 'Version 3', exact: true }).getByText('third').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Version 1' }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await versions.nth(3).waitFor();
    expect(await versions.nth(0).innerText()).toMatch(/Version 4\s+now[^]*A person/);
    expect(await read('/notes/poem.md')).toEqual({ text: 'a line\nanother line\n', version: '"4"' });
    await versions.nth(2).getByRole('link', { name: /haiku/i }).click();
    await page.waitForURL(/\/chats\//);
  });

  test('PLUS-5 the tree follows changes by others, and is navigated with the arrow keys', async () => {
    await write('/tree/one.md', 'one');
    const page = await world.open('/files');
    const tree = page.getByRole('tree', { name: 'Files' });
    await tree.getByRole('treeitem', { name: 'tree' }).focus();
    await page.keyboard.press('ArrowRight');
    await tree.getByRole('treeitem', { name: 'one.md' }).waitFor();
    await write('/tree/two.md', 'two');
    await tree.getByRole('treeitem', { name: 'two.md' }).waitFor();
    await fetch(at('/tree/one.md'), { method: 'DELETE' });
    await tree.getByRole('treeitem', { name: 'one.md' }).waitFor({ state: 'detached' });
    const newChat = (title: string) =>
      fetch(`${world.url}/api/v1/workspaces/default/chats`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title, goal: 'Hello' }),
      });
    await newChat('An earlier one');
    await tree.getByRole('treeitem', { name: 'chats' }).click();
    await tree.getByRole('treeitem', { name: /^an-earlier-one/ }).waitFor();
    await newChat('Told by a hint');
    await tree.getByRole('treeitem', { name: /^told-by-a-hint/ }).waitFor();
    await tree.getByRole('treeitem', { name: 'tree' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await editor(page, '/tree/two.md').getByText('two').waitFor();
    expect(new URL(page.url()).pathname).toBe('/files/tree/two.md');
    await page.getByRole('searchbox', { name: 'Search files' }).fill('two.m');
    await page
      .getByRole('list', { name: 'Search results' })
      .getByRole('link', { name: '/tree/two.md' })
      .waitFor();
  });

  test('PLUS-5 line numbers are aligned with their lines, also with reduced motion', async () => {
    await write('/numbered.md', 'one\ntwo\nthree\n');
    const page = await world.open('/files/numbered.md', { profile: { reducedMotion: 'reduce' } });
    await page.locator('.cm-line', { hasText: 'three' }).waitFor();
    const tops = (all: string) =>
      page.locator(all).evaluateAll((each) => each.map((element) => element.getBoundingClientRect().top));
    // The first element is the spacer for the widest number.
    await expect.poll(async () => (await tops('.cm-gutterElement')).slice(1)).toEqual(await tops('.cm-line'));
  });

  test('PLUS-5 a file opened by its address is visible in the tree, however many files come before it', async () => {
    const names = Array.from({ length: 505 }, (_, index) => `n${String(index).padStart(3, '0')}.md`);
    const files = `${world.url}/api/v1/workspaces/default/files`;
    await Promise.all(names.map((name) => fetch(`${files}/many/${name}`, { method: 'PUT', body: name })));
    const page = await world.open('/files/many/n504.md');
    const tree = page.getByRole('tree', { name: 'Files' });
    const last = tree.getByRole('treeitem', { name: 'n504.md', selected: true });
    await last.waitFor();
    await expect
      .poll(() => last.evaluate((row) => row.getBoundingClientRect().bottom))
      .toBeLessThanOrEqual(720);

    const folder = await world.open('/files/many');
    await folder.getByRole('treeitem', { name: 'n000.md' }).waitFor();
    const header = folder.getByRole('region', { name: 'File', exact: true });
    await header.getByRole('button', { name: 'Actions for many' }).click();
    await folder.getByRole('menuitem', { name: 'Move…', exact: true }).click();
    await folder.getByLabel('Path').fill('/being-typed');
    await write('/many/0-first.md', 'Written meanwhile.');
    await folder.locator('[role=treeitem]', { hasText: '0-first.md' }).waitFor();
    expect(await folder.getByLabel('Path').inputValue()).toBe('/being-typed');
    await folder.keyboard.press('Escape');

    const asked: string[] = [];
    folder.on('response', (response) => response.status() === 404 && asked.push(response.url()));
    await folder.goto(`${world.url}/files/nowhere/x.md`);
    await folder.getByRole('heading', { name: 'File not found' }).waitFor();
    const ofTree = () => asked.filter((url) => url.includes('/tree')).length;
    await expect.poll(ofTree).toBeGreaterThan(0);
    await folder.goto(`${world.url}/files`);
    await folder.getByRole('treeitem', { name: 'many' }).waitFor();
    // Once, and once more if the page asked before the hints arrived.
    expect(ofTree()).toBeLessThanOrEqual(2);
  });

  test('PLUS-5 a chat links to the files that its run changed, and that changed since the last message', async () => {
    const page = await world.open('/');
    await say(page, 'Write a list to /first-of-two.md');
    await page.getByText('From the offline stand-in').waitFor();
    await say(page, 'Write a list to /second-of-two.md');
    await page.getByText('From the offline stand-in').nth(1).waitFor();
    await page.getByRole('link', { name: '1 file changed' }).first().click();
    const changed = page.getByRole('list', { name: 'Changed files' });
    await changed.getByRole('link', { name: /first-of-two/ }).waitFor();
    expect(await changed.getByRole('listitem').count()).toBe(1);
    await page.getByRole('link', { name: 'Since my last message' }).click();
    await changed.getByRole('link', { name: /second-of-two/ }).waitFor();
    expect(await changed.getByRole('listitem').count()).toBe(1);
    await changed.getByRole('link', { name: /second-of-two/ }).click();
    await page.getByRole('navigation', { name: 'Versions' }).waitFor();
  });

  test('PLUS-5 a file that a run changed in several steps is compared with its version before the first', async () => {
    await write('/steps.md', 'before\n');
    const step = (version: number, content: string) => ({
      calls: [{ tool: 'write', input: { path: '/steps.md', content, version } }],
    });
    const steps = [step(1, 'one\n'), step(2, 'two\n'), { text: 'Done.' }];
    const page = await world.open(await openScripted(world.url, steps));
    await page.getByRole('link', { name: '1 file changed' }).click();
    for (const words of ['In this run', 'Since my last message']) {
      await page.getByRole('link', { name: words }).click();
      await page.getByRole('link', { name: /steps\.md/ }).click();
      await page.getByRole('textbox', { name: 'Version 1', exact: true }).getByText('before').waitFor();
      await page.getByRole('textbox', { name: 'Version 3', exact: true }).getByText('two').waitFor();
      await page.getByRole('link', { name: 'Back to the text' }).first().click();
    }
    // More versions than the first page of the history has.
    for (let version = 4; version < 105; version += 1) await write('/steps.md', `${version}\n`);
    await page.goto(`${world.url}/files/steps.md?view=history&from=1&to=3`);
    await page.getByRole('textbox', { name: 'Version 1', exact: true }).getByText('before').waitFor();
  });

  test('PLUS-5 an image is shown, a binary file can be downloaded, a chat is read-only', async () => {
    await write('/pixel.png', PIXEL);
    await write('/data.bin', new Uint8Array([0, 1, 2, 255]));
    const page = await world.open('/files/pixel.png');
    const picture = page.getByRole('img', { name: 'pixel.png' });
    await picture.waitFor();
    await page.waitForFunction(() => document.querySelector('img')?.naturalWidth === 1);
    await page.getByRole('treeitem', { name: 'data.bin' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await downloaded).suggestedFilename()).toBe('data.bin');

    const chat = await world.open('/');
    await say(chat, 'Write a list to /from-a-chat.md');
    await chat.getByText('From the offline stand-in').waitFor();
    const list = (await (await fetch(`${world.url}/api/v1/workspaces/default/tree?path=/chats`)).json()) as {
      items: { path: string }[];
    };
    const { path } = list.items[0]!;
    await page.goto(`${world.url}/files${path}`);
    await editor(page, path).getByText('/from-a-chat.md').first().waitFor();
    await page.getByText('Read-only').waitFor();
    expect(await editor(page, path).getAttribute('contenteditable')).toBe('false');
    await page.getByRole('link', { name: 'Open the chat' }).click();
    await page.waitForURL(/\/chats\//);
  });

  test.each(['light', 'dark'] as const)(
    'PLUS-5 axe finds no violation in the files (%s)',
    async (colorScheme) => {
      await write('/axe/code.ts', "// A comment\nexport const answer = 'forty-two' + 42;\n");
      const page = await world.open('/files', { profile: { colorScheme } });
      await page.getByRole('treeitem', { name: 'axe' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.goto(`${world.url}/files/axe/code.ts`);
      await editor(page, '/axe/code.ts').waitFor();
      expect(await violations(page)).toEqual([]);
      const browse = page.getByRole('region', { name: 'Browse' });
      await browse.getByRole('button', { name: 'New file' }).click();
      await page.getByLabel('Path').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.goto(`${world.url}/files/nowhere.md`);
      await page.getByText('File not found').waitFor();
      expect(await violations(page)).toEqual([]);
    },
  );

  test('PLUS-5 the files at 390 px: the tree, then the file, then its history', async () => {
    await write('/narrow/long-name-of-a-file-that-does-not-fit-on-a-narrow-screen.md', 'one\ntwo\n');
    await write('/narrow/long-name-of-a-file-that-does-not-fit-on-a-narrow-screen.md', 'one\n2\n');
    const page = await world.open('/files', {
      profile: { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
    });
    const fits = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    await page.getByRole('treeitem', { name: 'narrow' }).tap();
    await page.getByRole('treeitem', { name: /^long-name/ }).tap();
    const text = page.getByRole('textbox', { name: /^Text of/ });
    await text.waitFor();
    expect(await fits()).toBe(true);
    // One header: the text begins right below it.
    const header = await page.getByRole('banner').boundingBox();
    expect((await text.boundingBox())!.y - header!.height).toBeLessThan(header!.height / 2);
    await page.getByRole('link', { name: 'History' }).tap();
    await page.getByRole('textbox', { name: 'Version 1 and Version 2' }).waitFor();
    expect(await fits()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'All files' }).tap();
    await page.getByRole('tree', { name: 'Files' }).waitFor();
  });

  test('PLUS-5 a draft stays while the server is not responding, and is saved when it is back', async () => {
    await write('/away.md', 'here\n');
    const page = await world.open('/files/away.md');
    const text = editor(page, '/away.md');
    await text.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('typed ');
    world.pod.kill('SIGKILL');
    await page.getByText('The server is not responding. Retrying…').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Your changes are still here.').waitFor();
    await world.startAgain();
    await page.getByText('The server is not responding. Retrying…').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page, 2);
    expect(await focused(page)).toBe('Save');
    expect((await read('/away.md')).text).toBe('typed here\n');
  });
});

/** The accessible name of the focused element. */
function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('aria-label') ?? element?.textContent;
  });
}
