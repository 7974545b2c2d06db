// The desk in a browser: the trash, folders, uploads, names edited in place, and the preview of Markdown.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

describe.skipIf(chromiumPath === null)(`the desk in a browser${WITHOUT}`, () => {
  const world = useConsole();
  const api = (path: string) => `${world.url}/api/v1/workspaces/default${path}`;
  const write = async (path: string, content: string) => {
    expect((await fetch(api(`/files${path}`), { method: 'PUT', body: content })).ok).toBe(true);
  };
  const status = async (path: string) => (await fetch(api(`/files${path}`))).status;
  const isThere = (path: string) => until(`${path} is there`, async () => (await status(path)) === 200);
  const row = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true });

  test('PLUS-5 by keyboard a file is renamed in place, removed, and comes back with Undo and from the trash', async () => {
    await write('/keys/one.md', 'one');
    await write('/keys/two.md', 'two');
    const page = await world.open('/files/keys/one.md');
    await row(page, 'one.md').focus();
    await page.keyboard.press('F2');
    const field = page.getByRole('textbox', { name: 'New name of one.md' });
    await field.fill('two.md');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText('has changed')
      .or(page.getByRole('alert').getByText('two.md'))
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill('three.md');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/files\/keys\/three\.md$/);
    await row(page, 'three.md').focus();
    await page.keyboard.press('Delete');
    const sure = page.getByRole('alertdialog', { name: 'Remove /keys/three.md?' });
    await sure.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed /keys/three.md.').waitFor();
    expect(await status('/keys/three.md')).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await isThere('/keys/three.md');
    await row(page, 'three.md').focus();
    await page.keyboard.press('Delete');
    await sure.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed /keys/three.md.').waitFor();
    await page.getByRole('button', { name: 'More actions for files' }).click();
    await page.getByRole('menuitem', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Trash' }).waitFor();
    await page.getByRole('button', { name: 'Restore /keys/three.md' }).click();
    await page.getByText('/keys/three.md is restored.').waitFor();
    await isThere('/keys/three.md');
  });

  test('PLUS-5 a folder is made, filled by drop and by paste, moved by drag, and removed with what is in it', async () => {
    await write('/other/x.md', 'x');
    const page = await world.open('/files');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Path').fill('/inbox');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    const give = (kind: 'drop' | 'paste', name: string) =>
      page.getByRole('region', { name: 'Contents' }).evaluate(
        (target, [type, file]) => {
          const data = new DataTransfer();
          data.items.add(new File(['dropped'], file));
          const init = { bubbles: true, cancelable: true };
          target.dispatchEvent(
            type === 'drop'
              ? new DragEvent('drop', { ...init, dataTransfer: data })
              : new ClipboardEvent('paste', { ...init, clipboardData: data }),
          );
        },
        [kind, name] as const,
      );
    // What is in the folder may be known before it is known that the path is a folder.
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route(/\/versions\?/, async (route) => {
      await held;
      await route.fallback();
    });
    await give('drop', 'a.txt');
    await page.getByText('1 file uploaded to /inbox.').waitFor();
    await page.getByRole('table').getByRole('link', { name: 'a.txt' }).waitFor();
    await give('paste', 'a.txt');
    go();
    await isThere('/inbox/a%20(2).txt');
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('table').getByRole('link', { name: 'a (2).txt' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await row(page, 'inbox').dragTo(row(page, 'other'));
    await isThere('/other/inbox/a.txt');
    await page.waitForURL(/\/files\/other\/inbox$/);
    // Until the page shows the folder at its new place, only the tree has such a button, of the old one.
    await page.getByTitle('/other/inbox', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'File', exact: true })
      .getByRole('button', { name: 'Actions for inbox' })
      .click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page
      .getByRole('alertdialog', { name: 'Remove /other/inbox?' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await page.getByText('Removed /other/inbox.').waitFor();
    await write('/other/inbox/a.txt', 'another');
    await page.goto(`${world.url}/trash`);
    await page.getByText('2 files were removed together, from /other/inbox').waitFor();
    await page.getByRole('button', { name: 'Restore all 2' }).click();
    await page.getByText('/other/inbox/a (2).txt is restored.').waitFor();
    await page.getByText('/other/inbox/a.txt is another file now').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('PLUS-5 a Markdown file is read as it is written, with unsaved changes', async () => {
    await write('/read.md', '---\ntitle: Today\n---\n# Beans\n\n- [x] sown\n');
    const page = await world.open('/files/read.md');
    await page.getByRole('textbox', { name: 'Text of /read.md' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('And *watered*.');
    await page.getByRole('link', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Beans' }).waitFor();
    await preview.getByText('watered').waitFor();
    expect(await preview.getByRole('region', { name: 'Front matter' }).innerText()).toBe('title: Today');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Edit the text' }).click();
    await page.getByRole('textbox', { name: 'Text of /read.md' }).waitFor();
  });

  test('ONT-3 a removed project is restored from the trash, which names the files that stay removed', async () => {
    const { project } = (await ask('POST', api('/projects'), { name: 'Party' })).body;
    await write('/projects/party/list.md', 'one');
    await ask('DELETE', api(`/projects/${project.id}`));
    await write('/projects/party/list.md', 'another');
    const page = await world.open('/projects', { profile: { colorScheme: 'dark', ...NARROW } });
    await page.getByRole('link', { name: 'trash', exact: true }).click();
    await page.getByRole('button', { name: 'Restore Party' }).click();
    await page.getByText('The project Party is restored.').waitFor();
    await page.getByText('/projects/party/list.md is another file now').waitFor();
    await page.getByText('No removed projects.').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    ).toBe(true);
  });

  test('ONT-1 a removed task is restored from the trash, where kinds without removed entities are not listed', async () => {
    const { project } = (await ask('POST', api('/projects'), { name: 'Chairs' })).body;
    const task = (await ask('POST', api('/tasks'), { project_id: project.id, title: 'Rent chairs' })).body;
    await ask('DELETE', api(`/tasks/${task.id}`));
    const page = await world.open('/trash', { profile: NARROW });
    const tasks = page.getByRole('region', { name: 'Removed tasks' });
    await tasks.getByRole('link', { name: 'Rent chairs' }).waitFor();
    expect(await page.getByRole('region', { name: 'Removed goals' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await tasks.getByRole('button', { name: 'Restore Rent chairs' }).click();
    await page.getByText('The task Rent chairs is restored.').waitFor();
    await tasks.waitFor({ state: 'detached' });
    expect((await ask('GET', api(`/tasks/${task.id}`))).status).toBe(200);
  });
});
