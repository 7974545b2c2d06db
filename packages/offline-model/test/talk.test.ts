// What the offline model says and calls: one row per form of sentence, and sentences that have none.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HistoryMessage } from '../src/index.ts';
import { modelOf, ask, user, talk, plan, linesOf, everything } from './support.ts';

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

  test('RT-7 asked for anything else, it shows sentences that it recognises, and each of them is recognised', async () => {
    const { text } = await talk([user('What can you do?')], everything);
    const examples = [...text.matchAll(/^- (.*)$/gm)].map((match) => match[1]!);
    expect(examples).toContain('Write a haiku to /rain.md');
    const files = examples.filter((each) => !/task|document|project|as the goal|as a step/.test(each));
    expect(files.length).toBeGreaterThan(12);
    for (const example of files)
      expect([example, await plan(`Read /list.md, then ${example}`, everything)]).toEqual([
        example,
        expect.arrayContaining([[['read', { path: '/list.md' }]]]),
      ]);
  });

  test('RT-7 the same request gives the same events', async () => {
    const request = { history: [user('read a.txt and read b.txt')], tools: everything };
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
});

describe('ordinary talk', () => {
  const talks = linesOf(`
    hello
    Thanks, that was great!
    Tell me a joke
    write me a poem about the sea
    what is a file?
    How do I read a file?
    take your time
    read between the lines
    write the file notes.txt
    "quoted"
    a.txt
    …
    don't remove a.txt
    please do not remove a.txt
    I removed the file a.txt
    have you removed a.txt?
    if a.txt exists, remove it
    avoid removing a.txt
    removing a.txt is bad
    don't read b.txt and remove a.txt
    I opened b.txt and removed a.txt
    summarise a.txt
    remove a.txt? No!
    read a.txt, frobnicate it, then remove a.txt
    call nothing with {"path": "a.txt"}
    call read with {"path": 
  `);
  test.each([...talks, '', '   '])('RT-7 %j calls no tool', async (text) => {
    expect(await plan(text, everything)).toEqual([]);
  });

  test('RT-7 a form whose tool is missing is not used', async () => {
    expect(await plan('remove a.txt', everything.slice(0, 3))).toEqual([]);
  });

  test('RT-7 any words end in an answer, whatever stands in them', async () => {
    const words =
      'read write search run list add show the file note a.txt src/b.md `code` "q" 5 with content: and then , . ? it to in not \' “ ” ``` { } call { "path": \uE0000\uE001 é 😀 its last line history of';
    const text = fc.oneof(
      fc
        .array(fc.constantFrom(...words.split(' '), '"two words"', '\n'), { maxLength: 14 })
        .map((all) => all.join(' ')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (content, failed) => {
        await talk([user(content)], everything, () => ({ output: null, failed }));
      }),
      { numRuns: 2000 },
    );
  }, 60_000);

  test.each(['"', "' a", '“', '`', '```', 'read it and ', '{', ' '])(
    'RT-7 a message of many %j is answered at once',
    async (part) => {
      expect(await plan(part.repeat(1_000_000 / part.length), everything)).toEqual([]);
      await plan(part.repeat(15_000 / part.length), everything);
    },
  );
});

