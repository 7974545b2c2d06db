// The memory panel beside a chat, and the bar of the composer that tells how full the model's window is.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { ended, openScript, sayScript } from '../support/chats.ts';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`the memory of a chat in a browser${WITHOUT}`, () => {
  const world = useConsole({ CONTINUO_SUMMARY_CHARACTERS: '1000' });
  const chatUrl = (chat: string) => `${world.url}/api/v1/workspaces/default/chats/${chat}`;
  const stateOf = async (chat: string) => (await ask('GET', `${chatUrl(chat)}/state`)).body;
  const panelOf = async (page: Page) => {
    await page.getByRole('button', { name: 'Open the memory panel' }).click();
    const panel = page.getByRole('complementary', { name: 'Memory' });
    await panel.getByRole('heading', { name: 'Agent state' }).waitFor();
    return panel;
  };

  test('STATE-6 people add, edit, resolve, discard and reopen items, and clear the state; another tab follows', async () => {
    const { chat, run } = await openScript(world.url, 'Remembered', [{ text: 'Hello.' }]);
    await ended(world.url, run);
    const page = await world.open(`/chats/${chat}`);
    const panel = await panelOf(page);
    await panel.getByText('A chat without a project has no mode').waitFor();
    await panel.getByText('The whole workspace.').waitFor();
    await panel.getByText('Nothing yet.').waitFor();
    expect(await violations(page)).toEqual([]);

    await panel.getByRole('button', { name: 'Add', exact: true }).click();
    const form = panel.getByRole('form', { name: 'Add item' });
    await form.getByRole('combobox', { name: 'Kind' }).selectOption('Task');
    await form.getByRole('textbox', { name: 'Title' }).fill('Order the cake');
    await form.getByRole('textbox', { name: 'Details' }).fill('Without nuts');
    await form.getByRole('button', { name: 'Add' }).click();
    const items = panel.getByRole('list', { name: 'Items' });
    await items.getByText('Order the cake').waitFor();

    const other = await world.open(`/chats/${chat}`);
    const followed = (await panelOf(other)).getByRole('list', { name: 'Items' });
    await followed.getByText('Order the cake').waitFor();

    await items.getByRole('button', { name: 'Edit Order the cake' }).click();
    await panel.getByRole('textbox', { name: 'Title' }).fill('Order two cakes');
    await panel.getByRole('button', { name: 'Save' }).click();
    await followed.getByText('Order two cakes').waitFor();
    expect((await stateOf(chat)).items).toMatchObject([
      { kind: 'task', title: 'Order two cakes', details: 'Without nuts', status: 'active' },
    ]);

    await items.getByRole('button', { name: 'Resolve Order two cakes' }).click();
    await panel.getByText('1 resolved or discarded').click();
    const past = panel.getByRole('list', { name: 'Past items' });
    await past.getByText('(resolved)').waitFor();
    await past.getByRole('button', { name: 'Reopen Order two cakes' }).click();
    await items.getByRole('button', { name: 'Discard Order two cakes' }).click();
    await until('the item is discarded', async () => (await stateOf(chat)).items[0].status === 'discarded');
    expect(await violations(page)).toEqual([]);

    await panel.getByRole('button', { name: 'Clear…' }).click();
    await page
      .getByRole('alertdialog')
      .or(page.getByRole('dialog'))
      .getByRole('button', { name: 'Clear', exact: true })
      .click();
    await panel.getByText('Nothing yet.').waitFor();
    await other.getByRole('complementary', { name: 'Memory' }).getByText('Nothing yet.').waitFor();
    expect((await stateOf(chat)).items).toEqual([]);
  });

  test('STATE-6 the panel stays open after a reload, and an assumption gets another confidence by keyboard', async () => {
    const { chat } = await openScript(world.url, 'Assumed', [{ text: 'Hello.' }]);
    const assumption = { id: 'a1', hypothesis: 'The guests are ten', confidence: 0.5 };
    await ask('PATCH', `${chatUrl(chat)}/state`, { agent_state_updates: { assumptions: [assumption] } });
    const page = await world.open(`/chats/${chat}`);
    await panelOf(page);
    await page.reload();
    const panel = page.getByRole('complementary', { name: 'Memory' });
    const slider = panel.getByRole('slider', { name: 'Confidence of: The guests are ten' });
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await panel.getByText('60 %').waitFor();
    expect((await stateOf(chat)).assumptions).toMatchObject([{ id: 'a1', confidence: 0.6 }]);
    await page.getByRole('button', { name: 'Close the memory panel' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  test('CTX-7 the panel shows the summary, its versions, and what was lost', async () => {
    const { chat, run } = await openScript(world.url, 'Summarized', [{ text: text(0) }]);
    await ended(world.url, run);
    let turn = 0;
    await until('two versions of the summary', async () => {
      await ended(world.url, await sayScript(world.url, chat, [{ text: text(++turn) }]));
      return (await ask('GET', `${chatUrl(chat)}/summaries`)).body.items.length >= 2;
    });
    const page = await world.open(`/chats/${chat}`);
    const panel = await panelOf(page);
    const summary = panel.getByRole('region', { name: 'Summary' });
    await summary.getByText(/Version [2-9], in use\. Stands for/).waitFor();
    await summary.getByRole('combobox', { name: 'Version of the summary' }).selectOption('Version 1');
    await summary.getByText('Version 1, not in use').waitFor();
    await summary.getByText('What was lost').click();
    const replaced = summary.getByRole('list', { name: 'Replaced messages' });
    await replaced.getByText('Answer 0: the code is K042.').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('CTX-3 CTX-8 in a project the panel shows the mode and the focus, which people widen and change', async () => {
    const project = await ask('POST', `${world.url}/api/v1/workspaces/default/projects`, { name: 'Wedding' });
    expect(project.status).toBe(201);
    const project_id = project.body.project.id;
    const said = JSON.stringify({ steps: [{ text: 'We could.' }] });
    const { body } = await ask('POST', `${world.url}/api/v1/workspaces/default/chats`, {
      goal: said,
      title: 'About the wedding',
      model: 'offline/script',
      project_id,
    });
    await ended(world.url, body.run.id);
    const page = await world.open(`/chats/${body.chat.id}`);
    const panel = await panelOf(page);
    await panel
      .getByRole('region', { name: 'Mode' })
      .getByText(/^Decided/)
      .waitFor();
    const focus = panel.getByRole('region', { name: 'In focus' });
    await focus.getByRole('link', { name: 'Wedding' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await focus.getByRole('button', { name: 'Widen to the workspace' }).click();
    await focus.getByText('The whole workspace.').waitFor();
    // A task of the project is found by the beginning of its title, and the next message is about it.
    const task = await ask('POST', `${world.url}/api/v1/workspaces/default/tasks`, {
      project_id,
      title: 'Book the ballroom',
    });
    expect(task.status).toBe(201);
    await focus.getByRole('button', { name: 'Change' }).click();
    const field = focus.getByRole('searchbox');
    await field.fill('zzzzqqqq');
    await focus.getByText('Nothing found.').waitFor();
    await field.fill('ballr');
    const found = focus.getByRole('list', { name: 'Found' });
    await found.getByRole('button', { name: /Book the ballroom/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await found.getByRole('button', { name: /Book the ballroom/ }).click();
    await focus.getByRole('link', { name: 'Book the ballroom' }).waitFor();
    await focus.getByText('Chosen for the next message.').waitFor();
    await page.getByRole('textbox', { name: /message/i }).fill(said);
    await page.keyboard.press('Enter');
    await focus.getByText('Chosen for the next message.').waitFor({ state: 'detached' });
    await focus.getByRole('link', { name: 'Book the ballroom' }).waitFor();
  });

  test('CTX-4 the composer’s bar tells how full the window is, by part, and leads to the inspector', async () => {
    const { chat, run } = await openScript(world.url, 'Measured', [{ text: 'Hello.' }]);
    await ended(world.url, run);
    const page = await world.open(`/chats/${chat}`);
    const bar = page.getByRole('button', { name: /^Context: [\d,.]+ of [\d,.]+ tokens/ });
    const before = await bar.innerText();
    await ended(world.url, await sayScript(world.url, chat, [{ text: text(1) }]));
    await until('the bar follows', async () => (await bar.innerText()) !== before);
    await bar.click();
    const parts = page.getByRole('dialog', { name: 'Use of the context window' });
    expect(
      await parts.getByRole('list', { name: 'Parts, estimated' }).getByRole('listitem').count(),
    ).toBeGreaterThan(1);
    expect(await violations(page)).toEqual([]);
    await parts.getByRole('link', { name: 'What the model saw' }).click();
    await page.getByText('Exactly what was sent').waitFor();
  });

  test('PLUS-5 on a narrow screen the panel is a drawer that closes by Escape, and nothing is wider than the screen', async () => {
    const { chat, run } = await openScript(world.url, 'Narrow', [{ text: text(3) }]);
    await ended(world.url, run);
    const item = { id: 'i1', kind: 'note', title: 'x'.repeat(150), status: 'active' };
    await ask('PATCH', `${chatUrl(chat)}/state`, { agent_state_item_updates: [{ op: 'add', item }] });
    const page = await world.open(`/chats/${chat}`, { profile: { ...NARROW, colorScheme: 'dark' } });
    await page.getByRole('button', { name: 'Open the memory panel' }).click();
    const drawer = page.getByRole('dialog', { name: 'Memory' });
    await drawer.getByText('x'.repeat(150)).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await drawer.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

const text = (turn: number) => `Answer ${turn}: the code is K${turn}42. ${'So it goes. '.repeat(40)}`;
