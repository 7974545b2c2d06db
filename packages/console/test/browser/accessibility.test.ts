// Accessibility: keyboard, narrow screens, dark mode, screen readers; and the API key.

import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { openScript } from '../support/chats.ts';
import { say, useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`accessibility of the console in a browser${WITHOUT}`, () => {
  const world = useConsole();

  const withApproval = async (page: Page) => {
    await say(page, 'Write a haiku to /a.md, then show the diff of it, then remove /a.md');
    await page.getByRole('group', { name: 'Approval of remove' }).waitFor();
  };

  test('PLUS-5 by keyboard: send, approve, choose a role', async () => {
    const page = await world.open('/');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Write a list to /by-keyboard.md,');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('then remove /by-keyboard.md');
    await page.keyboard.press('Enter');
    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.waitFor();
    const approve = question.getByRole('button', { name: 'Approve', exact: true });
    await tabTo(page, 'Approve');
    expect(await approve.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByText('From the offline stand-in').waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    await tabTo(page, 'Role: assistant');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemradio', { name: /^reviewer/ }).waitFor();
    await page.keyboard.type('rev');
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('reviewer'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Role: reviewer' }).waitFor();
  });

  test('PLUS-5 by keyboard: queue, cancel, stop, edit and send again', async () => {
    const { chat } = await openScript(world.url, 'By keys', [{ tokens: 500, delay_ms: 20 }]);
    const page = await world.open(`/chats/${chat}`);
    await page.getByRole('article', { name: 'Answer' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('{"steps":[{"text":"It was queued."}]}');
    await page.keyboard.press('Enter');
    const queue = page.getByRole('region', { name: 'Waiting messages' });
    await queue.waitFor();
    await tabTo(page, 'Cancel message', { back: true });
    await page.keyboard.press('Enter');
    await queue.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await tabTo(page, 'Stop (Esc)');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await tabTo(page, 'Edit and send again', { back: true });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"steps":[{"text":"It was edited."}]}');
    await page.keyboard.press('Enter');
    await page.getByText('It was edited.', { exact: true }).waitFor();
    expect(await page.getByText('It was queued.', { exact: true }).count()).toBe(0);
  });

  test('PLUS-5 by keyboard: find, edit and save a file; replay a run', async () => {
    await fetch(`${world.url}/api/v1/workspaces/default/files/keys/a.md`, { method: 'PUT', body: 'One' });
    const { run } = await openScript(world.url, 'By keys', [{ text: 'First.' }]);
    const page = await world.open('/');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await tabTo(page, 'Files');
    await page.keyboard.press('Enter');
    const tree = page.getByRole('tree', { name: 'Files' });
    await tree.getByRole('treeitem', { name: 'keys' }).waitFor();
    await tabTo(page, (name) =>
      tree
        .getByRole('treeitem', { name, exact: true })
        .count()
        .then((found) => found === 1),
    );
    await page.keyboard.press('Home');
    while (!(await isFocused(tree.getByRole('treeitem', { name: 'keys' }))))
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await tree.getByRole('treeitem', { name: 'a.md' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'Text of /keys/a.md' });
    await editor.getByText('One').waitFor();
    await tabTo(page, async () => isFocused(editor));
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and two');
    await page.keyboard.press('Control+s');
    await page.getByText('Version v2').waitFor();

    await page.goto(`${world.url}/runs/${run}`);
    await page.getByRole('status').getByText('Done').waitFor();
    await tabTo(page, 'Timeline');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Replay', selected: true }).waitFor();
    const slider = page.getByRole('slider', { name: 'Position in the run' });
    await tabTo(page, 'Position in the run');
    await page.keyboard.press('Home');
    await page.getByText('Nothing has happened yet.').waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await slider.inputValue()).toBe('1');
    await tabTo(page, 'Next message');
    await page.keyboard.press('Enter');
    expect(Number(await slider.inputValue())).toBeGreaterThan(1);
  });

  test.each(['light', 'dark'] as const)(
    'PLUS-5 axe finds no violation on any page (%s)',
    async (colorScheme) => {
      const page = await world.open('/', { profile: { colorScheme } });
      await page.getByText('No language model is connected').waitFor();
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(colorScheme);
      expect(await violations(page)).toEqual([]);
      await withApproval(page);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Always allow…' }).click();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('link', { name: /^Approvals/ }).click();
      await page.getByRole('group', { name: 'Approval of remove' }).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.goto(`${world.url}/nowhere`);
      await page.getByText('Page not found').waitFor();
      expect(await violations(page)).toEqual([]);
    },
  );

  test.each(['reduce', 'no-preference'] as const)(
    'PLUS-5 a running chat is animated only if motion is wanted (%s)',
    async (reducedMotion) => {
      const { chat, run } = await openScript(world.url, 'Moves', [{ tokens: 3000, delay_ms: 20 }]);
      const page = await world.open(`/chats/${chat}`, { profile: { reducedMotion } });
      await page.getByRole('status').getByText('Running').waitFor();
      const moving = await page.evaluate(() =>
        document.getAnimations().some(({ effect }) => effect?.getTiming().iterations === Infinity),
      );
      expect(moving).toBe(reducedMotion === 'no-preference');
      await fetch(`${world.url}/api/runs/${run}/cancel`, { method: 'POST' });
    },
  );

  test('PLUS-5 at 390 px nothing is cut off, and the sidebar is a drawer', async () => {
    const page = await world.open('/', { profile: NARROW });
    const fits = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    await page.getByText('No language model is connected').waitFor();
    expect(await fits()).toBe(true);
    await withApproval(page);
    expect(await fits()).toBe(true);
    expect(await page.getByRole('navigation', { name: 'Chats' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Menu/ }).tap();
    await page.getByRole('navigation', { name: 'Chats' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: /^Approvals/ }).tap();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.getByRole('navigation', { name: 'Chats' }).waitFor({ state: 'detached' });
    expect(await fits()).toBe(true);
    expect(await violations(page)).toEqual([]);
    // A link to the current page.
    await page.getByRole('button', { name: /^Menu/ }).tap();
    await page.getByRole('link', { name: /^Approvals/ }).tap();
    await page.getByRole('navigation', { name: 'Chats' }).waitFor({ state: 'detached' });
  });

  test('PLUS-5 on a short screen the page scrolls, and a waiting approval can be read', async () => {
    const page = await world.open('/', { profile: { viewport: { width: 320, height: 256 } } });
    await withApproval(page);
    const log = page.getByRole('log', { name: 'Transcript' });
    const shown = async (element: Locator) => {
      await element.scrollIntoViewIfNeeded();
      return element.evaluate((found) => {
        const { top, bottom } = found.getBoundingClientRect();
        return Math.min(bottom, innerHeight) - Math.max(top, 0);
      });
    };
    expect(await shown(log)).toBeGreaterThan(150);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await shown(approve)).toBeGreaterThan(20);
    await approve.click();
    await page.getByText('From the offline stand-in').waitFor();
    const field = page.getByRole('textbox', { name: 'Message' });
    expect(await shown(field)).toBeGreaterThan(40);
    await page.getByRole('button', { name: /^Menu/ }).click();
    expect(await shown(page.getByRole('link', { name: 'Archived and removed' }))).toBeGreaterThan(20);
  });

  test('PLUS-5 hidden characters in a chat’s title are shown on every page', async () => {
    const title = 'Write "a\u202Eb" down';
    const whole = 'Write "aU+202Eb" down';
    const { chat, run } = await openScript(world.url, title, [
      { text: 'May it go?', calls: [{ tool: 'remove', input: { path: '/hidden.md' } }] },
    ]);
    const page = await world.open(`/chats/${chat}`);
    await page.getByRole('heading', { name: whole, level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: whole }).waitFor();
    await page.getByRole('link', { name: /^Approvals/ }).click();
    await page.getByRole('main').getByRole('link', { name: whole }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('list', { name: 'Runs' }).getByRole('link').filter({ hasText: whole }).click();
    await page.waitForURL(`**/runs/${run}`);
    await page.getByRole('heading', { name: `Run of ${whole}`, level: 1 }).waitFor();
  });

  test('PLUS-5 text is copied without the clipboard API, and a failure is shown', async () => {
    const { chat } = await openScript(world.url, 'Copied', [{ text: 'To be copied.' }]);
    const page = await world.open('/');
    // As over http from another machine.
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }),
    );
    await page.goto(`${world.url}/chats/${chat}`);
    await page.getByRole('button', { name: 'Copy the answer' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    expect(await isFocused(page.getByRole('button', { name: 'Copied', exact: true }))).toBe(true);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.focus();
    await page.keyboard.press('Control+v');
    expect(await field.inputValue()).toBe('To be copied.');
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }));
    await page.getByRole('button', { name: 'Copy the message' }).click();
    await page.getByRole('button', { name: 'Copying failed' }).waitFor();
  });

  test('PLUS-5 at 390 px the longest names wrap or are truncated, and no page is wider than the screen', async () => {
    const long = 'unbroken'.repeat(22);
    const path = `/folder/${long}.md`;
    const { chat, run } = await openScript(world.url, long, [
      { text: long, calls: [{ tool: 'write', input: { path, content: long } }] },
      { text: 'May it go?', calls: [{ tool: 'remove', input: { path } }] },
    ]);
    const page = await world.open(`/chats/${chat}`, { profile: NARROW });
    const fits = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    await page.getByRole('group', { name: 'Approval of remove' }).waitFor();
    expect(await fits()).toBe(true);
    const log = page.getByRole('log', { name: 'Transcript' });
    expect(await log.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    for (const [at, name] of [
      ['/approvals', 'Approvals'],
      ['/runs', 'Runs'],
      [`/runs/${run}`, `Run of ${long}`],
      [`/files${path}`, `${long}.md`],
      ['/archived', 'Archived and removed'],
      ['/settings', 'Settings'],
    ] as const) {
      await page.goto(world.url + at);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      expect([at, await fits()]).toEqual([at, true]);
    }
    // What a person is asked, and what a run waits for, is shown to its last character.
    for (const [at, words] of [
      ['/approvals', 'The agent wants to call'],
      ['/runs', 'The run waits for approval of remove'],
    ] as const) {
      await page.goto(world.url + at);
      const whole = await page
        .getByText(words)
        .filter({ hasText: long })
        .evaluate((element) => element.scrollWidth <= element.clientWidth);
      expect([at, whole]).toEqual([at, true]);
    }
    await page.getByRole('button', { name: /^Menu/ }).tap();
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: long }).waitFor();
    expect(await fits()).toBe(true);
  });
});

