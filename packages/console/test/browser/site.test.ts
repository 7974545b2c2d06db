// The examples of content: a campaign on a server that is killed on the way, and a site of another origin that shows its pages.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, PERSON_TOKEN, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { useConsole } from '../support/console.ts';

// A dozen runs, one after the other, with a restart in between.
vi.setConfig({ testTimeout: 180_000 });

const TOPIC = 'Tea for beginners';

/** Starts a program of the examples. */
function play(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const path = fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  const said = { output: '' };
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (said.output += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { ended, said, says: (words: string) => until(words, () => said.output.includes(words)) };
}

describe.skipIf(chromiumPath === null)(`the examples of content${WITHOUT}`, () => {
  const world = useConsole();

  test('WS-17 a topic becomes three published pages although the server is killed, and a plain site shows them', async () => {
    const campaign = () =>
      play('content-campaign/campaign.ts', [TOPIC], {
        CONTINUO_URL: world.url,
        CONTINUO_PERSON_TOKEN: PERSON_TOKEN,
      });
    const first = campaign();
    await first.says('approved the plan: ');
    world.pod.kill('SIGKILL');
    await world.startAgain();
    expect([await first.ended, first.said.output]).toEqual([
      0,
      expect.stringMatching(
        /done: Research[^]*done: Writing[^]*done: Editing[^]*done: Review[^]*done: Publishing/,
      ),
    ]);
    const titles = [TOPIC, `${TOPIC}: first steps`, `${TOPIC}: what goes wrong`];
    for (const title of titles)
      expect(first.said.output).toMatch(new RegExp(`live: articles/[a-z-]+: ${title}\\n`));
    // Started again, it finds its own campaign.
    const second = campaign();
    expect(await second.ended).toBe(0);
    const chatIn = (text: string) => /^chat (\S+)$/m.exec(text)![1];
    expect(chatIn(second.said.output)).toBe(chatIn(first.said.output));
    expect(second.said.output).not.toContain('approved');

    const at = (path: string) => `${world.url}/api/v1/workspaces/default/${path}`;
    const { key } = (await ask('POST', at('read-keys'), { name: 'Site' })).body as { key: string };
    const server = play('site/serve.ts', ['0']);
    await server.says('http://');
    const site = server.said.output.trim();
    const page = await world.open(`?api=${world.url}&key=${key}`, { base: site, person: false });
    await page.getByRole('link', { name: TOPIC, exact: true }).waitFor();
    expect(await page.getByRole('listitem').getByRole('link').allInnerTexts()).toEqual(
      expect.arrayContaining(titles),
    );
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: TOPIC, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: TOPIC }).waitFor();
    await page.getByText('no language model is connected').waitFor();
    const folder = process.env.CONTINUO_PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/site.png`, fullPage: true });
    // A link from one piece to another.
    await page.getByRole('link', { name: `${TOPIC}: what goes wrong` }).click();
    await page.getByRole('heading', { level: 1, name: `${TOPIC}: what goes wrong` }).waitFor();
    await ask('POST', at('content/articles/tea-for-beginners-mistakes/unpublish'));
    await page.reload();
    await page.getByText('There is no such page.').waitFor();
  });
});
