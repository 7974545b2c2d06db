// How long a provider may be silent is a setting.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, createThread, framesOf, readRun } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { ENV, type ProviderServer, startProvider } from './server.ts';
import { MODEL } from './support.ts';
import type { Reply } from './wire/reply.ts';

const env: Record<string, string> = { ...ENV, CONTINUO_MODEL_IDLE_SECONDS: '1' };
let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
  env.OPENAI_BASE_URL = `${server.url}/v1`;
});
const world = usePod(env);
afterAll(() => server[Symbol.asyncDispose]());

test('RT-7 a provider that is silent for longer than CONTINUO_MODEL_IDLE_SECONDS is given up', async () => {
  const stalls: Reply = { said: [{ kind: 'text', pieces: ['Half '] }], instead: 'stall' };
  server.reply(stalls, stalls);
  const url = `${world.url}/api/threads/${await createThread(world.url)}/messages`;
  const { body } = await ask('POST', url, { content: 'Go on.', model: MODEL.compatible });
  await framesOf(world.url, body.run.id);
  expect(await readRun(world.url, body.run.id)).toMatchObject({
    status: 'error',
    error: { code: 'model_stalled', error: 'compatible sent nothing for 1 s' },
  });
});
