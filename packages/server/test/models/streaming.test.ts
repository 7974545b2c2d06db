import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentEngine, type MessagePart, type StreamEvent } from '@continuo/engine';
import type { Model } from '../../src/models/model.ts';
import { PROVIDERS, type ProviderServer, startProvider } from './server.ts';
import { MODEL, ask, modelFrom, modelsAt, plain, requestOf, textOf, user } from './support.ts';
import type { Said } from './wire/reply.ts';

let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
});
afterAll(() => server[Symbol.asyncDispose]());

const text = (...pieces: string[]): Said => ({ kind: 'text', pieces });
const call = (id: string, ...pieces: string[]): Said => ({ kind: 'call', id, tool: 'ls', pieces });

/** The inputs of the calls, by id. */
function inputs(events: readonly StreamEvent[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const event of events) {
    if (event.type === 'tool_input_start') found[event.callId] = '';
    if (event.type === 'tool_input_delta') found[event.callId] += event.text;
  }
  return found;
}

/** The parts of the message that the engine makes of an answer. */
async function partsOf(model: Model): Promise<readonly MessagePart[]> {
  let parts: readonly MessagePart[] = [];
  const engine = new AgentEngine({
    driver: () => model.stream(requestOf({ reasoning: 'high' })),
    presenters: [
      (_agent, event) => {
        if (event.type === 'assistant_message') parts = event.parts;
      },
    ],
  });
  await engine.receive('agent', { id: 'u', role: 'user', content: 'Hi' });
  return parts;
}

describe.each(PROVIDERS)('%s', (name) => {
  const model = () => modelFrom(modelsAt(server), MODEL[name]);

  test('RT-6 every piece of text arrives as its own event, between start and stop', async () => {
    const pieces = Array.from({ length: 200 }, (_, index) => `t${index} `);
    server.reply({ said: [text(...pieces)] });
    const events = await ask(model());
    expect(events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))).toEqual(pieces);
    const types = events.map(({ type }) => type).filter((type) => type !== 'text_delta');
    expect(types).toEqual(['message_start', 'text_block_start', 'text_block_stop', 'message_stop']);
    expect(events[0]).toMatchObject({ messageId: 'm1', model: MODEL[name] });
  });

  test('RT-6 the end tells the reason and the tokens, cached and reasoning ones too', async () => {
    const own = name === 'anthropic' ? { cacheWrite: 150 } : { reasoning: 120 };
    const tokens = { input: 1000, output: 300, cached: 800, ...own };
    server.reply({ said: [text('Hi')], tokens });
    const events = await ask(model());
    const { input, output, cached: cachedInput } = tokens;
    expect(events.at(-1)).toMatchObject({
      type: 'message_stop',
      reason: 'end',
      usage: { input, output, cachedInput, ...own },
    });
  });

  test.each([
    ['length', 'length'],
    ['filtered', 'filtered'],
  ] as const)('RT-6 an answer that was cut by %s says so', async (finish, reason) => {
    server.reply({ said: [text('Half an ans')], finish });
    expect((await ask(model())).at(-1)).toMatchObject({ type: 'message_stop', reason });
  });

  test('RT-6 several calls at once arrive with their ids, inputs and an end each', async () => {
    server.reply({
      said: [
        text('I look.'),
        call('call_1', '{"path":', '"/a"}'),
        call('call_2', '{"pa', 'th":"/b"}'),
        call('call_3', '{}'),
      ],
    });
    const events = await ask(model());
    expect(inputs(events)).toEqual({ call_1: '{"path":"/a"}', call_2: '{"path":"/b"}', call_3: '{}' });
    const stopped = events.flatMap((event) => (event.type === 'tool_input_stop' ? [event.callId] : []));
    expect(stopped).toEqual(['call_1', 'call_2', 'call_3']);
    expect(events.at(-1)).toMatchObject({ type: 'message_stop', reason: 'tool_use' });
  });

  test.skipIf(name === 'google')(
    'RT-6 input in pieces arrives in pieces, and what is no JSON as it is',
    async () => {
      server.reply({ said: [call('call_1', '{"path": ', '"/a', ' oops')] });
      const events = await ask(model());
      const pieces = events.flatMap((event) => (event.type === 'tool_input_delta' ? [event.text] : []));
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe('{"path": "/a oops');
      expect(events.at(-1)).toMatchObject({ type: 'message_stop', reason: 'tool_use' });
    },
  );

  test('RT-6 reasoning comes before the text, in a block of its own', async () => {
    server.reply({
      said: [{ kind: 'reasoning', pieces: ['Let me ', 'think.'], signature: 'signed-1' }, text('Done.')],
    });
    const events = await ask(model());
    const order = plain(events).filter((event) => 'text' in event);
    expect(order).toEqual([
      { type: 'reasoning_delta', text: 'Let me ' },
      { type: 'reasoning_delta', text: 'think.' },
      { type: 'text_delta', text: 'Done.' },
    ]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('reasoning_block_stop')).toBeLessThan(types.indexOf('text_block_start'));
  });

  test('RT-6 what the provider signed is kept, and given back with the result of the call', async () => {
    server.reply(
      {
        said: [
          { kind: 'reasoning', pieces: ['I must look.'], signature: `signed-${name}` },
          { kind: 'call', id: 'call_9', tool: 'ls', pieces: ['{"path":"/"}'], signature: `call-${name}` },
        ],
      },
      { said: [text('Two files.')] },
    );
    const first = await partsOf(model());
    const second = await ask(model(), {
      reasoning: 'high',
      history: [
        user('What is there?'),
        { role: 'assistant', id: 'a', model: MODEL[name], parts: first },
        { role: 'tool', callId: 'call_9', tool: 'ls', output: 'a\nb', failed: false },
      ],
    });
    expect(textOf(second)).toBe('Two files.');
    const sent = JSON.stringify(server.received.at(-1)!.body);
    expect(sent).toContain(name === 'compatible' ? 'I must look.' : `signed-${name}`);
    if (name === 'google') expect(sent).toContain('call-google');
  });

  test('RT-6 images and files reach the provider', async () => {
    const image = { mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) };
    const notes = { mediaType: 'text/plain', data: new TextEncoder().encode('remember the milk') };
    const odd = { mediaType: 'application/x-odd', data: new Uint8Array([1]) };
    const pdf = { mediaType: 'application/pdf', data: new TextEncoder().encode('%PDF-1.4') };
    const history = [{ ...user('Look'), files: [image, notes, odd, pdf] }];
    expect(textOf(await ask(model(), { history }))).toBe('Hello');
    const sent = JSON.stringify(server.received.at(-1)!.body);
    expect(sent).toContain('iVBORw0KGgo');
    expect(sent).toContain('remember the milk');
    expect(sent).toContain('application/x-odd, which this model cannot read');
    expect(sent).toContain(name === 'compatible' ? 'application/pdf, which this model' : 'JVBERi0xLjQ');
  });
});