describe('calls in plain words', () => {
  const asked = linesOf(`
    could you please read the file src/main.ts? -> read {"path":"src/main.ts"}
    what's in notes.txt? -> read {"path":"notes.txt"}
    open 'notes.txt' -> read {"path":"notes.txt"}
    I want you to delete the file old.txt -> remove {"path":"old.txt"}
    write hello world to notes.txt -> write {"path":"notes.txt","content":"hello world"}
    Write 'Lemonade, and cake.' to projects/party/docs/Food.md -> write {"path":"projects/party/docs/Food.md","content":"Lemonade, and cake."}
    write "a list" to notes.txt -> write {"path":"notes.txt","content":"a list"}
    Create notes.txt with content Hello -> write {"path":"notes.txt","content":"Hello"}
    list files -> ls {}
    list the files in src -> ls {"path":"src"}
    find all *.md files -> glob {"pattern":"*.md"}
    search for "cats and dogs" -> grep {"pattern":"cats and dogs","literal":true}
    move a.txt to old/a.txt -> move {"from":"a.txt","to":"old/a.txt"}
    run ls -la -> exec {"command":"ls -la"}
    Run the command: ls -la -> exec {"command":"ls -la"}
    run: ls -la -> exec {"command":"ls -la"}
    show me the history of a.txt -> history {"path":"a.txt"}
    what changed in a.txt? -> diff {"path":"a.txt"}
    undo the last change to a.txt -> restore {"path":"a.txt"}
    replace "milk" with "tea" in a.txt -> edit {"path":"a.txt","edits":[{"old_text":"milk","new_text":"tea"}]}
    call tracker__find with {"query": "say \\"when\\" and read a.txt", "limit": 3} -> tracker__find {"query":"say \\"when\\" and read a.txt","limit":3}
  `).map((line) => line.split(' -> ') as [request: string, call: string]);
  test.each(asked)('RT-7 %j is the call %s', async (text, call) => {
    const [name = '', input = ''] = call.split(/ (.*)/s);
    expect(await plan(text, everything)).toEqual([[[name, JSON.parse(input)]]]);
  });

  test.each([
    'Write a haiku into /haiku.md',
    'Write a haiku about rain into /haiku.md',
    'Write a list to /haiku.md',
  ])('RT-7 %j writes a text of the stock, and says so', async (text) => {
    const { steps, text: said } = await talk([user(text)], everything);
    expect(steps).toEqual([
      [['write', { path: '/haiku.md', content: expect.stringMatching(/^(.+\n){3}$/) }]],
    ]);
    expect(said).toContain('fixed stock of lines');
  });

  test('WS-16 "Write three short notes about tea" writes three files', async () => {
    const { steps, text } = await talk([user('Write three short notes about tea.')], everything);
    const [calls = []] = steps as [string, { path: string; content: string }][][];
    expect(calls.map(([name, { path }]) => `${name} ${path}`)).toEqual([
      'write /notes/tea-1.md',
      'write /notes/tea-2.md',
      'write /notes/tea-3.md',
    ]);
    expect(new Set(calls.map(([, { content }]) => content)).size).toBe(3);
    for (const [, { content }] of calls) expect(content).toMatch(/^# Tea, \d of 3\n[^]*no language model/);
    expect(text).toContain('no language model is connected');
  });

  test('RT-7 what stands in a code block is content, never a request', async () => {
    const content = '# Title\nread a.txt and remove it\n';
    expect(await plan(`write to x.md:\n\`\`\`md\n${content}\`\`\``, everything)).toEqual([
      [['write', { path: 'x.md', content }]],
    ]);
  });

  test('RT-7 clauses are called one after another, and "it" is the file spoken of', async () => {
    expect(
      await plan('write "buy milk, then eggs" to a.txt and read it back, then delete it', everything),
    ).toEqual([
      [['write', { path: 'a.txt', content: 'buy milk, then eggs' }]],
      [['read', { path: 'a.txt' }]],
      [['remove', { path: 'a.txt' }]],
    ]);
    const first = await talk([user('read a.txt')], everything);
    const second = await talk([...first.history, user('show me its history', 'again')], everything);
    expect(second.steps).toEqual([[['history', { path: 'a.txt' }]]]);
  });

  test('RT-7 several calls are told as a list, with what the last one returned', async () => {
    const diff = '--- a.txt\n+++ a.txt\n-``` milk\n+``` tea';
    const { text } = await talk([user('write "tea" to a.txt and read it back')], everything, (name) => ({
      output: name === 'read' ? { text: diff } : { text: 'a.txt created\nand more' },
    }));
    expect(text).toContain('1. write a.txt: a.txt created\n2. read a.txt');
    expect(text).toContain(`\n\n\`\`\`diff\n${diff}\n\`\`\`\n`);
  });

  test('RT-7 a call that failed is told plainly, and nothing is called after it', async () => {
    const { text, steps } = await talk([user('read a.txt, then delete it')], everything, () => ({
      output: { message: 'no such file' },
      failed: true,
    }));
    expect(steps).toHaveLength(1);
    expect(text).toContain('read a.txt failed: no such file');
    expect(text).toContain('I did nothing after that');
  });

  test('RT-7 a later message is not answered with the calls of an earlier one', async () => {
    const first = await talk([user('read a.txt')], everything);
    const second = await talk([...first.history, user('read a.txt', 'again')], everything);
    expect(second.steps).toEqual([[['read', { path: 'a.txt' }]]]);
  });
});
