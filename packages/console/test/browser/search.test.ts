// The palette: search over everything and in one chat, pages, actions, shortcuts; and links to a moment of a chat.

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { ended, openScript, sayScript } from '../support/chats.ts';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`search in the console in a browser${WITHOUT}`, () => {
  const world = useConsole();

  const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' });
  const open = async (page: Page) => {
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').waitFor();
  };
  /** A chat whose first answer is many pages before its end. */
  const longChat = async () => {
    const { chat, run } = await openScript(world.url, 'Long', [{ text: 'The first word was marzipan.' }]);
    await ended(world.url, run);
    for (let n = 0; n < 6; n += 1)
      await ended(world.url, await sayScript(world.url, chat, [{ text: `Filler ${n}. `, tokens: 300 }]));
    return chat;
  };

  test('PLUS-5 the palette finds messages, files and entities, and opens a message where it was said', async () => {
    const chat = await longChat();
    await fetch(`${world.url}/api/v1/workspaces/default/files/sweets.md`, {
      method: 'PUT',
      body: 'Marzipan is made of almonds.',
    });
    const page = await world.open('/');
    await open(page);
    await page.keyboard.type('marzip');
    const results = palette(page).getByRole('listbox', { name: 'Results' });
    await results.getByRole('option', { name: /sweets\.md/ }).waitFor();
    const message = results.getByRole('option', { name: /Long.*Answer/ });
    await message.waitFor();
    expect(await violations(page)).toEqual([]);
    await message.click();
    await page.waitForURL(new RegExp(`/chats/${chat}\\?at=\\d+`));
    const found = page.locator('.found-row');
    await found.getByText('The first word was marzipan.').waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector('.found-row')?.getBoundingClientRect();
      return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
    });
    // The same address in a new tab opens at the same moment.
    const second = await world.open(new URL(page.url()).pathname + new URL(page.url()).search);
    await second.locator('.found-row').getByText('The first word was marzipan.').waitFor();
  });

  test('PLUS-5 the palette finds a chat by words of its title, however many chats are newer', async () => {
    const create = (title: string) => openScript(world.url, title, [{ text: 'Yes.' }]);
    const { chat: old } = await create('How to make quince jelly');
    for (let n = 0; n < 50; n += 1) await ended(world.url, (await create(`Newer ${n}`)).run);
    const page = await world.open('/');
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'Newer 49' }).waitFor();
    expect(await page.getByRole('link', { name: /quince/ }).count()).toBe(0);
    await open(page);
    await page.keyboard.type('jelly quin');
    await palette(page).getByRole('option', { name: 'How to make quince jelly', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/chats/${old}`);
  });

  test('PLUS-5 a search in a chat finds what is not on the page, and nothing of other chats', async () => {
    const chat = await longChat();
    const other = await openScript(world.url, 'Other', [{ text: 'Marzipan elsewhere.' }]);
    await ended(world.url, other.run);
    const page = await world.open(`/chats/${chat}`, { profile: NARROW });
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Filler 5' }).waitFor();
    expect(await page.getByText('The first word was marzipan.').count()).toBe(0);
    await page.getByRole('button', { name: /^Search this chat/ }).click();
    await page.getByRole('combobox', { name: 'Search this chat' }).fill('marzipan');
    const options = page.getByRole('option');
    await options.filter({ hasText: 'Answer' }).waitFor();
    expect(await options.filter({ hasText: 'elsewhere' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await options.filter({ hasText: 'Answer' }).click();
    await page.locator('.found-row').getByText('The first word was marzipan.').waitFor();
    await page.getByRole('button', { name: 'Jump to end' }).click();
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Filler 5' }).waitFor();
  });

  test('PLUS-5 what is typed right after Ctrl-K is in the field', async () => {
    const page = await world.open('/');
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/palette-')),
    );
    // Once the page has nothing to do, what was loaded has run.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('settings');
    expect(await palette(page).getByRole('combobox').inputValue()).toBe('settings');
  });

  test('PLUS-5 by keyboard: the palette goes to pages, switches the theme, and lists the shortcuts', async () => {
    const page = await world.open('/');
    await open(page);
    await page.keyboard.type('appro');
    await palette(page).getByRole('option', { name: 'Approvals', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('light and dark');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await page.keyboard.press('Control+/');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Search the open chat').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+O');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await open(page);
    await page.keyboard.type('xylophonquartz');
    await palette(page).getByText('Nothing found.').waitFor();
  });

  test('PLUS-5 a search that fails says so, and what is known stays', async () => {
    const page = await world.open('/');
    await page.route('**/search?**', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          status: 503,
          code: 'unavailable',
          title: 'Unavailable',
          detail: 'The database is away.',
        }),
      }),
    );
    page.removeAllListeners('console');
    await open(page);
    await page.keyboard.type('set');
    await palette(page).getByRole('option', { name: 'Settings', exact: true }).waitFor();
    await palette(page).getByRole('alert').getByText('The database is away.').waitFor();
  });

  test('PLUS-5 an answer links to its run, and a message copies a link to itself', async () => {
    const { chat, run } = await openScript(world.url, 'Linked', [{ text: 'Here it is.' }]);
    await ended(world.url, run);
    const page = await world.open(`/chats/${chat}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.hover();
    await answer.getByRole('button', { name: 'Copy a link to this message' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      new RegExp(`^${world.url}/chats/${chat}\\?at=\\d+$`),
    );
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    await page.waitForURL(`**/runs/${run}`);
    await page.getByRole('link', { name: 'Linked' }).first().click();
    await page.waitForURL(`**/chats/${chat}**`);
  });

  test('PLUS-5 earlier messages that are loading move no row', async () => {
    const page = await world.open(`/chats/${await longChat()}`);
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Filler 5' }).waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/events\?.*before=\d/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('log', { name: 'Transcript' }).hover();
    await page.mouse.wheel(0, -20_000);
    await page.getByText('Loading earlier messages…').waitFor();
    const first = page.locator('[data-index="0"]');
    const space = await first.evaluate((row) => {
      const log = row.closest('[role=log]')!;
      return row.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop;
    });
    expect(space).toBeLessThan(40);
    answer();
    await page.getByText('Loading earlier messages…').waitFor({ state: 'detached' });
  });

  test('PLUS-5 the link of a chat that was scrolled opens what was shown', async () => {
    const chat = await longChat();
    const page = await world.open(`/chats/${chat}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const link = async (pattern: RegExp) => {
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await page.getByRole('button', { name: 'Share this chat' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Copy a link to this view' }).press('Enter');
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(pattern);
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Filler 5' }).waitFor();
    await link(new RegExp(`^${world.url}/chats/${chat}$`));
    const transcript = page.getByRole('log', { name: 'Transcript' });
    await transcript.hover();
    await page.mouse.wheel(0, -1500);
    // The button is there before the page has scrolled.
    const toEnd = () => transcript.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
    await expect.poll(toEnd).toBeGreaterThan(1000);
    await page.getByRole('button', { name: 'Jump to end' }).waitFor();
    /** The row at the top of the page. Rows in use stay mounted, so the first in the document may be another. */
    const topRow = (shown: Page) =>
      shown.getByRole('log', { name: 'Transcript' }).evaluate((log) => {
        const { top } = log.getBoundingClientRect();
        const rows = [...log.querySelectorAll<HTMLElement>('[data-seq]')];
        return rows
          .map((row) => ({ text: row.innerText, box: row.getBoundingClientRect() }))
          .filter(({ box }) => box.bottom > top + 1 && box.height > 0)
          .sort((a, b) => a.box.top - b.box.top)[0]?.text;
      });
    // The wheel scrolls smoothly: a link that is copied on the way is of a moment that is no longer shown.
    let first: string | undefined;
    let shared = '';
    const copiedAtRest = async () => {
      first = await topRow(page);
      shared = await link(/\?at=\d+$/);
      return (await topRow(page)) === first;
    };
    await expect.poll(copiedAtRest).toBe(true);
    const other = await world.open(shared.slice(world.url.length));
    await other.locator('.found-row').waitFor();
    // The rows are measured as they come into view, and the page scrolls on until the row is at its top.
    await expect.poll(() => topRow(other)).toBe(first);
  });

  test('PLUS-5 a chat and a run are exported from their pages, and their link opens the same moment', async () => {
    const { chat, run } = await openScript(world.url, 'Shared', [{ text: 'To be shared.' }]);
    await ended(world.url, run);
    const page = await world.open(`/chats/${chat}?at=2`, { profile: NARROW });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // One header, with the title and the controls.
    const header = page.getByRole('banner');
    await header.getByText('Shared', { exact: true }).waitFor();
    expect(await page.locator('header').filter({ visible: true }).count()).toBe(1);
    const share = async (item: string) => {
      await page.getByRole('button', { name: /^Share this/ }).press('Enter');
      await page.getByRole('menuitem', { name: item }).press('Enter');
    };
    await share('Copy a link to this view');
    await page.getByText('The link is copied.').waitFor({ state: 'attached' });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${world.url}/chats/${chat}?at=2`);
    expect(await violations(page)).toEqual([]);
    const file = async (item: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), share(item)]);
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
    };
    const markdown = await file('Export as Markdown');
    expect(markdown.name).toBe(`shared-${chat.slice(-12)}.md`);
    expect(markdown.text).toContain('To be shared.');
    await page.goto(`${world.url}/runs/${run}?view=replay`);
    const json = await file('Export as JSON');
    expect(json.name).toBe(`shared-${chat.slice(-12)}-run-${run.slice(-12)}.json`);
    expect(JSON.parse(json.text)).toMatchObject({ format: 'continuo-chat', run: { id: run } });
    expect(await violations(page)).toEqual([]);
  });
});
