// The digest in a real browser: what happened in a chat while nobody looked at it.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { ended, openScript, sayScript } from '../support/chats.ts';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const write = (path: string) => ({ calls: [{ tool: 'write', input: { path, content: 'One line.\n' } }] });

describe.skipIf(chromiumPath === null)(`the digest in the console${WITHOUT}`, () => {
  const world = useConsole();
  const region = (page: Page) => page.getByRole('region', { name: 'While you were away' });
  /** Looks at a chat, leaves it for a page without chats, and makes all visits two hours older. */
  const lookAndLeave = async (page: Page, chat: string) => {
    await page.goto(`${world.url}/chats/${chat}`);
    await page.getByRole('status').getByText('Ready').waitFor();
    await page.goto(`${world.url}/settings`);
    await page.evaluate(() => {
      const visits = JSON.parse(localStorage.getItem('continuo-seen')!) as Record<string, { at: number }>;
      for (const visit of Object.values(visits)) visit.at -= 7_200_000;
      localStorage.setItem('continuo-seen', JSON.stringify(visits));
    });
  };

  test('WS-16 a person who returns sees what happened, changed, cost and is needed, until they dismiss it', async () => {
    const { chat, run } = await openScript(world.url, 'Left alone', [{ text: 'Hello.' }]);
    await ended(world.url, run);
    const quiet = await openScript(world.url, 'Quiet', [{ text: 'Nothing more.' }]);
    await ended(world.url, quiet.run);
    const page = await world.open('/settings');
    await lookAndLeave(page, chat);
    await lookAndLeave(page, quiet.chat);
    const made = await sayScript(world.url, chat, [
      write('/digest/one.md'),
      write('/digest/two.md'),
      { text: 'Both are there.' },
    ]);
    await ended(world.url, made);
    await sayScript(world.url, chat, [{ calls: [{ tool: 'remove', input: { path: '/digest/one.md' } }] }]);
    await page.goto(`${world.url}/chats/${chat}`);
    const digest = region(page);
    await digest.getByText('4 h 0 min').waitFor();
    await digest.getByText('2 runs: 1 done, 1 running · 2 tool calls').waitFor();
    await digest.getByRole('link', { name: '/digest/one.md' }).waitFor();
    await digest.getByText('Approve or deny a call of “remove”').waitFor();
    expect(await digest.innerText()).toContain('model calls');
    for (const [name, profile] of [
      ['light', {}],
      ['narrow and dark', { colorScheme: 'dark' as const, ...NARROW }],
    ] as const) {
      const kept = await page.evaluate(() => localStorage.getItem('continuo-seen')!);
      const other = await world.open('/settings', { profile });
      await other.evaluate((visits) => {
        const earlier = JSON.parse(visits) as Record<string, { seq: number; at: number }>;
        for (const visit of Object.values(earlier))
          Object.assign(visit, { seq: 5, at: visit.at - 7_200_000 });
        localStorage.setItem('continuo-seen', JSON.stringify(earlier));
      }, kept);
      await other.goto(`${world.url}/chats/${chat}`);
      await region(other).getByText('Needed').waitFor();
      expect(await violations(other)).toEqual([]);
      const folder = process.env.CONTINUO_PICTURES;
      if (folder) await other.screenshot({ path: `${folder}/digest-${name}.png` });
    }
    // What is needed follows the chat.
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await digest.getByText('Needed').waitFor({ state: 'detached' });
    await digest.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await digest.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect(await digest.count()).toBe(0);
    const asked = page.waitForResponse((response) => response.url().includes(`${quiet.chat}/digest`));
    await page.goto(`${world.url}/chats/${quiet.chat}`);
    await asked;
    await page.getByText('Nothing more.', { exact: true }).waitFor();
    expect(await digest.count()).toBe(0);
  });
});
