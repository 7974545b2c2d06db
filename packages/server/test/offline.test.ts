import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { MessagePart, StreamEvent } from '@continuo/engine';
import { createModels } from '../src/models/catalog.ts';
import type { HistoryMessage, Model, ToolSchema } from '../src/models/model.ts';
import { createOfflineModel, type OfflineWorld } from '../src/models/offline.ts';

/** A world whose clock moves only when somebody sleeps. */
function createWorld(): OfflineWorld & { readonly slept: number[] } {
  let now = 1000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

function modelOf(id: string, world: OfflineWorld = createWorld()): Model {
  const model = createOfflineModel(id, world);
  if (!model) throw new Error(`no model ${id}`);
  return model;
}

const never = new AbortController().signal;

interface Asked {
  readonly history: readonly HistoryMessage[];
  readonly tools?: readonly ToolSchema[];
  readonly messageId?: string;
  readonly signal?: AbortSignal;
}

async function ask(
  model: Model,
  { history, tools = [], messageId = 'answer', signal = never }: Asked,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of model.stream({ messageId, system: '', history, tools, signal }))
    events.push(event);
  return events;
}

const user = (content: string, id = 'question'): HistoryMessage => ({ role: 'user', id, content });
const textOf = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');

function callsOf(events: readonly StreamEvent[]): { callId: string; tool: string; text: string }[] {
  const calls = new Map<string, { callId: string; tool: string; text: string }>();
  for (const event of events) {
    if (event.type === 'tool_input_start')
      calls.set(event.callId, { callId: event.callId, tool: event.tool, text: '' });
    const call = event.type === 'tool_input_delta' ? calls.get(event.callId) : undefined;
    if (call && event.type === 'tool_input_delta') call.text += event.text;
  }
  return [...calls.values()];
}

function messageOf(events: readonly StreamEvent[], id: string): HistoryMessage {
  const parts: MessagePart[] = [];
  if (textOf(events) !== '') parts.push({ kind: 'text', text: textOf(events) });
  for (const { callId, tool, text } of callsOf(events))
    parts.push({ kind: 'tool_call', callId, tool, input: { kind: 'json', value: JSON.parse(text) } });
  return { role: 'assistant', id, parts };
}

type Outcome = { readonly output: unknown; readonly failed?: boolean };
interface Talk {
  readonly history: HistoryMessage[];
  /** The calls of each step. */
  readonly steps: [tool: string, input: unknown][][];
  readonly text: string;
}

/** Drives the model as the run loop does: calls, results, calls …, until it only speaks. */
async function talk(
  history: readonly HistoryMessage[],
  tools: readonly ToolSchema[],
  run: (tool: string, input: unknown) => Outcome = () => ({ output: 'ok' }),
): Promise<Talk> {
  const model = modelOf('offline/instant');
  const log = [...history];
  const steps: Talk['steps'] = [];
  for (let step = 0; step < 50; step += 1) {
    const events = await ask(model, { history: log, tools, messageId: `message-${log.length}` });
    expect(events.at(-1)?.type).toBe('message_stop');
    const message = messageOf(events, `message-${log.length}`);
    log.push(message);
    const calls =
      message.role === 'assistant' ? message.parts.filter((part) => part.kind === 'tool_call') : [];
    if (calls.length === 0) return { history: log, steps, text: textOf(events) };
    const inputs = calls.map((call): [string, unknown] => [
      call.tool,
      call.input.kind === 'json' ? call.input.value : null,
    ]);
    steps.push(inputs);
    for (const [index, call] of calls.entries()) {
      const { output, failed = false } = run(...(inputs[index] ?? ['', null]));
      log.push({ role: 'tool', callId: call.callId, tool: call.tool, output, failed });
    }
  }
  throw new Error('the model never came to an end');
}

const plan = async (text: string, tools: readonly ToolSchema[]): Promise<Talk['steps']> =>
  (await talk([user(text)], tools)).steps;

const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());

