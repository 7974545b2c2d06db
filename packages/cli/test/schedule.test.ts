// Schedules from a shell.

import { expect, test, vi } from 'vitest';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const world = usePod();
const schedule = (...args: string[]) =>
  continuo(['schedule', ...args, '--url', world.url], { env: { NO_COLOR: '1', TZ: 'Europe/Berlin' } });
const SHORT = JSON.stringify({ steps: [{ text: 'Done.' }] });

test('PLUS-10 a schedule is added, shown, paused, resumed, run and removed by its name', async () => {
  expect(await schedule('list')).toMatchObject({ code: 0, stdout: '' });
  const added = await schedule('add', 'Morning', '0 9 * * MON-FRI', SHORT, '--cost', '0.5', '--run-missed');
  expect(added.stdout).toMatch(/^Morning is added; it starts 20\d\d-/);
  expect((await schedule('list')).stdout).toMatch(/Morning +0 9 \* \* MON-FRI +Europe\/Berlin +20\d\d-/);
  expect(await schedule('pause', 'Morning')).toMatchObject({ code: 0, stdout: 'Morning is paused\n' });
  expect((await schedule('resume', 'Morning')).stdout).toMatch(/^Morning continues 20\d\d-/);
  expect((await schedule('run', 'Morning')).stdout).toMatch(/^Morning has started the run [0-9a-f-]{36}\n$/);
  const { stdout } = await schedule('show', 'Morning');
  expect(stdout).toContain('Missed times: one run for all. While a run is open: skipped.');
  expect(stdout.match(/^next {2}20/gm)).toHaveLength(5);
  expect(stdout).toMatch(/started by hand +[0-9a-f-]{36}/);
  const shown = JSON.parse((await schedule('show', 'Morning', '--json')).stdout);
  expect(shown).toMatchObject({ limits: { cost: 0.5 }, time_zone: 'Europe/Berlin' });
  expect((await schedule('remove', shown.id)).stdout).toBe('Morning is removed\n');
  expect(await schedule('show', 'Morning')).toMatchObject({ code: 4 });
  const wrong = await schedule('add', 'Wrong', 'often', 'Hi.');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('write five fields') });
});
