// The digest of a chat: what happened since an event or a time, what changed, what it cost, what is needed.

import { expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { printPlan, type AgentPlan } from '@continuo/protocol';

const world = usePod();
const workspace = () => `${world.url}/api/v1/workspaces/default`;
const steps = (...list: object[]) => JSON.stringify({ steps: list });
const write = (path: string, content: string) => ({ calls: [{ tool: 'write', input: { path, content } }] });

async function open(goal: string, more: object = {}) {
  const { chat, run } = (await ask('POST', `${workspace()}/chats`, { goal, title: 't', ...more })).body;
  return { chat: chat.id as string, run: run.id as string };
}
const digest = async (chat: string, query = '') =>
  (await ask('GET', `${workspace()}/chats/${chat}/digest${query}`)).body;

test('WS-16 a digest says what happened, changed and cost, and since its own seq nothing', async () => {
  const { chat, run } = await open(
    steps(
      write('/digest/a.md', 'one'),
      write('/digest/a.md', 'two'),
      { calls: [{ tool: 'read', input: { path: '/digest/missing.md' } }] },
      { text: 'All written.' },
    ),
  );
  await framesOf(world.url, run);
  const whole = await digest(chat);
  expect(whole).toMatchObject({
    after: 0,
    since: null,
    is_empty: false,
    run_counts: { done: 1 },
    runs: [{ run_id: run, parent_run: null, status: 'done', text: 'All written.' }],
    files: [{ path: '/digest/a.md', v: 2, versions: 2, change: 'created' }],
    changed_counts: { files: 1, entities: 0 },
    calls: { total: 3, failed: 1 },
    needs: [],
    verdict: null,
  });
  expect(whole.usage.model_calls).toBe(4);
  expect(whole.text).toContain('/digest/a.md (version 2)');
  const later = await digest(chat, `?after=${whole.seq}`);
  expect(later).toMatchObject({ is_empty: true, files: [], runs: [], text: 'Nothing happened.' });
  expect(await digest(chat, `?since=${encodeURIComponent(whole.at)}`)).toMatchObject({ is_empty: true });
  const next = (
    await ask('POST', `${workspace()}/chats/${chat}`, {
      content: steps(write('/digest/b.md', 'x'), { text: 'B' }),
    })
  ).body.run;
  await framesOf(world.url, next.id);
  expect(await digest(chat, `?after=${whole.seq}`)).toMatchObject({
    since: expect.any(String),
    files: [{ path: '/digest/b.md', v: 1, change: 'created' }],
    runs: [{ run_id: next.id }],
  });
});

test('WS-16 a digest names what waits for a person, and a run that failed', async () => {
  await world.database.pool.query('update workspaces set policy = null');
  const { chat } = await open(
    steps({ calls: [{ tool: 'remove', input: { path: '/digest/a.md' } }] }, { text: 'gone' }),
  );
  const waiting = await until('the call waits', async () => {
    const found = await digest(chat);
    return found.needs.length > 0 ? found : null;
  });
  expect(waiting.needs).toMatchObject([{ kind: 'approval', chat_id: chat, approval_id: expect.any(String) }]);
  expect(waiting.text).toContain('Needed from you: remove:');
  const failing = await open(steps({ error: { code: 'no', message: 'no luck' } }));
  await framesOf(world.url, failing.run);
  expect(await digest(failing.chat)).toMatchObject({
    needs: [{ kind: 'failed_run', text: 'no luck', run_id: failing.run }],
    run_counts: { error: 1 },
  });
});

test('WS-16 the digest of a plan’s chat includes its steps and what their child runs changed and cost', async () => {
  const script = (...list: object[]) => `⟦${steps(...list)}⟧`;
  const plan: AgentPlan = {
    id: 'd',
    goal: 'Two files',
    stages: [
      {
        id: 's',
        name: 'S',
        mode: 'parallel',
        steps: ['p', 'q'].map((id) => ({
          id,
          title: `${id} ${script(write(`/digest/${id}.md`, id), { text: `${id} written` })}`,
          intent: 'create' as const,
          executor: 'writer',
        })),
      },
    ],
  };
  await fetch(`${workspace()}/files/plans/digest.plan`, {
    method: 'PUT',
    body: printPlan(plan),
    headers: { 'content-type': 'text/markdown' },
  });
  const { rows } = await world.database.pool.query<{ id: string }>(
    "select id from files where path = '/plans/digest.plan'",
  );
  const id = rows[0]!.id;
  const { chat } = await open('go', { mode: 'plan_then_execute', plan_id: id });
  const waiting = await until('the plan waits', async () => {
    const found = await digest(chat);
    return found.needs.length > 0 ? found : null;
  });
  expect(waiting.needs).toMatchObject([
    { kind: 'plan_approval', plan_id: id, text: 'approve the plan /plans/digest.plan' },
  ]);
  await ask('POST', `${workspace()}/plans/${id}/approve`, {});
  const done = await until('the plan is done', async () => {
    const found = await digest(chat);
    return found.run_counts.done === 3 ? found : null;
  });
  expect(done).toMatchObject({
    steps: [
      { plan_id: id, step: 1, step_id: 'p', status: 'done' },
      { plan_id: id, step: 2, step_id: 'q', status: 'done' },
    ],
    files: [{ path: '/digest/p.md' }, { path: '/digest/q.md' }],
    needs: [],
  });
  expect(done.usage.model_calls).toBe(4);
});

test('a digest begins after an event or after a time, not both', async () => {
  const { chat, run } = await open(steps({ text: 'x' }));
  await framesOf(world.url, run);
  const both = await ask('GET', `${workspace()}/chats/${chat}/digest?after=1&since=2026-01-01T00:00:00Z`);
  expect(both).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
  expect((await ask('GET', `${workspace()}/chats/${chat}/digest?since=yesterday`)).status).toBe(400);
});
