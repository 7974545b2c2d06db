// Chats of a whole server whose models are a provider's: what the provider is sent, and what a stop does to it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace, put, type Space } from '../files/support.ts';
import { ENV, type ProviderServer, startProvider } from './server.ts';
import { MODEL } from './support.ts';
import type { Reply } from './wire/reply.ts';

const env: Record<string, string> = { ...ENV };
let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
  Object.assign(env, {
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: server.url,
    GOOGLE_GEMINI_BASE_URL: server.url,
  });
});
const world = usePod(env);
afterAll(() => server[Symbol.asyncDispose]());

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const says = (...pieces: string[]): Reply => ({ said: [{ kind: 'text', pieces }] });
const MARKER = '[System: Response was interrupted by user (user_cancelled)]';

async function open(space: Space, body: Record<string, unknown>) {
  const { body: opened } = await ask('POST', `${space.url}/chats`, { goal: 'Go on.', title: 'x', ...body });
  const url = `${space.url}/chats/${opened.chat.id}`;
  return { url, run: opened.run.id as string };
}
/** How many requests had come, and what came since. */
function listen() {
  const before = server.received.length;
  return () => server.received.slice(before);
}
const end = async (run: string) => (await framesOf(world.url, run)).at(-1)!.data.status;

describe.each(['compatible', 'anthropic', 'google'] as const)('%s', (name) => {
  const model = MODEL[name];

  test('WS-3 the files of a message are sent with it: words for each, the text of a short one, the bytes of an image', async () => {
    const space = await newSpace(world.url);
    await put(space, 'plan.md', 'water the plants');
    await put(space, 'a.png', PNG);
    const since = listen();
    server.reply(says('Done.'), says('Again.'));
    const { url, run } = await open(space, { model, files: ['/plan.md', '/a.png'] });
    expect(await end(run)).toBe('done');
    const next = await ask('POST', url, { content: 'And now?' });
    expect(await end(next.body.run.id)).toBe('done');
    const [first, second] = since().map(({ body }) => JSON.stringify(body));
    for (const sent of [first, second]) {
      expect(sent).toContain('[Attached: /plan.md, version 1, 16 B');
      expect(sent).toContain('[Attached: /a.png, version 1, 70 B]');
      expect(sent).toContain(PNG.toString('base64'));
    }
    expect(first).toContain('water the plants');
    expect(second).not.toContain('water the plants');
  });

  test('WS-3 a PDF is sent as one to providers that read it; what only is called so is not', async () => {
    const space = await newSpace(world.url);
    const pdf = Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\ntrailer<</Root 1 0 R>>\n%%EOF', 'latin1');
    await put(space, 'report.pdf', pdf);
    await put(space, 'odd.pdf', Buffer.from([0, 1, 2]));
    await put(space, 'words.pdf', 'only words');
    const since = listen();
    server.reply(says('Done.'), says('Again.'));
    const { url, run } = await open(space, { model, files: ['/report.pdf', '/odd.pdf', '/words.pdf'] });
    expect(await end(run)).toBe('done');
    const next = await ask('POST', url, { content: 'And now?' });
    expect(await end(next.body.run.id)).toBe('done');
    const sent = since().map(({ body }) => JSON.stringify(body));
    expect(sent[0]).toContain('only words');
    for (const each of sent) {
      for (const path of ['report', 'odd', 'words'])
        expect(each).toContain(`[Attached: /${path}.pdf, version 1`);
      expect(each.split(pdf.toString('base64')).length - 1).toBe(name === 'compatible' ? 0 : 1);
      expect(each.split('application/pdf').length - 1).toBe(1);
      expect(each.includes('application/pdf, which this model cannot read')).toBe(name === 'compatible');
    }
  });

  test('WS-3 a file that the provider refuses is named, and later runs go on without it', async () => {
    const space = await newSpace(world.url);
    const other = Buffer.concat([PNG, Buffer.from([1])]);
    await put(space, 'a.png', PNG);
    await put(space, 'b.png', other);
    const since = listen();
    const refusal = { status: 400, message: 'messages.2.content.0: Could not process image' };
    server.reply(says('A dot.'), { refusal }, says('Well.'), says('Both.'));
    const { url, run } = await open(space, { model, files: ['/a.png'] });
    expect(await end(run)).toBe('done');
    const refused = (await ask('POST', url, { content: 'And this?', files: ['/b.png'] })).body.run.id;
    const frames = await framesOf(world.url, refused);
    const [error] = frames.flatMap(({ event, data }) => (event === 'error' ? [data] : []));
    expect(error).toMatchObject({ code: 'file_refused', refused: { model, files: [{ v: 1 }] } });
    expect(error!.error).toBe(
      `${name} answered 400: messages.2.content.0: Could not process image. The file is /b.png, version 1: ` +
        'later messages leave out its content, and the model sees only its name. Attach it in another format, or use another model.',
    );
    const { body: row } = await ask('GET', `${world.url}/api/runs/${refused}`);
    expect(row.error).toEqual({ code: 'file_refused', error: error!.error });

    const next = await ask('POST', url, { content: 'And now?' });
    expect(await end(next.body.run.id)).toBe('done');
    const elsewhere = name === 'google' ? MODEL.anthropic : MODEL.google;
    const asked = await ask('POST', url, { content: 'And you?', model: elsewhere });
    expect(await end(asked.body.run.id)).toBe('done');
    const sent = since().map(({ body }) => JSON.stringify(body));
    expect(sent.map((text) => text.includes(`${PNG.toString('base64')}"`))).toEqual([true, true, true, true]);
    expect(sent.map((text) => text.includes(other.toString('base64')))).toEqual([false, true, false, true]);
    expect(sent[2]).toContain('[Attached: /b.png, version 1, 71 B; its content cannot be shown to you]');
  });

  test('WS-3 an image that a tool showed is named when it is refused, not the one that was answered to before', async () => {
    const space = await newSpace(world.url);
    await put(space, 'a.png', PNG);
    await put(space, 'b.png', Buffer.concat([PNG, Buffer.from([1])]));
    const pieces = [JSON.stringify({ path: '/b.png' })];
    const calls: Reply = { said: [{ kind: 'call', id: 'call_1', tool: 'read', pieces }] };
    server.reply(
      calls,
      { refusal: { status: 400, message: 'Unable to process input image' } },
      says('Well.'),
    );
    const { url, run } = await open(space, { model, files: ['/a.png'] });
    expect(await end(run)).toBe('error');
    const { body } = await ask('GET', `${world.url}/api/runs/${run}`);
    expect(body.error.error).toContain('input image. The file is /b.png, version 1: later messages');
    const since = listen();
    expect(await end((await ask('POST', url, { content: 'And now?' })).body.run.id)).toBe('done');
    expect(JSON.stringify(since()[0]!.body)).toContain(`${PNG.toString('base64')}"`);
  });

  test('WS-3 of several new files all are named, of the kind that the provider speaks of', async () => {
    const space = await newSpace(world.url);
    await put(space, 'a.png', PNG);
    await put(space, 'b.png', PNG);
    await put(space, 'c.pdf', Buffer.from('%PDF-1.4\n%%EOF'));
    server.reply({ refusal: { status: 422, message: 'The image is too large.' } });
    const { run } = await open(space, { model, files: ['/a.png', '/b.png', '/c.pdf'] });
    expect(await end(run)).toBe('error');
    const { body } = await ask('GET', `${world.url}/api/runs/${run}`);
    expect(body.error.error).toContain(
      'too large. The file is one of /a.png, version 1; /b.png, version 1: later messages leave out their content,',
    );
  });

  test('WS-11 a stop before the first token leaves the provider, and the model is told next time', async () => {
    const space = await newSpace(world.url);
    const since = listen();
    server.reply({ said: [], instead: 'stall' }, says('Hello again.'));
    const { url, run } = await open(space, { model });
    await until('the provider has a request', async () => since().length === 1);
    expect((await ask('POST', `${url}/stop`)).status).toBe(200);
    expect(await end(run)).toBe('canceled');
    await until('the client has left the request', async () => since()[0]!.left);
    const next = await ask('POST', url, { content: 'Are you there?' });
    expect(await end(next.body.run.id)).toBe('done');
    expect(JSON.stringify(since()[1]!.body)).toContain(MARKER);
  });

  test('WS-11 a stop while the model is to be tried again later does not wait for that', async () => {
    const space = await newSpace(world.url);
    const since = listen();
    const refusal = { status: 503, message: 'overloaded', headers: { 'retry-after': '20' } };
    server.reply({ refusal }, says('Back.'));
    const { url, run } = await open(space, { model });
    await until('the provider has a request', async () => since().length === 1);
    expect((await ask('POST', `${url}/stop`)).status).toBe(200);
    expect(await end(run)).toBe('canceled');
    expect(since()).toHaveLength(1);
    const next = await ask('POST', url, { content: 'Once more.' });
    expect(await end(next.body.run.id)).toBe('done');
  });

  test('WS-9 a new session’s model is sent what was said before a stop as its own, with the marker after it', async () => {
    const space = await newSpace(world.url);
    const since = listen();
    server.reply({ said: [{ kind: 'text', pieces: ['Half ', 'of'] }], instead: 'stall' }, says('More.'));
    const { url, run } = await open(space, { model });
    await seen(world.url, run, 'token');
    await ask('POST', `${url}/stop`);
    expect(await end(run)).toBe('canceled');
    const next = await ask('POST', url, { content: 'Go on.' });
    expect(await end(next.body.run.id)).toBe('done');
    const sent = JSON.stringify(since()[1]!.body);
    expect(sent.indexOf('Half')).toBeGreaterThan(0);
    expect(sent.indexOf(MARKER)).toBeGreaterThan(sent.indexOf('Half'));
  });

  test('PLUS-6 a chat without a title asks the model for one after its first turn, once, and what that took is in its usage', async () => {
    const space = await newSpace(world.url);
    const since = listen();
    const calls = async () => {
      const text = await (await fetch(`${world.url}/metrics`)).text();
      const line = `continuo_model_calls_total{model="${model}",ended="complete"} `;
      return Number(
        text
          .split('\n')
          .find((each) => each.startsWith(line))
          ?.slice(line.length) ?? 0,
      );
    };
    const before = await calls();
    server.reply(says('It rains.'), says('"Rain, and what to do"'), says('Still.'));
    const { url, run } = await open(space, { model, title: undefined });
    expect(await end(run)).toBe('done');
    const titled = await until('the chat has a title', async () => {
      const { body } = await ask('GET', url);
      return body.title !== null && body;
    });
    expect(titled.title).toBe('Rain, and what to do');
    expect((await calls()) - before).toBe(2);
    const { body: first } = await ask('GET', `${world.url}/api/runs/${run}`);
    const cost = first.cost === null ? null : first.cost * 2;
    const both = { runs: 1, input: first.usage.input * 2, output: first.usage.output * 2, cost };
    expect(titled.usage).toEqual(both);
    const sum = async (by: string) =>
      (await ask('GET', `${world.url}/api/usage?by=${by}&thread_id=${titled.id}`)).body.items;
    expect(await sum('thread')).toMatchObject([{ key: titled.id, ...both }]);
    expect(await sum('model')).toMatchObject([{ key: model, ...both }]);
    const alone = { runs: 1, input: first.usage.input, output: first.usage.output, cost: first.cost };
    expect(await sum('run')).toMatchObject([{ key: run, ...alone }]);
    expect(await sum('role')).toMatchObject([{ key: 'assistant', ...alone }]);
    const next = await ask('POST', url, { content: 'And now?' });
    expect(await end(next.body.run.id)).toBe('done');
    expect(since()).toHaveLength(3);
  });
});

test('PLUS-6 a title is kept as the database can read it, whatever the model said', async () => {
  const space = await newSpace(world.url);
  const model = MODEL.compatible;
  server.reply(says('It rains.'), says('Odd \0 and \ud800.'));
  const { url, run } = await open(space, { model, title: undefined });
  expect(await end(run)).toBe('done');
  const titled = await until('the chat has a title', async () => {
    const { body } = await ask('GET', url);
    return body.title !== null && body;
  });
  expect(titled).toMatchObject({ title: 'Odd \ufffd and \ufffd', usage: { runs: 1, input: 240 } });
  expect((await ask('GET', `${world.url}/api/usage?by=model`)).status).toBe(200);
});
