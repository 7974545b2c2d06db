// Connections that do not react: an abort must not wait for them.

import { expect, test } from 'vitest';
import { createModels } from '../../src/models/catalog.ts';
import { modelFrom, requestOf } from './support.ts';

const never = new Promise<never>(() => {});
const hello = new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n');

/** A body that says one word, and ignores that nobody wants more. */
const deaf = () =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(hello),
    cancel: () => never,
  });

test.each([
  ['never answers', () => never],
  ['falls silent', () => Promise.resolve(new Response(deaf()))],
])('RT-7 an abort ends a call at once, also if the connection %s', async (_name, fetch) => {
  const models = createModels(
    { now: Date.now, sleep: () => never },
    { env: { OPENAI_BASE_URL: 'http://provider/v1' }, fetch },
  );
  const controller = new AbortController();
  const types: string[] = [];
  let aborted = 0;
  setTimeout(() => {
    aborted = performance.now();
    controller.abort();
  }, 50);
  const model = modelFrom({ models, slept: [] }, 'compatible/m');
  for await (const event of model.stream(requestOf({ signal: controller.signal }))) types.push(event.type);
  expect(performance.now() - aborted).toBeLessThan(100);
  expect(types.at(-1)).toBe('stream_interrupted');
});

test('RT-7 a provider that never answers is ended by the idle limit', async () => {
  let time = 0;
  const models = createModels(
    { now: () => time, sleep: async (ms) => void (time += ms) },
    { env: { OPENAI_BASE_URL: 'http://provider/v1' }, fetch: () => never },
  );
  const events = [];
  for await (const event of modelFrom({ models, slept: [] }, 'compatible/m').stream(requestOf()))
    events.push(event);
  expect(events).toMatchObject([
    { type: 'stream_error', code: 'model_stalled', retryable: true, at: 120_000 },
  ]);
});
