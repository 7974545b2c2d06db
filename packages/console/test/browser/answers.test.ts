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
      await chatWith([
        {
          text: `${table}\n\n- [x] done\n- [ ] open\n  - [ ] within\n\nשלום עולם\n\n- שלום\n\nHello\n\n${table}`,
        },
      ]),
      { profile: NARROW },
    );
    const cell = page.getByRole('cell', { name: columns[0]! });
    await cell.first().waitFor();
    const line = await cell
      .first()
      .evaluate((element) => Number.parseFloat(getComputedStyle(element).lineHeight));
    expect((await cell.first().boundingBox())!.height).toBeLessThan(2 * line);
    const region = page.getByRole('group', { name: 'Table' }).first();
    expect(await region.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
    const style = (name: string) =>
      page
        .locator(name)
        .first()
        .evaluate((element) => getComputedStyle(element).listStyleType);
    expect(await style('.task-list-item')).toBe('none');
    const left = (task: string) =>
      page
        .getByRole('listitem')
        .filter({ hasText: task })
        .last()
        .getByRole('checkbox')
        .first()
        .evaluate((box) => box.getBoundingClientRect().left);
    expect(await left('within')).toBeGreaterThan((await left('done')) + 10);
    const directions = await page
      .locator('.prose section')
      .evaluateAll((all) => all.map((each) => [each.textContent?.trim(), getComputedStyle(each).direction]));
    expect(directions).toContainEqual(['שלום עולם', 'rtl']);
    expect(directions).toContainEqual(['Hello', 'ltr']);
    expect(await violations(page)).toEqual([]);
  });

  const DIAGRAM = ['flowchart TD', '  A[Start] --> B{Ready?}', '  B -->|yes| C["<script>alert(1)</script>"]'];
  const RICH = [
    '```ts\nconst answer: number = 42; // why\n```',
    'So $e^{i\\pi} = -1$ for $5 and $6.',
    '$$\n\\frac{1}{2}\\href{https://example.org}{x}\n$$',
    `\`\`\`mermaid\n${DIAGRAM.join('\n')}\n\`\`\``,
    '```mermaid\nsequenceDiagram\n  A->>B: hello\n```',
    '```mermaid\npie title Pets\n  "Dogs" : 3\n```',
  ].join('\n\n');

  test('PLUS-5 code has colours, formulas are typeset, diagrams are images; nothing is loaded from elsewhere', async () => {
    const page = await world.open('/', { profile: { ...NARROW, colorScheme: 'dark' } });
    const asked: string[] = [];
    // The page's policy does not let it read its own images back.
    await page.addInitScript(() => {
      const create = URL.createObjectURL.bind(URL);
      const made: Promise<string>[] = [];
      Object.assign(window, { made });
      URL.createObjectURL = (blob: Blob) => {
        made.push(blob.text());
        return create(blob);
      };
    });
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(world.url + (await chatWith([{ text: RICH }])));
    await page.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    expect(await page.locator('.hljs-comment').innerText()).toBe('// why');
    await page.locator('.katex-display').waitFor();
    expect(await page.locator('.katex').count()).toBe(2);
    expect(await page.locator('.katex a').count()).toBe(0);
    await page.getByRole('article', { name: 'Answer' }).getByText('for $5 and $6.').waitFor();
    const image = page.getByRole('img', { name: 'Diagram: flowchart TD' });
    await image.waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('img[alt^=Diagram]')!.naturalWidth > 0,
    );
    const svg = await page.evaluate(() => (window as never as { made: Promise<string>[] }).made[0]);
    expect(svg).toContain('&lt;script&gt;');
    expect(svg).not.toContain('<script');
    expect(svg).not.toContain('@import');
    await page.getByText('Shown as text: only flowcharts').waitFor();
    await page.getByRole('img', { name: 'Diagram: sequenceDiagram' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Source' }).first().press('Enter');
    await page.getByText('A[Start] --> B{Ready?}').last().waitFor();
    expect(asked.filter((url) => !url.startsWith(world.url) && !url.startsWith('blob:'))).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  test('PLUS-5 a diagram follows the theme; a chat without code, formulas and diagrams loads none of their modules', async () => {
    const plain = await world.open(await chatWith([{ text: 'Only words, for $5.' }]));
    await plain.getByText('Only words, for $5.', { exact: true }).waitFor();
    const loaded = await plain.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    expect(loaded.filter((name) => /katex|colors-/i.test(name))).toEqual([]);
    const page = await world.open(await chatWith([{ text: RICH }]), { profile: { colorScheme: 'light' } });
    const image = page.getByRole('img', { name: 'Diagram: flowchart TD' });
    const light = await image.getAttribute('src');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(
      (before) => document.querySelector<HTMLImageElement>('img[alt^=Diagram]')!.src !== before,
      light,
    );
  });
});
