// JSON from outside that is nested too deep, or that holds what neither JSON nor the database likes: it is refused with a
// sentence, and neither the process nor a neighbour's run notices.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send, type Frame } from '@continuo/testkit';
import {
  emptyDatabase,
  startPod,
  temporaryFolder,
  usePod,
  type TestDatabase,
} from '@continuo/testkit/fixtures';
import { backup } from '../../src/upkeep/backup.ts';
import { restore } from '../../src/upkeep/restore.ts';

// Some tests rewrite stored events, as an earlier version wrote them. The requests that were sent before no longer match the log.
const world = usePod({}, { rebuilds: false });

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const script = (...calls: string[]) =>
  JSON.stringify({ steps: [{ calls: calls.map((raw) => ({ tool: 'pure', raw })) }, { text: 'went on' }] });
const AGAIN = JSON.stringify({ steps: [{ text: 'hello' }] });
const dataOf = (frames: readonly Frame[], event: string) =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);
const finals = (frames: readonly Frame[]) => dataOf(frames, 'final').map(({ text }) => text);

/** A run of another thread that is running during `during`, and is done afterwards. */
async function besideANeighbour(during: () => Promise<void>): Promise<void> {
  const words = { steps: [{ tokens: 20, delay_ms: 5, first_delay_ms: 1 }, { text: 'x' }] };
  const { id } = await send(world.url, await createThread(world.url), words);
  await seen(world.url, id, 'token');
  await during();
  const frames = await framesOf(world.url, id);
  expect(dataOf(frames, 'state').at(-1)).toMatchObject({ status: 'done' });
  expect((await ask('GET', `${world.url}/healthz`)).status).toBe(200);
}

test.each([65, 4000, 5000, 100_000])(
  'a call whose input is nested %i deep ends with a sentence, and its run and its chat go on',
  async (depth) => {
    await besideANeighbour(async () => {
      const thread = await createThread(world.url);
      const { id } = await send(world.url, thread, script(`{"note":${nested(depth)}}`));
      const frames = await framesOf(world.url, id);
      expect(dataOf(frames, 'tool_end')).toMatchObject([
        { success: false, output: { error: expect.stringContaining('64 levels') as string } },
      ]);
      expect(finals(frames)).toEqual(['went on']);
      const next = await send(world.url, thread, AGAIN);
      expect(dataOf(await framesOf(world.url, next.id), 'state').at(-1)).toMatchObject({ status: 'done' });
    });
  },
);

test('a call whose input is 64 deep is made', async () => {
  const { id } = await send(
    world.url,
    await createThread(world.url),
    script(`{"note":"n","more":${nested(63)}}`),
  );
  const [end] = dataOf(await framesOf(world.url, id), 'tool_end') as { output: { error?: string } }[];
  expect(end!.output.error ?? '').not.toContain('levels');
});

test.each([5000, 100_000])('a script that is nested %i deep is refused with a sentence', async (depth) => {
  await besideANeighbour(async () => {
    const content = `{"steps":[{"calls":[{"tool":"pure","input":{"note":${nested(depth)}}}]}]}`;
    const { id } = await send(world.url, await createThread(world.url), content);
    expect(dataOf(await framesOf(world.url, id), 'error')).toMatchObject([{ code: 'invalid_script' }]);
  });
});

test.each([5000, 100_000])('a message of JSON nested %i deep is text to the model', async (depth) => {
  await besideANeighbour(async () => {
    const content = `read {"path":${nested(depth)}} please`;
    const path = `/api/threads/${await createThread(world.url)}/messages`;
    const sent = await ask('POST', world.url + path, { content, model: 'offline/instant' });
    const frames = await framesOf(world.url, sent.body.run.id);
    expect(dataOf(frames, 'state').at(-1)).toMatchObject({ status: 'done' });
  });
});

const BODIES: [method: string, path: string, body: (deep: string) => string][] = [
  ['POST', '/api/threads', (deep) => `{"x":${deep}}`],
  [
    'POST',
    '/api/chat',
    (deep) =>
      `{"id":"c","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"x","more":${deep}}]}]}`,
  ],
  [
    'POST',
    '/api/chat',
    (deep) =>
      `{"id":"c","messages":[{"id":"m","role":"assistant","parts":[{"type":"tool-x","state":"output-available","output":${deep}}]}]}`,
  ],
  [
    'POST',
    '/api/ag-ui',
    (deep) =>
      `{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"resolved","payload":{"approved":true,"input":{"x":${deep}}}}]}`,
  ],
  ['POST', '/api/ag-ui', (deep) => `{"threadId":"t","runId":"r","messages":[],"state":${deep}}`],
  [
    'POST',
    '/api/v1/workspaces/default/approvals/01900000-0000-7000-8000-000000000000',
    (deep) => `{"decision":"edit","input":{"x":${deep}}}`,
  ],
  ['PUT', '/api/v1/workspaces/default/policy', (deep) => `{"rules":${deep}}`],
];

