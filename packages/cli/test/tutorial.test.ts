// The tutorial runs as it is written, offline: each block of commands says what the page shows below it.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { usePod } from '@continuo/testkit/fixtures';
import { BIN, environment } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const world = usePod({ CONTINUO_MODEL: 'offline/demo' });
const folder = mkdtempSync(join(tmpdir(), 'continuo-tutorial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PAGE = readFileSync(
  new URL('../../../docs/tutorials/a-project-in-ten-minutes.md', import.meta.url),
  'utf8',
);
/** The commands, and what they print; the pod stands for `npm start`. */
const BLOCKS = [...PAGE.matchAll(/```sh\n([^]*?)```(?:\n\n```\n([^]*?)```)?/g)]
  .map(([, commands, output]) => ({ commands: commands!.trim(), output }))
  .filter(({ commands }) => commands !== 'npm start');

function paste(commands: string): Promise<string> {
  const script = commands.replaceAll('npx continuo ', `'${process.execPath}' '${BIN}' `);
  const child = spawn('sh', ['-c', script], {
    cwd: folder,
    env: environment({ CONTINUO_URL: world.url, NO_COLOR: '1' }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.once('close', () => resolve(output)));
}

test('ONT-1 the tutorial on projects runs as written, offline', async () => {
  expect(BLOCKS.length).toBeGreaterThan(10);
  for (const { commands, output } of BLOCKS) {
    const said = await paste(commands);
    const wanted = output ?? '';
    // An ellipsis stands for anything.
    if (wanted.includes('…')) {
      for (const part of wanted.trim().split('…'))
        expect({ commands, said }).toEqual({ commands, said: expect.stringContaining(part) });
      continue;
    }
    expect({ commands, said }).toEqual({ commands, said: wanted });
  }
});
