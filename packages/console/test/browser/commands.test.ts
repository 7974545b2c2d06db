// Commands in the chat: their output while they run, how they ended, and the changes that they propose.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { findBubblewrap } from '@continuo/testkit/fixtures';
import { ended, openScript } from '../support/chats.ts';
import { openScripted, useConsole } from '../support/console.ts';

const { isThere, without } = await findBubblewrap();
const isSkipped = chromiumPath === null || !isThere;

const exec = (command: string, more: object = {}) => [
  { calls: [{ tool: 'exec', input: { command, ...more } }] },
  { text: 'Done.' },
];

describe.skipIf(isSkipped)(`commands in the console, in a browser${WITHOUT}${without}`, () => {
  const world = useConsole({ CONTINUO_SANDBOX: 'auto' });

  /** Runs the command to its end and opens its chat. */
  const openEnded = async (command: string, options: Parameters<typeof world.open>[1] = {}, more = {}) => {
    const { chat, run } = await openScript(world.url, 'A command', exec(command, more));
    await ended(world.url, run);
    return world.open(`/chats/${chat}`, options);
  };
  const outputIn = (page: Page) => page.getByRole('region', { name: 'Output' });
  /** Waits for a text in the output; the first lines are the command itself. */
  const shows = (page: Page, text: string, command: string) =>
    until(`the output has ${text}`, async () =>
      (await outputIn(page).innerText()).replace(`$ ${command}\n`, '').includes(text),
    );
  const textOf = async (path: string) =>
    (await fetch(`${world.url}/api/v1/workspaces/default/files${path}`)).text();

  test('WS-18 the output of a command is shown while it runs, also after a reload, and then how it ended', async () => {
    const command = 'echo first; while [ ! -e /scratch/go ]; do sleep 0.05; done; echo second >&2; exit 3';
    const path = await openScripted(world.url, exec(command));
    const page = await world.open(path);
    await shows(page, 'first', command);
    await page.reload();
    await shows(page, 'first', command);
    expect(await page.getByText('Exit code 3').count()).toBe(0);
    const chat = path.split('/').at(-1)!;
    writeFileSync(join(world.pod.home, 'sandbox', chat, 'scratch/go'), '');
    await page.getByText('Exit code 3').waitFor();
    await shows(page, 'second', command);
    await page.reload();
    // An ended command is closed until the person opens it.
    await page.getByText('Exit code 3').waitFor();
    expect(await outputIn(page).isVisible()).toBe(false);
    await page.locator('summary', { hasText: 'echo first' }).click();
    await shows(page, 'first\nsecond', command);
  });

  test('WS-18 colours are shown, readable on their background, and no escape sequence does anything else', async () => {
    const page = await openEnded(
      String.raw`printf '\033[31mred\033[0m \033[30;40mhidden\033[0m \033[8mconcealed\033[0m \033]8;;http://evil.example\033\\link\033]8;;\033\\ <img src=x onerror=alert(1)>\033[2Jkept\n'`,
    );
    await page.locator('summary', { hasText: 'printf' }).click();
    const output = outputIn(page);
    await output.getByText('red', { exact: true }).waitFor();
    expect((await output.innerText()).trimEnd().split('\n').at(-1)).toBe(
      'red hidden concealed link <img src=x onerror=alert(1)>kept',
    );
    const colors = await output.evaluate((element) =>
      [...element.querySelectorAll('span[style]')].map((span) => [
        span.textContent,
        getComputedStyle(span).color,
      ]),
    );
    expect(colors).toContainEqual(['red', 'rgb(242, 139, 130)']);
    expect(colors).toContainEqual(['hidden', 'rgb(228, 228, 228)']);
    expect(await output.locator('img, a').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  test('WS-18 of a long output the end is shown, and the rest on demand', async () => {
    const page = await openEnded('seq 20000');
    await page.locator('summary', { hasText: 'seq 20000' }).click();
    const output = outputIn(page);
    await shows(page, '20000', 'seq 20000');
    expect(await output.innerText()).not.toContain('\n5000\n');
    await page.getByRole('button', { name: 'Show all' }).click();
    await shows(page, '\n5000\n', 'seq 20000');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('output.txt');
  });

  test('WS-18 a proposal is compared and applied by keyboard: chosen files first, then the rest', async () => {
    await fetch(`${world.url}/api/v1/workspaces/default/files/proposed/a.txt`, {
      method: 'PUT',
      body: 'one\n',
    });
    const page = await openEnded(
      'cd proposed; echo two >> a.txt; echo new > b.txt; echo new > c.txt; ln -s /etc/passwd link',
    );
    const proposal = page.getByRole('region', { name: 'The command proposes to change 3 files' });
    await proposal.getByRole('button', { name: '/proposed/a.txt' }).press('Enter');
    await proposal.getByText('+two').waitFor();
    await proposal.getByText('One other change is not proposed').click();
    await proposal.getByText('it is a symbolic link').waitFor();
    expect(await violations(page)).toEqual([]);
    for (const name of ['b', 'c'])
      await proposal.getByRole('checkbox', { name: `Apply /proposed/${name}.txt` }).press('Space');
    await proposal.getByRole('button', { name: 'Apply 1 of 3' }).press('Enter');
    await proposal.getByRole('link', { name: '/proposed/a.txt v2' }).waitFor();
    expect(await textOf('/proposed/a.txt')).toBe('one\ntwo\n');
    await page.reload();
    await proposal.getByRole('link', { name: '/proposed/a.txt v2' }).waitFor();
    // A file that somebody else wrote meanwhile is no longer offered.
    await fetch(`${world.url}/api/v1/workspaces/default/files/proposed/c.txt`, {
      method: 'PUT',
      body: 'other',
    });
    await proposal.getByText('Changed since; run again').waitFor();
    await proposal.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
    await proposal.getByRole('link', { name: '/proposed/b.txt v1' }).waitFor();
    expect(await textOf('/proposed/c.txt')).toBe('other');
    expect(await proposal.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)(
    'WS-18 at 390 px a command fits, and axe finds nothing (%s)',
    async (colorScheme) => {
      const long = `echo ${'a-very-long-word-'.repeat(30)}; printf '\\033[1;32mPASS\\033[0m test.js\\n\\033[33mwarning\\033[0m: slow\\n'; mkdir -p a/folder/with/a/rather/long/name; echo x > a/folder/with/a/rather/long/name/result-${colorScheme}.txt; exit 1`;
      const page = await openEnded(long, {
        profile: { colorScheme, viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
      });
      await page.getByText('Exit code 1').waitFor();
      await page.locator('summary', { hasText: 'a-very-long-word' }).tap();
      await outputIn(page).getByText('PASS', { exact: true }).waitFor();
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        ),
      ).toBe(true);
      expect(await violations(page)).toEqual([]);
    },
  );
});
