// Plans from a shell.

import { expect, test, vi } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const world = usePod();
const plan = (...args: string[]) =>
  continuo(['plan', ...args, '--url', world.url], { env: { NO_COLOR: '1' } });

/** A step whose run answers, or fails while the provider has an error. */
const step = (id: string, script: object, more = '') =>
  `- [ ] ${id} ⟦${JSON.stringify({ steps: [script] })}⟧ {#${id}}\n  - executor: writer\n${more}`;
const write = (name: string, steps: string) =>
  ask(
    'PUT',
    `${world.url}/api/v1/workspaces/default/files/plans/${name}.plan`,
    `---\nplan: ${name}\ngoal: Launch\n---\n\n## All (parallel)\n\n${steps}`,
  );
const isNow = (name: string, state: string) =>
  until(
    `${name} is ${state}`,
    async () => JSON.parse((await plan('show', name, '--json')).stdout).state === state,
  );

test('PLAN-4 PLAN-6 a plan is shown, approved and run by its name, and its failed step is skipped or retried', async () => {
  expect(await plan('list')).toMatchObject({ code: 0, stdout: '' });
  const fails = { error: { code: 'no', message: 'no' } };
  await write(
    'launch',
    step('good', { text: 'Good.' }) +
      step('bad', fails) +
      step('later', { text: 'Later.' }, '  - inputs: bad\n'),
  );
  expect((await plan('show', 'launch')).stdout).toMatch(/^\[ \] good /m);
  expect((await plan('list')).stdout).toMatch(/draft +0\/3 .*\/plans\/launch\.plan +Launch/);
  expect(await plan('run', 'launch')).toMatchObject({ code: 5, stderr: expect.stringContaining('approve') });
  expect((await plan('approve', 'launch')).stdout).toContain('approved · /plans/launch.plan');
  expect(await plan('run', 'launch')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Run [0-9a-f-]{36} works on the plan/),
  });
  await isNow('launch', 'failed');
  const { stdout } = await plan('show', 'launch');
  expect(stdout).toContain('All (parallel)');
  expect(stdout).toMatch(/^\[x\] good .* good\b/m);
  expect(stdout).toMatch(/^\[!\] bad .* bad\b/m);
  expect(stdout).toMatch(/^\[\?\] later .* later .*failed/m);
  expect((await plan('retry', 'launch', 'bad')).stdout).toMatch(/^\[ \] bad /m);
  expect((await plan('skip', 'launch', 'bad', '--reason', 'Not needed')).stdout).toMatch(
    /^\[-\] bad .*Not needed/m,
  );
  expect(await plan('skip', 'launch', 'good')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('“good” is done'),
  });
  expect(await plan('run', '/plans/launch.plan')).toMatchObject({ code: 0 });
  await isNow('launch', 'done');
  expect((await plan('show', 'launch')).stdout).toMatch(/^\[x\] later /m);
});

test('PLAN-4 a plan with mistakes is shown with their lines and is not approved; an unknown plan is named', async () => {
  await write('wrong', '- [ ] One {#one}\n  - executor: wizard\n  - inputs: none-such\n');
  const shown = await plan('show', 'wrong');
  expect(shown.stdout).toMatch(/2 problems:\n {2}line 9:\d+ There is no role “wizard”/);
  expect(shown.stdout).toMatch(/line 10:\d+ Step “one” waits for “none-such”/);
  expect(await plan('approve', 'wrong')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('2 problems'),
  });
  expect(await plan('show', 'nothing')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('There is no plan nothing'),
  });
});

test('PLAN-6 a plan is paused, resumed and stopped from a shell', async () => {
  await write('long', step('waits', { text: 'x', hang: true }));
  await plan('approve', 'long');
  expect(await plan('pause', 'long')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('No run works on this plan'),
  });
  await plan('run', 'long');
  await isNow('long', 'running');
  await plan('pause', 'long');
  await isNow('long', 'paused');
  await plan('resume', 'long');
  await isNow('long', 'running');
  expect(await plan('stop', 'long')).toMatchObject({ code: 0 });
  await isNow('long', 'stopped');
  expect((await plan('show', 'long')).stdout).toMatch(/^\[ \] waits /m);
});