test.each(BODIES)('%s %s: a body that is nested too deep is 400', async (method, path, body) => {
  await besideANeighbour(async () => {
    for (const depth of [100, 5000, 100_000]) {
      const answer = await ask(method, world.url + path, body(nested(depth)));
      expect([path, answer.status, answer.body?.code]).toEqual([path, 400, 'body_too_deep']);
    }
  });
});

/** A thread with a call whose input and result are nested this deep, as an earlier version wrote them. */
async function deepThread(depth: number): Promise<string> {
  const thread = await createThread(world.url);
  const { id } = await send(world.url, thread, script('{"note":"n"}'));
  await framesOf(world.url, id);
  const { pool } = world.database;
  const value = nested(depth);
  const replace = async (type: string, from: string, to: string) => {
    const { rowCount } = await pool.query(
      `update events set data = replace(data::text, $3, $4)::json
        where thread_id = $1 and type = $2 and strpos(data::text, $3) > 0`,
      [thread, type, from, to],
    );
    expect([type, rowCount]).toEqual([type, 1]);
  };
  await pool.query('alter table events disable trigger user');
  try {
    await replace('message_end', '{"note":"n"}', `{"note":${value}}`);
    await replace('tool_end', '"output":{', `"output":{"deep":${value},`);
  } finally {
    await pool.query('alter table events enable trigger user');
  }
  return thread;
}

/** Another pod, which does not have the thread's state in memory, reads the log and continues it. */
async function goesOn(databaseUrl: string, thread: string): Promise<void> {
  const pod = await startPod({ databaseUrl, leaseSeconds: 5 });
  try {
    const next = await send(pod.url, thread, AGAIN);
    const frames = await framesOf(pod.url, next.id);
    expect(dataOf(frames, 'error')).toEqual([]);
    expect(dataOf(frames, 'state').at(-1)).toMatchObject({ status: 'done' });
    const events = `${pod.url}/api/threads/${thread}/events?after=0`;
    expect((await ask('GET', events, undefined, { accept: 'application/json' })).status).toBe(200);
  } finally {
    await pod.end();
  }
}

test.each([4000, 6000])(
  'a log of an earlier version with an input and a result %i deep is read, and the chat goes on',
  async (depth) => goesOn(world.database.url, await deepThread(depth)),
);

test('PLUS-5 a log of an earlier version with an input and a result 6000 deep is backed up and restored as it is', async () => {
  const thread = await deepThread(6000);
  const file = join(temporaryFolder('backup'), 'everything.zip');
  const settings = (connection: string) => ({
    connection,
    applicationName: 'continuo-test',
    leaseSeconds: 5,
  });
  await backup({ database: settings(world.database.url), file, now: () => new Date(0) });
  const target = await emptyDatabase();
  try {
    await restore({ database: settings(target.url), file });
    const eventsIn = async ({ pool }: TestDatabase) =>
      (await pool.query('select seq, data::text from events where thread_id = $1 order by seq', [thread]))
        .rows;
    expect(await eventsIn(target)).toEqual(await eventsIn(world.database));
    await goesOn(target.url, thread);
  } finally {
    await target.drop();
  }
});

test('values that JSON or the database may refuse are kept, or end in a sentence', async () => {
  await besideANeighbour(async () => {
    const odd = [
      String.raw`{"note":"lone \ud800 surrogate"}`,
      String.raw`{"note":"NUL \u0000"}`,
      '{"note":"n","number":1e400}',
      '{"note":"n","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      `{"note":"${'x'.repeat(500_000)}"}`,
      `{"note":"n","many":[${'1,'.repeat(99_999)}1]}`,
      String.raw`{"\ud800":"n","\u0000":1}`,
    ];
    for (const raw of odd) {
      const thread = await createThread(world.url);
      const { id } = await send(world.url, thread, script(raw));
      const frames = await framesOf(world.url, id);
      expect(dataOf(frames, 'tool_end')).toHaveLength(1);
      expect(finals(frames)).toEqual(['went on']);
      const next = await send(world.url, thread, AGAIN);
      expect(dataOf(await framesOf(world.url, next.id), 'state').at(-1)).toMatchObject({ status: 'done' });
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