function tool(
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
): ToolSchema {
  return { name, description, input: { type: 'object', properties, required, additionalProperties: false } };
}
const string = (description?: string) =>
  description === undefined ? { type: 'string' } : { type: 'string', description };

const deleteFile = tool('delete_file', 'Delete a file from the workspace.', {
  path: string('Path of the file'),
});
const readFile = tool(
  'read_file',
  'Read a file of the workspace.',
  { path: string('Path of the file'), max_lines: { type: 'integer' } },
  ['path'],
);
const writeFile = tool('write_file', 'Write a text file.', {
  path: string('Path of the file'),
  content: string('The text of the file'),
});
const listFiles = tool(
  'listFiles',
  'List the files in a directory.',
  { path: string('The directory'), recursive: { type: 'boolean' } },
  [],
);
const weather = tool('get-weather', 'Get the current weather for a city.', {
  city: string(),
  unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
});
const search = tool(
  'search',
  'Search the web for pages.',
  { query: string(), limit: { type: 'integer', minimum: 1, maximum: 10 } },
  ['query'],
);
const add = tool('add', 'Add two numbers.', { a: { type: 'number' }, b: { type: 'number' } });
const shell = tool('bash', 'Run a shell command in the sandbox.', { command: string('The command') });
const email = tool('send_email', 'Send an email.', {
  to: { type: 'string', format: 'email' },
  subject: string(),
  body: string(),
});
const entity = tool(
  'create_entity',
  'Create an entity in the knowledge base.',
  {
    name: string(),
    type: { type: 'string', enum: ['person', 'place'] },
    tags: { type: 'array', items: string() },
    address: { type: 'object', properties: { city: string() }, required: ['city'] },
  },
  ['name', 'type'],
);
const everything = [deleteFile, readFile, writeFile, listFiles, weather, search, add, shell, email, entity];

describe('what it says it is', () => {
  test('RT-7 it says that no language model is connected and which setting chooses one', async () => {
    const { text } = await talk([user('Hello, who are you?')], []);
    expect(text).toContain('no language model is connected');
    expect(text).toContain('offline');
    expect(text).toContain('CONTINUO_MODEL=provider/model');
    expect(text).toContain('OPENAI_API_KEY');
  });

  test('RT-7 it names the tools that it was given', async () => {
    const { text } = await talk([user('What can you do?')], everything);
    expect(text).toContain('- delete_file: Delete a file from the workspace');
    expect(text).toContain('and 4 more');
  });

  test('RT-7 the same request gives the same events', async () => {
    const request = { history: [user('read a.txt and b.txt')], tools: everything };
    expect(await ask(modelOf('offline/demo'), request)).toEqual(await ask(modelOf('offline/demo'), request));
  });

  test('RT-7 it still says what it is when the history ends with a marker, or is empty', async () => {
    const marker: HistoryMessage = { role: 'system', content: 'The run was interrupted.' };
    expect((await talk([user('hi'), marker], everything)).text).toContain('no language model');
    expect((await talk([], everything)).text).toContain('no language model');
  });

  test('RT-7 a message that is too long to be read for tool calls is told so', async () => {
    const { steps, text } = await talk([user(`read a.txt ${'and on '.repeat(5000)}`)], everything);
    expect(steps).toEqual([]);
    expect(text).toContain('this long');
  });
});

describe('ordinary talk', () => {
  const talks = linesOf(`
    hello
    Thanks, that was great!
    Tell me a joke
    write me a poem about the sea
    what is a file?
    How do I read a file?
    I like the weather today
    take your time
    add some humour
    read between the lines
    "quoted"
    a.txt
    …
  `);
  test.each([...talks, '', '   '])('RT-7 %j calls no tool', async (text) => {
    expect(await plan(text, everything)).toEqual([]);
  });

  const notAsked = linesOf(`
    don't delete a.txt
    please do not delete a.txt
    I deleted the file a.txt
    have you deleted a.txt?
    what happened when you deleted a.txt?
    if a.txt exists, delete it
    avoid deleting a.txt
    deleting a.txt is bad
    don't read b.txt and delete a.txt
    I opened b.txt and deleted a.txt
    summarise a.txt
    open a.txt
    delete a.txt? No!
  `);
  test.each(notAsked)('RT-7 %j does not delete', async (text) => {
    expect(await plan(text, [deleteFile])).toEqual([]);
  });
});

