// Plans in a real browser: stages and steps, live progress, problems with their lines, approval, retry and skip.

import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const TEXT = `---
plan: party
goal: Have a garden party
constraints:
  - Spend at most 200
---

## Prepare (parallel)

- [ ] Rent chairs {#chairs}
  - intent: create
  - executor: tooling
- [ ] Write the invitations {#invitations}
  - intent: draft
  - executor: writer
  - tools: write
  - inputs: chairs
  - outputs: /content/invitation.md

## Celebrate (sequence)

- [x] Welcome the guests {#welcome}
`;

describe.skipIf(chromiumPath === null)(`plans in the console${WITHOUT}`, () => {
  const world = useConsole();
  const write = async (text: string): Promise<string> => {
    const address = `${world.url}/api/v1/workspaces/default/files/plans/party.plan`;
    const response = await fetch(address, { method: 'PUT', body: text });
    return ((await response.json()) as { id: string }).id;
  };

  test('PLAN-4 PLAN-6 a plan shows its stages, progress and problems live, and is approved, retried and skipped', async () => {
    const id = await write(TEXT.replace('inputs: chairs', 'inputs: sofas'));
    const page = await world.open('/plans');
    await page.getByRole('link', { name: /Have a garden party/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Have a garden party' }).waitFor();
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByText('Line 17:13').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await write(TEXT);
    await problems.waitFor({ state: 'detached' });
    await page.getByText('1 of 3 steps done').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Version 2 approved').waitFor();
    await page.getByRole('button', { name: 'Skip: Rent chairs' }).click();
    await page.getByText('1 of 3 steps done · 1 skipped').waitFor();
    await page.getByRole('button', { name: 'Do again: Welcome the guests' }).click();
    await page.getByText('0 of 3 steps done · 1 skipped').waitFor();
    await write(
      TEXT.replace('[ ] Write', '[x] Write').replace('[ ] Rent', '[-] Rent').replace('[x] Wel', '[ ] Wel'),
    );
    await page.getByText('1 of 3 steps done · 1 skipped').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
    const folder = process.env.CONTINUO_PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/plan-light.png` });
    for (const [name, how] of [
      ['dark', { colorScheme: 'dark' as const }],
      ['narrow', NARROW],
    ] as const) {
      const other = await world.open(`/plans/${id}`, { profile: how });
      await other.getByText('1 of 3 steps done').waitFor();
      expect(await violations(other)).toEqual([]);
      if (folder) await other.screenshot({ path: `${folder}/plan-${name}.png` });
    }
  });

  test('PLAN-2 the graph of a plan shows what waits for what, and a step of it leads to the checklist', async () => {
    const id = await write(`${TEXT.trimEnd()}
- [ ] Say a few words about the neighbours and the weather, and thank those who have brought a cake {#speech}
  - inputs: invitations
`);
    for (const [name, how] of [
      ['light', {}],
      ['dark', { colorScheme: 'dark' as const }],
      ['narrow', NARROW],
    ] as const) {
      const page = await world.open(`/plans/${id}`, { profile: how });
      await page.getByRole('tab', { name: 'Graph' }).click();
      const graph = page.getByRole('region', { name: 'Graph of the plan' });
      await graph.getByRole('button', { name: /Say a few words/ }).waitFor();
      expect(await graph.getByRole('button').count()).toBe(4);
      expect(await violations(page)).toEqual([]);
      const folder = process.env.CONTINUO_PICTURES;
      if (folder) await page.screenshot({ path: `${folder}/graph-${name}.png` });
      if (name !== 'light') continue;
      // The address keeps the view.
      await page.reload();
      await graph.getByRole('button', { name: /Welcome the guests/ }).press('Enter');
      await page.getByRole('tab', { name: 'Checklist', selected: true }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('step-welcome');
    }
  });
});
