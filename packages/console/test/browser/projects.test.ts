// Projects in a real browser: the map of documents, boards and tables, entities with links and history, all live.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { until } from '@continuo/testkit';
import { openScripted, useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

interface Entity {
  readonly id: string;
  readonly version: number;
  readonly [field: string]: unknown;
}

describe.skipIf(chromiumPath === null)(`projects in the console${WITHOUT}`, () => {
  const world = useConsole({ CONTINUO_TEST_KIND: 'decision' });

  const call = async <T = Entity>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${world.url}/api/v1/workspaces/default/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  };
  const newProject = async (name: string): Promise<string> =>
    (await call<{ project: Entity }>('POST', 'projects', { name, purpose: `About ${name}.` })).project.id;
  const newDocument = async (project: string, title: string, parent: string | null = null): Promise<string> =>
    (
      await call('POST', 'documents', {
        project_id: project,
        title,
        parent_id: parent,
        content: `${title}.\n`,
      })
    ).id;
  const newTask = (project: string, title: string, fields: object = {}) =>
    call('POST', 'tasks', { project_id: project, title, ...fields });

  const tree = (page: Page) => page.getByRole('tree', { name: 'Documents' });
  const item = (page: Page, title: string) => tree(page).getByRole('treeitem', { name: title, exact: true });
  /** The tree as the server has it: titles with their depth. */
  const outline = async (project: string): Promise<string[]> => {
    interface Node {
      readonly id: string;
      readonly children: readonly Node[];
    }
    const { root, documents } = await call<{ root: Node[]; documents: { id: string; title: string }[] }>(
      'GET',
      `projects/${project}/doc-structure?include=metadata`,
    );
    const titles = new Map(documents.map(({ id, title }) => [id, title]));
    const lines = (nodes: readonly Node[], depth: number): string[] =>
      nodes.flatMap(({ id, children }) => [`${depth} ${titles.get(id)}`, ...lines(children, depth + 1)]);
    return lines(root, 1);
  };
  const shownOutline = (page: Page) =>
    tree(page)
      .getByRole('treeitem')
      .evaluateAll((items) => items.map((each) => `${each.ariaLevel} ${each.ariaLabel}`));
  const shows = (page: Page, lines: readonly string[]) =>
    until(`the tree is ${lines.join(', ')}`, async () => (await shownOutline(page)).join() === lines.join());

  test('ONT-8 a project is created from a sentence, which becomes its context document', async () => {
    const page = await world.open('/');
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('No projects yet').waitFor();
    const sentence = 'A street party in June, for about 80 neighbours. With music.';
    await page.getByLabel('What is the new project about?').fill(sentence);
    expect(await page.getByLabel('Name').inputValue()).toBe('A street party in June');
    await page.getByLabel('Name').fill('Street party');
    await page.getByLabel(/^Goals/).fill('Everyone meets\n\nThe street is clean');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('heading', { level: 1, name: 'Street party' }).waitFor();
    await item(page, 'Context').click();
    await page
      .getByRole('textbox', { name: /^Text of/ })
      .getByText(sentence)
      .waitFor();
    await page.getByRole('link', { name: 'Goals' }).click();
    await page.getByRole('region', { name: 'Active, 2' }).getByText('The street is clean').waitFor();
    await page.getByRole('link', { name: 'Projects' }).first().click();
    await page.getByRole('list', { name: 'Projects' }).getByText(sentence).waitFor();
  });

  test('ONT-5 a document is dragged below another, before it, and back to the top level', async () => {
    const project = await newProject('Drag');
    for (const title of ['A', 'B', 'C']) await newDocument(project, title);
    const page = await world.open(`/projects/${project}`);
    await shows(page, ['1 Context', '1 A', '1 B', '1 C']);
    await item(page, 'C').dragTo(item(page, 'A'));
    await shows(page, ['1 Context', '1 A', '2 C', '1 B']);
    const { height } = (await item(page, 'C').boundingBox())!;
    await item(page, 'B').dragTo(item(page, 'C'), { targetPosition: { x: 60, y: 2 } });
    await shows(page, ['1 Context', '1 A', '2 B', '2 C']);
    await item(page, 'C').dragTo(item(page, 'Context'), { targetPosition: { x: 60, y: height - 2 } });
    const wanted = ['1 Context', '1 C', '1 A', '2 B'];
    await shows(page, wanted);
    expect(await outline(project)).toEqual(wanted);
    // A document cannot go below itself.
    await item(page, 'A').dragTo(item(page, 'B'));
    expect(await outline(project)).toEqual(wanted);
    const file = await fetch(`${world.url}/api/v1/workspaces/default/files/projects/drag/docs/A/B.md`);
    expect(file.status).toBe(200);
  });

  test('ONT-5 documents are moved, renamed, removed and restored by keyboard, and each move is announced', async () => {
    const project = await newProject('Keys');
    for (const title of ['A', 'B', 'C']) await newDocument(project, title);
    const page = await world.open(`/projects/${project}`);
    await item(page, 'Context').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await shows(page, ['1 Context', '1 C', '1 A', '1 B']);
    await page.getByText('Moved “C” to position 2 at the top level.').waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+ArrowRight');
    await shows(page, ['1 Context', '2 C', '1 A', '1 B']);
    await page.getByText('Moved “C” to position 1 below “Context”.').waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+ArrowLeft');
    await page.keyboard.press('Alt+ArrowDown');
    await shows(page, ['1 Context', '1 A', '1 C', '1 B']);
    expect(await outline(project)).toEqual(['1 Context', '1 A', '1 C', '1 B']);
    await until('the moved document has the focus', () =>
      item(page, 'C').evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByLabel('Title').fill('Café');
    await page.keyboard.press('Enter');
    await item(page, 'Café').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Actions for Café' }).press('Enter');
    await page.getByRole('menuitem', { name: 'New document below' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Title').fill('Child');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Child' }).waitFor();
    await item(page, 'Café').focus();
    await page.keyboard.press('ArrowLeft');
    await item(page, 'Child').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Delete');
    await page.getByText('Removed “Café” and the document below it.').waitFor();
    await shows(page, ['1 Context', '1 A', '1 B']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await item(page, 'Child').waitFor();
    expect((await outline(project)).toSorted()).toEqual(
      ['1 Context', '1 A', '1 Café', '2 Child', '1 B'].toSorted(),
    );
  });

  test('ONT-5 a document opens in the editor, stays open while it is moved and renamed, and has its history', async () => {
    const project = await newProject('Editor');
    const parent = await newDocument(project, 'Parent');
    const id = await newDocument(project, 'Notes');
    const page = await world.open(`/projects/${project}/documents/${id}`);
    const text = page.getByRole('textbox', { name: /^Text of/ });
    await text.getByText('Notes.').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Typed.');
    await call('POST', `documents/${id}/move`, { parent_id: parent, order: 0 });
    await page.getByRole('textbox', { name: 'Text of /projects/editor/docs/Parent/Notes.md' }).waitFor();
    await text.getByText('Typed.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('Not saved').waitFor({ state: 'detached' });
    await call('PATCH', `documents/${id}`, { title: 'Minutes', description: 'Of all meetings' });
    await page.getByRole('heading', { level: 1, name: 'Minutes' }).waitFor();
    await page.getByText('Of all meetings').first().waitFor();
    await page.getByRole('navigation', { name: 'Above' }).getByRole('link', { name: 'Parent' }).waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('navigation', { name: 'Versions' }).getByText('Version 1').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/projects/${project}/documents/${id}`);
    await page.getByRole('link', { name: 'Back to the text' }).first().click();
    await text.getByText('Typed.').waitFor();
  });

  test('ONT-1 a card goes to another state by drag and drop or from its list, and only where it may go', async () => {
    const project = await newProject('Board');
    const done = await newTask(project, 'Over', { state: 'done' });
    await newTask(project, 'Rent chairs', { priority: 'high' });
    const page = await world.open(`/projects/${project}/tasks`);
    const column = (name: string) => page.getByRole('region', { name });
    await column('Todo, 1').getByText('Priority: high').waitFor();
    await column('Todo, 1').getByRole('listitem').first().dragTo(column('Blocked, 0'));
    await column('Blocked, 1').getByText('Rent chairs').waitFor();
    await page.getByLabel('State of Rent chairs').selectOption('in_progress');
    await column('In progress, 1').getByText('Rent chairs').waitFor();
    expect(await page.getByLabel('State of Over').locator('option').allTextContents()).toEqual([
      'Done',
      'In progress',
    ]);
    await column('Done, 1').getByRole('listitem').first().dragTo(column('Blocked, 0'));
    expect((await call('GET', `tasks/${done.id}`)).state).toBe('done');
    await page.getByRole('link', { name: 'Table' }).click();
    const row = page.getByRole('row', { name: /Rent chairs/ });
    await row.getByText('high').waitFor();
    await row.getByLabel('State of Rent chairs').selectOption('done');
    await page.getByLabel('Show').selectOption('done');
    await page.getByRole('row', { name: /Over/ }).waitFor();
    await row.waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
  });

  test('ONT-1 a kind that is defined on the server has its board and its form, with no code of the console', async () => {
    const project = await newProject('Court');
    const page = await world.open(`/projects/${project}`);
    await page.getByRole('link', { name: 'Decisions' }).click();
    await page.getByRole('button', { name: 'New decision' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Title').fill('We use boats');
    await form.getByLabel('Weight').selectOption('heavy');
    await form.getByRole('button', { name: 'Create' }).click();
    const card = page.getByRole('region', { name: 'Proposed, 1' });
    await card.getByText('Weight: heavy').waitFor();
    await card.getByLabel('State of We use boats').selectOption('accepted');
    await page
      .getByRole('region', { name: 'Accepted, 1' })
      .getByRole('link', { name: 'We use boats' })
      .click();
    await page.getByLabel('Reason').fill('There is water.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { items } = await call<{ items: Entity[] }>('GET', `decisions?project_id=${project}`);
    expect(items).toMatchObject([{ state: 'accepted', weight: 'heavy', reason: 'There is water.' }]);
  });

  test('ONT-1 a search shows what it found with the words marked', async () => {
    const project = await newProject('Search');
    const id = await newDocument(project, 'Moon');
    const page = await world.open(`/projects/${project}`);
    // The answer of the search is that of a server; what it finds is not the console's.
    await page.route('**/search?*', (route) =>
      route.fulfill({
        json: {
          items: [
            {
              entity_type: 'document',
              entity_id: id,
              project_id: project,
              title: 'Moon',
              snippet: 'The moons of Mars, and our moon',
              score: 1,
              path: '/projects/search/docs/Moon.md',
            },
          ],
        },
      }),
    );
    await page.getByLabel('Search this project').fill('moon');
    const hits = page.getByRole('list', { name: 'Search results' });
    await hits.getByText('of Mars').waitFor();
    expect(await hits.locator('mark').allTextContents()).toEqual(['moons', 'moon']);
    await hits.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Moon' }).waitFor();
  });

  test('CHAT-4 what other clients and agents do appears at once: the tree, the board, the table and an entity', async () => {
    const project = await newProject('Live');
    const page = await world.open(`/projects/${project}/tasks`);
    const table = await world.open(`/projects/${project}/tasks?view=table`, { context: page.context() });
    await page.getByRole('region', { name: 'Todo, 0' }).waitFor();
    await table.getByText('No tasks here yet').waitFor();
    const streams: string[] = [];
    page.on('request', (request) => request.url().includes('/events?') && streams.push(request.url()));
    const task = await newTask(project, 'From elsewhere');
    await page.getByRole('region', { name: 'Todo, 1' }).getByText('From elsewhere').waitFor();
    await table.getByRole('row', { name: /From elsewhere/ }).waitFor();
    await call('PATCH', `tasks/${task.id}`, { state: 'done', title: 'Renamed' });
    await page.getByRole('region', { name: 'Done, 1' }).getByText('Renamed').waitFor();
    await call('DELETE', `tasks/${task.id}`);
    await page.getByRole('region', { name: 'Done, 0' }).waitFor();
    await table.getByText('No tasks here yet').waitFor();
    await call('POST', `tasks/${task.id}/restore`);
    await page.getByRole('region', { name: 'Done, 1' }).getByText('Renamed').waitFor();
    await table.getByRole('row', { name: /Renamed/ }).waitFor();
    // A file that an agent writes is a document.
    const write = {
      tool: 'write',
      input: { path: '/projects/live/docs/Field/Notes.md', content: '# Hello\n' },
    };
    await openScripted(world.url, [{ calls: [write] }, { text: 'Done.' }]);
    await shows(page, ['1 Context', '1 Field', '2 Notes']);
    await page.getByRole('link', { name: 'Renamed' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    await call('PATCH', `tasks/${task.id}`, { assignee: 'Ada' });
    await until('the field follows', async () => (await page.getByLabel('Assignee').inputValue()) === 'Ada');
    // All of this needed one stream, which was open before.
    expect(streams).toEqual([]);
  });

  test('CHAT-4 after the server was away, the page shows what has changed meanwhile', async () => {
    const project = await newProject('Away');
    const page = await world.open(`/projects/${project}/tasks`);
    await page.getByRole('region', { name: 'Todo, 0' }).waitFor();
    world.pod.kill('SIGKILL');
    await page.getByText('The server is not responding. Retrying…').waitFor();
    await world.startAgain();
    await newTask(project, 'Meanwhile');
    await page.getByRole('region', { name: 'Todo, 1' }).getByText('Meanwhile').waitFor();
  });

  test('ONT-1 two people change the same field: the newer state is shown, and the person chooses', async () => {
    const project = await newProject('Conflict');
    const task = await newTask(project, 'Shared', { description: 'old' });
    const page = await world.open(`/projects/${project}/tasks/${task.id}`);
    await page.getByLabel('Description').fill('mine');
    // Another field is no conflict.
    await call('PATCH', `tasks/${task.id}`, { assignee: 'Ada' });
    await until('the field follows', async () => (await page.getByLabel('Assignee').inputValue()) === 'Ada');
    await call('PATCH', `tasks/${task.id}`, { description: 'theirs' });
    const conflict = page.getByRole('region', { name: 'Conflict' });
    await conflict.getByText('Now: theirs').waitFor();
    await conflict.getByText('Yours: mine').waitFor();
    expect(await violations(page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await call('GET', `tasks/${task.id}`)).toMatchObject({ description: 'mine', assignee: 'Ada' });
  });

  test('ONT-1 a save that is too late writes nothing, and shows the newer state', async () => {
    const project = await newProject('Late');
    const task = await newTask(project, 'Late', { description: 'old' });
    const page = await world.open(`/projects/${project}/tasks/${task.id}`);
    await page.getByLabel('Description').fill('mine');
    // The other change is made between the last event and the save.
    await page.route('**/tasks/*', async (route) => {
      if (route.request().method() === 'PATCH' && route.request().headers()['if-match'] === '"1"')
        await call('PATCH', `tasks/${task.id}`, { description: 'theirs' });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('region', { name: 'Conflict' });
    await conflict.getByText('Now: theirs').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Description').inputValue()).toBe('theirs');
    expect(await call('GET', `tasks/${task.id}`)).toMatchObject({ description: 'theirs', version: 2 });
  });

  test('ONT-1 the history names authors and changes; a version and a removed entity are restored', async () => {
    const project = await newProject('Changes');
    const task = await newTask(project, 'First title');
    await call('PATCH', `tasks/${task.id}`, { title: 'Second title', state: 'in_progress' });
    const page = await world.open(`/projects/${project}/tasks/${task.id}`);
    await page.getByText('History').click();
    const versions = page.getByRole('list', { name: 'Versions' });
    const newest = versions.getByRole('listitem').first();
    await newest.getByText('Version 2').waitFor();
    await newest.getByText('A person').waitFor();
    await newest.getByText('In progress').waitFor();
    await versions.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'First title' }).waitFor();
    await versions.getByText('Version 3').waitFor();
    expect(await call('GET', `tasks/${task.id}`)).toMatchObject({ title: 'First title', state: 'todo' });
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed “First title”.').waitFor();
    await page.goto(`${world.url}/projects/${project}/tasks/${task.id}`);
    await page.getByRole('heading', { name: 'Task removed' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { level: 1, name: 'First title' }).waitFor();
  });

  test('ONT-2 links are added from the relations that the kind allows, shown at both ends, and removed', async () => {
    const project = await newProject('Links');
    const task = await newTask(project, 'Rent chairs');
    await call('POST', 'goals', { project_id: project, title: 'Everyone sits' });
    await call('POST', 'risks', { project_id: project, title: 'Rain' });
    const page = await world.open(`/projects/${project}/tasks/${task.id}`);
    await page.getByRole('button', { name: 'Add link' }).click();
    const form = page.getByRole('form', { name: 'New link' });
    await form.getByLabel('This task').selectOption({ label: 'mitigates' });
    await form.getByRole('button', { name: 'Rain' }).waitFor();
    expect(await form.getByRole('button', { name: 'Everyone sits' }).count()).toBe(0);
    await form.getByLabel('This task').selectOption({ label: 'supports' });
    await form.getByLabel('Entity').fill('every');
    await form.getByRole('button', { name: 'Everyone sits' }).click();
    await form.getByRole('button', { name: 'Link', exact: true }).click();
    const links = page.getByRole('list', { name: 'Links' });
    await links.getByText('supports').waitFor();
    await links.getByRole('link', { name: 'Everyone sits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Everyone sits' }).waitFor();
    await links.getByText('is supported by').waitFor();
    await links.getByRole('button', { name: 'Remove the link: is supported by Rent chairs' }).click();
    await page.getByText('No links yet.').waitFor();
    expect((await call('GET', `tasks/${task.id}`)).edges).toEqual([]);
  });

  test('ONT-2 a link to another project leads there; a link is made to an entity that only the search finds', async () => {
    const [here, there] = [await newProject('Here'), await newProject('There')];
    const [task, other] = [await newTask(here, 'Rent chairs'), await newTask(there, 'Ask the mayor')];
    await call('POST', 'edges', { from_id: task.id, to_id: other.id, rel: 'depends_on' });
    const risks = Array.from({ length: 101 }, (_, n) => ({ project_id: here, title: `Risk ${n}` }));
    for (const risk of risks) await call('POST', 'risks', risk);
    const page = await world.open(`/projects/${here}/tasks/${task.id}`);
    await page.getByRole('button', { name: 'Add link' }).click();
    const form = page.getByRole('form', { name: 'New link' });
    await form.getByLabel('This task').selectOption({ label: 'mitigates' });
    await form.getByLabel('Entity').fill('risk 100');
    await form.getByRole('button', { name: 'Risk 100' }).click();
    await form.getByRole('button', { name: 'Link', exact: true }).click();
    const links = page.getByRole('list', { name: 'Links' });
    await links.getByRole('link', { name: 'Risk 100' }).waitFor();
    await links.getByRole('link', { name: 'Ask the mayor' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ask the mayor' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/projects/${there}/tasks/${other.id}`);
  });

  test('ONT-1 the plans of a project are in its map, and a new one is a file in its folder', async () => {
    const project = await newProject('Planned');
    const page = await world.open(`/projects/${project}`);
    await page
      .getByRole('navigation', { name: 'In this project' })
      .getByRole('link', { name: 'Plans' })
      .click();
    await page.getByText('No plans here yet').waitFor();
    await page.getByRole('button', { name: 'New plan' }).click();
    await page.getByRole('dialog').getByLabel('Title').fill('By train');
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('row', { name: /By train/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { level: 1, name: 'By train' }).waitFor();
    const { items } = await call<{ items: Entity[] }>('GET', `plans?project_id=${project}`);
    expect(items).toMatchObject([{ title: 'By train', path: '/projects/planned/plans/by-train.plan' }]);
    const task = await newTask(project, 'Buy tickets');
    await call('POST', 'edges', { from_id: task.id, to_id: items[0]!.id, rel: 'part_of' });
    await page.getByRole('list', { name: 'Links' }).getByRole('link', { name: 'Buy tickets' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('ONT-1 a project is removed with all that is in it, and restored', async () => {
    const project = await newProject('Removed project');
    const page = await world.open(`/projects/${project}`);
    await page.getByRole('button', { name: 'Remove project…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Project removed' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { level: 1, name: 'Removed project' }).waitFor();
    await item(page, 'Context').waitFor();
  });

  test('CHAT-4 a link to an entity in an answer opens it; a chat starts in a project', async () => {
    const project = await newProject('Linked');
    const task = await newTask(project, 'Rent chairs');
    const address = await openScripted(world.url, [{ text: `See [Rent chairs](entity:${task.id}).` }]);
    const page = await world.open(address);
    await page.getByRole('log').getByRole('link', { name: 'Rent chairs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rent chairs' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/projects/${project}/tasks/${task.id}`);
    await page.getByRole('link', { name: 'New chat in this project' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Linked' }).waitFor();
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/chats'),
    );
    await page.getByRole('textbox', { name: 'Message' }).fill('What is next?');
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON()).toMatchObject({ goal: 'What is next?', project_id: project });
  });

  test('CHAT-5 an approval names what a call would remove', async () => {
    const project = await newProject('Asked');
    const task = await newTask(project, 'Rent chairs');
    const steps = [{ calls: [{ tool: 'delete_onto_task', input: { task_id: task.id } }] }, { text: 'Done.' }];
    const { chat } = await call<{ chat: Entity }>('POST', 'chats', {
      goal: JSON.stringify({ steps }),
      title: 'Asks',
      model: 'offline/script',
      project_id: project,
    });
    const page = await world.open(`/chats/${chat.id}`);
    const about = page.getByRole('list', { name: 'What the call is about' });
    await about.getByText('Task:').waitFor();
    await about.getByRole('link', { name: 'Rent chairs' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await about.getByRole('link', { name: 'Rent chairs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rent chairs' }).waitFor();
  });

  test('ONT-1 an address that leads nowhere says so', async () => {
    const project = await newProject('Nowhere');
    const gone = '00000000-0000-4000-8000-000000000000';
    const page = await world.open(`/projects/${gone}`);
    await page.getByRole('heading', { name: 'Project not found' }).waitFor();
    await page.goto(`${world.url}/projects/${project}/tasks/${gone}`);
    await page.getByRole('heading', { name: 'Task not found' }).waitFor();
    await page.goto(`${world.url}/projects/${project}/wishes`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(`${world.url}/entities/${gone}`);
    await page.getByRole('heading', { name: 'Entity not found' }).waitFor();
  });

  test.each(['light', 'dark'] as const)(
    'PLUS-5 axe finds no violation in the projects (%s)',
    async (colorScheme) => {
      const project = await newProject(`Axe ${colorScheme}`);
      const parent = await newDocument(project, 'Parent');
      const child = await newDocument(project, 'Child', parent);
      const task = await newTask(project, 'Task', { priority: 'high' });
      await call('POST', 'edges', { from_id: task.id, to_id: child, rel: 'references' });
      const page = await world.open('/projects', { profile: { colorScheme } });
      await page.getByRole('list', { name: 'Projects' }).waitFor();
      await page.getByLabel('What is the new project about?').fill('A garden.');
      expect(await violations(page)).toEqual([]);
      await page.goto(`${world.url}/projects/${project}`);
      await item(page, 'Child').waitFor();
      await page.getByText('History').click();
      await page.getByRole('list', { name: 'Versions' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await item(page, 'Child').click();
      await page.getByRole('textbox', { name: /^Text of/ }).waitFor();
      await page.getByText('1 link').click();
      await page.getByRole('list', { name: 'Links' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.getByRole('region', { name: 'Todo, 1' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('link', { name: 'Table' }).click();
      await page.getByRole('table').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'New task' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.goto(`${world.url}/projects/${project}/tasks/${task.id}`);
      await page.getByRole('button', { name: 'Add link' }).click();
      await page.getByRole('form', { name: 'New link' }).waitFor();
      expect(await violations(page)).toEqual([]);
    },
  );

  test('PLUS-5 projects at 390 px: the map, a document moved from its menu, a board, an entity', async () => {
    const long = 'A title that is far too long for a narrow screen '.repeat(3).trim();
    const project = await newProject(long);
    await newDocument(project, long);
    await newTask(project, 'Averylongwordthatneverends'.repeat(6));
    const page = await world.open(`/projects/${project}`, { profile: NARROW });
    const fits = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    await page.getByRole('heading', { level: 1, name: long }).waitFor();
    expect(await fits()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: `Actions for ${long}` }).tap();
    await page.getByRole('menuitem', { name: /^Move up/ }).tap();
    await shows(page, [`1 ${long}`, '1 Context']);
    await item(page, 'Context').tap();
    await page.getByRole('textbox', { name: /^Text of/ }).waitFor();
    expect(await fits()).toBe(true);
    await page.getByRole('link', { name: long }).tap();
    await page.getByRole('link', { name: 'Tasks' }).tap();
    await page.getByRole('region', { name: 'Todo, 1' }).waitFor();
    expect(await fits()).toBe(true);
    expect(await page.getByRole('banner').getByRole('link', { name: long }).count()).toBe(1);
    await page.getByRole('region', { name: 'Todo, 1' }).getByRole('link').tap();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await fits()).toBe(true);
    expect(await violations(page)).toEqual([]);
  });
});