describe('calls in plain words', () => {
  const asked = linesOf(`
    could you please read the file src/main.ts? -> read_file {"path":"src/main.ts"}
    what's in notes.txt? -> read_file {"path":"notes.txt"}
    open 'notes.txt' -> read_file {"path":"notes.txt"}
    read_file path=a.txt max_lines=3 -> read_file {"path":"a.txt","max_lines":3}
    I want you to delete the file old.txt -> delete_file {"path":"old.txt"}
    write hello world to notes.txt -> write_file {"path":"notes.txt","content":"hello world"}
    Create notes.txt with content Hello! Is this fine? -> write_file {"path":"notes.txt","content":"Hello! Is this fine?"}
    list files -> listFiles {}
    list the files in src recursively -> listFiles {"path":"src","recursive":true}
    what is the weather in Paris? -> get-weather {"city":"Paris","unit":"celsius"}
    what's the weather like in New York in fahrenheit -> get-weather {"city":"New York","unit":"fahrenheit"}
    search the web for cats and dogs -> search {"query":"cats and dogs"}
    search for "cheese", top 3 -> search {"query":"cheese","limit":3}
    add 40 and 2.5 -> add {"a":40,"b":2.5}
    run ls -la -> bash {"command":"ls -la"}
    send an email to bob@example.com with subject Hello there and body "See you, Bob" -> send_email {"to":"bob@example.com","subject":"Hello there","body":"See you, Bob"}
    create an entity named Ada Lovelace of type person with tags red, green and blue -> create_entity {"name":"Ada Lovelace","type":"person","tags":["red","green","blue"]}
    create an entity: name=Bob type=person city=Rome -> create_entity {"name":"Bob","type":"person","address":{"city":"Rome"}}
    create_entity {"name":"Eve","type":"person","address":{"city":"Rome"}} -> create_entity {"name":"Eve","type":"person","address":{"city":"Rome"}}
  `).map((line) => line.split(' -> ') as [request: string, call: string]);
  test.each(asked)('RT-7 %j is the call %s', async (text, call) => {
    const [name = '', input = ''] = call.split(/ (.*)/s);
    expect(await plan(text, everything)).toEqual([[[name, JSON.parse(input)]]]);
  });

  test('RT-7 what stands in a code block is content, never a request', async () => {
    const content = '# Title\nread a.txt and delete it\n';
    expect(await plan(`write to x.md:\n\`\`\`md\n${content}\`\`\``, everything)).toEqual([
      [['write_file', { path: 'x.md', content }]],
    ]);
  });

  test('RT-7 a tool that nobody has seen before is called from its schema alone', async () => {
    const unknown = tool(
      'frobnicate_gadget',
      'Frobnicates one gadget.',
      { gadget_id: { type: 'integer' }, colour: { enum: ['red', 'blue'] }, gently: { type: 'boolean' } },
      ['gadget_id', 'colour'],
    );
    expect(await plan('please frobnicate the gadget 7 gently, in blue', [unknown])).toEqual([
      [['frobnicate_gadget', { gadget_id: 7, colour: 'blue', gently: true }]],
    ]);
  });

  test('RT-7 one tool asked for several times with "and" is called at once', async () => {
    expect(await plan('read a.txt, b.txt and c.txt', everything)).toEqual([
      [
        ['read_file', { path: 'a.txt' }],
        ['read_file', { path: 'b.txt' }],
        ['read_file', { path: 'c.txt' }],
      ],
    ]);
  });

  test('RT-7 different tools are called one after another, and "it" is the file spoken of', async () => {
    expect(
      await plan('write "buy milk, then eggs" to a.txt and read it back, then delete it', everything),
    ).toEqual([
      [['write_file', { path: 'a.txt', content: 'buy milk, then eggs' }]],
      [['read_file', { path: 'a.txt' }]],
      [['delete_file', { path: 'a.txt' }]],
    ]);
  });

  test('RT-7 what was called is told with a piece of its result', async () => {
    const { text } = await talk([user('read a.txt')], everything, () => ({
      output: 'the first line\nand more',
    }));
    expect(text).toContain('I called read_file (path: a.txt). It returned: the first line and more.');
    expect(text).toContain('no language model');
  });

  test('RT-7 a call that failed is told plainly, and nothing is called after it', async () => {
    const { text, steps } = await talk([user('read a.txt, then delete it')], everything, () => ({
      output: { message: 'no such file' },
      failed: true,
    }));
    expect(steps).toHaveLength(1);
    expect(text).toContain('read_file (path: a.txt) failed: no such file.');
    expect(text).toContain('I did not go on to delete_file');
  });

  test('RT-7 input that is missing is asked for, and the next message is its answer', async () => {
    const asking = await talk([user('write the file notes.txt')], everything);
    expect(asking.steps).toEqual([]);
    expect(asking.text).toContain('To call write_file I still need content (The text of the file)');
    const answered = await talk([...asking.history, user('Hello, world', 'second')], everything);
    expect(answered.steps).toEqual([[['write_file', { path: 'notes.txt', content: 'Hello, world' }]]]);
    const dropped = await talk([...asking.history, user('never mind', 'second')], everything);
    expect(dropped.steps).toEqual([]);
  });

  test('RT-7 a value that the schema forbids is not used', async () => {
    const { steps } = await talk([user('search for "cheese" with limit 500')], everything);
    expect(steps).toEqual([[['search', { query: 'cheese' }]]]);
  });

  test('RT-7 a later message is not answered with the calls of an earlier one', async () => {
    const first = await talk([user('read a.txt')], everything);
    const second = await talk([...first.history, user('read a.txt', 'again')], everything);
    expect(second.steps).toEqual([[['read_file', { path: 'a.txt' }]]]);
  });
});

