// Markdown that is parsed block by block is the same as parsed whole, however it comes.

import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { blocksOf, type Blocks } from '../src/ui/markdown/blocks.ts';

const html = (text: string) =>
  renderToStaticMarkup(<ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>).replaceAll(
    '\n',
    '',
  );
const parts = (blocks: Blocks) => blocks.blocks.map(html).join('');

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
);
const document = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('\n\n'));

test('PLUS-5 blocks put together are the text, and their HTML is that of the whole', () => {
  fc.assert(
    fc.property(document, (text) => {
      const blocks = blocksOf(text);
      expect(blocks.blocks.join('')).toBe(text);
      expect(parts(blocks)).toBe(html(text));
    }),
    { numRuns: 500 },
  );
});

test('PLUS-5 a text that grows piece by piece has the same blocks as one that is there at once', () => {
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

test('PLUS-5 while a text grows, all blocks but the last stay the same', () => {
  const long = Array.from({ length: 50 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
  const before = blocksOf(long);
  const after = blocksOf(`${long} And more.`, before);
  expect(before.blocks).toHaveLength(50);
  expect(after.blocks.slice(0, 49)).toEqual(before.blocks.slice(0, 49));
});
