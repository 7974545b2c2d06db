// Markdown parsed block by block renders the same as Markdown parsed as a whole, however it streams in.

import fc from 'fast-check';
import type { ComponentProps, ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { blocksOf, type Blocks } from '../src/ui/markdown/blocks.ts';
import { fenceOf, stretchesOf } from '../src/ui/markdown/fence.ts';
import { formulaOf, withFormulas } from '../src/ui/markdown/formulas.ts';
import { Markdown } from '../src/ui/markdown/markdown.tsx';

const html = (text: string) =>
  renderToStaticMarkup(<ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>).replaceAll(
    '\n',
    '',
  );
const parts = (blocks: Blocks) => blocks.blocks.map(html).join('');

const CHARACTERS = ' \t-*+>`~#|<!?/_=.)(120a:[]\\'.split('');
const MARKS = [' ', '    ', '- ', '+ ', '1. ', '2. ', '> ', '```', '~~~', '<!--', '[a]', '[a]: b', 'x'];
const piece = fc.oneof(
  fc.constantFrom(
    'A paragraph with *emphasis*, `code` and a [link](https://example.org).',
    'Two lines\nof one paragraph.',
    '# A heading',
    'A setext heading\n===',
    '- one\n- two\n  - nested\n\n  still two',
    '1. first\n\n2. second, loose\n\n   ```js\n   a();\n\n   b();\n   ```',
    '```ts\nconst a = 1;\n\n\n# no heading\n- no list\n```',
    '~~~\n```\n\n~~~',
    '> a quote\n>\n> of two paragraphs',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '---',
    '    indented code\n\n    and more of it',
    '- [x] done\n- [ ] not yet',
    '<details>\n\nhtml\n\n</details>',
    'A footnote[^1].\n\n[^1]: Which is here.',
    '[ref]\n\n[ref]: https://example.org',
    '```\nnever closed\n\nstill code',
    '* star\n\n+ plus',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 4 }),
);
const document = fc
  .array(fc.tuple(piece, fc.constantFrom('\n', '\n\n', '\n\n')), { maxLength: 8 })
  .map((pieces) => pieces.flat().join(''));

test('PLUS-5 concatenated blocks are the text, and their HTML is that of the whole text', () => {
  fc.assert(
    fc.property(document, (text) => {
      const blocks = blocksOf(text);
      expect(blocks.blocks.join('')).toBe(text);
      expect(parts(blocks)).toBe(html(text));
    }),
    { numRuns: 500 },
  );
});

const DEPENDENT = [
  '    indented code\n\n>*',
  '    indented code\n\n0. zero',
  '    indented code\n\n- +',
  ' -\n\n- one\n- two',
  ' <!--\n\n*one*\n\n-->',
  ' <?\n\n;',
  '2. ```\n```\nnever closed\n\nstill code',
  '\t```\n~~~\n```\n\n~~~',
  '```a`\n\n```\n\n# code',
  'text\n2. text\n   ```\n\ncode',
  '- one\n\n one\n  ```\n\ncode',
  '~~~\n~~~\u00A0\n\ncode',
  'one\n\u00A0\ntwo',
  '\uFEFF<?\n\n;',
  '[one]\n\n> [one]: /1',
  '[two]\n\n1. a\n   - b\n\n     [two]: /2',
  '[a\nb]\n\n[a\nb]: /3',
  '[\\]]\n\n[\\]]: /4',
];

test.each(DEPENDENT)('PLUS-5 blocks of a text whose lines depend on earlier ones: %j', (text) => {
  const blocks = blocksOf(text);
  expect(blocks.blocks.join('')).toBe(text);
  expect(parts(blocks)).toBe(html(text));
});

test('PLUS-5 a list with code, a quote and a fence with brackets are blocks of their own', () => {
  const each = [
    'Steps:\n\n',
    '1. ```sh\n   a\n\n   b\n   ```\n2. two\n   ```\n   c\n   ```\n\n3. three\n\n',
    'Text.\n\n',
    '> - a quote\n\n',
    '```ts\n  [key]: 1,\n\n\n- a\n```\n\n',
    '- - -\n\n',
    '- one\n\n      code\n\n',
    'The end.',
  ];
  expect(blocksOf(each.join('')).blocks).toEqual(each);
});

