// Streams against a real pod: whatever happens to connections and servers, each event comes once and in order.

import { expect, test } from 'vitest';
import { usePod } from '../../server/test/contract/support.ts';
import { createClient, type RunEvent } from '../src/index.ts';

const world = usePod();

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

test('PLUS-5 a run is started and followed to its end, and its events narrow by type', async () => {
  const client = createClient({ baseUrl: world.url });
  const thread = await client.threads.create({ title: 'Tea' });
  const { run } = await client.threads.send(thread.id, {
    content: JSON.stringify({ steps: [{ text: 'Hello there.' }] }),
  });
  let text = '';
  const events = await all(client.runs.stream(run.id));
  for (const event of events) if (event.type === 'token') text += event.data.text;
  expect(text).toBe('Hello there.');
  expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });
  expect((await client.runs.get(run.id)).status).toBe('done');
});
