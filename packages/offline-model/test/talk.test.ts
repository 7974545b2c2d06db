// What the offline model says and calls, in plain words.

import { describe, expect, test } from 'vitest';
import type { HistoryMessage } from '../src/index.ts';
import { modelOf, ask, user, talk, plan, linesOf, tool, deleteFile, everything } from './support.ts';

describe('what it says it is', () => {
  test('RT-7 it says that no language model is connected and which setting chooses one', async () => {
    const { text } = await talk([user('Hello, who are you?')], []);
    expect(text).toContain('no language model is connected');
    expect(text).toContain('offline');
    expect(text).toContain('CONTINUO_MODEL=provider/model');
    expect(text).toContain('OPENAI_API_KEY');
  });

  test.each([
    ['Count to five.', '1, 2, 3, 4, 5.'],
    ['count from 8 to 10, slowly', '8, 9, 10.'],
    ['Count to a hundred, slowly.', '97, 98, 99, 100.'],
  ])('RT-7 it counts: %s', async (asked, numbers) => {
    expect((await talk([user(asked)], everything)).text).toContain(numbers);
  });

  test('it does not count to a word that is no number', async () => {
    const { text } = await talk([user('Count to constructor.')], []);
    expect(text).toContain('I cannot really answer that');
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

  test('PLUS-5 a long story is told day by day, and goes on with the day that was cut off', async () => {
    const whole = (await talk([user('Tell me a long story about a lighthouse')], everything)).text;
    expect([...whole.matchAll(/\*\*Day (\d+)\.\*\*/g)].map((day) => Number(day[1]))).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    const cut = whole.slice(0, whole.indexOf('**Day 8.**') + 20);
    const history: HistoryMessage[] = [
      user('Tell me a long story'),
      { role: 'assistant', id: 'a', parts: [{ kind: 'text', text: cut }] },
      { role: 'system', content: '[System: Response was interrupted by user (user_cancelled)]' },
      user('Go on'),
    ];
    expect((await talk(history, everything)).text).toBe(whole.slice(whole.indexOf('**Day 8.**')));
    expect((await talk([user('Go on')], everything)).text).toContain('no language model is connected. I am');
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

  test('RT-7 several calls are told as a list, with what the last one returned', async () => {
    const diff = '--- a.txt\n+++ a.txt\n-``` milk\n+``` tea';
    const { text } = await talk([user('write "tea" to a.txt and read it back')], everything, (name) => ({
      output: name === 'read_file' ? { text: diff } : { text: 'a.txt created\nand more' },
    }));
    expect(text).toContain(
      `I made 2 calls:\n\n1. write_file a.txt: a.txt created\n2. read_file a.txt\n\n\`\`\`diff\n${diff}\n\`\`\`\n`,
    );
  });

  test('RT-7 a call that failed is told plainly, and nothing is called after it', async () => {
    const { text, steps } = await talk([user('read a.txt, then delete it')], everything, () => ({
      output: { message: 'no such file' },
      failed: true,
    }));
    expect(steps).toHaveLength(1);
    expect(text).toContain('read_file (path: a.txt) failed: no such file.');
    expect(text).toContain('I did not call delete_file');
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