test('PLUS-5 a text that grows in chunks has the same blocks as the complete text', () => {
  fc.assert(
    fc.property(document, fc.infiniteStream(fc.integer({ min: 1, max: 30 })), (text, sizes) => {
      let known: Blocks | null = null;
      for (let end = 0; end < text.length;) {
        end = Math.min(text.length, end + (sizes.next().value ?? 1));
        known = blocksOf(text.slice(0, end), known);
        expect(known.blocks).toEqual(blocksOf(text.slice(0, end)).blocks);
      }
    }),
    { numRuns: 500 },
  );
});

const LINES = [
  ['```', '````', '~~~', '```ts', '~~~c++', '``` ts', '```ts x', '```\t', ' ```', '    ```', '- ```'],
  ['```a`', '``', '', ' ', 'code', '  in\tit', '\t', '# none', '[x]: y', '> x', '&amp;\\', '\0', '\r'],
].flat();
const line = fc.constantFrom(...LINES);

test('PLUS-5 a code fence that is read without the parser equals what the parser finds, for every prefix', () => {
  let read = 0;
  const check = (text: string) => {
    const fence = fenceOf(text);
    if (fence === null) return;
    read += 1;
    const found: unknown[] = [];
    const pre = ({ children }: ComponentProps<'pre'>) => {
      const { className, children: code = '' } = (children as ReactElement<ComponentProps<'code'>>).props;
      found.push({ language: className?.replace('language-', ''), code });
      return null;
    };
    const rest = renderToStaticMarkup(
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={{ pre }}>
        {text}
      </ReactMarkdown>,
    );
    const { language, code } = fence;
    expect({ text, rest, found }).toEqual({ text, rest: '', found: [{ language, code }] });
  };
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean(), (lines, ends) => {
      const text = lines.join('\n') + (ends ? '\n' : '');
      for (let end = 1; end <= text.length; end += 1) check(text.slice(0, end));
    }),
    { numRuns: 200 },
  );
  expect(read).toBeGreaterThan(100);
});

test('PLUS-5 the stretches of long code are its lines, and all but the last stay the same while it grows', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', '', ' ', 'line'), { maxLength: 700 }), (lines) => {
      const code = lines.map((each) => `${each}\n`).join('');
      const stretches = stretchesOf(code);
      expect(stretches.join('\n')).toBe(code);
      expect(stretchesOf(`${code}more\n`).slice(0, stretches.length - 1)).toEqual(stretches.slice(0, -1));
      // An empty line at the end of a run would not be drawn.
      for (const each of stretches.slice(0, -1)) expect(each).toMatch(/[^\n]$/);
    }),
  );
  const long = renderToStaticMarkup(<Markdown text={`\`\`\`js\n${'a[0];\n'.repeat(5000)}`} />);
  expect(long.match(/<span class="block">/g)).toHaveLength(50);
  expect(long).toContain('>js<');
});

