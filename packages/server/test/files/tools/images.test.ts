// Images in the workspace: read refers to them, and models that see are shown their bytes.

import { expect, test } from 'vitest';
import { aiSdkPrompt } from '../../../src/models/ai-sdk/history.ts';
import { EMPTY, foldAll } from '../../../src/threads/fold.ts';
import { shownHistory } from '../../../src/context/history.ts';
import { withImages } from '../../../src/context/attachments.ts';
import { said, useTools } from './support.ts';

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

test('WS-20 an image is in the log by id and version, and in the prompt by its bytes, in this run only', async () => {
  const workspace = await world.workspace();
  const thread = await world.threadIn(workspace);
  const file = await world.write(workspace, 'a.png', PNG);
  const { ends, runId, events } = await world.calls(thread, { tool: 'read', input: { path: 'a.png' } });
  expect(said(ends[0])).toBe('/a.png, version 1: an image (image/png, 70 B)');
  expect(ends[0]!.images).toEqual([{ file: file.id, v: 1, media_type: 'image/png' }]);
  expect(JSON.stringify(events).length).toBeLessThan(10_000);

  const { history } = foldAll(EMPTY, await world.log(thread));
  const promptFor = async (run: string) => {
    const shown = shownHistory((await withImages(world.pool, history, run)).history, {
      runId: run,
      summaryLines: 5,
      budget: null,
    });
    return aiSdkPrompt({ system: '', history: shown.messages, dialect });
  };
  const files = (await promptFor(runId)).flatMap((message) =>
    message.role === 'user' ? message.content.filter((part) => part.type === 'file') : [],
  );
  expect(files).toEqual([{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } }]);
  expect(JSON.stringify(await promptFor(thread))).not.toContain('"file"');
});

test('WS-20 a file that is too large or is not an image is not shown to the model', async () => {
  const workspace = await world.workspace();
  const thread = await world.threadIn(workspace);
  await world.write(
    workspace,
    'big.jpg',
    Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(5 * 2 ** 20)]),
  );
  await world.write(workspace, 'a.png', Buffer.alloc(10));
  const { ends } = await world.calls(
    thread,
    { tool: 'read', input: { path: 'big.jpg' } },
    { tool: 'read', input: { path: 'a.png' } },
  );
  expect(ends.map(said)).toEqual([
    '/big.jpg is an image of more than 5.0 MiB (5.0 MiB); it cannot be shown here',
    '/a.png is not text (10 B); it cannot be shown here',
  ]);
  expect(ends.every(({ images }) => images === undefined)).toBe(true);
});
