// Chats with an open run: stopped, continued in another tab, queued, steered, paused, and taken over after the server
// was killed.

import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { afterEvents, startProxy, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { eventsOf, openScript, sayScript } from '../support/chats.ts';
import { openScripted, said, say, useConsole } from '../support/console.ts';

const days = (text: string) => [...text.matchAll(/Day (\d+)\./g)].map((match) => Number(match[1]));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** The id of the focused element. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

describe.skipIf(chromiumPath === null)(`a chat with an open run, in a browser${WITHOUT}`, () => {
  const world = useConsole({ CONTINUO_MODEL: 'offline/demo' });

  const day = (page: Page, number: number) => page.getByText(`Day ${number}.`, { exact: true }).first();

  test('PLUS-5 a long answer is stopped with Escape, and continued in another tab', async () => {
    const page = await world.open('/');
    await page.getByRole('button', { name: 'A long answer' }).click();
    await day(page, 2).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).press('Escape');
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    // It is said once, on the whole page.
    expect(await page.getByText(/Stopped/).count()).toBe(1);
    const reached = days(await said(page)).at(-1)!;

    const other = await world.open(new URL(page.url()).pathname, { context: page.context() });
    await other.getByText('Stopped', { exact: true }).waitFor();
    expect(await said(other)).toBe(await said(page));
    await say(other, 'Go on');
    for (const tab of [other, page]) await day(tab, reached + 2).waitFor();
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    for (const tab of [other, page])
      await tab.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    expect(await said(other)).toBe(await said(page));
  });

  test('PLUS-5 a message to a busy chat is queued, and can be canceled', async () => {
    const page = await world.open('/');
    await page.getByRole('button', { name: 'A long answer' }).click();
    await day(page, 1).waitFor();
    await say(page, 'Write a list to /queued.md');
    const queue = page.getByRole('region', { name: 'Waiting messages' });
    await queue.getByText('Write a list to /queued.md').waitFor();
    await page.reload();
    await queue.getByText('Write a list to /queued.md').waitFor();
    await queue.getByRole('button', { name: 'Cancel message' }).click();
    await queue.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('message');
    const mine = page.getByRole('article', { name: 'You' });
    await mine
      .filter({ hasText: 'Write a list to /queued.md' })
      .getByText('Canceled before it started')
      .waitFor();
    await say(page, 'Write a list to /also.md');
    await queue.getByText('Write a list to /also.md').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    const also = mine.filter({ hasText: 'Write a list to /also.md' });
    await also.getByText('Canceled before it started').waitFor();
    await page.reload();
    await also.getByRole('button', { name: 'Retry' }).click();
    await also.first().getByText('Sent again below').waitFor();
    await page.getByText('From the offline stand-in').waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect((await fetch(`${world.url}/api/v1/workspaces/default/files/queued.md`)).status).toBe(404);
  });

  test('PLUS-5 scrolling up a little from the end of a streaming answer stops following it', async () => {
    const page = await world.open('/', { profile: { viewport: { width: 900, height: 420 } } });
    await page.getByRole('button', { name: 'A long answer' }).click();
    await day(page, 6).waitFor();
    const log = page.getByRole('log', { name: 'Transcript' });
    const top = () => log.evaluate(({ scrollTop }) => scrollTop);
    // New content is scrolled into view with the next frame.
    const endInSight = () =>
      until('the end is in sight', () =>
        log.evaluate(
          ({ scrollTop, scrollHeight, clientHeight }) => scrollHeight - scrollTop - clientHeight < 80,
        ),
      );
    await endInSight();
    for (const up of [-100, -40]) {
      await log.hover();
      await log.evaluate((scroller) =>
        scroller.addEventListener('wheel', () => (scroller.dataset.wheelAt = String(scroller.scrollTop)), {
          once: true,
        }),
      );
      await page.mouse.wheel(0, up);
      // The wheel's event comes before its scroll.
      const stopped = await until('the scroll up has ended', () =>
        log.evaluate(async (scroller) => {
          const before = scroller.scrollTop;
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          const isStill = scroller.scrollTop === before && before < Number(scroller.dataset.wheelAt);
          return isStill ? { at: before } : null;
        }),
      );
      const toEnd = page.getByRole('button', { name: 'Jump to end' });
      await toEnd.waitFor();
      const next = days(await said(page)).at(-1)! + 1;
      await day(page, next + 2).waitFor();
      expect(await top()).toBe(stopped.at);
      await toEnd.click();
      await toEnd.waitFor({ state: 'detached' });
      await day(page, next + 4).waitFor();
      await endInSight();
    }
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
  });

  test('PLUS-5 a pause is shown as pending until the run is paused, survives a reload, and ends with Resume', async () => {
    const page = await world.open('/');
    await say(page, 'Write a list to /paused.md, then write a list to /later.md');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const status = page.getByRole('status');
    await status.getByText(/^Paus(ing…|ed)$/).waitFor();
    await status.getByText('Paused', { exact: true }).waitFor();
    await page.reload();
    await status.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('From the offline stand-in').waitFor();
    await status.getByText('Ready').waitFor();
  });

  test('PLUS-5 a refused action shows its error, and the status stays correct', async () => {
    const { chat } = await openScript(world.url, 'Refused', [{ text: 'Well', hang: true }]);
    const page = await world.open(`/chats/${chat}`);
    const status = page.getByRole('status');
    await page.getByText('Well', { exact: true }).waitFor();
    let refusing = true;
    await page.route('**/api/**', async (route) => {
      if (!refusing || route.request().method() === 'GET') return route.continue();
      return route.fulfill({ status: 409, json: { code: 'not_now', detail: 'Not now.' } });
    });
    const alertShows = (words: string, why = 'Not now.') =>
      page.getByRole('alert').getByText(`${words}: ${why}`, { exact: true }).waitFor();
    const away = (url: URL) => url.pathname.endsWith('/stop');
    await page.route(away, (route) => route.abort());
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await alertShows('The chat could not be stopped', 'The server is not responding.');
    await page.unroute(away);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await alertShows('The chat could not be paused');
    await page.getByRole('textbox', { name: 'Message' }).press('Escape');
    await alertShows('The chat could not be stopped');
    await status.getByText('Running').waitFor();
    const chats = page.getByRole('navigation', { name: 'Chats' });
    const choose = async (name: string) => {
      await chats.getByRole('link', { name: 'Refused' }).hover();
      await chats.getByRole('button', { name: 'Actions for Refused' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Archive');
    await alertShows('The chat could not be archived');
    await choose('Rename');
    const title = page.getByRole('textbox', { name: 'Chat title' });
    await title.fill('Refused no more');
    await title.press('Enter');
    await alertShows('The chat could not be renamed');
    refusing = false;
    await title.press('Enter');
    await title.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Refused no more');
    await page.keyboard.press('Escape');
    await status.getByText('Ready', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    refusing = true;
    await page.getByRole('button', { name: 'Retry' }).click();
    await alertShows('The run could not be retried');
    refusing = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await status.getByText('Running').waitFor();
    expect(await focused(page)).toBe('message');
    await page.keyboard.press('Escape');
    await status.getByText('Ready', { exact: true }).waitFor();
  });

  test('PLUS-5 the server is killed under an open page: nothing is lost or duplicated, without a reload', async () => {
    const page = await world.open('/');
    await page.getByRole('button', { name: 'A long answer' }).click();
    await day(page, 3).waitFor();
    let loads = 0;
    page.on('load', () => (loads += 1));
    world.pod.kill('SIGKILL');
    await page.getByRole('status').getByText('Reconnecting…').waitFor();
    await page.getByText('The server is not responding. Retrying…').waitFor();
    await world.startAgain();
    await page.getByText('Superseded: the server stopped').waitFor();
    await page.getByText('The server is not responding. Retrying…').waitFor({ state: 'detached' });
    await day(page, 6).waitFor();
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    const shown = await said(page);
    const shownDays = days(shown);
    expect(shownDays).toEqual(upTo(shownDays.at(-1)!));
    expect(loads).toBe(0);

    const fresh = await world.open(new URL(page.url()).pathname);
    await fresh.getByText('Stopped', { exact: true }).waitFor();
    expect(await said(fresh)).toBe(shown);
  });

  test('PLUS-5 every connection is cut after 25 events: the page shows each event of the log once, without a reload', async () => {
    const proxy = await startProxy(world.url);
    onTestFinished(() => proxy.close());
    let cuts = 0;
    proxy.set({
      cut: () => {
        const cut = afterEvents(25)();
        return (bytes) => {
          const at = cut(bytes);
          if (at !== null) cuts += 1;
          return at;
        };
      },
    });
    const { chat } = await openScript(world.url, 'Cut', [{ text: 'Before.' }]);
    const profile = { viewport: { width: 1000, height: 1600 } };
    const page = await world.open(`/chats/${chat}`, { base: proxy.url, profile });
    await page.getByText('Before.', { exact: true }).waitFor();
    let loads = 0;
    page.on('load', () => (loads += 1));
    const words = (from: number) => Array.from({ length: 100 }, (_, index) => `w${from + index} `);
    const run = await sayScript(world.url, chat, [
      {
        deltas: words(1),
        delay_ms: 4,
        calls: [{ tool: 'write', input: { path: '/cut.md', content: 'One.\n' } }],
      },
      { deltas: words(101), delay_ms: 4, calls: [{ tool: 'read', input: { path: '/cut.md' } }] },
      { deltas: words(201), delay_ms: 4 },
    ]);
    const last = (tab: Page) => tab.getByRole('paragraph').filter({ hasText: /\bw300\b/ });
    await last(page).waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
    // Some events come as pages, after streams that delivered none.
    expect(cuts).toBeGreaterThan(2);
    expect(loads).toBe(0);

    const events = await eventsOf(world.url, run);
    const text = events.map(({ type, data }) => (type === 'token' ? data.text : '')).join('');
    const shown = await said(page);
    // The message itself contains the words, too.
    const answered = shown.slice(shown.indexOf('w1 w2'));
    expect(answered.match(/\bw\d+\b/g)).toEqual(text.match(/\bw\d+\b/g));
    expect(events.filter(({ type }) => type === 'tool_end')).toHaveLength(2);
    expect(await page.getByText('Writes /cut.md').count()).toBe(1);
    expect(await page.getByText('Reads /cut.md').count()).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });
    const fresh = await world.open(`/chats/${chat}`, { profile });
    await last(fresh).waitFor();
    expect(await said(fresh)).toBe(shown);
  });

  test('PLUS-5 a page that cannot be loaded while the server is not responding says so, and loads when it is back', async () => {
    const page = await world.open('/');
    await page.getByRole('textbox', { name: 'Message' }).fill('Half a thought');
    let loads = 0;
    page.on('load', () => (loads += 1));
    world.pod.kill('SIGKILL');
    await page.getByText('The server is not responding. Retrying…').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'The server is not responding' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByText('Half a thought').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await world.startAgain();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    expect(loads).toBe(0);

    // If a module cannot be loaded although the server responds, the page reloads itself.
    await page.route('**/assets/runs-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(loads).toBe(0);
    await page.unroute('**/assets/runs-*.js');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByText('Half a thought').waitFor();
  });

  test('PLUS-5 Escape closes open fields, and stops the run only if none is open', async () => {
    const page = await world.open('/');
    await say(page, 'Write a list to /escape.md, then remove /escape.md');
    const question = page.getByRole('group', { name: 'Approval of remove' });
    const opened: [string, Locator][] = [
      ['Comment…', question.getByRole('textbox', { name: 'Comment for the model' })],
      ['Edit…', question.getByRole('textbox', { name: 'Input as JSON' })],
      ['Always allow…', question.getByRole('button', { name: 'Add the rule and approve' })],
    ];
    for (const [name, part] of opened) {
      await question.getByRole('button', { name }).click();
      await part.waitFor();
      await page.keyboard.press('Escape');
      await part.waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    }
    const entry = page.getByRole('navigation', { name: 'Chats' }).getByRole('listitem').first();
    await entry.hover();
    await entry.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const title = page.getByRole('textbox', { name: 'Chat title' });
    await title.waitFor();
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-current'))).toBe('page');
    await page.getByRole('article', { name: 'You' }).hover();
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Edit and send again');
    await page.getByRole('status').getByText('Waiting for approval').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
  });

  test('PLUS-3 a call that a killed server left with an unknown outcome can be retried or skipped', async () => {
    const steps = [{ calls: [{ tool: 'external', input: { note: 'x' } }] }, { text: 'So be it.' }];
    const page = await world.open(await openScripted(world.url, steps));
    world.pod.arm('tool.after_effect.external');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await world.startAgain();
    const question = page.getByRole('group', { name: 'Approval of external' });
    await question.getByText('Outcome unknown').waitFor();
    expect(await question.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    expect(await question.innerText()).not.toContain('?.');
    await question.getByRole('button', { name: 'Skip', exact: true }).click();
    await page.getByText('So be it.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
  });

  test('PLUS-5 a message can steer the open run', async () => {
    const page = await world.open(
      await openScripted(world.url, [{ tokens: 200, delay_ms: 20 }, { text: 'Unsteered.' }]),
    );
    await page.getByRole('button', { name: 'If busy: Queue' }).click();
    await page.getByRole('menuitemradio', { name: /^Steer/ }).click();
    await say(page, JSON.stringify({ steps: [{ text: 'It was steered.' }] }));
    await page.getByText('Sent while the run was open').waitFor();
    await page.getByText('It was steered.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
  });

  test('PLUS-5 a steering message is shown as waiting until the run reads it, also after a reload', async () => {
    const page = await world.open(await openScripted(world.url, [{ text: 'Well', hang: true }]));
    await page.getByText('Well', { exact: true }).waitFor();
    await say(page, 'From the queue');
    const queue = page.getByRole('region', { name: 'Waiting messages' });
    const waits = (text: string) =>
      queue.getByRole('listitem').filter({ hasText: text }).getByText('Delivered at the next step').waitFor();
    await queue.getByRole('button', { name: 'Steer' }).click();
    await waits('From the queue');
    expect(await focused(page)).toBe('message');
    await page.getByRole('button', { name: 'If busy: Queue' }).click();
    await page.getByRole('menuitemradio', { name: /^Steer/ }).click();
    await say(page, 'At once');
    await waits('At once');
    await page.reload();
    for (const text of ['From the queue', 'At once']) await waits(text);
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    await queue.waitFor({ state: 'detached' });
    expect(await page.getByText('Sent while the run was open').count()).toBe(2);
  });

  test('PLUS-5 a queued message can be made to steer: it is accepted once, also if the response is lost', async () => {
    const page = await world.open(
      await openScripted(world.url, [{ tokens: 200, delay_ms: 20 }, { text: 'Unsteered.' }]),
    );
    const steering = JSON.stringify({ steps: [{ text: 'It was steered.' }] });
    const waiting = JSON.stringify({ steps: [{ text: 'In its turn.' }] });
    await say(page, steering);
    const queue = page.getByRole('region', { name: 'Waiting messages' });
    await queue.getByText(steering).waitFor();
    await say(page, waiting);
    await queue.getByText(waiting).waitFor();
    let lost = 0;
    await page.route('**/api/runs/*/steer', async (route) => {
      lost += 1;
      if (lost > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await queue.getByRole('button', { name: 'Steer' }).first().click();
    await page.getByText('It was steered.', { exact: true }).waitFor();
    await page.getByText('In its turn.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect(lost).toBe(2);
    const you = page.getByRole('article', { name: 'You' });
    expect(await you.filter({ hasText: steering }).count()).toBe(1);
    expect(await you.filter({ hasText: waiting }).count()).toBe(1);

    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const runs = page.getByRole('list', { name: 'Runs' }).getByRole('link');
    await runs.filter({ hasText: 'Steered another run' }).filter({ hasText: steering }).click();
    await page.getByRole('status').getByText('Steered another run').waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await page.getByRole('link', { name: 'another run' }).click();
    await page.getByRole('status').getByText('Done', { exact: true }).waitFor();
  });

  test('PLUS-5 Escape and Cancel do nothing while a request is in flight', async () => {
    const { chat } = await openScript(world.url, 'On its way', [
      { calls: [{ tool: 'remove', input: { path: '/nowhere.md' } }] },
      { text: 'Well' },
    ]);
    const page = await world.open(`/chats/${chat}`);
    let held = Promise.resolve();
    await page.route('**/api/**', async (route) => {
      if (route.request().method() !== 'GET') await held;
      await route.continue();
    });
    /** Holds back every request of the page until the returned function is called. */
    const hold = (): (() => void) => {
      let letGo = () => {};
      held = new Promise((resolve) => (letGo = resolve));
      return () => letGo();
    };
    const stays = async (shown: Locator, leave: Locator) => {
      expect(await leave.isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      expect(await shown.count()).toBe(1);
    };

    const question = page.getByRole('group', { name: 'Approval of remove' });
    await question.getByRole('button', { name: 'Always allow…' }).click();
    let letGo = hold();
    const add = question.getByRole('button', { name: 'Add the rule and approve' });
    await add.click();
    await stays(add, question.getByRole('button', { name: 'Back' }));
    letGo();
    await page.getByText('Well', { exact: true }).waitFor();

    letGo = hold();
    await page.getByRole('article', { name: 'You' }).hover();
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    const field = page.getByRole('textbox', { name: 'Edit the message' });
    await field.fill('{"steps":[{"text":"Other"}]}');
    await field.press('Enter');
    await stays(field, page.getByRole('button', { name: 'Cancel' }));
    letGo();
    await page.getByText('Other', { exact: true }).waitFor();

    letGo = hold();
    await page.getByRole('button', { name: 'Actions for On its way' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Remove…' }).press('Enter');
    const sure = page.getByRole('alertdialog');
    await sure.getByRole('button', { name: 'Remove' }).click();
    await stays(sure, sure.getByRole('button', { name: 'Cancel' }));
    letGo();
    await sure.waitFor({ state: 'detached' });
  });
});
