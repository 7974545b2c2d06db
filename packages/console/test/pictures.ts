// Takes the screenshots in docs/images, of a fresh server. Its argument is the link that `npm start` prints:
// `node packages/console/test/pictures.ts 'http://127.0.0.1:4400/#token=…'`.

import { fileURLToPath } from 'node:url';
import { createClient } from '@continuo/client';
import { chromium, type Page } from 'playwright-core';
import { chromiumPath } from '@continuo/testkit/browser';

const link = new URL(process.argv[2]!);
const base = link.origin;
const client = createClient({ baseUrl: base, apiKey: new URLSearchParams(link.hash.slice(1)).get('token')! });
const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const browser = await chromium.launch({
  executablePath: chromiumPath!,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

const take = (page: Page, name: string) => page.screenshot({ path: `${folder}console-${name}.png` });
const open = async (path: string, colorScheme: 'light' | 'dark', width = 1280, height = 820) => {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(link.href);
  await page.getByRole('main').waitFor();
  await page.goto(base + path);
  return page;
};

const page = await open('/', 'light');
await page.getByText('No language model is connected').waitFor();
await take(page, 'new-chat');
await page.getByRole('button', { name: 'Write, edit, compare' }).click();
await page.getByText('From the offline stand-in').waitFor();
await page.getByRole('status').getByText('Ready').waitFor();
const chat = new URL(page.url()).pathname;
await page.getByLabel('Difference').filter({ visible: true }).scrollIntoViewIfNeeded();
await take(page, 'chat');
const files = await open('/files/notes/rain.md?view=history', 'light');
await files.getByRole('textbox', { name: 'Version 2', exact: true }).waitFor();
await take(files, 'files');
await files.getByRole('link', { name: 'Back to the text' }).first().click();
await files.locator('.cm-content').waitFor();
// The line numbers are aligned once the editor has measured them.
await files.waitForFunction(() => {
  const lastOf = (all: string) => [...document.querySelectorAll(all)].at(-1)?.getBoundingClientRect().top;
  return lastOf('.cm-gutterElement') === lastOf('.cm-line');
});
await take(files, 'editor');
await page.getByRole('link', { name: 'New chat' }).click();
await page.getByRole('button', { name: 'Ask me first' }).click();
await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
await take(page, 'approval');
const asking = new URL(page.url()).pathname;

const inbox = await open('/approvals', 'light');
await inbox.getByRole('button', { name: 'Always allow…' }).click();
await take(inbox, 'inbox');

const dark = await open(chat, 'dark');
await dark.getByLabel('Difference').filter({ visible: true }).scrollIntoViewIfNeeded();
await take(dark, 'dark');

const narrow = await open(asking, 'light', 390, 844);
await narrow.getByRole('button', { name: 'Approve', exact: true }).waitFor();
await take(narrow, 'narrow');

const runs = await open('/runs', 'light');
await runs.getByText('The run waits for approval').waitFor();
await take(runs, 'runs');
await runs.getByRole('link', { name: /^Done/ }).click();
await runs.getByRole('list', { name: 'Timeline' }).getByRole('button', { name: /^Tool/ }).first().waitFor();
await take(runs, 'run');
await runs.getByRole('tab', { name: 'Replay' }).click();
await runs.getByRole('button', { name: 'Previous message' }).click();
await take(runs, 'replay');

const projects = await open('/projects', 'light');
await projects
  .getByLabel('What is the new project about?')
  .fill('A street party in June, for about 80 neighbours. With music and food.');
await projects.getByRole('button', { name: 'Create project' }).click();
await projects.getByRole('tree', { name: 'Documents' }).waitFor();
const project = new URL(projects.url()).pathname.split('/')[2]!;
const create = async (plural: string, fields: object): Promise<string> => {
  const response = await fetch(`${base}/api/v1/workspaces/default/${plural}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: project, ...fields }),
  });
  return ((await response.json()) as { id: string }).id;
};
const research = await create('documents', { title: 'Research' });
await create('documents', { title: 'Bands', parent_id: research });
await create('documents', { title: 'Permits', parent_id: research });
await create('documents', { title: 'Menu' });
await create('tasks', { title: 'Rent 80 chairs', priority: 'high', assignee: 'Ada' });
await create('tasks', { title: 'Print the invitations' });
await create('tasks', { title: 'Ask the city for a permit', state: 'in_progress', due: '2027-04-30' });
await projects.getByRole('link', { name: 'Tasks' }).click();
await projects.getByText('Ask the city for a permit').waitFor();
await take(projects, 'project');

// The offline team works until it waits for a person.
await client.chats.open({ goal: 'Tea for beginners', role: 'content-strategist' });
const { id: plan } = await client.plans.approve(...(await writtenPlan()));
await waiting('publish_content');
const plans = await open(`/plans/${plan}`, 'light');
await plans.getByRole('heading', { name: /Tea/ }).first().waitFor();
await take(plans, 'plan');
const content = await open('/content', 'light');
await content.getByRole('progressbar').first().waitFor();
await take(content, 'content');

await page.goto(base + chat);
await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: /rain/ }).hover();
await page.getByRole('button', { name: /^Actions for .*rain/ }).click();
await page.getByRole('menuitem', { name: 'Archive' }).click();
await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
const archived = await open('/archived', 'light');
await archived.getByRole('button', { name: /^Restore/ }).waitFor();
await take(archived, 'archived');

const settings = await open('/settings', 'light');
await settings.getByRole('region', { name: 'Server' }).getByText('Ready').waitFor();
await settings.getByRole('heading', { name: 'Policy' }).scrollIntoViewIfNeeded();
await take(settings, 'settings');
await browser.close();

async function writtenPlan(): Promise<[id: string, approval: { version: number }]> {
  for (;;) {
    const written = (await client.plans.list()).items[0];
    const plan = written && (await client.plans.progress(written.id));
    if (plan?.problems.length === 0) return [plan.id, { version: plan.content_version }];
    await page.waitForTimeout(200);
  }
}

async function waiting(tool: string): Promise<void> {
  while (!(await client.approvals.list()).items.some((approval) => approval.tool === tool))
    await page.waitForTimeout(200);
}
