import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENV, PROVIDERS, type ProviderServer, startProvider } from './server.ts';
import { MODEL, ask, modelFrom, modelsAt, plain, requestOf, textOf, user } from './support.ts';
import type { Reply } from './wire/reply.ts';

let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
});
afterAll(() => server[Symbol.asyncDispose]());

const fine: Reply = { said: [{ kind: 'text', pieces: ['Fine.'] }] };
const half: Reply = { said: [{ kind: 'text', pieces: ['Half ', 'an '] }] };
const refusal = (status: number, message = 'No.', more: object = {}): Reply => ({
  refusal: { status, message, ...more },
});

describe.each(PROVIDERS)('%s', (name) => {
  const connect = (idleMs?: number) => {
    const models = modelsAt(server, idleMs === undefined ? {} : { idleMs });
    return { model: modelFrom(models, MODEL[name]), slept: models.slept };
  };

  test.each([429, 500, 503, 529])('RT-7 %i before the answer is tried again, in silence', async (status) => {
    server.reply(refusal(status), refusal(status), fine);
    const { model, slept } = connect();
    const events = await ask(model);
    expect(textOf(events)).toBe('Fine.');
    expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1);
    expect(slept).toEqual([500, 1000]);
  });

  test('RT-7 Retry-After is honoured', async () => {
    server.reply(refusal(429, 'Slow down.', { headers: { 'retry-after': '7' } }), fine);
    const { model, slept } = connect();
    expect(textOf(await ask(model))).toBe('Fine.');
    expect(slept).toHaveLength(1);
    expect(slept[0]).toBeGreaterThanOrEqual(7000);
    expect(slept[0]).toBeLessThan(7100);
  });

  test('RT-7 a provider that asks for an hour is not waited for', async () => {
    server.reply(refusal(429, 'Come back later.', { headers: { 'retry-after': '3600' } }));
    const { model, slept } = connect();
    const message = expect.stringMatching(
      /Come back later\..* it asks to wait 3600 s, longer than the 60 s allowed$/,
    );
    expect(plain(await ask(model))).toMatchObject([{ type: 'stream_error', code: 'rate_limited', message }]);
    expect(slept).toEqual([]);
  });

  test('RT-7 after four tries the error is reported, with nothing before it', async () => {
    server.reply(...Array.from({ length: 4 }, () => refusal(529, 'Overloaded')));
    const before = server.received.length;
    const events = plain(await ask(connect().model));
    expect(events).toMatchObject([{ type: 'stream_error', code: 'provider_unavailable' }]);
    expect(events[0]).not.toHaveProperty('retryable');
    expect(server.received.length - before).toBe(4);
  });

  test('RT-7 a connection that is closed before the answer is tried again', async () => {
    server.reply({ hangUp: true }, fine);
    expect(textOf(await ask(connect().model))).toBe('Fine.');
  });

  test.each([
    [400, 'Unknown parameter.', 'invalid_request'],
    [404, 'There is no such model.', 'invalid_request'],
    [403, 'Not for you.', 'unauthorized'],
    [400, 'prompt is too long: 300000 tokens > 200000 maximum', 'context_too_long'],
    [400, "This model's maximum context length is 8192 tokens.", 'context_too_long'],
    [400, 'The input token count (2000000) exceeds the maximum number of tokens allowed', 'context_too_long'],
  ])('RT-7 %i "%s" is %s, and not tried again', async (status, message, code) => {
    server.reply(refusal(status, message));
    const before = server.received.length;
    const [event] = await ask(connect().model);
    expect(event).toMatchObject({ type: 'stream_error', code });
    expect(event).toHaveProperty('message', expect.stringContaining(message));
    expect(server.received.length - before).toBe(1);
  });

  test.each([
    [400, 'Could not process image', 'file_refused'],
    [400, 'The PDF specified was not valid.', 'file_refused'],
    [404, 'No endpoints found that support image input', 'file_refused'],
    [422, 'unknown variant `image_url`, expected `text`', 'file_refused'],
    [400, 'Unknown parameter.', 'invalid_request'],
    [400, 'See the documentation of this parameter.', 'invalid_request'],
    [400, 'The image does not fit: prompt is too long', 'context_too_long'],
    [403, 'No images for you.', 'unauthorized'],
  ])(
    'RT-7 %i "%s" to a request with a file is %s; without one, nothing is said of files',
    async (status, message, code) => {
      server.reply(refusal(status, message), refusal(status, message));
      const data = Buffer.from('89504e470d0a1a0a', 'hex');
      const shown = { ...user('Look'), files: [{ mediaType: 'image/png', data }] };
      expect(await ask(connect().model, { history: [shown] })).toMatchObject([
        { type: 'stream_error', code },
      ]);
      const [plainly] = await ask(connect().model);
      expect(plainly).toMatchObject({ code: code === 'file_refused' ? 'invalid_request' : code });
    },
  );

  const page = `<!doctype html>\n<title>Welcome</title>${'<p>'.repeat(1000)}`;
  test.each([
    [
      [200, { 'content-type': 'text/html; charset=utf-8' }],
      page,
      ' answered 200, text/html; charset=utf-8: <!doctype html> <title>',
    ],
    [
      [200, { 'content-type': 'application/json' }],
      '{"models":[]}',
      ' answered 200, application/json: {"models":[]}',
    ],
    [[204, {}], undefined, ' answered 204'],
    [
      [302, { location: 'https://elsewhere.example/login' }],
      undefined,
      ' answered 302, Location: https://elsewhere.example/login',
    ],
    [[200, { 'content-type': 'application/json' }], `{"key":"${ENV.OPENAI_API_KEY}"}`, '{"key":"***"}'],
  ] as const)(
    'RT-7 an answer that is no stream is told, and not asked for again: %j',
    async (head, body, says) => {
      server.reply({ document: { head, ...(body !== undefined && { body }) } });
      const before = server.received.length;
      const events = plain(await ask(connect().model)) as { message: string }[];
      expect(events).toMatchObject([{ type: 'stream_error', code: 'provider_error' }]);
      expect(events[0]).not.toHaveProperty('retryable');
      expect(events[0]!.message).toContain(`did not answer with a stream; check its address: ${server.url}/`);
      expect(events[0]!.message).toContain(says);
      expect(events[0]!.message.length).toBeLessThan(600);
      expect(server.received.length - before).toBe(1);
    },
  );

  test('RT-7 an error never shows a key', async () => {
    const others = 'sk-proj-1234567890, AIzaSyA1234567890, Bearer abc.def';
    server.reply(refusal(401, `Incorrect API key provided: ${ENV.OPENAI_API_KEY}, not ${others}`));
    const [event] = await ask(connect().model);
    expect(event).toMatchObject({ type: 'stream_error', code: 'unauthorized' });
    const message = (event as { message: string }).message;
    expect(message).toMatch(/API_KEY/);
    expect(message).not.toMatch(/secret\.0|sk-proj|AIza|abc\.def/);
  });

  test.each(['error', 'cut', 'silent end'] as const)(
    'RT-7 after text was shown, %s is an error that says it can be tried again',
    async (instead) => {
      server.reply({ ...half, instead });
      const before = server.received.length;
      const events = await ask(connect().model);
      expect(textOf(events)).toBe('Half an ');
      expect(events.at(-1)).toMatchObject({ type: 'stream_error', retryable: true });
      const codes = instead === 'error' ? ['provider_error', 'provider_unavailable'] : ['stream_cut'];
      expect(codes).toContain((events.at(-1) as { code: string }).code);
      expect(server.received.length - before).toBe(1);
    },
  );

  test.each(['error', 'cut'] as const)('RT-7 %s before anything was said is tried again', async (instead) => {
    server.reply({ said: [], instead }, fine);
    expect(textOf(await ask(connect().model))).toBe('Fine.');
  });

  test('RT-7 a stream that falls silent is ended', async () => {
    server.reply({ ...half, instead: 'stall' });
    const events = await ask(connect(150).model);
    expect(textOf(events)).toBe('Half an ');
    expect(events.at(-1)).toMatchObject({ type: 'stream_error', code: 'model_stalled', retryable: true });
    await expect.poll(() => server.received.at(-1)!.left).toBe(true);
  });

  test('RT-7 a slow reader is not a silent provider', async () => {
    server.reply({ said: [{ kind: 'text', pieces: ['a', 'b', 'c'] }] });
    let text = '';
    for await (const event of connect(250).model.stream(requestOf())) {
      if (event.type === 'text_delta') text += event.text;
      if (event.type === 'text_delta') await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(text).toBe('abc');
  });

  test('RT-7 an abort ends the stream within milliseconds, and the provider is told', async () => {
    server.reply({ ...half, instead: 'stall' });
    const controller = new AbortController();
    const events = [];
    let aborted = 0;
    for await (const event of connect().model.stream(requestOf({ signal: controller.signal }))) {
      events.push(event);
      if (event.type !== 'text_delta' || event.text !== 'an ') continue;
      setTimeout(() => {
        aborted = performance.now();
        controller.abort();
      }, 20);
    }
    expect(performance.now() - aborted).toBeLessThan(100);
    expect(events.at(-1)).toMatchObject({ type: 'stream_interrupted' });
    await expect.poll(() => server.received.at(-1)!.left).toBe(true);
  });

  test('RT-7 an abort before the call, or while it waits to try again, ends it', async () => {
    const { model } = connect();
    const before = server.received.length;
    expect(plain(await ask(model, { signal: AbortSignal.abort() }))).toMatchObject([
      { type: 'stream_interrupted' },
    ]);
    expect(server.received.length).toBe(before);
    server.reply(refusal(429, 'Wait.', { headers: { 'retry-after': '50' } }));
    const events = await ask(model, { signal: AbortSignal.timeout(100) });
    expect(plain(events)).toMatchObject([{ type: 'stream_interrupted' }]);
  });

  test('RT-7 a reader that stops ends the call', async () => {
    server.reply({ ...half, instead: 'stall' });
    for await (const event of connect().model.stream(requestOf())) if (event.type === 'text_delta') break;
    await expect.poll(() => server.received.at(-1)!.left).toBe(true);
  });
});

test('RT-7 a server that answers the Responses API in chat completions is told, with the model to use', async () => {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-5.4',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }],
  };
  const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
  server.reply({ document: { head: [200, { 'content-type': 'text/event-stream' }], body } });
  const before = server.received.length;
  const models = modelsAt(server);
  expect(plain(await ask(modelFrom(models, MODEL.openai)))).toMatchObject([
    {
      type: 'stream_error',
      code: 'provider_error',
      message:
        'The server at the address of openai speaks Chat Completions, not the Responses API; use the model compatible/gpt-5.4',
    },
  ]);
  expect(server.received.length - before).toBe(1);
});

test('RT-7 a server that is not there is unavailable', async () => {
  const models = modelsAt({
    ...server,
    baseUrls: () => ({ ...server.baseUrls(), compatible: 'http://127.0.0.1:9/v1' }),
  });
  const events = await ask(modelFrom(models, MODEL.compatible));
  expect(plain(events)).toMatchObject([{ type: 'stream_error', code: 'provider_unavailable' }]);
  expect(models.slept).toHaveLength(3);
});
