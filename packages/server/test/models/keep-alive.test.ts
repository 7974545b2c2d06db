// Gateways send comments while a provider thinks: the call is alive, and yet not for ever.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModels } from '../../src/models/catalog.ts';
import type { Model } from '../../src/models/model.ts';
import { ENV, PROVIDERS, type ProviderName, type ProviderServer, startProvider } from './server.ts';
import { MODEL, ask, modelFrom, textOf } from './support.ts';
import type { Reply } from './wire/reply.ts';

let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
});
afterAll(() => server[Symbol.asyncDispose]());

const MINUTES = 60_000;
const words = ['All ', 'that ', 'was ', 'to ', 'be ', 'said.'];

/** Time passes only while the call is watched: until the limit has almost come, when the provider gives a sign of life. */
function slow(name: ProviderName, signs: number): { model: Model; reply: Reply; passed: () => number } {
  let time = 0;
  let left = 0;
  let looked = () => {};
  let pausing = Promise.withResolvers<(bytes: string) => void>();
  let over = () => {};
  const models = createModels(
    {
      now: () => {
        looked();
        return time;
      },
      sleep: async (ms) => {
        const write = await pausing.promise;
        time += ms - 1;
        // The listener reads the clock.
        const heard = new Promise<void>((resolve) => (looked = resolve));
        write(': ping\n\n');
        await heard;
        time += 1;
        left -= 1;
        if (left > 0) return;
        pausing = Promise.withResolvers();
        over();
      },
    },
    { env: ENV, baseUrls: server.baseUrls() },
  );
  const pause = (write: (bytes: string) => void) =>
    new Promise<void>((resolve) => {
      left = signs;
      over = resolve;
      pausing.resolve(write);
    });
  const reply: Reply = { said: [{ kind: 'text', pieces: words }], pause };
  return { model: modelFrom({ models, slept: [] }, MODEL[name]), reply, passed: () => time };
}

describe.each(PROVIDERS)('%s', (name) => {
  test('RT-7 a provider that sends comments while it thinks is not silent', async () => {
    const { model, reply, passed } = slow(name, 3);
    server.reply(reply);
    expect(textOf(await ask(model))).toBe(words.join(''));
    // More than either limit in all: each begins anew with a word.
    expect(passed()).toBeGreaterThan(30 * MINUTES);
  });

  test('RT-7 a provider that sends nothing but comments is given up after 30 minutes', async () => {
    const { model, reply } = slow(name, Infinity);
    server.reply(reply);
    expect(await ask(model)).toMatchObject([
      {
        type: 'stream_error',
        code: 'model_stalled',
        message: `${name} sent nothing but keep-alives for 1800 s`,
        retryable: true,
        at: 30 * MINUTES,
      },
    ]);
    await expect.poll(() => server.received.at(-1)!.left).toBe(true);
  });
});