test('PLUS-5 while a text grows, all blocks but the last stay the same', () => {
  const long = Array.from({ length: 50 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
  const before = blocksOf(long);
  const after = blocksOf(`${long} And more.`, before);
  expect(before.blocks).toHaveLength(50);
  expect(after.blocks.slice(0, 49)).toEqual(before.blocks.slice(0, 49));
});

test('PLUS-5 a link to another server opens a new tab, others stay in this one; a link that could run a script is text', () => {
  const link = (text: string) =>
    /<(?:a|span) [^]*?<\/(?:a|span)>/.exec(renderToStaticMarkup(<Markdown text={text} />))?.[0];
  for (const href of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x'])
    expect(link(`[x](${href})`)).toBe('<span title="Link removed: only web links are allowed.">x</span>');
  expect(link('[x](https://example.org)')).toBe(
    '<a href="https://example.org" target="_blank" rel="noreferrer noopener">x</a>',
  );
  expect(link('[x](//example.org)')).toContain('target="_blank"');
  expect(link('![x](https://example.org/x.png)')).toContain('target="_blank"');
  for (const page of ['/files/notes/x.md', '/runs?status=open', '/chats/0199', '#there'])
    expect(link(`[x](${page})`)).toBe(`<a href="${page}">x</a>`);
  for (const file of ['notes/x.md', './notes/x.md', '/notes/x.md', '../notes/x.md', '/notes/x.md#there'])
    expect(link(`[x](${file})`)).toBe('<a href="/files/notes/x.md">x</a>');
  expect(link('[x](/chats/one.md)')).toBe('<a href="/files/chats/one.md">x</a>');
  expect(link('[x](<a file.md>)')).toBe('<a href="/files/a%20file.md">x</a>');
});

test('CHAT-4 a link to an entity opens its page; the folder of a project is not its page', () => {
  const href = (address: string) =>
    /href="([^"]*)"/.exec(renderToStaticMarkup(<Markdown text={`[x](${address})`} />))?.[1];
  const id = '01a1e7cd-b7ac-74d0-adc7-499907c15131';
  expect(href(`entity:${id}`)).toBe(`/entities/${id}`);
  expect(href('entity:alert(1)')).toBeUndefined();
  expect(href(`/projects/${id}/tasks`)).toBe(`/projects/${id}/tasks`);
  expect(href('/projects/apollo/docs')).toBe('/files/projects/apollo/docs');
  expect(href('/projects/apollo/docs/Moon.md')).toBe('/files/projects/apollo/docs/Moon.md');
});

test('PLUS-5 footnotes link within their own text', () => {
  const two = renderToStaticMarkup(
    <>
      <Markdown text={'One[^1].\n\n[^1]: First.'} />
      <Markdown text={'Two[^1].\n\n[^1]: Second.'} />
    </>,
  );
  const ids = [...two.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);
  const targets = [...two.matchAll(/ href="#([^"]+)"/g)].map((match) => match[1]!);
  expect(targets).toHaveLength(4);
  expect(new Set(targets).size).toBe(4);
  for (const target of targets) expect(ids).toContain(target);
  expect(two).not.toContain('target="_blank"');
});

test('PLUS-5 excessively nested Markdown is shown as plain text', () => {
  const knots = [
    `${'>'.repeat(3000)} x`,
    `${'> '.repeat(3000)}x`,
    Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
    '[a]('.repeat(4000),
  ];
  for (const text of knots) {
    const shown = renderToStaticMarkup(<Markdown text={text} />);
    expect(shown).toContain('<p dir="auto" class="whitespace-pre-wrap');
    expect(shown).not.toMatch(/<(?:blockquote|ul|a) /);
  }
});

test('PLUS-5 a very long run of characters is drawn without kerning', () => {
  const long = renderToStaticMarkup(<Markdown text={`Short.\n\n${'\\'.repeat(20_000)}`} />);
  expect(long.match(/<section[^>]*>/g)).toEqual([
    '<section dir="auto">',
    '<section dir="auto" class="[font-kerning:none]">',
  ]);
});

test('PLUS-5 formulas are found in four spellings, and neither in code nor in prices', () => {
  const formulasIn = (text: string) =>
    [...withFormulas(text).matchAll(/(?<!`)(`+) ([^]*?) \1(?!`)/g)].map(([, , code]) => formulaOf(code!));
  const inline = { tex: 'x^2', display: false };
  const display = { tex: 'x^2', display: true };
  expect(formulasIn('So $x^2$, \\(x^2\\), $$x^2$$ and \\[\n x^2 % squared\n\\].')).toEqual([
    inline,
    inline,
    display,
    display,
  ]);
  expect(formulasIn('- $$\n  x^2\n  $$')).toEqual([display]);
  const others = [
    'It costs $5 and $6, or $5/$6.',
    'Set $HOME and $PATH.',
    'Escaped: \\$x^2\\$ and \\\\(x\\\\).',
    'Code: `$x^2$` and ``a ` $x$``.',
    '```\n$x^2$ \\(y\\)\n```\n',
    '1. ```sh\n   echo $$ $x$\n',
    '~~~\n$$\nx\n$$\n~~~',
    '$ x $ and $$$$',
  ];
  for (const text of others) expect(withFormulas(text)).toBe(text);
  expect(withFormulas('A stray ` here.\n\nThen $x^2$ and a `.')).toContain('` \u{E200}x^2 `');
});
