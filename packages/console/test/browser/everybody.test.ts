// For everybody: the keyboard alone, a narrow screen, dark, a screen reader, a key.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { violations } from '../support/axe.ts';
import { chromiumPath, WITHOUT } from '../support/chromium.ts';
import { say, useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`the console for everybody, in a browser${WITHOUT}`, () => {
  const world = useConsole();

  const withApproval = async (page: Page) => {
    await say(page, 'Write a haiku to /a.md, then show the diff of it, then remove /a.md');
    await page.getByRole('group', { name: 'Approval of remove' }).waitFor();
  };

  test('PLUS-5 everything can be done with the keyboard alone', async () => {
    const page = await world.open('/');
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
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
    await page.keyboard.press('Control+k');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    await tabTo(page, 'Role: assistant');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemradio', { name: /^reviewer/ }).waitFor();
    await page.keyboard.type('rev');
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('reviewer'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Role: reviewer' }).waitFor();
  });

  test.each(['light', 'dark'] as const)(
    'PLUS-5 axe finds nothing wrong on any page (%s)',
    async (colorScheme) => {
      const page = await world.open('/', { profile: { colorScheme, reducedMotion: 'reduce' } });
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
      await page.getByText('There is nothing here').waitFor();
      expect(await violations(page)).toEqual([]);
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
  });
});

describe.skipIf(chromiumPath === null)(`the console of a server with a key, in a browser${WITHOUT}`, () => {
  const key = 'a-key-of-the-tests-only';
  const world = useConsole({ CONTINUO_API_KEY: key });

  test('PLUS-5 the key is asked for once per tab, and a wrong one is refused', async () => {
    const page = await world.open('/');
    const field = page.getByLabel('API key');
    await field.fill('a-wrong-key-of-16');
    await field.press('Enter');
    await page.getByText('The server does not take this key.').waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill(key);
    await field.press('Enter');
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
    await say(page, 'Write a list to /with-key.md');
    await page.getByText('From the offline stand-in').waitFor();
    await page.reload();
    await page.getByText('From the offline stand-in').waitFor();

    const other = await world.open(new URL(page.url()).pathname);
    await other.getByLabel('API key').fill(key);
    await other.keyboard.press('Enter');
    await other.getByText('From the offline stand-in').waitFor();
  });
});

/** Presses Tab until the focus is on what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
    });
    if (focused === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
