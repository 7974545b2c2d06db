// The context inspector: what a model was sent, from an answer of a chat to the parts of the request.

import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { openScript, sayScript } from '../support/chats.ts';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`the context inspector in a browser${WITHOUT}`, () => {
  const world = useConsole();

  test('PLUS-8 an answer leads to what the model saw, part by part, compared with another call', async () => {
    const write = { calls: [{ tool: 'write', input: { path: '/a.md', content: 'One line.\n' } }] };
    const { chat } = await openScript(world.url, 'Inspected', [write, { text: 'Written.' }]);
    const page = await world.open(`/chats/${chat}`);
    const answer = page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Written.' });
    await answer.hover();
    await answer.getByRole('link', { name: 'What the model saw' }).click();
    await page.getByRole('tab', { name: 'Context', selected: true }).waitFor();
    await page.getByText('Exactly what was sent').waitFor();
    const call = page.getByRole('combobox', { name: 'Call' });
    expect(await call.inputValue()).toBe('m2.1');
    expect(await violations(page)).toEqual([]);

    const result = page.getByRole('listitem').filter({ hasText: 'Result of write' });
    await result.getByText('Result of write').click();
    await result.getByLabel('Result of write').getByText('/a.md').first().waitFor();
    await page.getByText('Nothing was left out.').waitFor();

    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Call 1');
    const changed = page.getByRole('list', { name: 'Changed parts' });
    await changed.getByText('Result of write').waitFor();
    expect(await changed.getByRole('listitem').count()).toBe(2);
    await page.reload();
    await changed.getByText('Result of write').waitFor();
    expect(await violations(page)).toEqual([]);

    await sayScript(world.url, chat, [{ text: 'Next.' }]);
    const narrow = await world.open(`/chats/${chat}`, { profile: NARROW });
    const next = narrow.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Next.' });
    await next.getByRole('link', { name: 'What the model saw' }).click();
    await narrow.getByRole('combobox', { name: 'Compare with' }).selectOption('The turn before');
    await narrow.getByRole('list', { name: 'Changed parts' }).getByText('New').first().waitFor();
    expect(await violations(narrow)).toEqual([]);
    const wide = await narrow.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
  });
});
