// CTX-4: estimates are multiplied by a ratio that is learned from what providers report.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatContext, ModelContext } from '@continuo/protocol';
import { ask, framesOf, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  unfaithfulRequests,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { toolsWithinBudget } from '../../src/context/budgets.ts';
import { firstHistory } from '../../src/context/fitting.ts';
import { shownStructure } from '../../src/knowledge/tools/structure.ts';
import type { HistoryEntry } from '../../src/threads/fold.ts';
import { newSpace } from '../files/support.ts';
import { ENV, type ProviderServer, startProvider } from '../models/server.ts';
import { MODEL } from '../models/support.ts';

const model = MODEL.anthropic;
let database: TestDatabase;
let provider: ProviderServer;
const pods: TestPod[] = [];

async function newPod(): Promise<TestPod> {
  const pod = await startPod({
    databaseUrl: database.url,
    env: { ...ENV, ANTHROPIC_BASE_URL: provider.url },
  });
  pods.push(pod);
  return pod;
}

beforeAll(async () => {
  [database, provider] = await Promise.all([freshDatabase(), startProvider()]);
});
afterAll(async () => {
  const unfaithful = await unfaithfulRequests(pods.at(-1)!.url, database.pool);
  await Promise.all(pods.map((pod) => pod.end()));
  const broken = [...unfaithful, ...(await brokenInvariants(database.pool))];
  await Promise.all([database.drop(), provider[Symbol.asyncDispose]()]);
  expect(broken).toEqual([]);
});

interface Chat {
  readonly id: string;
  readonly path: string;
}

/** Sends a message, which the provider answers and reports `input` tokens for. */
async function tell(pod: TestPod, chat: Chat, input: number): Promise<ModelContext> {
  provider.reply({ said: [{ kind: 'text', pieces: ['Yes.'] }], tokens: { input, output: 7 } });
  const { body } = await ask('POST', `${pod.url}${chat.path}`, { content: 'And now?', model });
  await framesOf(pod.url, body.run.id);
  return (await ask('GET', `${pod.url}/api/runs/${body.run.id}/context`)).body as ModelContext;
}

test('CTX-4 the ratio of estimated to reported tokens is learned per model, stored, used by every pod, and in the manifest', async () => {
  const [one, two] = [await newPod(), await newPod()];
  const space = await newSpace(one.url);
  provider.reply({ said: [{ kind: 'text', pieces: ['Hello.'] }] });
  const opened = await ask('POST', `${space.url}/chats`, { goal: 'Hello?', title: 'x', model });
  await framesOf(one.url, opened.body.run.id);
  const { id } = opened.body.chat as { id: string };
  const chat = { id, path: `${new URL(space.url).pathname}/chats/${id}` };

  // A report that cannot be of this input is not believed.
  const first = await tell(one, chat, 3);
  expect(first.tokens).toMatchObject({ ratio: 1, input: 3 });
  const raw = first.tokens.estimated;
  expect(raw).toBeGreaterThan(200);
  expect((await tell(two, chat, raw)).tokens.ratio).toBe(1);
  const { rows: none } = await database.pool.query('select * from token_ratios');
  expect(none).toEqual([]);

  for (let turn = 0; turn < 8; turn += 1) await tell(one, chat, Math.round(raw * 1.6));
  const stored = await until('a ratio is stored', async () => {
    const { rows } = await database.pool.query('select ratio, model from token_ratios');
    return rows[0] ?? false;
  });
  expect(stored).toMatchObject({ model, ratio: expect.closeTo(1.5, 0) });
  // The other pod hears of it, and so does a new one.
  const third = await newPod();
  for (const pod of [two, third])
    await until('the pod uses the ratio', async () => {
      const { tokens, exact, parts } = await tell(pod, chat, Math.round(raw * 1.6));
      const sum = parts.reduce((all, part) => all + part.tokens, 0);
      expect({ exact, estimated: tokens.estimated }).toEqual({ exact: true, estimated: sum });
      return tokens.ratio > 1.2 && tokens.estimated > raw * 1.2;
    });

  const context = (await ask('GET', `${third.url}${chat.path}/context`)).body as ChatContext;
  expect(context.focus).toEqual({ scope: 'global', project: null, entity: null, is_next: false });
  expect(context.last).toMatchObject({
    message: 'm1',
    model,
    tokens: Math.round(raw * 1.6) + 7,
    is_reported: true,
    window: 200_000,
    is_window_known: true,
  });
  expect(context.last!.parts.map(({ place }) => place)).toEqual(
    expect.arrayContaining(['tools', 'system', 'history']),
  );
  expect(await ask('GET', `${third.url}${chat.path.replace(/.$/, 'x')}/context`)).toMatchObject({
    status: 400,
  });
});

test('CTX-4 with a ratio, budgets hold for the tokens that the provider counts', () => {
  const tools = Array.from({ length: 40 }, (_, index) => ({
    name: `search_onto_kind_${index}`,
    description: 'x'.repeat(600),
    input: {},
  }));
  const all = toolsWithinBudget(tools).tools.length;
  expect(toolsWithinBudget(tools, 2).tools.length).toBeLessThanOrEqual(Math.ceil(all / 2));

  const root = Array.from({ length: 400 }, (_, index) => ({ id: `d${index}`, order: index, children: [] }));
  const known = new Map(
    root.map(({ id }) => [id, { title: `Title ${id}`, description: null, content_length: 3 }]),
  );
  const size = (ratio: number) =>
    JSON.stringify(shownStructure({ version: 1, root }, known, { ratio })).length / 4;
  expect(size(1)).toBeLessThanOrEqual(4000);
  expect(size(2)).toBeLessThanOrEqual(2000);

  const history = Array.from({ length: 100 }, (_, index) => ({
    seq: index,
    runId: `r${index}`,
    entry: { role: 'user', id: `u${index}`, content: 'word '.repeat(800) },
  })) as unknown as HistoryEntry[];
  const fit = (ratio: number) =>
    firstHistory(history, { runId: 'r99', summaryLines: 5 }, { window: 40_000, tooLong: undefined, ratio });
  expect(fit(1).tokens).toBeLessThanOrEqual(30_000);
  expect(fit(3).tokens * 3).toBeLessThanOrEqual(30_000);
  expect(fit(3).turnsLeftOut).toBeGreaterThan(fit(1).turnsLeftOut);
});
