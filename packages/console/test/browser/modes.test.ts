// Modes in a real browser: what a new chat is asked to do, and how its chat shows rounds, verdicts and agents.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { script } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LOOKS = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' as const }],
  ['narrow', NARROW],
] as const;

const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
const take = async (page: Page, name: string) => {
  const folder = process.env.CONTINUO_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};

describe.skipIf(chromiumPath === null)(`modes in the console${WITHOUT}`, () => {
  const world = useConsole({ CONTINUO_MODEL: 'offline/script' });
  const chooseMode = async (page: Page, name: string) => {
    await page.getByRole('button', { name: /^Mode: / }).click();
    await page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
  };
  const send = async (page: Page, goal: string): Promise<{ mode: string; run: string; chat: string }> => {
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill(goal);
    const answered = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/chats'),
    );
    await field.press('Enter');
    const { chat, run } = (await (await answered).json()) as {
      chat: { id: string; mode: string };
      run: { id: string };
    };
    await page.waitForURL(`**/chats/${chat.id}`);
    return { chat: chat.id, run: run.id, mode: chat.mode };
  };
  const read = async (path: string) => (await fetch(world.url + path)).json();

  test('WS-3 a new chat is autonomous, with criteria and limits; the next new chat starts with the default', async () => {
    const page = await world.open('/');
    await chooseMode(page, 'Autonomous');
    await page
      .getByRole('textbox', { name: 'The goal is met when' })
      .fill('There is a page.\n\nIt is short.\n');
    await page.getByText('Stop at').click();
    await page.getByRole('spinbutton', { name: 'Minutes' }).fill('0');
    await page.getByRole('textbox', { name: 'Message' }).fill('Write the page');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await page.getByRole('alert').getByText('A limit must be greater than 0').waitFor();
    await page.getByRole('spinbutton', { name: 'Minutes' }).fill('1.5');
    await page.getByRole('spinbutton', { name: 'Tokens' }).fill('50000');
    const { mode, run } = await send(page, script({ text: 'x', hang: true }));
    expect(mode).toBe('autonomous');
    expect(await read(`/api/runs/${run}`)).toMatchObject({
      limits: { seconds: 90, tokens: 50_000, steps: 200 },
    });
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await page.getByRole('button', { name: 'Mode: Chat' }).waitFor();
  });

  test('WS-15 agents are named with their briefs, and a brief that is missing is asked for', async () => {
    const page = await world.open('/');
    await chooseMode(page, 'Parallel agents');
    await page.getByRole('radio', { name: 'I do: the agents start at once' }).check();
    await page.getByRole('textbox', { name: 'Brief of agent 1' }).fill(script({ text: 'One' }));
    await page.getByRole('button', { name: 'Add an agent' }).click();
    await page.getByRole('textbox', { name: 'Brief of agent 2' }).fill(script({ text: 'Two' }));
    await page.getByRole('textbox', { name: 'Message' }).fill('Compare');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await page.getByRole('alert').getByText('Say what agent 3 is to do').waitFor();
    await page.getByRole('button', { name: 'Remove agent 3' }).click();
    await page.getByRole('combobox', { name: 'Role of agent 2' }).selectOption('writer');
    const { mode } = await send(page, script({ text: 'Both' }));
    expect(mode).toBe('parallel_agents');
  });

  test.each(LOOKS)('axe finds no violation in the options of the modes (%s)', async (look, profile) => {
    const page = await world.open('/', { profile });
    await page.getByRole('textbox', { name: 'Message' }).fill('A page that answers ten questions');
    for (const name of look === 'dark' ? ['Autonomous'] : ['Parallel agents', 'Autonomous']) {
      await chooseMode(page, name);
      await page.getByRole('region', { name: `Options: ${name}` }).waitFor();
      if (name === 'Parallel agents') await page.getByRole('radio', { name: 'I do' }).check();
      expect(await violations(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await take(page, `mode-${name.split(/\W/)[0]}-${look}`);
    }
    await page.getByText('Stop at').click();
    expect(await violations(page)).toEqual([]);
    await take(page, `mode-limits-${look}`);
    await page.getByRole('button', { name: /^Mode: / }).press('Enter');
    await page.getByRole('menuitemradio', { name: /^Chat/ }).waitFor();
    await take(page, `mode-menu-${look}`);
  });

  const verdict = (value: string, ...reasons: string[]) =>
    script({ text: JSON.stringify({ verdict: value, reasons }) });
  const openAutonomous = async (goal: string, more: object) => {
    const response = await fetch(`${world.url}/api/v1/workspaces/default/chats`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        goal,
        title: 'On its own',
        mode: 'autonomous',
        model: 'offline/script',
        ...more,
      }),
    });
    return (await response.json()) as { chat: { id: string }; run: { id: string } };
  };

  test.each(LOOKS)(
    'WS-16 an autonomous chat shows its rounds, verdicts and why it ended (%s)',
    async (look, profile) => {
      const goal = script({ text: 'Thinking.' });
      const criteria = [
        `The page names its sources. ${verdict('not_met', 'no file names a source', 'the page is missing')}`,
      ];
      const { chat } = await openAutonomous(goal, { done_when: { criteria } });
      const page = await world.open(`/chats/${chat.id}`, { profile });
      await page.getByRole('alert').getByText('made no progress').waitFor();
      const third = page.getByRole('region', { name: 'Verdict on round 3' });
      await third.getByText('Round 3: not there yet').waitFor();
      expect(await third.innerText()).toContain('no file names a source');
      expect(await third.innerText()).toContain('Decided by the judge. The round made no progress (3 of 3');
      expect(await violations(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await take(page, `autonomous-${look}`);
      if (look !== 'light') return;
      await page.getByRole('link', { name: 'Open chat: Round 3' }).click();
      await page.getByRole('link', { name: 'Part of another run' }).click();
      await page.getByRole('heading', { name: 'Run of On its own' }).getByRole('link').click();
      await page.getByRole('link', { name: 'Open the latest run' }).click();
      await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
    },
  );

  test('WS-16 an open autonomous run shows what it has used of its limits', async () => {
    const { chat } = await openAutonomous(script({ text: 'x', hang: true }), {
      done_when: { criteria: ['x'] },
      limits: { tokens: 90_000, seconds: 7200 },
    });
    const page = await world.open(`/chats/${chat.id}`);
    const used = page.getByRole('region', { name: 'Used so far' });
    await used.getByText('of 90,000').waitFor();
    await used.getByText('of 2 h 0 min').waitFor();
    await used.getByText('of 200').waitFor();
    expect(await violations(page)).toEqual([]);
    await take(page, 'spent');
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await used.waitFor({ state: 'detached' });
  });

  test('WS-14 a chat that plans shows the plan, has it approved, and follows its steps', async () => {
    const plan = `---
plan: party
goal: Have a party
---

## Prepare (parallel)

- [ ] Rent chairs ${script({ text: 'Rented.' })} {#chairs}
  - executor: writer
- [ ] Bake ${script({ error: { code: 'no', message: 'The oven is broken.' } })} {#cake}
  - executor: writer
`;
    const goal = script(
      { calls: [{ tool: 'write', input: { path: '/plans/party.plan', content: plan } }] },
      { text: 'Here is the plan.' },
    );
    const page = await world.open('/');
    await chooseMode(page, 'Plan, then execute');
    await send(page, goal);
    const card = page.getByRole('region', { name: 'Plan' });
    await card.getByText('0 of 2 steps done').waitFor();
    await page.getByRole('status').getByText('Waiting for approval').waitFor();
    const chats = page.getByRole('navigation', { name: 'Chats' });
    await chats.getByRole('link', { name: /^Waiting for approval: / }).waitFor();
    expect(await violations(page)).toEqual([]);
    await take(page, 'plan-waits');
    // The list of plans and the inbox say that it waits, and so does the list of runs.
    const inbox = await world.open('/plans');
    await inbox.getByRole('link', { name: /Have a party.*Waits for approval.*0 of 2 steps done/s }).waitFor();
    await inbox.getByRole('link', { name: /^Runs/ }).click();
    await inbox.getByText('The run waits for approval of the plan /plans/party.plan.').waitFor();
    await inbox.getByRole('link', { name: /^Approvals/ }).click();
    const waiting = inbox.getByRole('list', { name: 'Plans' });
    await waiting.getByRole('link', { name: 'Have a party', exact: true }).waitFor();
    expect(await violations(inbox)).toEqual([]);
    await take(inbox, 'plan-inbox');
    await card.getByRole('button', { name: 'Approve the plan' }).press('Enter');
    const steps = card.getByRole('list', { name: 'Steps of the plan' });
    await steps.getByText('The oven is broken.').waitFor();
    await card.getByText('1 of 2 steps done · 1 failed').waitFor();
    await inbox.getByRole('heading', { name: 'Nothing to approve' }).waitFor();
    await inbox.close();
    await page.getByRole('status').getByText('Ready').waitFor();
    expect(await violations(page)).toEqual([]);
    await take(page, 'plan-ran');
    await steps.getByRole('link', { name: /^Rent chairs/ }).click();
    await page.getByText('Rented.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Part of another run' }).click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('button', { name: /Approval of the plan/ }).waitFor();
    await take(page, 'plan-timeline');
  });
});
