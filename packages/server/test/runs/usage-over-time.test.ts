// Usage over time: what a workspace's runs used, in buckets of time, by model, role, project and chat.

import { expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace, type Space } from '../files/support.ts';

const world = usePod();
const SHORT = JSON.stringify({ steps: [{ text: 'Done.' }] });

async function chatIn(space: Space, body: object = {}): Promise<{ chat: string; run: string }> {
  const { body: opened } = await ask('POST', `${space.url}/chats`, { goal: SHORT, title: 'A chat', ...body });
  await until(
    'the run has ended',
    async () => (await ask('GET', `${world.url}/api/runs/${opened.run.id}`)).body.status === 'done',
  );
  return { chat: opened.chat.id, run: opened.run.id };
}

test('usage is summed in buckets by model, role, project and chat, and is equal to the runs’ own', async () => {
  const space = await newSpace(world.url);
  const { project } = (await ask('POST', `${space.url}/projects`, { name: 'Party' })).body;
  const first = await chatIn(space, { title: 'First' });
  const second = await chatIn(space, { title: 'Second', project_id: project.id });
  const used = async (by: string, rest = '') => (await ask('GET', `${space.url}/usage?by=${by}${rest}`)).body;
  const byChat = await used('chat');
  expect(byChat.buckets.length).toBeGreaterThanOrEqual(30);
  expect(byChat.others).toBeNull();
  for (const { chat, run } of [first, second]) {
    const { usage } = (await ask('GET', `${world.url}/api/runs/${run}`)).body;
    const series = byChat.series.find(({ key }: { key: string }) => key === chat);
    expect(series.total).toMatchObject({ runs: 1, input: usage.input, output: usage.output });
    expect(series.input).toHaveLength(byChat.buckets.length);
    expect(series.input.reduce((sum: number, each: number) => sum + each)).toBe(usage.input);
  }
  expect(byChat.series.map(({ name }: { name: string }) => name).toSorted()).toEqual(['First', 'Second']);
  expect((await used('role')).series).toMatchObject([
    { key: 'assistant', name: 'assistant', total: { runs: 2 } },
  ]);
  expect((await used('model')).total).toEqual(byChat.total);
  const byProject = (await used('project')).series.toSorted((a: { key: string | null }) =>
    a.key === null ? -1 : 1,
  );
  expect(byProject).toMatchObject([
    { key: null, name: null, total: { runs: 1 } },
    { key: project.id, name: 'Party', total: { runs: 1 } },
  ]);
  // Another workspace has none of it.
  const other = await newSpace(world.url);
  expect((await ask('GET', `${other.url}/usage`)).body).toMatchObject({
    total: { runs: 0 },
    series: [],
    others: null,
  });
});

test('only the ten largest keys have a series; the others are one', async () => {
  const space = await newSpace(world.url);
  await Promise.all(Array.from({ length: 12 }, (_, index) => chatIn(space, { title: `Chat ${index}` })));
  const { series, others, total } = (await ask('GET', `${space.url}/usage?by=chat`)).body;
  expect(series).toHaveLength(10);
  expect(others).toMatchObject({ count: 2, total: { runs: 2 } });
  expect(total.runs).toBe(12);
});

test('buckets begin where the time zone says, and there are at most 400', async () => {
  const space = await newSpace(world.url);
  const read = async (query: string) => (await ask('GET', `${space.url}/usage?${query}`)).body;
  const range = 'from=2026-03-27T12:00:00Z&to=2026-03-31T00:00:00Z';
  // The clocks of Berlin change in the night to March 29.
  expect((await read(`${range}&time_zone=Europe/Berlin`)).buckets).toEqual([
    '2026-03-26T23:00:00.000Z',
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-03-30T22:00:00.000Z',
  ]);
  expect((await read(`${range}&bucket=month`)).buckets).toEqual(['2026-03-01T00:00:00.000Z']);
  expect(await read(`from=2026-01-01T00:00:00Z&to=2026-03-31T00:00:00Z&bucket=hour`)).toMatchObject({
    status: 400,
    code: 'too_many_buckets',
    limit: 400,
  });
  expect(await read('time_zone=Mars')).toMatchObject({ status: 400, code: 'invalid_query' });
  expect(await read('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).toMatchObject({
    code: 'invalid_query',
  });
});
