// Files that came with a message: the log has their ids and versions, and models are told what they are and shown what they can be.

import { expect, test } from 'vitest';
import type { AttachedFile } from '@continuo/protocol';
import { aiSdkPrompt } from '../../src/models/ai-sdk/history.ts';
import { shownHistory } from '../../src/context/history.ts';
import { withImages } from '../../src/context/attachments.ts';
import { useTools } from '../files/tools/support.ts';

const world = useTools();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const dialect = {
  provider: 'anthropic',
  metadataKey: 'anthropic',
  files: { bytes: /^image\//, urls: {} },
  givesBack: () => false,
};

async function attached(
  workspace: string,
  path: string,
  content: string | Buffer,
  media_type = 'text/markdown',
): Promise<AttachedFile> {
  const { id, version, size } = await world.write(workspace, path, content);
  return { file: id, path: `/${path}`, v: version, media_type, size };
}

/** What a model is shown of a message in its own run, and in a later one. */
async function shown(files: readonly AttachedFile[], content = 'look', bytes = dialect.files.bytes) {
  const entry = { role: 'user' as const, id: 'u', content };
  const history = [{ runId: 'r1', seq: 1, entry, attached: files }];
  const promptFor = async (runId: string) => {
    const { messages, tokens } = shownHistory((await withImages(world.pool, history, runId)).history, {
      runId,
      summaryLines: 5,
      budget: null,
    });
    const [message] = aiSdkPrompt({
      system: '',
      history: messages,
      dialect: { ...dialect, files: { bytes, urls: {} } },
    });
    return { content: message!.content, tokens };
  };
  return { own: await promptFor('r1'), later: await promptFor('r2') };
}
const text = (words: string) => ({ type: 'text', text: words });

test('WS-3 the text of a message is followed by a line for each file, and a short text is shown with it', async () => {
  const workspace = await world.workspace();
  const short = await attached(workspace, 'a.md', 'hello');
  const long = await attached(workspace, 'b.md', 'x'.repeat(16 * 1024 + 1));
  const binary = await attached(workspace, 'c.bin', Buffer.from([0, 1, 2]), 'application/octet-stream');
  const { own, later } = await shown([short, long, binary]);
  expect(own.content).toEqual([
    text('look'),
    text(
      '[Attached: /a.md, version 1, 5 B. Its text:]\nhello\n[End of /a.md]\n' +
        '[Attached: /b.md, version 1, 16.0 KiB]\n[Attached: /c.bin, version 1, 3 B]',
    ),
  ]);
  expect(later.content).toEqual([
    text('look'),
    text(
      '[Attached: /a.md, version 1, 5 B]\n[Attached: /b.md, version 1, 16.0 KiB]\n[Attached: /c.bin, version 1, 3 B]',
    ),
  ]);
});

test('WS-3 a message shows what its files said when it was sent', async () => {
  const workspace = await world.workspace();
  const file = await attached(workspace, 'a.md', 'before');
  await world.write(workspace, 'a.md', 'after');
  expect(JSON.stringify((await shown([file])).own.content)).toContain('before');
});

test('WS-3 of many short texts, as many are shown as fit', async () => {
  const workspace = await world.workspace();
  const files = [];
  for (let n = 0; n < 6; n += 1)
    files.push(await attached(workspace, `${n}.txt`, `${n}`.repeat(15 * 1024), 'text/plain'));
  const told = JSON.stringify((await shown(files)).own.content);
  expect(told.match(/Its text:/g)).toHaveLength(4);
  expect(told.match(/\[Attached: /g)).toHaveLength(6);
});

test('WS-3 an attached image is shown to models that see, also in later runs; one that is too large is named', async () => {
  const workspace = await world.workspace();
  const image = await attached(workspace, 'a.png', PNG, 'image/png');
  const large = { ...image, path: '/big.png', size: 6 * 2 ** 20 };
  const { own, later } = await shown([image, large]);
  for (const { content, tokens } of [own, later]) {
    expect(content).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
      text('look'),
      text('[Attached: /a.png, version 1, 70 B]\n[Attached: /big.png, version 1, 6.0 MiB]'),
    ]);
    expect(tokens).toBeGreaterThan(1500);
    expect(tokens).toBeLessThan(2000);
  }
});

test('WS-3 an attached PDF is shown like an image, and counts by its size; an SVG is shown as the text that it is', async () => {
  const workspace = await world.workspace();
  const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(200 * 1024)]);
  const pdf = await attached(workspace, 'a.pdf', bytes, 'application/pdf');
  const svg = await attached(workspace, 'a.svg', '<svg/>', 'image/svg+xml');
  const { own } = await shown([pdf, svg], 'look', /^image\/|^application\/pdf$/);
  expect(own.content).toEqual([
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: bytes } },
    text('look'),
    text(
      '[Attached: /a.pdf, version 1, 200.0 KiB]\n[Attached: /a.svg, version 1, 6 B. Its text:]\n<svg/>\n[End of /a.svg]',
    ),
  ]);
  expect(own.tokens).toBeGreaterThan(6000);
});

test('WS-3 of many images the latest are shown', async () => {
  const workspace = await world.workspace();
  const image = await attached(workspace, 'a.png', PNG, 'image/png');
  const { own } = await shown(Array.from({ length: 12 }, (_, n) => ({ ...image, path: `/${n}.png` })));
  expect((own.content as { type: string }[]).filter(({ type }) => type === 'file')).toHaveLength(10);
});

test('WS-3 a message without files is as it was', async () => {
  const { own } = await shown([], 'just words');
  expect(own.content).toEqual([text('just words')]);
});