describe.skipIf(chromiumPath === null)(
  `the console of a server with an API key, in a browser${WITHOUT}`,
  () => {
    const key = 'a-key-of-the-tests-only';
    const world = useConsole({ CONTINUO_API_KEY: key });

    test('PLUS-5 the API key is asked for once per tab, and a wrong one is refused', async () => {
      const page = await world.open('/', { person: false });
      const field = page.getByLabel('API key');
      await field.fill('a-wrong-key-of-16');
      await field.press('Enter');
      const refused = page.getByText('The server rejected this key.');
      await refused.waitFor();
      expect(await violations(page)).toEqual([]);
      await page.reload();
      // No header can carry this key.
      await field.fill('“a-key-in-quotes”');
      await field.press('Enter');
      await refused.waitFor();
      await field.fill(key);
      await field.press('Enter');
      await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
      await say(page, 'Write a list to /with-key.md');
      await page.getByText('From the offline stand-in').waitFor();
      await page.reload();
      await page.getByText('From the offline stand-in').waitFor();

      const other = await world.open(new URL(page.url()).pathname, { person: false });
      await other.getByLabel('API key').fill(key);
      await other.keyboard.press('Enter');
      await other.getByText('From the offline stand-in').waitFor();
    });
  },
);

/** Presses Tab (or Shift+Tab) until the focused element has this name or meets the condition. */
async function tabTo(
  page: Page,
  wanted: string | ((name: string) => Promise<boolean>),
  { back = false } = {},
): Promise<void> {
  const isIt = async (name: string) => (typeof wanted === 'function' ? wanted(name) : name === wanted);
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
    });
    if (await isIt(focused)) return;
  }
  throw new Error(`Tab does not lead to ${String(wanted)}`);
}

function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((found) => found.contains(document.activeElement));
}
