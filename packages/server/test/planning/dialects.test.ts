// What every dialect says of a plan's steps, over real HTTP, while the plan runs and afterwards.

import { expect, test } from 'vitest';
import { printPlan, type PlanStep } from '@continuo/protocol';
import { ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { listen } from '../dialects/listen.ts';

const world = usePod();
const base = () => `${world.url}/api/v1/workspaces/default`;

const step = (id: string, script: object, inputs?: readonly string[]): PlanStep => ({
  id,
  title: `${id} ⟦${JSON.stringify({ steps: [script] })}⟧`,
  intent: 'create',
  executor: 'writer',
  ...(inputs && { inputs }),
});

const PLAN = printPlan({
  id: 'told',
  goal: 'Tell of each step',
  stages: [
    {
      id: 'all',
      name: 'All',
      mode: 'parallel',
      steps: [
        step('good', { text: 'Good.' }),
        step('bad', { error: { code: 'no', message: 'no' } }),
        step('later', { text: 'Later.' }, ['bad']),
      ],
    },
  ],
});

interface StepFrame {
  readonly plan: string;
  readonly step: number;
  readonly step_id: string;
  readonly status: string;
}

/** What a stream says of steps. A dialect with frames without a name has the type in the data. */
async function stepsIn(path: string): Promise<readonly StepFrame[]> {
  const text = await (await fetch(world.url + path)).text();
  return text.split('\n\n').flatMap((frame) => {
    const event = /^event: (.*)$/m.exec(frame)?.[1];
    const data = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (data === undefined) return [];
    const value = JSON.parse(data) as Record<string, unknown>;
    if (event === 'plan_step') return [value as unknown as StepFrame];
    if (value['type'] === 'data-plan-step') return [value['data'] as StepFrame];
    return value['type'] === 'CUSTOM' && value['name'] === 'plan_step' ? [value['value'] as StepFrame] : [];
  });
}

test('WS-10 PLAN-6 PLUS-1 every dialect tells each step of a plan that runs, with its position, its id and its status', async () => {
  const { body: file } = await ask('PUT', `${base()}/files/plans/told.plan`, PLAN);
  const plan = `${base()}/plans/${file.id}`;
  await ask('POST', `${plan}/approve`, {});
  const { body } = await ask('POST', `${plan}/run`, {});
  const { id: run, thread_id: thread } = body.run as { id: string; thread_id: string };
  const listener = await listen(`${base()}/chats/${thread}/events?after=0`);
  const frames = await listener.until(({ data }) => data.to_state === 'idle');
  listener.close();
  const told = frames.flatMap(({ event, data }) =>
    event === 'plan_step' ? [data as unknown as StepFrame] : [],
  );

  expect(told.slice(0, 2).map(({ step_id, status }) => [step_id, status])).toEqual([
    ['good', 'running'],
    ['bad', 'running'],
  ]);
  // How far the plan is follows from these events alone.
  const last = new Map(told.map(({ step_id, status }) => [step_id, status]));
  expect(Object.fromEntries(last)).toEqual({ good: 'done', bad: 'failed', later: 'blocked' });
  const { stages, counts } = (await ask('GET', `${plan}/progress`)).body;
  expect(counts).toMatchObject({ done: 1, failed: 1, blocked: 1, pending: 0, running: 0, skipped: 0 });
  for (const each of told) {
    const known = stages[0].steps.find(({ id }: { id: string }) => id === each.step_id);
    expect(each).toMatchObject({ plan: file.id, step: known.step, title: known.title });
  }

  const streams = {
    runs: `/api/runs/${run}/events`,
    agent: `/api/agent/stream/${run}`,
    'ai-sdk': `/api/chat/${thread}/stream?run=${run}`,
    'ag-ui': `/api/ag-ui?threadId=${thread}&runId=r1&run=${run}`,
  };
  for (const [name, path] of Object.entries(streams))
    expect([name, await stepsIn(path)]).toEqual([name, told]);
  // The thread's stream never ends, and its data names the event.
  const log = await listen(`${world.url}/api/threads/${thread}/events?after=0`);
  const inLog = await log.until(({ data }) => data.type === 'state' && data.data.status === 'done');
  log.close();
  expect(inLog.flatMap(({ data }) => (data.type === 'plan_step' ? [data.data as StepFrame] : []))).toEqual(
    told,
  );
});
