// The programs in docs/clients.md do what it says.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { UIMessage } from 'ai';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { PlainChat, shown } from './chat-client.ts';

const here = dirname(fileURLToPath(import.meta.url));
const world = usePod();
// The default: external effects are asked for.
beforeAll(async () => void (await world.database.pool.query('update workspaces set policy = null')));
vi.stubEnv('CONTINUO_PERSON_TOKEN', PERSON_TOKEN);

const asking = JSON.stringify({
  steps: [{ text: 'May I?', calls: [{ tool: 'external', input: { note: 'x' } }] }, { text: 'Thank you.' }],
});

/** One of the manual's programs, as a file that talks to this server. */
async function program(index: number, change: (text: string) => string = (text) => text): Promise<string> {
  const manual = await readFile(join(here, '../../../../docs/clients.md'), 'utf8');
  const programs = [...manual.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1]!);
  expect(programs).toHaveLength(2);
  const folder = await mkdtemp(join(here, '.tmp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.ts');
  await writeFile(file, change(programs[index]!.replace('http://127.0.0.1:4400', world.url)));
  return file;
}

test('PLUS-1 the AI SDK’s chat with the manual’s options', async () => {
  const { continuo, live } = (await import(pathToFileURL(await program(0)).href)) as {
    continuo: ConstructorParameters<typeof PlainChat>[0];
    live: (message: UIMessage) => UIMessage['parts'];
  };
  const chat = new PlainChat({ id: 'manual', ...continuo });
  await chat.sendMessage({ text: asking });
  const part = chat.lastMessage!.parts.find(({ type }) => type === 'dynamic-tool');
  if (part?.type !== 'dynamic-tool' || part.state !== 'approval-requested')
    throw new Error('nothing was asked');
  const finished = chat.becomes('ready');
  await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
  await finished;
  expect(shown(chat.lastMessage).at(-1)).toEqual(['text', 'Thank you.']);
  const superseded: UIMessage = {
    id: 'x',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'one' },
      { type: 'step-start' },
      { type: 'text', text: 'tw' },
      { type: 'data-superseded', data: {} },
      { type: 'step-start' },
      { type: 'text', text: 'two' },
    ],
  };
  expect(live(superseded).flatMap((each) => (each.type === 'text' ? [each.text] : []))).toEqual([
    'one',
    'two',
  ]);
});

test('PLUS-1 the manual’s AG-UI agent', async () => {
  const file = await program(1, (text) => text.replace("'Hello'", JSON.stringify(asking)));
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout).toBe('Thank you. done\n');
});
