// The person's token in a browser; and what other origins, and files written by agents, cannot do.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { openScripted, useConsole } from '../support/console.ts';

describe.skipIf(chromiumPath === null)(`the person’s token in a browser${WITHOUT}`, () => {
  const world = useConsole();
  const file = (path: string) => `${world.url}/api/v1/workspaces/default/files/${path}`;
  const write = (path: string, body: string) => fetch(file(path), { method: 'PUT', body });

  test('without the token, a decision asks for it and is then made', async () => {
    await write('old.md', 'Old.');
    const chat = await openScripted(world.url, [{ calls: [{ tool: 'remove', input: { path: '/old.md' } }] }]);
    const page = await world.open(chat, { person: false });
    const card = page.getByRole('group', { name: 'Approval of remove' });
    await card.getByRole('button', { name: 'Approve' }).click();
    const asked = page.getByRole('dialog', { name: 'The person’s token is required' });
    await asked.getByText('continuo open').waitFor();
    expect(await violations(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Not now' }).click();
    await card.getByText('needs a person').waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await asked.getByLabel('Link or token').fill('x'.repeat(43));
    await asked.getByRole('button', { name: 'Continue' }).click();
    await asked.getByText('not the person’s token').waitFor();
    await asked.getByLabel('Link or token').fill(`${world.url}/#token=${PERSON_TOKEN}`);
    await asked.getByRole('button', { name: 'Continue' }).click();
    // The card shows the decision only until the run continues, so look at the effect of the approved call.
    const file = `${world.url}/api/v1/workspaces/default/files/old.md`;
    await expect.poll(async () => (await fetch(file)).status, { timeout: 15_000 }).toBe(404);
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  test('the link gives the browser the token and leaves none in the address', async () => {
    const page = await world.open(`/#token=${PERSON_TOKEN}`, { person: false });
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    expect(page.url()).toBe(`${world.url}/`);
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', value: PERSON_TOKEN }]);
    expect(
      await page.evaluate(() => [localStorage, sessionStorage].map((each) => JSON.stringify(each)).join()),
    ).not.toContain(PERSON_TOKEN);
  });

  test('another origin can neither run nor measure files; the console runs none; an SVG image loads nothing', async () => {
    let asked = 0;
    const elsewhere = createServer((request, response) => {
      if (request.url === '/asked.png') asked += 1;
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Elsewhere</title>');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void elsewhere.close());
    const base = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    await write('x.js', 'globalThis.ran = true;');
    await write(
      'x.svg',
      `<svg xmlns="http://www.w3.org/2000/svg"><image href="${base}/asked.png"/><rect width="9" height="9"/></svg>`,
    );
    const { context } = { context: (await world.open('/')).context() };
    /** What happens to an element that a page adds to itself. */
    const embed = async (at: string, tag: 'script' | 'img', src: string) => {
      const page = await context.newPage();
      await page.goto(at);
      return page.evaluate(
        ([name, address]) =>
          new Promise((resolve) => {
            const element = document.createElement(name);
            element.addEventListener('load', () => resolve('loaded'));
            element.addEventListener('error', () =>
              resolve((globalThis as { ran?: boolean }).ran ? 'ran' : 'refused'),
            );
            element.src = address!;
            document.body.append(element);
          }),
        [tag, src] as const,
      );
    };
    expect(await embed(base, 'script', file('x.js'))).toBe('refused');
    expect(await embed(base, 'img', file('x.svg'))).toBe('refused');
    expect(await embed(world.url, 'script', file('x.js'))).toBe('refused');
    expect(await embed(world.url, 'img', file('x.svg'))).toBe('loaded');
    const page = await context.newPage();
    await page.goto(file('x.svg'), { waitUntil: 'networkidle' });
    expect(await page.locator('rect').count()).toBe(1);
    expect(asked).toBe(0);
  });
});
