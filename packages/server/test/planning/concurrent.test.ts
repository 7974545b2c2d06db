// Agents, people and a stand-in for the scheduler change one plan at the same time, on a real database.

import { expect, test } from 'vitest';
import { parsePlan } from '@continuo/protocol';
import { findFile, type Author } from '../../src/files/files.ts';
import type { FilePath } from '../../src/files/paths.ts';
import { asText } from '../../src/files/content.ts';
import { readHead, saveFile } from '../../src/files/save.ts';
import { Workspaces } from '../../src/files/workspace-files.ts';
import { Plans } from '../../src/planning/plans.ts';
import { changeSteps } from '../../src/planning/steps.ts';
import { useKnowledge } from '../knowledge/support.ts';

const world = useKnowledge();
const path: FilePath = { path: '/plans/work.plan', folded: '/plans/work.plan' };
const bus = { publish: async () => undefined, subscribe: () => () => undefined } as never;

/** As a person writes it: intents and executors are left to the defaults. */
function planOf(steps: number): string {
  const all = Array.from(
    { length: steps },
    (_, n) => `- [ ] Step ${n} {#s${n}}\n  - outputs: /out/${n}.md\n`,
  );
  return `---\nplan: work\ngoal: Work\n---\n\n## All (parallel)\n\n${all.join('')}`;
}

async function open(steps: number) {
  const caller = await world.newCaller();
  const { workspaceId, quotaBytes } = caller;
  const workspaces = new Workspaces({ bus, maxFileBytes: 2 ** 20, quotaBytes });
  workspaces.attach({ stage: () => null, flush: async () => undefined } as never);
  const plans = new Plans({
    pool: world.pool,
    bus,
    workspaces,
    knowledge: world.knowledge,
    quotaBytes,
    vocabulary: async () => ({ roles: null, tools: null }),
  });
  const read = async () => {
    const file = (await findFile(world.pool, workspaceId, path))!;
    return { file, text: asText(await readHead(world.pool, file))! };
  };
  /** Reads the file, changes it, and writes it with the version that was read, as an editor and a tool do. */
  const edit = async (author: Author, change: (text: string) => string) => {
    for (;;) {
      const { file, text } = await read();
      const bytes = Buffer.from(change(text));
      const save = { workspaceId, author, path, bytes, base: file.version, merge: true, quotaBytes };
      const saved = await saveFile(world.pool, world.pool, save);
      if (saved.kind === 'changed' || saved.kind === 'merged') return;
      // A conflict is shown to the writer, who starts from the newer text.
      expect(saved.kind).toBe('conflict');
    }
  };
  const first = { workspaceId, author: caller.author, path, bytes: Buffer.from(planOf(steps)) };
  const made = await saveFile(world.pool, world.pool, { ...first, base: 0, merge: false, quotaBytes });
  if (made.kind !== 'changed') throw new Error(made.kind);
  const key = { workspaceId, planId: made.file.id };
  return { plans, key, read, edit, bytes: quotaBytes };
}

const agent: Author = {
  kind: 'run',
  thread: '0190a0b0-0000-7000-8000-000000000001',
  run: '0190a0b0-0000-7000-8000-00000000000a',
  call: 'c1',
};

test('PLAN-4 PLAN-6 200 concurrent edits by agents, people and a scheduler: none is lost', async () => {
  const { plans, key, read, edit } = await open(200);
  await plans.settle(key);
  const edits = Array.from({ length: 200 }, (_, index) => async () => {
    // Neighbours are edited at different times, as it is in life.
    const n = (index * 67) % 200;
    const box = `- [ ] Step ${n} {`;
    // An agent says where the result is, and ticks the box, which counts for nothing.
    if (n % 4 === 0)
      return edit(agent, (text) =>
        text.replace(box, `- [x] Step ${n} {`).replace(`- outputs: /out/${n}.md`, `- outputs: /new/${n}.md`),
      );
    // A person ticks the box, another one writes a note below a step.
    if (n % 4 === 1) return edit({ kind: 'person' }, (text) => text.replace(box, `- [x] Step ${n} {`));
    if (n % 4 === 2)
      return edit({ kind: 'disk' }, (text) =>
        text.replace(`/out/${n}.md\n`, `/out/${n}.md\n  - note: seen ${n}\n`),
      );
    const step = { step_id: `s${n}`, run: agent.run, chat: agent.thread };
    await changeSteps(world.pool, key, [{ ...step, from: ['pending'], to: 'running' }]);
    if (n % 8 === 3) await plans.settle(key);
    await changeSteps(world.pool, key, [{ ...step, from: ['running'], to: 'done', cost: 0.5 }]);
  });
  const queue = [...edits];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await next();
    }),
  );
  const progress = await plans.progress(key);
  const { text } = await read();
  const steps = progress.stages[0]!.steps;
  expect(steps).toHaveLength(200);
  for (const [n, step] of steps.entries()) {
    expect([n, step.status]).toEqual([n, n % 4 === 1 || n % 4 === 3 ? 'done' : 'pending']);
    expect([n, step.outputs]).toEqual([n, [n % 4 === 0 ? `/new/${n}.md` : `/out/${n}.md`]]);
    expect([n, step.cost]).toEqual([n, n % 4 === 3 ? 0.5 : null]);
    if (n % 4 === 2) expect(text).toContain(`note: seen ${n}\n`);
  }
  const parsed = parsePlan(text);
  expect(parsed.ok && [...parsed.statuses.values()]).toEqual(steps.map(({ status }) => status));
}, 600_000);

test('PLAN-6 1,000 ticks are a few versions of the file, and 2,000 changes in the feed', async () => {
  const { plans, key, read } = await open(1000);
  await plans.settle(key);
  for (let n = 0; n < 1000; n += 1) {
    const changed = await changeSteps(world.pool, key, [
      { step_id: `s${n}`, from: ['pending'], to: 'running' },
      { step_id: `s${n}`, from: ['running'], to: 'done' },
    ]);
    expect(changed.map(({ step, status }) => [step, status])).toEqual([
      [n + 1, 'running'],
      [n + 1, 'done'],
    ]);
    if (n === 500) await plans.settle(key);
  }
  // A change from a status that the step does not have changes nothing.
  expect(await changeSteps(world.pool, key, [{ step_id: 's1', from: ['pending'], to: 'failed' }])).toEqual(
    [],
  );
  await plans.settle(key);
  await plans.settle(key);
  const { file, text } = await read();
  expect(file.version).toBe(3);
  expect(text.match(/- \[x\]/g)).toHaveLength(1000);
  const { rows } = await world.pool.query(
    "select count(*)::integer as n from changes where object_id = $1 and type = 'plan_step'",
    [key.planId],
  );
  expect(rows[0].n).toBe(2000);
}, 300_000);