describe('for any tool and any words', () => {
  const scalar = fc.oneof(
    fc.record({ type: fc.constant('string') }),
    fc.record({
      type: fc.constant('string'),
      minLength: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 3, max: 9 }),
    }),
    fc.record({ type: fc.constantFrom('number', 'integer'), minimum: fc.integer({ min: -5, max: 5 }) }),
    fc.record({ type: fc.constant('boolean') }),
    fc.record({
      type: fc.constant('string'),
      enum: fc.uniqueArray(fc.constantFrom('red', 'big', 'in_order', 'x'), { minLength: 1 }),
    }),
    fc.record({ const: fc.constantFrom(1, 'one', true) }),
    fc.record({ type: fc.constant('integer'), default: fc.integer() }),
    fc.record({ anyOf: fc.constant([{ type: 'string' }, { type: 'null' }]) }),
  );
  const names = fc.constantFrom(
    'path',
    'file_name',
    'query',
    'content',
    'a',
    'to',
    'limit',
    'seconds',
    'unit',
    'isDeep',
    'name',
  );
  const objectOf = (inner: fc.Arbitrary<unknown>) =>
    fc.array(fc.tuple(names, inner, fc.boolean()), { maxLength: 4 }).map((entries) => ({
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema])),
      required: [...new Set(entries.filter(([, , required]) => required).map(([name]) => name))],
      additionalProperties: false,
    }));
  const listOf = (inner: fc.Arbitrary<unknown>) =>
    fc.record({ type: fc.constant('array'), items: inner, minItems: fc.integer({ min: 0, max: 2 }) });
  const schemas = objectOf(fc.oneof(scalar, listOf(scalar), objectOf(fc.oneof(scalar, listOf(scalar)))));
  const toolNames = fc.constantFrom(
    'read_file',
    'writeNote',
    'search',
    'list-things',
    'run',
    'get_x',
    '_',
    'add',
  );
  const tools = fc.uniqueArray(
    fc.record({
      name: toolNames,
      description: fc.oneof(fc.constantFrom('Read a file.', 'Run it', ''), fc.string()),
      input: schemas,
    }),
    { minLength: 1, maxLength: 4, selector: (one) => one.name },
  );
  const words =
    'read write search run list add get file note things a.txt src/b.md `code` "q" 5 -2.5 path=c.txt content: limit red in_order true and then , . ? it to in with not isDeep read_file writeNote list-things get_x {"path":"x","a":1} [1,2] { 30 seconds é 😀 __proto__=1';
  const word = fc.constantFrom(...words.split(' '), '"two words"', '\n');
  const asked = fc
    .tuple(toolNames, fc.array(word, { maxLength: 14 }))
    .map(([name, words]) => ['call', name, ...words].join(' '));
  const texts = fc.oneof(
    asked,
    fc.array(word, { maxLength: 14 }).map((words) => words.join(' ')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );

  test('RT-7 nothing throws, every input fits the schema, and every run ends', async () => {
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(tools, texts, fc.boolean(), async (given, text, failed) => {
        const { steps } = await talk([user(text)], given, () => ({ output: null, failed }));
        for (const [name, input] of steps.flat()) {
          const schema = given.find((one) => one.name === name)?.input;
          const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(input);
          if (!checked.success)
            throw new Error(
              `${JSON.stringify(input)} does not fit ${JSON.stringify(schema)}: ${checked.error.message}`,
            );
          calls += 1;
        }
      }),
      { numRuns: 3000 },
    );
    expect(calls).toBeGreaterThan(200);
  }, 60_000);

  test('RT-7 properties may have the names of what every object has', async () => {
    const input = JSON.parse(
      '{"type":"object","required":["__proto__","constructor"],"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"}}}',
    );
    const { steps } = await talk(
      [user('read_file __proto__=1 constructor="x"')],
      [{ name: 'read_file', description: '', input }],
    );
    expect(JSON.stringify(steps)).toBe('[[["read_file",{"__proto__":1,"constructor":"x"}]]]');
  });

  test('RT-7 schemas that refer to themselves, or make no sense, end in a question or a call', async () => {
    const odd: Record<string, unknown>[] = [
      {},
      { $ref: '#' },
      { type: 'object', required: ['self'], properties: { self: { $ref: '#' } } },
      { type: 'object', required: 'path', properties: [] },
      { type: 'object', required: ['x'], properties: { x: false } },
      {
        allOf: [
          { type: 'object', required: ['path'], properties: { path: { type: 'string', pattern: '(' } } },
        ],
      },
      {
        type: 'object',
        required: ['x'],
        properties: { x: { anyOf: [{ $ref: '#/nowhere' }, { type: 'string' }] } },
      },
    ];
    for (const input of odd)
      await talk(
        [user('read_file with path=a.txt, x="y" and self={"self":1}')],
        [{ name: 'read_file', description: 'Read a file', input }],
      );
  });
});

