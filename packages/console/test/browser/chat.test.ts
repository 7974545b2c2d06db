// Chats with tools, approvals, and the inbox.

import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { AS_PERSON } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { MCP_SERVER } from '@continuo/testkit/fixtures';
import { chatsOf, ended, eventsOf, openScript, sayScript } from '../support/chats.ts';
import { openScripted, said, say, useConsole } from '../support/console.ts';

describe.skipIf(chromiumPath === null)(`the console in a browser${WITHOUT}`, () => {
  const world = useConsole();

  test('PLUS-5 without a provider key, the first example works: a file is written, changed and compared', async () => {
    const page = await world.open('/');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    expect(await page.title()).toBe('New chat · Continuo');
    await page.getByRole('button', { name: 'Write, edit, compare' }).click();
    await page.waitForURL(/\/chats\//);
    await page.getByText('Edits /notes/rain.md').waitFor();
    const difference = page.getByLabel('Difference').filter({ visible: true });
    await difference.waitFor();
    expect(await difference.innerText()).toContain('+the road keeps nobody’s steps');
    await page.getByText('From the offline stand-in').waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();

    // The copy button does not cover the text.
    const answer = page.getByRole('article', { name: 'Answer' }).last();
    await answer.hover();
    const copy = (await answer.getByRole('button', { name: 'Copy the answer' }).boundingBox())!;
    const lines = (await answer.getByText('From the offline stand-in').boundingBox())!;
    expect(copy.y).toBeGreaterThanOrEqual(lines.y + lines.height);

    const before = await said(page);
    await page.reload();
    await page.getByText('From the offline stand-in').waitFor();
    expect(await said(page)).toBe(before);
  });

  test('PLUS-5 a call that needs approval asks in the chat and in the inbox; a double click approves it once', async () => {
    const page = await world.open('/');
    await page.getByRole('button', { name: 'Ask me first' }).click();
    await page.getByRole('group', { name: 'Approval of remove' }).waitFor();
    const chat = page.url();
    await page.waitForFunction(() => document.title.startsWith('(1) '));

    const inbox = await world.open('/approvals', { context: page.context() });
    await inbox.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
    expect(await inbox.getByRole('group', { name: 'Approval of remove' }).innerText()).toContain(
      '/notes/old.md',
    );

    const decided: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && decided.push(request.url()));
    await page.getByRole('button', { name: 'Approve' }).dblclick();
    await page.getByText('From the offline stand-in').waitFor();
    expect(decided.filter((url) => url.includes('/approvals/'))).toHaveLength(1);
    // The focus moves from the card to the transcript, and the run has no second attempt.
    await page.getByRole('status').getByText('Ready').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Transcript');
    expect(await said(page)).not.toContain('attempts');
    expect(page.url()).toBe(chat);

    await inbox.getByText('Nothing to approve').waitFor();
    await inbox.waitForFunction(() => document.title === 'Approvals · Continuo');
    const gone = await fetch(`${world.url}/api/v1/workspaces/default/files/notes/old.md`);
    expect(gone.status).toBe(404);
  });

  test('PLUS-5 a denied call is not made, and the model gets the comment', async () => {
    const page = await world.open('/');
    await say(page, 'Write a list to /keep.md, then remove /keep.md');
    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.getByRole('button', { name: 'Comment…' }).click();
    await question.getByRole('textbox', { name: 'Comment for the model' }).fill('It is still needed');
    await question.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect(await said(page)).toContain('It is still needed');
    expect((await fetch(`${world.url}/api/v1/workspaces/default/files/keep.md`)).status).toBe(200);
  });

  test('PLUS-5 an edited call is made with its edited input', async () => {
    const page = await world.open('/');
    await say(page, 'Write a list to /one.md, write a list to /two.md, then remove /one.md');
    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.getByRole('button', { name: 'Edit…' }).click();
    const field = question.getByRole('textbox', { name: 'Input as JSON' });
    await field.fill('{ "path": ');
    expect(await question.getByRole('button', { name: 'Approve with this input' }).isDisabled()).toBe(true);
    await field.fill('{ "path": "/two.md" }');
    await question.getByRole('button', { name: 'Approve with this input' }).click();
    await page.getByRole('status').getByText('Ready').waitFor();
    const statusOf = async (path: string) =>
      (await fetch(`${world.url}/api/v1/workspaces/default/files${path}`)).status;
    expect([await statusOf('/one.md'), await statusOf('/two.md')]).toEqual([200, 404]);
  });

  test('PLUS-5 hidden characters and bidirectional controls in the input of a call are shown', async () => {
    const input = { path: '/notes/\u202Edm.niar' };
    // There is no such file; but a call that follows another one is asked about before that is known.
    const first = { tool: 'write', input: { path: '/notes/first.md', content: 'First.' } };
    const calls = [first, { tool: 'remove', input }];
    const page = await world.open(await openScripted(world.url, [{ calls }]));
    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.waitFor();
    await question.getByText('not there').waitFor();
    expect(await question.innerText()).not.toContain('\u202E');
    expect(await question.innerText()).toMatch(
      /on \/notes\/U\+202Edm\.niar[^]*Removes nothing:\s+\/notes\/U\+202Edm\.niar/,
    );
    await question.getByRole('button', { name: 'Edit…' }).click();
    const field = question.getByRole('textbox', { name: 'Input as JSON' });
    expect(await field.inputValue()).toContain('"/notes/\\u202edm.niar"');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('link', { name: /^Approvals/ }).click();
    const inbox = page.getByRole('region', { name: 'Approvals' });
    await inbox.getByText('/notes/U+202Edm.niar').first().waitFor();

    const write = { path: '/hidden.txt', content: 'one\u200Btwo\u202E' };
    const other = await world.open(
      await openScripted(world.url, [{ calls: [{ tool: 'write', input: write }] }]),
    );
    await other.getByText('Writes /hidden.txt').click();
    await other.getByLabel('Proposed changes').getByText('one‹U+200B›two‹U+202E›').waitFor();
  });

  test('PLUS-5 “Always allow” shows the rule, adds it, and the same call is not asked about again', async () => {
    const page = await world.open('/');
    await say(page, 'Write a list to /always.md, then remove /always.md');
    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.getByRole('button', { name: 'Always allow…' }).click();
    const rule = { tool: 'remove', path: '/always.md/**', action: 'allow' };
    await question.getByText(JSON.stringify(rule)).waitFor();
    // Another client adds a rule at the same moment: both stay.
    const policyUrl = `${world.url}/api/v1/workspaces/default/policy`;
    const policy = async () => (await (await fetch(policyUrl)).json()) as { rules: object[] };
    const other = { tool: 'other', action: 'deny' };
    let puts = 0;
    await page.route('**/policy', async (route) => {
      if (route.request().method() === 'PUT' && (puts += 1) === 1) {
        const { rules } = await policy();
        await fetch(policyUrl, {
          method: 'PUT',
          headers: { ...AS_PERSON, 'content-type': 'application/json' },
          body: JSON.stringify({ rules: [...rules, other] }),
        });
      }
      await route.continue();
    });
    await question.getByRole('button', { name: 'Add the rule and approve' }).click();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect((await policy()).rules.slice(-2)).toEqual([other, rule]);
    expect(puts).toBe(2);
    const again = await world.open('/');
    await say(again, 'Write a list to /always.md, then remove /always.md');
    await again.getByText('From the offline stand-in').waitFor();
    expect(await again.getByRole('group', { name: 'Approval of remove' }).count()).toBe(0);
  });

  test('PLUS-5 no card of the inbox moves under the pointer: new cards are appended, answered cards stay, and the focus stays', async () => {
    const ask = (...paths: string[]) =>
      openScript(world.url, 'Inbox', [
        { calls: paths.map((path) => ({ tool: 'write', input: { path, content: 'x' } })) },
        { calls: paths.map((path) => ({ tool: 'remove', input: { path } })) },
        { text: 'Well.' },
      ]);
    const { run: first } = await ask('/inbox/a.md');
    // High enough that nothing has to be scrolled.
    const page = await world.open('/approvals', { profile: { viewport: { width: 1200, height: 2600 } } });
    const card = (path: string) =>
      page.getByRole('group', { name: 'Approval of remove' }).filter({ hasText: path });
    const approve = (path: string) => card(path).getByRole('button', { name: 'Approve', exact: true });
    const place = async () => (await approve('/inbox/a.md').boundingBox())!;
    const before = await place();
    const decided: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && decided.push(request.url()));
    await ask('/inbox/b.md');
    await ask('/inbox/c.md');
    await approve('/inbox/c.md').waitFor();
    expect(await place()).toEqual(before);

    // Each card has its own field, and closing it does not move the next card.
    for (const path of ['/inbox/a.md', '/inbox/b.md'])
      await card(path).getByRole('button', { name: 'Edit…' }).click();
    await card('/inbox/b.md').getByText('Input as JSON').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{}');
    expect(await card('/inbox/a.md').getByRole('textbox').inputValue()).toContain('/inbox/a.md');
    const next = (await card('/inbox/c.md').boundingBox())!;
    for (const path of ['/inbox/a.md', '/inbox/b.md'])
      await card(path).getByRole('button', { name: 'Back' }).click();

    const { x, y } = await place();
    await page.mouse.click(x + 5, y + 5);
    await card('/inbox/a.md').getByText('Approved. The run continues.').waitFor();
    await ended(world.url, first);
    await page.getByRole('link', { name: 'Approvals 2 waiting' }).waitFor();
    await page.mouse.click(x + 5, y + 5);
    expect(await card('/inbox/c.md').boundingBox()).toEqual(next);
    await card('/inbox/b.md').getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await card('/inbox/b.md').getByText('Denied. The model is told.').waitFor();
    await page.keyboard.press('Enter');
    expect(await card('/inbox/b.md').evaluate((element) => element === document.activeElement)).toBe(true);
    expect(decided).toHaveLength(2);

    const approvals = `${world.url}/api/v1/workspaces/default/approvals`;
    const { items } = (await (await fetch(approvals)).json()) as { items: { id: string }[] };
    await fetch(`${approvals}/${items[0]!.id}`, {
      method: 'POST',
      headers: { ...AS_PERSON, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'deny' }),
    });
    await card('/inbox/c.md').getByText('Denied.').waitFor();
    await page.getByText('Nothing to approve').waitFor();

    const { run } = await ask(...Array.from({ length: 101 }, (_, index) => `/many/${index}.md`));
    await page.getByRole('link', { name: 'Approvals 101 waiting' }).waitFor({ timeout: 45_000 });
    await page.getByRole('button', { name: 'Show more of 104' }).click();
    await approve('/many/60.md').waitFor();
    await fetch(`${world.url}/api/runs/${run}/cancel`, { method: 'POST' });
    await page.getByText('Nothing to approve').waitFor();
  });

  test('PLUS-5 several calls are approved at once, each with what it would destroy; a hidden page notifies', async () => {
    const base = `${world.url}/api/v1/workspaces/default/files/gone`;
    for (const name of ['a.md', 'deep/b.md']) await fetch(`${base}/${name}`, { method: 'PUT', body: 'Four' });
    const page = await world.open('/approvals', {
      profile: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    });
    await page.getByText('Nothing to approve').waitFor();
    await page.evaluate(() => {
      const told: string[] = [];
      class Fake extends EventTarget {
        static readonly permission = 'granted';
        constructor(title: string, { body }: NotificationOptions) {
          super();
          told.push(`${title}: ${body}`);
        }
        close() {}
      }
      Object.assign(window, { told, Notification: Fake });
      Object.defineProperty(document, 'hidden', { value: true });
    });
    const remove = (path: string) =>
      openScript(world.url, `Removes ${path}`, [
        { calls: [{ tool: 'remove', input: { path, recursive: true } }] },
      ]);
    await remove('/gone/deep');
    await remove('/gone/a.md');
    const cards = page.getByRole('group', { name: 'Approval of remove' });
    await expect.poll(() => cards.count()).toBe(2);
    await page.getByText('Removes 1 file, 4 B:').nth(1).waitFor();
    await page.getByLabel('Files that are removed').getByText('/gone/deep/b.md').waitFor();
    expect(await page.evaluate(() => (window as never as { told: string[] }).told.length)).toBe(2);
    expect(await violations(page)).toEqual([]);
    // In view without scrolling, and nothing that is hidden makes the document longer than the window.
    const all = page.getByRole('checkbox', { name: 'Select all 2 calls' });
    expect(await all.evaluate((box) => box.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true);
    await all.press('Space');
    await page.getByRole('button', { name: 'Approve 2' }).press('Enter');
    await page.getByText('Approved: 2.').waitFor();
    await expect.poll(async () => (await fetch(`${base}/a.md`)).status).toBe(404);
  });

  test('PLUS-5 the preview of a call stays as first shown, and says if the file has changed since', async () => {
    const base = `${world.url}/api/v1/workspaces/default`;
    const { rules } = (await (await fetch(`${base}/policy`)).json()) as { rules: object[] };
    await fetch(`${base}/policy`, {
      method: 'PUT',
      headers: { ...AS_PERSON, 'content-type': 'application/json' },
      body: JSON.stringify({ rules: [...rules, { tool: 'write', path: '/asked/**', action: 'ask' }] }),
    });
    const input = { path: '/asked/x.md', content: 'New.\n' };
    const page = await world.open(await openScripted(world.url, [{ calls: [{ tool: 'write', input }] }]));
    const question = page.getByRole('group', { name: 'Approval of write' });
    await question.getByText('A new file:').waitFor();
    // Nothing was there, not an empty line.
    await question.getByLabel('Proposed changes').getByText('New.').waitFor();
    expect(await question.locator('.cm-deletedChunk').filter({ visible: true }).count()).toBe(0);
    const bottomOf = (element: Locator) => element.evaluate((box) => box.getBoundingClientRect().bottom);
    const approve = question.getByRole('button', { name: 'Approve', exact: true });
    expect((await bottomOf(question)) - (await bottomOf(approve))).toBeLessThan(24);
    await fetch(`${base}/files/asked/x.md`, { method: 'PUT', body: 'Old.\n' });
    await question.getByText('has changed since').waitFor();
    const difference = question.getByLabel('Proposed changes');
    expect(await difference.innerText()).not.toContain('Old.');
    await question.getByRole('button', { name: 'Compare again' }).click();
    await difference.getByText('Old.').waitFor();
    await question.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('status').getByText('Ready').waitFor();
  });

  test('PLUS-5 a message that is edited and sent again folds its earlier variant, which stays reachable', async () => {
    const { chat, run } = await openScript(world.url, 'Variants', [{ text: 'The first answer.' }]);
    await ended(world.url, run);
    await ended(world.url, await sayScript(world.url, chat, [{ text: 'The second answer.' }]));
    const page = await world.open(`/chats/${chat}`, { profile: { viewport: { width: 390, height: 844 } } });
    const log = page.getByRole('log', { name: 'Transcript' });
    await log.getByText('The second answer.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit and send again' }).first().press('Enter');
    const field = page.getByRole('textbox', { name: 'Edit the message' });
    await field.fill('{"steps":[{"text":"The changed answer."}]}');
    await field.press('Enter');
    await log.getByText('The changed answer.', { exact: true }).waitFor();
    const variants = page.getByRole('group', { name: 'Variants of this message' });
    await variants.getByText('2/2').waitFor();
    expect(await page.getByText('The first answer.', { exact: true }).count()).toBe(0);
    expect(await page.getByText('The second answer.', { exact: true }).count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      expect(await violations(page)).toEqual([]);
    }
    await variants.getByRole('button', { name: 'Earlier variant' }).press('Enter');
    await variants.getByText('1/2').waitFor();
    await log.getByText('The second answer.', { exact: true }).waitFor();
    await page.getByText('This is an earlier variant.').waitFor();
    expect(await page.getByText('The changed answer.', { exact: true }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    // The focus is where it was: on the switch of the variant that is shown now.
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Earlier variant');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await variants.getByText('2/2').waitFor();
    await log.getByText('The changed answer.', { exact: true }).waitFor();
  });

  test('PLUS-5 a good answer is answered again by the same model, and a link to the folded one opens it', async () => {
    const { chat, run } = await openScript(world.url, 'Again', [{ text: 'An answer.' }]);
    await ended(world.url, run);
    const page = await world.open(`/chats/${chat}`);
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByText('An answer.', { exact: true }).waitFor();
    await answer.getByRole('button', { name: 'Answer again' }).press('Enter');
    const variants = page.getByRole('group', { name: 'Variants of this message' });
    await variants.getByText('2/2').waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect(await answer.count()).toBe(1);
    await answer.getByRole('button', { name: 'Answer again' }).press('Enter');
    await variants.getByText('3/3').waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
    const { items } = (await (
      await fetch(`${world.url}/api/v1/workspaces/default/runs?chat=${chat}`)
    ).json()) as {
      items: { model: string; status: string }[];
    };
    expect(items.map(({ model, status }) => `${model} ${status}`)).toEqual(
      Array(3).fill('offline/script done'),
    );
    await page.goto(`${world.url}/chats/${chat}?at=2`);
    await variants.getByText('1/3').waitFor();
    await page.getByRole('button', { name: 'Show the latest' }).click();
    await variants.getByText('3/3').waitFor();
  });

  test('PLUS-5 an edited message is accepted once if its responses are lost, and becomes a new message if another tab was first', async () => {
    const { chat } = await openScript(world.url, 'Twice', [{ text: 'Ready.' }]);
    const page = await world.open(`/chats/${chat}`);
    const other = await world.open(`/chats/${chat}`, { context: page.context() });
    const edit = async (tab: typeof page) => {
      await tab.getByRole('article', { name: 'You' }).last().hover();
      await tab.getByRole('button', { name: 'Edit and send again' }).last().click();
      return tab.getByRole('textbox', { name: 'Edit the message' });
    };
    const field = await edit(page);
    const late = await edit(other);
    const posts = (url: URL) => url.pathname.includes('/workspaces/default/chats');
    const loseAnswers = () =>
      page.route(posts, async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        await route.fetch();
        await route.abort();
      });
    await loseAnswers();
    await field.fill('Write a list to /edited.md');
    await field.press('Enter');
    await page.getByRole('alert').getByText('The server is not responding.').waitFor();
    await page.unroute(posts);
    await field.press('Enter');
    await field.waitFor({ state: 'detached' });
    const you = (tab: typeof page) => tab.getByRole('article', { name: 'You' });
    await page.getByText('2/2', { exact: true }).waitFor();
    expect(await you(page).count()).toBe(1);

    await late.fill('Write a list to /late.md');
    await other.getByText('This message was rewound in the meantime.').waitFor();
    await other.getByRole('button', { name: 'Send as a new message' }).click();
    await late.waitFor({ state: 'detached' });
    await expect.poll(() => you(other).count()).toBe(2);
    await other.getByText('2/2', { exact: true }).waitFor();

    await page.goto(world.url);
    const before = (await chatsOf(world.url)).length;
    await loseAnswers();
    await page.getByRole('button', { name: 'A long answer' }).click();
    await page.getByRole('alert').getByText('The server is not responding.').waitFor();
    await page.unroute(posts);
    await page.getByRole('button', { name: 'A long answer' }).click();
    await page.waitForURL(/\/chats\//);
    expect(await chatsOf(world.url)).toHaveLength(before + 1);
  });

  test('PLUS-5 opened and typed content of a row stays when it scrolls out of sight', async () => {
    const text = 'A line.\n\n'.repeat(60);
    const read = { tool: 'read', input: { path: '/kept.md' } };
    const page = await world.open(
      await openScripted(world.url, [
        { calls: [{ tool: 'write', input: { path: '/kept.md', content: 'Kept.' } }] },
        ...Array.from({ length: 12 }, () => ({ text, calls: [read] })),
        { calls: [{ tool: 'remove', input: { path: '/kept.md' } }] },
      ]),
    );
    const log = page.getByRole('log', { name: 'Transcript' });
    const first = page.getByText('Writes /kept.md');
    /** Events that arrive meanwhile are rendered above. */
    const toTop = () => expect.poll(() => log.press('Home').then(() => first.isVisible())).toBe(true);
    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.getByRole('button', { name: 'Comment…' }).click();
    const comment = question.getByRole('textbox', { name: 'Comment for the model' });
    await comment.fill('Half a thought');
    await toTop();
    await first.click();
    await page.getByRole('article', { name: 'You' }).hover();
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    const edited = page.getByRole('textbox', { name: 'Edit the message' });
    await edited.fill(JSON.stringify({ steps: [{ text: 'In other words.' }] }));
    await page.getByRole('button', { name: 'Jump to end' }).click();
    await page.getByRole('button', { name: 'Jump to end' }).waitFor({ state: 'detached' });
    expect(await comment.inputValue()).toBe('Half a thought');
    expect(await page.getByRole('article', { name: 'Answer' }).count()).toBeLessThan(12);
    await toTop();
    await page.getByLabel('Proposed changes').getByText('Kept.').waitFor();
    await edited.press('Enter');
    await edited.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    await page.getByText('In other words.', { exact: true }).waitFor();
  });

  test('PLUS-5 an error is shown once, says what to do, and disappears when it no longer applies', async () => {
    const { chat } = await openScript(world.url, 'Goes wrong', [
      { error: { code: 'overloaded', message: 'No room.' } },
    ]);
    const page = await world.open(`/chats/${chat}`);
    await page.getByRole('status').getByText('Failed').waitFor();
    await page.getByRole('alert').getByText('No room.').waitFor();
    expect((await said(page)).split('\n').filter((line) => line.startsWith('No room.'))).toHaveLength(1);

    await say(page, 'x'.repeat(1_100_000));
    const alert = page.getByRole('form', { name: 'Message' }).getByRole('alert');
    await alert.getByText('The message is too long: 1.0 MB at most.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Shorter');
    await alert.waitFor({ state: 'detached' });

    // A draft too large for session storage lasts as long as the page.
    await page.evaluate(() => sessionStorage.setItem('full', 'x'.repeat(5_200_000)));
    const long = 'x'.repeat(60_000);
    await page.getByRole('textbox', { name: 'Message' }).fill(long);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.goBack();
    await page.getByRole('alert').getByText('No room.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(long);

    for (const [path, what] of [
      ['/chats/nothere', 'chat'],
      ['/runs/nothere', 'run'],
      [`/runs/${chat}`, 'run'],
    ] as const) {
      await page.goto(world.url + path);
      await page.getByRole('heading', { name: `${what} not found` }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    }
  });

  test('PLUS-5 a message whose responses are lost is accepted once when it is sent again; text typed meanwhile stays', async () => {
    const page = await world.open(
      `/chats/${(await openScript(world.url, 'Lost', [{ text: 'Ready.' }])).chat}`,
    );
    await page.getByText('Ready.', { exact: true }).waitFor();
    const sending = (url: URL) => url.pathname.includes('/chats/');
    await page.route(sending, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Once');
    await field.press('Enter');
    await page.getByRole('alert').getByText('The server is not responding.').waitFor();
    await page.unroute(sending);
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route(sending, async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.fallback();
    });
    await field.press('Enter');
    await field.press('End');
    await field.pressSequentially(' and more');
    go();
    await expect.poll(() => field.inputValue()).toBe('and more');
    // A person who types elsewhere when the message is accepted keeps the focus there.
    const later = new Promise<void>((resolve) => (go = resolve));
    await page.unroute(sending);
    await page.route(sending, async (route) => {
      if (route.request().method() === 'POST') await later;
      await route.fallback();
    });
    await field.press('Enter');
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'Lost' }).hover();
    await page.getByRole('button', { name: 'Actions for Lost' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const title = page.getByRole('textbox', { name: 'Chat title' });
    await title.fill('Fou');
    go();
    await expect.poll(() => field.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Send (Enter)' }).waitFor();
    await page.keyboard.type('nd');
    expect(await title.inputValue()).toBe('Found');
    await expect.poll(() => page.getByRole('article', { name: 'You' }).allInnerTexts()).toHaveLength(3);
    expect((await page.getByRole('article', { name: 'You' }).allInnerTexts()).join(' ')).toMatch(
      /Once[^]*and more/,
    );
  });

  test('PLUS-5 a chat is archived, or removed after confirmation, and restored', async () => {
    await openScript(world.url, 'Stays', [{ text: 'Yes.' }]);
    const { chat } = await openScript(world.url, 'Comes back', [{ text: 'Here it is.' }]);
    const page = await world.open(`/chats/${chat}`);
    const chats = page.getByRole('navigation', { name: 'Chats' });
    const entry = chats.getByRole('link', { name: 'Comes back' });
    const act = async (name: string) => {
      await chats.getByRole('button', { name: 'Actions for Comes back' }).press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    };
    await page.getByText('Here it is.', { exact: true }).waitFor();
    await act('Remove…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Actions for Comes back',
    );
    expect(await entry.count()).toBe(1);

    await act('Remove…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await entry.waitFor({ state: 'detached' });
    await chats.getByRole('link', { name: 'Archived and removed' }).click();
    const back = page.getByRole('button', { name: 'Restore Comes back' });
    await page.getByRole('list', { name: 'Removed' }).filter({ has: back }).waitFor();
    expect(await violations(page)).toEqual([]);
    await back.click();
    await back.waitFor({ state: 'detached' });

    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await act('Archive');
    await entry.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Stays');
    await page.getByRole('list', { name: 'Archived' }).filter({ has: back }).waitFor();
    await back.click();
    await back.waitFor({ state: 'detached' });
    // The hint may come before the answer.
    await page.route(`**/chats/${chat}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const response = await route.fetch();
      await entry.waitFor({ state: 'detached' });
      await route.fulfill({ response });
    });
    await act('Archive');
    await entry.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Stays');
    await page.unrouteAll({ behavior: 'wait' });
    await back.click();
    await entry.click();
    await page.getByText('Here it is.', { exact: true }).waitFor();
  });

  test('PLUS-5 a pinned chat is above the others, in every tab, until it is unpinned', async () => {
    const { chat } = await openScript(world.url, 'Comes first', [{ text: 'Yes.' }]);
    const later = await openScript(world.url, 'Comes later', [{ text: 'Yes.' }]);
    await ended(world.url, later.run);
    const page = await world.open(`/chats/${chat}`);
    const chats = page.getByRole('navigation', { name: 'Chats' });
    const act = async (name: string) => {
      await chats.getByRole('button', { name: 'Actions for Comes first' }).press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    };
    const pinned = chats.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Comes first' });
    // The hint comes before the answer.
    await page.route(`**/chats/${chat}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const response = await route.fetch();
      await pinned.waitFor();
      await route.fulfill({ response });
    });
    await act('Pin');
    await pinned.waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await chats.getByRole('link', { name: 'Comes first' }).count()).toBe(1);
    expect((await chats.getByRole('link').allInnerTexts())[1]).toBe('Comes first');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe('Actions for Comes first');
    expect(await violations(page)).toEqual([]);
    const other = await world.open('/', {
      profile: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    });
    await other.getByRole('button', { name: /^Menu/ }).click();
    const menu = other.getByRole('dialog', { name: 'Navigation' });
    await menu.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Comes first' }).waitFor();
    expect(await violations(other)).toEqual([]);
    await act('Unpin');
    await pinned.waitFor({ state: 'detached' });
    await menu.getByRole('region', { name: 'Pinned' }).waitFor({ state: 'detached' });
    await chats.getByRole('region', { name: 'Today' }).getByRole('link', { name: 'Comes first' }).waitFor();
  });

  test('PLUS-5 files are attached to a message: one of the workspace, and one of this computer', async () => {
    await fetch(`${world.url}/api/v1/workspaces/default/files/known.md`, { method: 'PUT', body: 'Known.' });
    const page = await world.open('/');
    await page.getByRole('button', { name: 'Attach files' }).click();
    const menu = page.getByRole('dialog', { name: 'Attach files' });
    await menu.getByRole('textbox', { name: 'Find a file in the workspace' }).fill('known');
    await expect.poll(() => menu.getByRole('listitem').allInnerTexts()).toEqual(['/known.md']);
    await menu.getByRole('button', { name: '/known.md' }).click();
    await page.getByRole('button', { name: 'Detach /known.md' }).waitFor();
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'brought.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Brought along.'),
    });
    await page.getByRole('button', { name: 'Detach /uploads/brought.txt' }).waitFor();
    // A second file of that name gets a name of its own; and the draft survives a visit to another page.
    const paste = (...names: string[]) =>
      page.getByRole('textbox', { name: 'Message' }).evaluate((field, given) => {
        const clipboardData = new DataTransfer();
        for (const name of given) clipboardData.items.add(new File(['Another.'], name));
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, names);
    await paste('brought.txt');
    await page.getByRole('button', { name: 'Detach /uploads/brought (2).txt' }).waitFor();
    // A name that is valid only on this computer becomes one that is valid everywhere.
    await paste('a?b<c>.txt', 'CON.txt');
    for (const name of ['a_b_c_.txt', '_CON.txt'])
      await page.getByRole('button', { name: `Detach /uploads/${name}` }).click();
    // A file's error stays until the next file is attached.
    await paste('x'.repeat(300), 'fine.txt');
    await page.getByRole('button', { name: 'Detach /uploads/fine.txt' }).click();
    await page.getByRole('alert').getByText('is longer than 255 bytes').waitFor();
    await paste('fine, too.txt');
    await page.getByRole('button', { name: 'Detach /uploads/fine, too.txt' }).click();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.goBack();
    await page.getByRole('button', { name: 'Detach /uploads/brought (2).txt' }).click();
    await say(page, 'Read /known.md');
    await page.getByText('From the offline stand-in').waitFor();
    const mine = page.getByRole('article', { name: 'You' });
    expect(await mine.innerText()).toMatch(/\/known\.md\s+v1[^]*\/uploads\/brought\.txt\s+v1/);
  });

  // The test scrolls through a hundred pages.
  test('PLUS-5 a chat of 50,000 events shows its end first, and its beginning after scrolling', async () => {
    // More tokens than one flush takes would be merged into one event.
    const tokens = { tokens: 960 };
    const steps = [{ text: 'This is the beginning.' }];
    const path = await openScripted(world.url, steps);
    const thread = path.slice('/chats/'.length);
    let last = '';
    for (const step of [...Array.from({ length: 52 }, () => tokens), { text: 'This is the end.' }])
      last = await sayScript(world.url, thread, [step]);
    await ended(world.url, last);
    const page = await world.open(path);
    await page.getByText('This is the end.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
    const end = `${world.url}/api/threads/${thread}/events?format=json&before=latest&limit=1`;
    const { items } = (await (await fetch(end)).json()) as { items: { seq: number }[] };
    expect(items[0]!.seq).toBeGreaterThan(50_000);
    await page.reload();
    await page.getByText('This is the end.', { exact: true }).waitFor();
    expect(await page.getByText('This is the beginning.', { exact: true }).count()).toBe(0);
    const log = page.getByRole('log', { name: 'Transcript' });
    const beginning = page.getByText('This is the beginning.', { exact: true });
    while ((await beginning.count()) === 0) {
      await log.evaluate((element) => {
        element.scrollTop = 0;
        return new Promise((resolve) => requestAnimationFrame(resolve));
      });
    }
    await page.getByRole('button', { name: 'Jump to end' }).click();
    await page.getByText('This is the end.', { exact: true }).waitFor();
  }, 180_000);

  test('PLUS-5 a question from an MCP server is a form in the chat, and its answer goes to the server', async () => {
    await fetch(`${world.url}/api/v1/workspaces/default/mcp-servers/fix`, {
      method: 'PUT',
      headers: { ...AS_PERSON, 'content-type': 'application/json' },
      body: JSON.stringify({ transport: 'stdio', command: process.execPath, args: [MCP_SERVER] }),
    });
    const { chat, run } = await openScript(world.url, 'a question', [
      { calls: [{ tool: 'fix__question', input: { note: 'the ball' } }] },
      { text: 'thanks' },
    ]);
    const page = await world.open(`/chats/${chat}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    const question = page.getByRole('group', { name: 'Question from fix__question' });
    await question.getByText('Which colour for the ball?').waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByLabel('Colour').selectOption('blue');
    await question.getByLabel('How many').fill('3');
    await question.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('thanks', { exact: true }).waitFor();
    expect(await eventsOf(world.url, run)).toContainEqual(
      expect.objectContaining({
        type: 'tool_end',
        data: expect.objectContaining({
          output: { text: 'accept {"colour":"blue","count":3,"gift":false}' },
        }),
      }),
    );
  });
});
