// Accessibility checks.

import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The violations that axe finds, by WCAG 2.2 A and AA and its best practices. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated from outside: the page's CSP allows no other script.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
