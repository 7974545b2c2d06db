// Plans over HTTP and on disk, on a real pod.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ANONYMOUS, ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const onDisk = (path: string) => join(world.pod.home, 'workspaces/default', path);
const base = () => `${world.url}/api/v1/workspaces/default`;

const TEXT = `---
plan: party
goal: Have a garden party
---

Ask Ben about the *tent*.

## Prepare (parallel)

- [ ] Rent chairs {#chairs}
  - intent: create
  - executor: tooling
- [ ] Write the invitations {#invitations}
  - intent: draft
  - executor: writer
  - tools: write
  - inputs: chairs

## Celebrate (sequence)

- [ ] Welcome the guests {#welcome}
  - inputs: invitations
`;

let name = '';
let runs = 0;
beforeEach(() => {
  runs += 1;
  name = `party-${runs}`;
});

async function putFile(path: string, text: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base()}/files/${path}`, { method: 'PUT', body: text, headers });
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return (await response.json()) as { id: string; version: number };
}
const textOf = async (path: string) => (await fetch(`${base()}/files/${path}`)).text();
const progressOf = async (id: string) => (await ask('GET', `${base()}/plans/${id}/progress`)).body;
const statusesOf = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await progressOf(id)).stages
      .flatMap((stage: { steps: readonly object[] }) => stage.steps)
      .map((step: { id: string; status: string }) => [step.id, step.status]),
  );

test('PLAN-4 a file in /plans is a plan with one id and one history: file, API and disk change the same thing', async () => {
  const file = await putFile(`plans/${name}.plan`, TEXT);
  const progress = await progressOf(file.id);
  expect(progress).toMatchObject({
    id: file.id,
    path: `/plans/${name}.plan`,
    title: 'Have a garden party',
    goal: 'Have a garden party',
    project_id: null,
    state: 'draft',
    content_version: 1,
    problems: [],
    approved: null,
    counts: { pending: 3, done: 0 },
    stages: [
      {
        mode: 'parallel',
        steps: [
          { id: 'chairs', step: 1 },
          { id: 'invitations', inputs: ['chairs'] },
        ],
      },
      { id: 'celebrate', steps: [{ id: 'welcome', step: 3, intent: 'update', executor: 'planner' }] },
    ],
  });
  const entity = (await ask('GET', `${base()}/plans/${file.id}`)).body;
  expect(entity).toMatchObject({
    kind: 'plan',
    content: TEXT,
    content_version: 1,
    title: 'Have a garden party',
  });
  const patched = await ask('PATCH', `${base()}/plans/${file.id}`, {
    content: TEXT.replace('chairs', 'ten chairs'),
  });
  expect(patched).toMatchObject({ status: 200, body: { content_version: 2 } });
  expect(readFileSync(onDisk(`plans/${name}.plan`), 'utf8')).toContain('Rent ten chairs');
  writeFileSync(onDisk(`plans/${name}.plan`), TEXT.replace('[ ] Rent', '[x] Rent'));
  await until('the tick on disk is a status', async () => (await statusesOf(file.id)).chairs === 'done');
  const versions = (await ask('GET', `${base()}/plans/${file.id}/versions`)).body.items;
  expect(versions.map((each: { author: { kind: string } }) => each.author.kind)).toEqual([
    'disk',
    'person',
    'person',
  ]);
  expect((await ask('DELETE', `${base()}/plans/${file.id}`)).status).toBe(200);
  expect((await ask('GET', `${base()}/plans/${file.id}/progress`)).body.code).toBe('plan_not_found');
  expect((await ask('POST', `${base()}/plans/${file.id}/restore`)).status).toBe(200);
  expect(await statusesOf(file.id)).toMatchObject({ chairs: 'done', welcome: 'pending' });
});

test('WS-1 a plan keeps its id, its history, the statuses of its steps and its approval when its file moves', async () => {
  const file = await putFile(`plans/${name}.plan`, TEXT);
  await ask('POST', `${base()}/plans/${file.id}/approve`, {});
  await ask('POST', `${base()}/plans/${file.id}/steps/chairs/skip`, {});
  const before = await progressOf(file.id);
  const moved = await ask('POST', `${base()}/moves`, {
    from: `/plans/${name}.plan`,
    to: `/plans/${name}-moved.plan`,
  });
  expect(moved.status, moved.text).toBeLessThan(300);
  expect(await progressOf(file.id)).toMatchObject({
    id: file.id,
    path: `/plans/${name}-moved.plan`,
    approved: { ...before.approved, is_current: true },
    counts: before.counts,
  });
  const { items } = (await ask('GET', `${base()}/plans/${file.id}/versions`)).body;
  expect(items.map(({ version }: { version: number }) => version)).toEqual(
    Array.from({ length: items.length }, (_, at) => items.length - at),
  );
  expect(items.length).toBeGreaterThanOrEqual(3);
});

test('PLAN-4 any Markdown file with plan front matter is a plan, and stops being one without it', async () => {
  const file = await putFile(`content/${name}.md`, TEXT);
  expect((await progressOf(file.id)).counts.pending).toBe(3);
  await putFile(`content/${name}.md`, TEXT.replace('plan: party\n', ''));
  expect((await ask('GET', `${base()}/plans/${file.id}`)).status).toBe(404);
  const { body: made } = await ask('POST', `${base()}/projects`, { name: `Court ${name}` });
  const created = await ask('POST', `${base()}/plans`, {
    project_id: made.project.id,
    title: 'Find a judge',
  });
  expect(created).toMatchObject({
    status: 201,
    body: {
      kind: 'plan',
      project_id: made.project.id,
      path: `/projects/court-${name}/plans/find-a-judge.plan`,
    },
  });
  const listed = await ask('GET', `${base()}/plans?project_id=${made.project.id}`);
  expect(listed.body.items).toMatchObject([{ id: created.body.id, title: 'Find a judge' }]);
  expect((await ask('DELETE', `${base()}/projects/${made.project.id}`)).status).toBe(200);
  expect((await ask('GET', `${base()}/plans/${created.body.id}`)).status).toBe(404);
  expect((await ask('POST', `${base()}/projects/${made.project.id}/restore`)).status).toBe(200);
  expect((await ask('GET', `${base()}/plans/${created.body.id}`)).status).toBe(200);
});

test('PLAN-4 a person approves the plan as it is; mistakes are refused with their lines, and agents approve nothing', async () => {
  const file = await putFile(
    `plans/${name}.plan`,
    TEXT.replace('inputs: chairs', 'inputs: chars')
      .replace('executor: writer', 'executor: poet')
      .replace('tools: write', 'tools: wright'),
  );
  const approve = (body: object, headers = {}) =>
    ask('POST', `${base()}/plans/${file.id}/approve`, body, headers);
  expect(await approve({}, ANONYMOUS)).toMatchObject({ status: 403, body: { code: 'person_required' } });
  expect(await approve({})).toMatchObject({
    status: 422,
    body: {
      code: 'plan_not_sound',
      problems: [
        { line: 15, column: 15, step_id: 'invitations', text: expect.stringContaining('no role “poet”') },
        { line: 16, column: 12, text: expect.stringContaining('no tool “wright”') },
        { line: 17, column: 13, text: expect.stringContaining('“chars”') },
      ],
    },
  });
  await putFile(`plans/${name}.plan`, 'no plan');
  expect((await progressOf(file.id)).problems).toMatchObject([
    { line: 1, text: expect.stringContaining('no goal') },
  ]);
  await putFile(`plans/${name}.plan`, TEXT);
  expect(await approve({ version: 1 })).toMatchObject({ status: 409, body: { code: 'plan_changed' } });
  expect(await approve({ version: 3 })).toMatchObject({
    status: 200,
    body: { state: 'approved', approved: { version: 3, is_current: true } },
  });
  await putFile(`plans/${name}.plan`, TEXT.replace('[ ] Rent', '[x] Rent'));
  expect((await progressOf(file.id)).approved).toMatchObject({ version: 3, is_current: true });
  await putFile(`plans/${name}.plan`, TEXT.replace('chairs {', 'sofas {'));
  expect((await progressOf(file.id)).approved).toMatchObject({ version: 3, is_current: false });
});

test('PLAN-6 steps are retried and skipped by compare-and-set; each change is in the feed, and the file shows it', async () => {
  const file = await putFile(`plans/${name}.plan`, TEXT.replace('[ ] Welcome', '[x] Welcome'));
  const { body: before } = await ask('GET', `${base()}/changes?after=0&limit=1000`);
  const step = (id: string, what: string) =>
    ask(
      'POST',
      `${base()}/plans/${file.id}/steps/${id}/${what}`,
      what === 'skip' ? { reason: 'We stand.' } : undefined,
    );
  expect(await step('chairs', 'skip')).toMatchObject({
    status: 200,
    body: { counts: { skipped: 1, done: 1 } },
  });
  expect(await step('chairs', 'skip')).toMatchObject({ status: 409, body: { code: 'step_not_skippable' } });
  expect(await step('invitations', 'retry')).toMatchObject({
    status: 409,
    body: { code: 'step_not_retryable' },
  });
  expect(await step('sofas', 'retry')).toMatchObject({ status: 404, body: { code: 'step_not_found' } });
  expect(await step('welcome', 'retry')).toMatchObject({
    status: 200,
    body: { counts: { skipped: 1, done: 0 } },
  });
  expect(await textOf(`plans/${name}.plan`)).toContain('- [-] Rent chairs');
  expect(await textOf(`plans/${name}.plan`)).toContain('- [ ] Welcome');
  const { body: after } = await ask('GET', `${base()}/changes?after=${before.items.at(-1).seq}&limit=1000`);
  const steps = after.items.filter(({ type }: { type: string }) => type === 'plan_step');
  expect(steps.map(({ data }: { data: object }) => data)).toMatchObject([
    {
      plan: file.id,
      step: 1,
      step_id: 'chairs',
      status: 'skipped',
      title: 'Rent chairs',
      error: 'We stand.',
    },
    { plan: file.id, step: 3, step_id: 'welcome', status: 'pending' },
  ]);
});

test('PLAN-6 a plan that was made on disk is one, and a step that is cut out and pasted back keeps its status', async () => {
  mkdirSync(onDisk('plans'), { recursive: true });
  writeFileSync(onDisk(`plans/${name}.plan`), TEXT);
  const id = await until('the plan is there', async () => {
    const { body } = await ask('GET', `${base()}/plans?limit=200`);
    return body.items.find(({ path }: { path: string }) => path === `/plans/${name}.plan`)?.id ?? null;
  });
  await ask('POST', `${base()}/plans/${id}/steps/chairs/skip`, {});
  await progressOf(id);
  const moved = (await textOf(`plans/${name}.plan`)).replace(/- \[-\] Rent chairs[^]*?tooling\n/, '');
  await putFile(`plans/${name}.plan`, moved);
  expect(await statusesOf(id)).toEqual({ invitations: 'pending', welcome: 'pending' });
  await putFile(`plans/${name}.plan`, `${moved}- [-] Rent chairs {#chairs}\n`);
  expect(await statusesOf(id)).toEqual({ invitations: 'pending', welcome: 'pending', chairs: 'skipped' });
});
