// Runs: the live list, and a run's timeline, events and replay.

import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { eventsOf, openScript, openThread, sayScript } from '../support/chats.ts';
import { said, useConsole } from '../support/console.ts';
import { openGate } from '../support/gate.ts';

const remove = (path: string) => ({ calls: [{ tool: 'remove', input: { path } }] });
const write = (path: string) => ({ calls: [{ tool: 'write', input: { path, content: 'One line.\n' } }] });
/** High enough to show a whole transcript. */
const HIGH = { viewport: { width: 1200, height: 2600 } };
const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`runs in a browser${WITHOUT}`, () => {
  const world = useConsole();

  const entry = (page: Page, title: string) =>
    page.getByRole('list', { name: 'Runs' }).getByRole('link').filter({ hasText: title });
  const approve = (page: Page, path: string) =>
    page
      .getByRole('group', { name: 'Approval of remove' })
      .filter({ hasText: path })
      .getByRole('button', { name: 'Approve', exact: true });

  test('PLUS-5 the list follows a run: it appears, waits and says why, continues, and ends', async () => {
    const page = await world.open('/runs');
    await page.getByText('No runs yet').waitFor();
    const { chat } = await openScript(world.url, 'Followed', [
      write('/followed.md'),
      remove('/followed.md'),
      { text: 'It is gone.' },
    ]);
    const line = entry(page, 'Followed');
    await line.getByText('Waiting for approval', { exact: true }).waitFor();
    await line.getByText('The run waits for approval of remove /followed.md.').waitFor();
    const other = await world.open(`/chats/${chat}`);
    await approve(other, '/followed.md').click();
    await line.getByText('Done', { exact: true }).waitFor();
    expect(await line.getByText('The run waits').count()).toBe(0);
  });

  test('PLUS-5 the list is filtered by state and chat, and the address keeps the filter', async () => {
    await openScript(world.url, 'Fine', [{ text: 'Fine.' }]);
    await openScript(world.url, 'Broken', [{ error: { code: 'overloaded', message: 'No room.' } }]);
    const page = await world.open('/runs');
    await entry(page, 'Fine').getByText('Done', { exact: true }).waitFor();
    await entry(page, 'Broken').getByText('Failed', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
    await entry(page, 'Fine').waitFor({ state: 'detached' });
    expect(await entry(page, 'Broken').innerText()).toContain('No room.');
    await page.reload();
    await entry(page, 'Broken').waitFor();
    expect(await entry(page, 'Fine').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Chat' }).selectOption('Fine');
    await page.getByText('No matching runs').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('Any state');
    await entry(page, 'Fine').waitFor();
    expect(await entry(page, 'Broken').count()).toBe(0);
  });

  test('PLUS-5 the replay shows the same as the live page at every message boundary', async () => {
    const paths = ['/r/a.md', '/r/b.md', '/r/c.md'];
    const steps = [
      {
        reasoning: 'What is there?',
        text: 'First, three files.',
        calls: paths.map((path) => write(path).calls[0]!),
      },
      ...paths.map((path) => ({ text: `Now **${path}** goes.`, ...remove(path) })),
      { text: 'That is all.' },
    ];
    const gate = await openGate(world.url);
    onTestFinished(() => gate.close());
    const chat = await openThread(world.url);
    const live = await world.open('/', { profile: HIGH });
    const stream = live.waitForResponse(
      (response) =>
        response.headers()['content-type']?.startsWith('text/event-stream') === true &&
        response.url().includes(chat),
    );
    await live.goto(`${gate.url}/chats/${chat}`);
    await stream;
    const run = await sayScript(world.url, chat, steps);
    const other = await world.open(`/chats/${chat}`);
    for (const path of paths) await approve(other, path).click();
    await other.getByText('That is all.', { exact: true }).waitFor();
    await other.getByRole('status').getByText('Ready').waitFor();

    const events = await eventsOf(world.url, run);
    const boundaries = events
      .filter(({ type }) =>
        ['message', 'message_end', 'approval', 'approval_end', 'tool_end', 'state'].includes(type),
      )
      .map(({ id }) => id);
    expect(boundaries.length).toBeGreaterThan(20);
    const page = await world.open(`/runs/${run}`, { profile: HIGH });
    await page.getByRole('tab', { name: 'Replay' }).click();
    const slider = page.getByRole('slider', { name: 'Position in the run' });
    await page.getByText(`${events.length} / ${events.length}`).waitFor();
    const seen: { at: number; said: string }[] = [];
    for (const at of boundaries) {
      await slider.fill(String(at));
      await page.getByText(`${at} / ${events.length}`, { exact: false }).waitFor();
      gate.release(at);
      const shown = await until(`both pages show the same after event ${at}`, async () => {
        const text = await said(page);
        expect(text).not.toContain('Counting what it removes…');
        expect(await saidSoFar(page)).toBe(await saidSoFar(live));
        return { text };
      });
      seen.push({ at, said: shown.text });
    }
    expect(new Set(seen.map((each) => each.said)).size).toBeGreaterThan(15);
    for (const { at, said: then } of seen.toReversed()) {
      await slider.fill(String(at));
      await expect.poll(() => said(page)).toBe(then);
    }
    const asked = events.find(({ type }) => type === 'approval')!.id;
    await slider.fill(String(asked));
    const past = page.getByRole('group', { name: 'Approval of remove' });
    expect(await past.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Previous message' }).click();
    expect(Number(await slider.inputValue())).toBeLessThan(asked);
    await slider.press('Home');
    await page.getByText('Nothing has happened yet.').waitFor();
    await slider.press('End');
    await expect.poll(() => said(page)).toBe(seen.at(-1)!.said);
  });

  test('PLUS-5 an open run’s replay follows the end, or stays where it was moved', async () => {
    const { chat, run } = await openScript(world.url, 'Going on', [
      write('/on.md'),
      { text: 'May it go?', ...remove('/on.md') },
      { text: 'It went.' },
    ]);
    const page = await world.open(`/runs/${run}`);
    await page.getByText('The run waits for approval of remove /on.md.').waitFor();
    await page.getByRole('tab', { name: 'Replay' }).click();
    await page.getByText('May it go?', { exact: true }).waitFor();
    const second = await world.open(`/runs/${run}`);
    await second.getByRole('tab', { name: 'Replay' }).click();
    await second.getByRole('slider').fill('2');
    // The address keeps the position, so it can be shared.
    await second.waitForURL(`**/runs/${run}?view=replay&at=2`);
    await second.reload();
    await second.getByRole('tab', { name: 'Replay', selected: true }).waitFor();
    expect(await second.getByRole('slider').inputValue()).toBe('2');
    await second.getByRole('slider').fill('3');
    await second.getByRole('tab', { name: 'Events' }).click();
    await second.getByRole('region', { name: 'Events' }).waitFor();
    await second.goBack();
    await second.getByRole('tab', { name: 'Replay', selected: true }).waitFor();
    await second.getByRole('slider').fill('2');
    await second.waitForURL(`**/runs/${run}?view=replay&at=2`);
    await second.goBack();
    await second.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
    await second.goForward();
    const other = await world.open(`/chats/${chat}`);
    await approve(other, '/on.md').click();
    await page.getByText('It went.', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Done').waitFor();
    await second.getByRole('status').getByText('Done').waitFor();
    expect(await second.getByRole('slider').inputValue()).toBe('2');
  });

  test('PLUS-5 a failed run is retried: the new run links to the failed one', async () => {
    const { run } = await openScript(world.url, 'Retried', [
      { error: { code: 'overloaded', message: 'No room.' } },
    ]);
    const page = await world.open(`/runs/${run}`);
    await page.getByRole('status').getByText('Failed').waitFor();
    await page.getByText('No room.').first().waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(run));
    await page.getByRole('status').getByText('Failed').waitFor();
    await page.getByRole('link', { name: 'an earlier run' }).click();
    await page.waitForURL(`**/runs/${run}`);
  });

  test('PLUS-5 an open run is canceled', async () => {
    const { run } = await openScript(world.url, 'Canceled', [
      write('/nothing.md'),
      { text: 'Hm.', ...remove('/nothing.md') },
    ]);
    const page = await world.open(`/runs/${run}`);
    await page.getByRole('status').getByText('Waiting for approval', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('status').getByText('Canceled').waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).waitFor();
  });

  test('PLUS-5 a bar of the timeline opens its moment in the replay, and a long log is searched', async () => {
    const { run } = await openScript(world.url, 'Long', [
      // More tokens than one flush takes would be merged into one event.
      ...Array.from({ length: 4 }, () => ({ tokens: 800, calls: [{ tool: 'ls', input: { path: '/' } }] })),
      { text: 'A needle.', ...write('/needle.md') },
      { text: 'The end.' },
    ]);
    const page = await world.open(`/runs/${run}`);
    await page.getByRole('status').getByText('Done').waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const calls = timeline.getByRole('button', { name: /^Model: offline\/script/ });
    await calls.nth(5).waitFor();
    expect(await calls.count()).toBe(6);
    await timeline.getByRole('button', { name: /^Tool: Writes \/needle\.md/ }).click();
    await page.getByRole('tab', { name: 'Replay', selected: true }).waitFor();
    await page.getByText('A needle.', { exact: true }).waitFor();
    expect(await page.getByText('The end.', { exact: true }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Events' }).click();
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByRole('button').first().waitFor();
    expect(await events.getByRole('button').count()).toBeLessThan(100);
    await page.getByRole('searchbox', { name: 'Search events' }).fill('file_updated');
    await page.getByText(/^1 of \d/).waitFor();
    await events.getByRole('button').click();
    expect(await events.innerText()).toContain('"path": "/needle.md"');
    await page.getByRole('searchbox').fill('not in it');
    await page.getByText('No matching events.').waitFor();
  });

  test.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['narrow', NARROW],
  ] as const)('PLUS-5 a run and its child runs share one timeline (%s)', async (look, profile) => {
    const verdict = { steps: [{ text: JSON.stringify({ verdict: 'met', reasons: ['it is there'] }) }] };
    const work = { steps: [write(`/family/${look}.md`), { text: 'Written.' }] };
    const response = await fetch(`${world.url}/api/v1/workspaces/default/chats`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        goal: `⟦${JSON.stringify(work)}⟧`,
        title: 'With child runs',
        mode: 'autonomous',
        model: 'offline/script',
        done_when: { criteria: [`The file is there. ⟦${JSON.stringify(verdict)}⟧`] },
      }),
    });
    const { run } = (await response.json()) as { run: { id: string } };
    const page = await world.open(`/runs/${run.id}`, { profile });
    await page.getByRole('status').getByText('Done').waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('button', { name: /^Child run: Judge round 1/ }).waitFor();
    // The steps of the child run are in the same picture, and fold away.
    const written = timeline.getByRole('button', { name: /^Tool: Writes/ });
    await written.waitFor();
    expect(await violations(page)).toEqual([]);
    const folder = process.env.CONTINUO_PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/family-${look}.png` });
    if (look !== 'light') return;
    await timeline.getByRole('button', { name: 'Steps of Round 1' }).press('Enter');
    await written.waitFor({ state: 'detached' });
    await timeline.getByRole('button', { name: 'Steps of Round 1' }).press('Enter');
    await written.click();
    await page.getByRole('tab', { name: 'Replay', selected: true }).waitFor();
    await page.getByRole('link', { name: 'another run' }).click();
    await page.waitForURL(`**/runs/${run.id}`);
    await page.getByText('Tokens of all runs').waitFor();
  });

  test('PLUS-5 a run that does not exist shows “Run not found”', async () => {
    const page = await world.open('/runs/00000000-0000-7000-8000-00000000dead');
    await page.getByRole('heading', { name: 'Run not found' }).waitFor();
  });

  test.each([
    ['light', {}],
    ['dark', {}],
    ['light', NARROW],
  ] as const)('PLUS-5 axe finds no violation in runs (%s, %j)', async (colorScheme, profile) => {
    // The longest title, without a place to break it.
    const { run } = await openScript(world.url, `Looked at ${'x'.repeat(190)}`, [
      { text: 'It is **written**.', ...write('/looked.md') },
      { text: 'May it go?', ...remove('/looked.md') },
    ]);
    const page = await world.open('/runs', { profile: { colorScheme, ...profile } });
    const fits = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    await entry(page, 'Looked at').first().getByText('Waiting for approval', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await fits()).toBe(true);
    await page.goto(`${world.url}/runs/${run}`);
    await page.getByRole('status').getByText('Waiting for approval', { exact: true }).waitFor();
    for (const tab of ['Timeline', 'Replay', 'Events']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await fits()).toBe(true);
    }
  });
});

/** The visible text of the transcript, without the waiting indicator. */
async function saidSoFar(page: Page): Promise<string> {
  // Only the live page has a link from a turn to its run.
  return (await said(page))
    .replace('The model is working', '')
    .replace(/^Run\n/m, '')
    .trim();
}
