// How answers and tool calls are shown.

import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { ended, openScript } from '../support/chats.ts';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 844 } };

describe.skipIf(chromiumPath === null)(`answers and calls in a browser${WITHOUT}`, () => {
  const world = useConsole();

  const chatWith = async (steps: readonly object[]): Promise<string> => {
    const { chat, run } = await openScript(world.url, 'Scripted', steps);
    await ended(world.url, run);
    return `/chats/${chat}`;
  };

  test('many calls in a row are one group that unfolds, and a failed one is counted', async () => {
    const writes = [1, 2, 3, 4].map((each) => ({
      tool: 'write',
      input: { path: `/group/${each}.md`, content: 'text' },
    }));
    const page = await world.open(
      await chatWith([
        { calls: writes.slice(0, 2) },
        { calls: [...writes.slice(2), { tool: 'read', input: { path: '/none.md' } }] },
        { text: 'All are written.' },
      ]),
    );
    const group = page.locator('summary', { hasText: '5 tool calls' });
    await group.waitFor();
    expect(await group.innerText()).toContain('1 failed');
    expect(await page.getByText('Writes /group/1.md').count()).toBe(0);
    await group.press('Enter');
    await page.getByText('Writes /group/1.md').waitFor();
    expect(await page.locator('summary').count()).toBe(6);
    expect(await violations(page)).toEqual([]);
  });

  test('a call that waits for approval stays visible beside a folded group', async () => {
    const { chat } = await openScript(world.url, 'Asks', [
      {
        calls: [1, 2, 3].map((each) => ({
          tool: 'write',
          input: { path: `/asks/${each}.md`, content: 'text' },
        })),
      },
      { calls: [{ tool: 'remove', input: { path: '/asks/1.md' } }] },
      { text: 'Removed.' },
    ]);
    const page = await world.open(`/chats/${chat}`);
    await page.locator('summary', { hasText: '4 tool calls' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Removed.', { exact: true }).waitFor();
    expect(await page.getByRole('group', { name: 'Approval of remove' }).count()).toBe(0);
  });

  test('a card of write or edit shows a diff instead of JSON, and its path once', async () => {
    const page = await world.open(
      await chatWith([
        { calls: [{ tool: 'write', input: { path: '/diff.md', content: 'one\ntwo\n' } }] },
        {
          calls: [
            { tool: 'edit', input: { path: '/diff.md', edits: [{ old_text: 'two', new_text: 'three' }] } },
          ],
        },
        { text: 'Edited.' },
      ]),
    );
    const card = page.locator('summary', { hasText: 'Edits /diff.md' });
    await card.click();
    const diff = page.getByLabel('Proposed changes');
    await diff.waitFor();
    // One line per line of the file: a newline at its end is not another line.
    expect((await diff.locator('.cm-line').allInnerTexts()).map((line) => line.trim())).toEqual([
      'one',
      'three',
    ]);
    expect(await diff.locator('.cm-deletedChunk').innerText()).toContain('two');
    const shown = await card.innerText();
    expect(shown.split('/diff.md')).toHaveLength(2);
    expect(shown).not.toContain('old_text');
    await page.getByRole('link', { name: 'v2 of /diff.md' }).click();
    await page.waitForURL(/\/files\/diff\.md/);
  });

  test('a message that has only calls leaves no empty row', async () => {
    const page = await world.open(
      await chatWith([{ calls: [{ tool: 'ls', input: {} }] }, { text: 'Listed.' }]),
    );
    await page.getByText('Listed.', { exact: true }).waitFor();
    const heights = await page
      .locator('[data-row]')
      .evaluateAll((rows) => rows.map((row) => [row.textContent?.trim(), (row as HTMLElement).offsetHeight]));
    expect(heights.filter(([text, height]) => text === '' && Number(height) > 0)).toEqual([]);
  });

  test('a wide table scrolls and breaks no word; tasks have no bullets; right-to-left text starts at the right', async () => {
    const columns = ['Internationalization', 'Responsibilities', 'Characteristically', 'Incomprehensibility'];
    const table = `| ${columns.join(' | ')} |\n|${'---|'.repeat(4)}\n| ${columns.join(' | ')} |`;
    const page = await world.open(
      await chatWith([{ text: `${table}\n\n- [x] done\n- [ ] open\n\nשלום עולם\n\n- שלום\n\nHello` }]),
      { profile: NARROW },
    );
    const cell = page.getByRole('cell', { name: columns[0]! });
    await cell.waitFor();
    const line = await cell.evaluate((element) => Number.parseFloat(getComputedStyle(element).lineHeight));
    expect((await cell.boundingBox())!.height).toBeLessThan(2 * line);
    const region = page.getByRole('region', { name: 'Table' });
    expect(await region.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
    const style = (name: string) =>
      page
        .locator(name)
        .first()
        .evaluate((element) => getComputedStyle(element).listStyleType);
    expect(await style('.task-list-item')).toBe('none');
    const directions = await page
      .locator('.prose section')
      .evaluateAll((all) => all.map((each) => [each.textContent?.trim(), getComputedStyle(each).direction]));
    expect(directions).toContainEqual(['שלום עולם', 'rtl']);
    expect(directions).toContainEqual(['Hello', 'ltr']);
    expect(await violations(page)).toEqual([]);
  });
});
