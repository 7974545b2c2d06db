// The page of schedules, webhooks and triggers.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { useConsole } from '../support/console.ts';

describe.skipIf(chromiumPath === null)(`schedules in a browser${WITHOUT}`, () => {
  const world = useConsole({
    CONTINUO_WEBHOOK_RETRY_SECONDS: '0.05',
    CONTINUO_OUTGOING_ALLOW: '127.0.0.1',
  });
  const api = (path: string) => `${world.url}/api/v1/workspaces/default${path}`;
  let works = false;
  const receiver = createServer((_, response) => response.writeHead(works ? 204 : 500).end());
  beforeAll(() => new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void receiver.close());

  test('PLUS-10 a schedule is added, shows its next times, runs now, is paused and removed', async () => {
    const page = await world.open('/schedules');
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    const form = page.getByRole('form', { name: 'Add a schedule' });
    await form.getByLabel('Name').fill('Morning');
    await form.getByLabel('Message').fill('Say hello.');
    await form.getByLabel('When').fill('often');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByRole('alert').getByText('write five fields').waitFor();
    await form.getByLabel('When').fill('0 9 * * *');
    await form.getByLabel('Time zone').fill('Europe/Berlin');
    await form.getByRole('button', { name: 'Add' }).click();
    const entry = page
      .getByRole('list', { name: 'Schedules' })
      .getByRole('listitem')
      .filter({ hasText: 'Morning' })
      .first();
    await entry.getByText(/^Next: .*9:00/).waitFor();
    await entry.getByText('The times after that').click();
    await expect.poll(() => entry.locator('details li').count()).toBe(4);
    await entry.getByRole('button', { name: 'Run Morning now' }).click();
    await page.getByRole('list', { name: 'Last times of Morning' }).getByText('Started').waitFor();
    await entry.getByRole('button', { name: 'Pause Morning' }).click();
    await entry.getByText('Paused', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await entry.getByRole('link', { name: 'Open chat' }).click();
    await page.getByText('Say hello.').first().waitFor();
    await page.goBack();
    await entry.getByRole('button', { name: 'Remove Morning…' }).click();
    await entry.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No schedules yet.').waitFor();
  });

  test('PLUS-10 a schedule runs a plan, and says so with its next times', async () => {
    const text = '---\nplan: party\ngoal: Have a party\n---\n\n## Go\n\n- [ ] Dance {#dance}\n';
    await fetch(api('/files/plans/party.plan'), { method: 'PUT', body: text });
    const page = await world.open('/schedules');
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    const form = page.getByRole('form', { name: 'Add a schedule' });
    await form.getByLabel('Name').fill('Weekly');
    await form.getByRole('combobox', { name: 'What it starts' }).selectOption('Runs the plan Have a party');
    expect(await form.getByLabel('Message').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add' }).click();
    const entry = page.getByRole('listitem').filter({ hasText: 'Weekly' }).first();
    await entry.getByText('which is not approved yet').waitFor();
    await entry.getByText(/^Next: /).waitFor();
    await entry.getByRole('link', { name: 'Have a party' }).click();
    await page.getByRole('heading', { level: 1, name: 'Have a party' }).waitFor();
  });

  test('PLUS-10 a dead letter is shown with its reason, and is sent again', async () => {
    const page = await world.open('/schedules');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const form = page.getByRole('form', { name: 'Add a webhook' });
    await form.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await form.getByRole('button', { name: 'Add' }).click();
    await page.getByText('It is not shown again.').waitFor();
    expect(await page.getByText(/^whsec_/).textContent()).toMatch(/^whsec_\S{44}$/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await ask('POST', api('/chats'), { goal: 'Hello.' });
    const dead = page.getByRole('list', { name: /^Dead letters of/ });
    await dead.getByText('the receiver answered 500 (2 attempts)').waitFor();
    expect(await violations(page)).toEqual([]);
    works = true;
    await dead.getByRole('button', { name: 'Send again' }).click();
    await dead.waitFor({ state: 'detached' });
  });

  test('PLUS-10 a webhook of a plan keeps its plan when it is disabled and enabled again', async () => {
    const answer = await fetch(api('/files/plans/told.plan'), {
      method: 'PUT',
      body: '---\nplan: told\ngoal: Be told of\n---\n\n- [ ] One {#one}\n',
    });
    const { id: plan_id } = (await answer.json()) as { id: string };
    const url = 'https://hooks.example/plan';
    const { body } = await ask('POST', api('/webhooks'), {
      url,
      events: ['plan.ended', 'plan.waiting'],
      plan_id,
    });
    const page = await world.open('/schedules');
    const entry = page.getByRole('listitem').filter({ hasText: url });
    await entry.getByText('A plan waits for its approval, The run of a plan has ended · of').waitFor();
    await entry.getByRole('button', { name: 'Disable' }).click();
    await entry.getByRole('button', { name: 'Enable' }).click();
    await entry.getByRole('button', { name: 'Disable' }).waitFor();
    expect((await ask('GET', api(`/webhooks/${body.id}`))).body).toMatchObject({ plan_id, enabled: true });
    await entry.getByRole('link', { name: 'one plan' }).click();
    await page.getByRole('heading', { level: 1, name: 'Be told of' }).waitFor();
  });

  test('PLUS-10 a trigger’s address is shown once, and starts a chat', async () => {
    const page = await world.open('/schedules');
    await page.getByRole('button', { name: 'Add a trigger' }).click();
    const form = page.getByRole('form', { name: 'Add a trigger' });
    await form.getByLabel('Name').fill('Build');
    await form.getByLabel('Message').fill('A build failed.');
    await form.getByRole('button', { name: 'Add' }).click();
    const address = await page.getByText(/\/hooks\//).textContent();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.getByText(/\/hooks\//).count()).toBe(0);
    const { status, body } = await ask('POST', address!, 'the log');
    expect(status).toBe(202);
    await page.getByText('1 started').waitFor();
    await until(
      'the run ended',
      async () => (await ask('GET', `${world.url}/api/runs/${body.run_id}`)).body.status === 'done',
    );
  });
});