describe('the stream', () => {
  const script = (...steps: unknown[]): HistoryMessage => user(JSON.stringify({ steps }));

  test('RT-7 the demo model speaks at a human pace, the instant one without waiting', async () => {
    const slow = createWorld();
    const events = await ask(modelOf('offline/demo', slow), { history: [user('hello')] });
    const deltas = events.filter((event) => event.type === 'text_delta');
    expect(slow.slept).toHaveLength(deltas.length);
    const average = slow.slept.slice(1).reduce((sum, ms) => sum + ms, 0) / (slow.slept.length - 1);
    expect(average).toBeGreaterThan(20);
    expect(average).toBeLessThan(30);
    const fast = createWorld();
    await ask(modelOf('offline/instant', fast), { history: [user('hello')] });
    expect(fast.slept).toEqual([]);
  });

  test('an event carries the time of its world', async () => {
    const events = await ask(modelOf('offline/script'), {
      history: [script({ text: 'a b', delay_ms: 40, first_delay_ms: 100 })],
    });
    expect(events.filter((event) => event.type === 'text_delta').map((event) => event.at)).toEqual([
      1100, 1140,
    ]);
  });

  test('a script gives text, reasoning, calls and made-up tokens, in a well-formed stream', async () => {
    const step = {
      reasoning: 'let me  see',
      text: ' one two\nthree',
      tokens: 2,
      calls: [
        { tool: 'x', input: { a: '😀'.repeat(20) } },
        { tool: 'y', raw: '{"broken' },
      ],
    };
    const events = await ask(modelOf('offline/script'), { history: [script(step)], messageId: 'id:1' });
    expect(events.filter((event) => !event.type.endsWith('_delta')).map((event) => event.type)).toEqual([
      'message_start',
      'reasoning_block_start',
      'reasoning_block_stop',
      'text_block_start',
      'text_block_stop',
      'tool_input_start',
      'tool_input_stop',
      'tool_input_start',
      'tool_input_stop',
      'message_stop',
    ]);
    expect(textOf(events)).toBe(' one two\nthreethe run ');
    expect(callsOf(events)).toEqual([
      { callId: 'id_1_0', tool: 'x', text: JSON.stringify({ a: '😀'.repeat(20) }) },
      { callId: 'id_1_1', tool: 'y', text: '{"broken' },
    ]);
    for (const event of events)
      if (event.type === 'tool_input_delta') expect(event.text.isWellFormed()).toBe(true);
    const output = events.filter((event) => event.type.endsWith('_delta')).length;
    expect(events.at(-1)).toMatchObject({
      type: 'message_stop',
      reason: 'tool_use',
      usage: { output, reasoning: 3 },
    });
  });

  test('the deltas of any text, put together, are the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(textOf(await ask(modelOf('offline/script'), { history: [script({ text })] }))).toBe(text);
      }),
    );
  });

  test('a script may split its text itself', async () => {
    const events = await ask(modelOf('offline/script'), { history: [script({ deltas: ['a', 'bc', 'd '] })] });
    expect(events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))).toEqual([
      'a',
      'bc',
      'd ',
    ]);
  });

  test('the step of a script is counted from the history, past markers and results', async () => {
    const history: HistoryMessage[] = [script({ text: 'zero' }, { text: 'one' })];
    const model = modelOf('offline/script');
    history.push(
      { role: 'assistant', id: 'm0', parts: [{ kind: 'text', text: 'zero' }] },
      { role: 'tool', callId: 'c', tool: 't', output: null, failed: false },
    );
    history.push({ role: 'system', content: 'interrupted' });
    expect(textOf(await ask(model, { history }))).toBe('one');
    history.push({ role: 'assistant', id: 'm1', parts: [] });
    expect(textOf(await ask(model, { history }))).toBe('done.');
  });

  test('an error of a script ends the stream after its text', async () => {
    const events = await ask(modelOf('offline/script'), {
      history: [script({ text: 'half', error: { code: 'overloaded', message: 'too busy' } })],
    });
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'text_block_start',
      'text_delta',
      'stream_error',
    ]);
    expect(events.at(-1)).toMatchObject({ code: 'overloaded', message: 'too busy' });
  });

  const broken: [what: string, content: string, says: RegExp][] = [
    ['text that is not JSON', 'hello', /not JSON/],
    ['no steps', '{}', /at steps: /],
    ['a field that does not exist', '{"steps":[{"txt":"a"}]}', /at steps\[0\]: .*txt/],
    ['a field of the wrong type', '{"steps":[{"delay_ms":"5"}]}', /at steps\[0\]\.delay_ms: /],
    ['text and deltas at once', '{"steps":[{"text":"a","deltas":["a"]}]}', /text or deltas, not both/],
  ];
  test.each(broken)(
    'a script with %s is an invalid_script error that says what is wrong',
    async (_, content, says) => {
      const events = await ask(modelOf('offline/script'), { history: [user(content)] });
      const last = events.at(-1);
      expect(last).toMatchObject({ type: 'stream_error', code: 'invalid_script' });
      expect(last?.type === 'stream_error' ? last.message : '').toMatch(says);
    },
  );

  test('an abort is the last event: before the start, between deltas, in a wait, and in a hang', async () => {
    const interrupted = { type: 'stream_interrupted', reason: 'aborted' };
    expect(
      await ask(modelOf('offline/script'), { history: [script({ text: 'a' })], signal: AbortSignal.abort() }),
    ).toMatchObject([interrupted]);

    const between = new AbortController();
    const seen: StreamEvent[] = [];
    for await (const event of modelOf('offline/script').stream({
      messageId: 'm',
      system: '',
      history: [script({ tokens: 50 })],
      tools: [],
      signal: between.signal,
    })) {
      seen.push(event);
      if (seen.length === 10) between.abort();
    }
    expect(seen).toHaveLength(11);
    expect(seen.at(-1)).toMatchObject(interrupted);

    for (const ends of ['resolves', 'rejects']) {
      const waiting = new AbortController();
      const world: OfflineWorld = {
        now: () => 0,
        sleep: (_, signal) =>
          new Promise((resolve, reject) =>
            signal.addEventListener('abort', () =>
              ends === 'resolves' ? resolve() : reject(new Error('aborted')),
            ),
          ),
      };
      const asked = ask(modelOf('offline/demo', world), { history: [user('hi')], signal: waiting.signal });
      setImmediate(() => waiting.abort());
      expect((await asked).map((event) => event.type)).toEqual(['message_start', 'stream_interrupted']);
    }

    const hanging = new AbortController();
    const asked = ask(modelOf('offline/script'), {
      history: [script({ text: 'a', hang: true })],
      signal: hanging.signal,
    });
    setImmediate(() => hanging.abort());
    expect((await asked).map((event) => event.type)).toEqual([
      'message_start',
      'text_block_start',
      'text_delta',
      'stream_interrupted',
    ]);
  });

  test('call ids keep to letters, digits, _ and -, and to 64 characters', async () => {
    const history = [
      script({
        calls: [
          { tool: 'a', input: {} },
          { tool: 'a', input: {} },
        ],
      }),
    ];
    for (const messageId of ['0199-abc', 'run:1/é', 'x'.repeat(100)]) {
      const ids = callsOf(await ask(modelOf('offline/script'), { history, messageId })).map(
        (call) => call.callId,
      );
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
  });

  test('200 tokens without delay cost well under a millisecond', async () => {
    const model = modelOf('offline/script', { now: () => 0, sleep: async () => undefined });
    const history = [script({ tokens: 200 })];
    for (let warm = 0; warm < 100; warm += 1) await ask(model, { history });
    const costs: number[] = [];
    for (let run = 0; run < 51; run += 1) {
      const start = performance.now();
      await ask(model, { history });
      costs.push(performance.now() - start);
    }
    // The quickest of them: what the rest took longer is the machine's own business.
    expect(Math.min(...costs)).toBeLessThan(1);
  });
});

describe('the catalog', () => {
  const models = createModels(createWorld());

  test('RT-7 with nothing configured the offline model is the default', () => {
    expect(models.default).toBe('offline/demo');
    expect(models.resolve(models.default)).toMatchObject({ ok: true, model: { id: 'offline/demo' } });
    expect(createModels(createWorld(), { defaultModel: 'offline/instant' }).default).toBe('offline/instant');
  });

  const wrong: [id: string, problem: string][] = [
    ['acme/large', 'provider "acme" is not known; available: offline/demo, offline/instant, offline/script'],
    [
      'offline/huge',
      'provider "offline" has no model "huge"; available: offline/demo, offline/instant, offline/script',
    ],
    [
      'demo',
      'model "demo" is not written as provider/model; available: offline/demo, offline/instant, offline/script',
    ],
  ];
  test.each(wrong)('RT-7 the model %j is refused with what is wrong and what there is', (id, problem) => {
    expect(models.resolve(id)).toEqual({ ok: false, problem });
  });

  test('there is no offline model of another name', () => {
    expect(createOfflineModel('offline/toString', createWorld())).toBeNull();
    expect(createOfflineModel('constructor', createWorld())).toBeNull();
  });
});
