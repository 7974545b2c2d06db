// Content in a real browser: a campaign from its topic to a live page, an article's preview, changes, checks, versions and times.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { printPlan } from '@continuo/protocol';
import { ask, script, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const TEA = `---
title: Tea for beginners
description: Which tea to buy first, how hot the water should be, and how long to wait.
author: Ada
date: 2026-03-01
---

Water first. See also [kettles](kettles.md).

## How hot?

- Green tea: 80 °C
- Black tea: 95 °C
`;
const KETTLES = '---\ntitle: Kettles\n---\n\nA pot works too.\n';

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });

describe.skipIf(chromiumPath === null)(`content in the console${WITHOUT}`, () => {
  const world = useConsole({ CONTINUO_PUBLIC_CONTENT: '*', CONTINUO_MODEL: 'offline/script' });
  const at = (path: string) => `${world.url}/api/v1/workspaces/default/${path}`;
  const write = async (path: string, text: string) => {
    const response = await fetch(at(`files/content/${path}`), { method: 'PUT', body: text });
    expect(response.ok).toBe(true);
  };
  const live = (slug: string) => ask('GET', `${world.url}/api/v1/content/default/articles/${slug}`);
  const picture = async (page: Page, name: string) => {
    const folder = process.env.CONTINUO_PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/content-${name}.png`, fullPage: true });
  };

  test('WS-17 an article is read as it will look, corrected, published, changed, compared, scheduled and taken off', async () => {
    await write('articles/tea.md', TEA);
    const page = await world.open('/content/articles/tea');
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByText(/kettles\.md, and there is no such file/).waitFor();
    const publish = page.getByRole('button', { name: 'Publish now' });
    expect(await publish.getAttribute('aria-disabled')).toBe('true');
    await picture(page, 'problem');
    await write('articles/kettles.md', KETTLES);
    await checks.getByText('Every link leads somewhere.').waitFor();
    await checks.getByText(/Search engines prefer 300 words/).waitFor();
    const preview = page.getByRole('article', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'How hot?' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await publish.click();
    await page.getByText(/Version 1 has been live since/).waitFor();
    expect((await live('tea')).body).toMatchObject({ title: 'Tea for beginners', version: 1 });

    await write('articles/tea.md', TEA.replace('Water first.', 'Fresh water first.'));
    await preview.getByText('Fresh water first.').waitFor();
    expect((await live('tea')).body.html).toContain('<p>Water first.');
    await page.getByRole('button', { name: 'What changes' }).click();
    await page.getByRole('textbox', { name: 'Live: version 1', exact: true }).waitFor();
    await picture(page, 'changes');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Preview' }).click();

    await page.getByRole('button', { name: 'Publish later' }).click();
    await page.getByLabel('Goes live on').fill('2020-05-01T09:30');
    await page.keyboard.press('Enter');
    await page.getByText('This time has passed.', { exact: false }).waitFor();
    await page.getByLabel('Goes live on').fill('2029-05-01T09:30');
    await page.keyboard.press('Enter');
    await page.getByText(/Version 2 goes live on/).waitFor();
    const overview = await world.open('/content');
    await overview.getByRole('region', { name: 'Calendar' }).getByText('Tea for beginners').waitFor();
    await overview.getByText('Goes live May 1, 2029').waitFor();
    await picture(overview, 'calendar');
    await page.getByRole('button', { name: 'Cancel the schedule' }).click();
    await overview.getByRole('region', { name: 'Calendar' }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText(/Version 2 has been live since/).waitFor();
    await page.getByRole('button', { name: /^Version 1/ }).click();
    await preview.getByText('Water first.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Publish version 1 again' }).click();
    await page.getByText(/Version 1 has been live since/).waitFor();
    expect((await live('tea')).body.version).toBe(1);
    await preview.getByRole('link', { name: 'kettles' }).click();
    await page.getByRole('heading', { level: 1, name: 'Kettles' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Take off' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Take off' }).click();
    await page.getByText('Readers cannot see it yet.').waitFor();
    expect((await live('tea')).status).toBe(404);
    for (const [name, profile] of [
      ['dark', { colorScheme: 'dark' as const }],
      ['narrow', NARROW],
    ] as const) {
      const other = await world.open('/content/articles/tea', { profile });
      await other.getByRole('article', { name: 'Preview' }).waitFor();
      await other.getByText('Every link leads somewhere.').waitFor();
      expect(await violations(other)).toEqual([]);
      await picture(other, `article-${name}`);
      const widths = await other.evaluate(() => [document.body.scrollWidth, innerWidth]);
      expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
    }
  });

  test('WS-17 a piece that cannot be read says what to correct, and an unknown one that it is not there', async () => {
    await write('articles/broken.md', '---\ndescription: No title.\n---\n\nText.\n');
    const page = await world.open('/content/articles/broken');
    await page.getByRole('region', { name: 'Checks' }).getByText('Title is missing').waitFor();
    await page.getByText(/It can be shown when its problems are corrected\./).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit the text' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Not broken');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Not broken' }).waitFor();
    const text = await (await fetch(at('files/content/articles/broken.md'))).text();
    expect(text).toBe('---\ndescription: No title.\ntitle: Not broken\n---\n\nText.\n');
    await page.goto(`${world.url}/content/articles/nowhere`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await page.goto(`${world.url}/content/nothing/nowhere`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });

  test('WS-17 a person writes a piece in a form, with the keyboard, and what is typed survives a reload', async () => {
    const page = await world.open('/content');
    await page.getByRole('button', { name: 'Write something yourself' }).press('Enter');
    await page.keyboard.type('Café: the “best”');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: 'Write' });
    await form.getByLabel('Text').fill('One.\n\n## Two');
    await form.getByText('More', { exact: true }).click();
    await form.getByLabel('Tags').pressSequentially('coffee, home,');
    await form.getByLabel('Date', { exact: true }).fill('2026-03-01');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'write');
    await page.reload();
    await form.getByLabel('Text').waitFor();
    expect(await form.getByLabel('Text').inputValue()).toBe('One.\n\n## Two');
    await form.getByRole('button', { name: 'Save' }).press('Enter');
    const preview = page.getByRole('article', { name: 'Preview' });
    await page.getByRole('button', { name: 'Preview' }).press('Enter');
    await preview.getByRole('heading', { name: 'Two' }).waitFor();
    await page.getByRole('button', { name: 'Publish now' }).press('Enter');
    await page.getByText(/Version 2 has been live since/).waitFor();
    expect((await live('cafe-the-best')).body).toMatchObject({
      fields: { title: 'Café: the “best”', tags: ['coffee', 'home'], date: '2026-03-01' },
      markdown: 'One.\n\n## Two',
    });

    // The same title again is another piece.
    await page.goto(`${world.url}/content`);
    await page.getByRole('button', { name: 'Write something yourself' }).click();
    await page.keyboard.type('Café: the “best”');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/content/articles/cafe-the-best-2');

    await page.goto(`${world.url}/content`);
    const articles = page.getByRole('region', { name: 'Articles' });
    await articles.getByRole('link', { name: 'Café: the “best”' }).nth(1).waitFor();
    await page.getByRole('button', { name: 'Voice and rules' }).press('Enter');
    await page.waitForURL('**/STYLE.md');
    expect(await (await fetch(at('files/content/STYLE.md'))).text()).toContain('# Voice and rules');
  });

  test('WS-17 a campaign starts with a topic, and its plan, progress, questions and pages are on the dashboard', async () => {
    const plan = printPlan({
      id: 'coffee',
      goal: 'Coffee at home',
      stages: [
        {
          id: 'writing',
          name: 'Writing',
          mode: 'sequence',
          steps: [
            {
              id: 'draft',
              title: `Draft ${script(
                call('write', {
                  path: '/content/articles/coffee.md',
                  content: '---\ntitle: Coffee at home\n---\n\nGrind it fresh, [so](/notes.txt).\n',
                }),
                { text: 'Written.' },
              )}`,
              intent: 'draft',
              executor: 'writer',
            },
          ],
        },
        {
          id: 'publishing',
          name: 'Publishing',
          mode: 'sequence',
          steps: [
            {
              id: 'publish',
              title: `Publish ${script(call('publish_content', { type: 'articles', slug: 'coffee', version: 1 }), { text: 'Live.' })}`,
              intent: 'update',
              executor: 'content-strategist',
              inputs: ['draft'],
            },
          ],
        },
      ],
    });
    await fetch(at('files/notes.txt'), { method: 'PUT', body: 'Notes.' });
    const page = await world.open('/content');
    const start = page.getByRole('button', { name: 'Start a campaign' });
    expect(await start.getAttribute('aria-disabled')).toBe('true');
    const topic = `Coffee at home ${script(call('write', { path: '/content/campaign-plan.md', content: plan }), { text: 'Planned.' })}`;
    await page.getByLabel('What should your site talk about?').fill(topic);
    await page.keyboard.press('Enter');
    const campaign = page.getByRole('listitem', { name: 'Coffee at home' });
    await campaign.getByText('0 of 2 steps done').waitFor();
    await campaign.getByText('The team begins when you approve the plan.').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'plan');
    await campaign.getByRole('button', { name: /^Approve the plan/ }).click();
    const waiting = page.getByRole('region', { name: 'Waiting for you' });
    await waiting.getByRole('link', { name: 'Read “Coffee at home” first' }).waitFor();
    // What the dashboard does not show itself waits among the approvals.
    const removes = JSON.stringify({ steps: [call('remove', { path: '/notes.txt' }), { text: 'Removed.' }] });
    await ask('POST', at('chats'), { goal: removes });
    await waiting.getByRole('link', { name: '1 other question waits among the approvals' }).waitFor();
    await campaign.getByText(/^1 of 2 steps done/).waitFor();
    const writing = campaign.getByRole('progressbar', { name: 'Progress of Writing' });
    expect(await writing.getAttribute('aria-valuenow')).toBe('100');
    await campaign.getByText(/^Content strategist: Publish/).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'campaign');
    const narrow = await world.open('/content', { profile: { ...NARROW, colorScheme: 'dark' } });
    await narrow.getByRole('link', { name: 'Read “Coffee at home” first' }).waitFor();
    expect(await violations(narrow)).toEqual([]);
    await picture(narrow, 'campaign-narrow');

    // The same question among the approvals, and what readers would get besides the text.
    const inbox = await world.open('/approvals');
    const asked = inbox.getByRole('group', { name: 'Publish “Coffee at home”?' });
    await asked.getByText('Readers also get: /notes.txt').waitFor();
    expect(await asked.getByText(/publish_content/).count()).toBe(0);
    expect(await violations(inbox)).toEqual([]);
    await picture(inbox, 'approvals');

    // And in the chat of the campaign, at the step that waits.
    const { items } = (await ask('GET', at('chats'))).body as { items: { id: string; role: string }[] };
    const chat = await world.open(`/chats/${items.find(({ role }) => role === 'content-strategist')!.id}`);
    await chat.getByRole('group', { name: 'Publish “Coffee at home”?' }).waitFor();
    expect(await violations(chat)).toEqual([]);
    await picture(chat, 'chat');

    await waiting.getByRole('link', { name: 'Read “Coffee at home” first' }).click();
    await page.getByRole('article', { name: 'Preview' }).getByText('Grind it fresh').waitFor();
    expect((await live('coffee')).status).toBe(404);
    await page
      .getByRole('group', { name: 'Publish “Coffee at home”?' })
      .getByRole('button', { name: 'Publish it' })
      .click();
    await page.getByText(/Version 1 has been live since/).waitFor();
    expect((await live('coffee')).body).toMatchObject({ title: 'Coffee at home' });
    await inbox.getByText('Publish “Coffee”', { exact: true }).waitFor();
    await chat.getByRole('group', { name: 'Publish “Coffee at home”?' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await until(
      'the campaign is done',
      async () => (await campaign.getByText('Done', { exact: true }).count()) > 0,
    );
    await campaign.getByText(/^2 of 2 steps done/).waitFor();
  });
});
