// Goals that the offline model plans and carries out, without a key.

import { expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod({ CONTINUO_MODEL: 'offline/instant' });
const workspace = () => `${world.url}/api/v1/workspaces/default`;

test.each([
  {
    goal: 'Write three short notes about tea',
    steps: ['part-1', 'part-2', 'part-3', 'contents'],
    files: ['/notes/tea-1.md', '/notes/tea-2.md', '/notes/tea-3.md', '/notes/tea.md'],
  },
  { goal: 'Write a haiku to /rain.md', steps: ['work'], files: ['/rain.md'] },
  {
    goal: 'A page about our product for newcomers',
    steps: ['known', 'draft'],
    files: ['/drafts/a-page-about-our-product-for.md'],
  },
])('WS-14 the offline model plans and reaches a goal: $goal', async ({ goal, steps, files }) => {
  const opened = await ask('POST', `${workspace()}/chats`, { goal, mode: 'plan_then_execute' });
  expect(opened.status).toBe(201);
  const chat = opened.body.run.thread_id as string;
  const plan = await until('the plan waits for approval', async () => {
    const { body } = await ask('GET', `${workspace()}/plans`);
    const found = (body.items as { id: string }[]).map(({ id }) =>
      ask('GET', `${workspace()}/plans/${id}/progress`),
    );
    return (await Promise.all(found)).map((each) => each.body).find((each) => each.chat_id === chat);
  });
  expect(plan.problems).toEqual([]);
  expect(
    plan.stages.flatMap((stage: { steps: { id: string }[] }) => stage.steps.map(({ id }) => id)),
  ).toEqual(steps);
  await ask('POST', `${workspace()}/plans/${plan.id}/approve`, { version: plan.content_version });
  await until('the plan is done', async () => {
    const { body } = await ask('GET', `${workspace()}/plans/${plan.id}/progress`);
    return body.state === 'done' && body.counts.done === steps.length;
  });
  for (const path of files) {
    const file = await fetch(`${workspace()}/files${path}`);
    expect([path, file.status]).toEqual([path, 200]);
    expect((await file.text()).length).toBeGreaterThan(20);
  }
});
