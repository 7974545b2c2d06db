// Settings: the model, roles, the policy, MCP servers, the server itself.

import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { AS_PERSON, until } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import { openScript } from '../support/chats.ts';
import { say, useConsole } from '../support/console.ts';

const NARROW = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const MEMORY = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');

describe.skipIf(chromiumPath === null)(`settings in a browser${WITHOUT}`, () => {
  const world = useConsole();
  const api = (path: string) => `${world.url}/api/v1/workspaces/default${path}`;
  const rules = async () =>
    ((await (await fetch(api('/policy'))).json()) as { rules: Record<string, string>[] }).rules;

  test('WS-18 a preset in words replaces the rules, and the question after untrusted content can be switched off', async () => {
    const page = await world.open('/settings');
    const policy = page.getByRole('form', { name: 'Policy' });
    const preset = (name: string) => policy.getByRole('radio', { name: new RegExp(`^${name}`) });
    await preset('Ask').waitFor();
    expect(await preset('Ask').isChecked()).toBe(true);
    const before = await rules();
    await preset('Read only').check();
    await policy.getByRole('checkbox', { name: /^Ask before anything leaves/ }).uncheck();
    expect(await violations(page)).toEqual([]);
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await rules()).toEqual([
      { tool: '*', action: 'deny' },
      { tool: '*', effect: 'pure', action: 'allow' },
    ]);
    await page.reload();
    await until('the preset is shown', () => preset('Read only').isChecked());
    await preset('Ask').check();
    await policy.getByRole('checkbox', { name: /^Ask before anything leaves/ }).check();
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await rules()).toEqual(before);
  });

  test('WS-18 the hosts that commands may reach are listed; what is no host is refused', async () => {
    const page = await world.open('/settings');
    const form = page.getByRole('form', { name: 'Network of commands' });
    await page.getByText('Agents cannot run commands on this server: CONTINUO_SANDBOX is off').waitFor();
    await form.getByRole('textbox', { name: 'Hosts' }).fill('registry.npmjs.org\nhttp://example.org/x');
    await form.getByRole('button', { name: 'Save hosts' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByRole('textbox', { name: 'Hosts' }).fill('registry.npmjs.org\n*.example.org:8443\n');
    await form.getByRole('button', { name: 'Save hosts' }).click();
    await until('the hosts are saved', async () => {
      const { network } = (await (await fetch(api('/policy'))).json()) as { network: string[] };
      return network.join() === 'registry.npmjs.org,*.example.org:8443';
    });
    await page.reload();
    await until('the hosts are shown', async () =>
      (await form.getByRole('textbox', { name: 'Hosts' }).inputValue()).includes('*.example.org:8443'),
    );
  });

  test('PLUS-5 the policy is edited: an invalid rule is refused with the error at its field, a valid one is saved', async () => {
    const page = await world.open('/settings');
    const policy = page.getByRole('form', { name: 'Policy' });
    await policy.getByRole('list', { name: 'Rules' }).waitFor();
    const before = await rules();
    expect(await policy.getByRole('listitem').count()).toBe(before.length);
    expect(await policy.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await policy.getByRole('button', { name: 'Add a rule' }).click();
    const last = before.length + 1;
    const path = policy.getByRole('textbox', { name: `Rule ${last}: path` });
    await policy.getByRole('textbox', { name: `Rule ${last}: tool` }).fill('write');
    await path.fill('secret/**');
    await policy.getByRole('combobox', { name: `Rule ${last}: action` }).selectOption('Deny');
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByRole('alert').getByText('Not saved').waitFor();
    expect(await path.getAttribute('aria-invalid')).toBe('true');
    expect(await violations(page)).toEqual([]);
    expect(await rules()).toEqual(before);
    await path.fill('/secret/**');
    // Unsaved changes survive a visit to another page.
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.goBack();
    await policy.getByText('Not saved yet').waitFor();
    expect(await path.inputValue()).toBe('/secret/**');
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await rules()).toEqual([...before, { tool: 'write', path: '/secret/**', action: 'deny' }]);
    await policy.getByRole('button', { name: `Move rule ${last} up` }).click();
    await policy.getByRole('button', { name: `Remove rule ${last}` }).click();
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await rules()).toEqual([
      ...before.slice(0, -1),
      { tool: 'write', path: '/secret/**', action: 'deny' },
    ]);
  });

  test('a secret is stored, listed by name and removed; its value is never in the page again', async () => {
    const page = await world.open('/settings');
    const form = page.getByRole('form', { name: 'Store a secret' });
    await form.getByLabel('Name').fill('TRACKER_TOKEN');
    await form.getByLabel('Value').fill('short');
    await form.getByRole('button', { name: 'Store' }).click();
    await page.getByRole('alert').getByText('at least 8 characters').waitFor();
    await form.getByLabel('Value').fill('canary-of-the-console');
    await form.getByRole('button', { name: 'Store' }).click();
    const list = page.getByRole('list', { name: 'Secrets' });
    await list.getByText('TRACKER_TOKEN').waitFor();
    expect(await form.getByLabel('Value').inputValue()).toBe('');
    expect(await page.content()).not.toContain('canary-of-the-console');
    expect(await violations(page)).toEqual([]);
    await list.getByRole('button', { name: 'Remove TRACKER_TOKEN' }).click();
    await list.getByText('No secrets yet.').waitFor();
  });

  test('PLUS-5 a policy that someone else has changed in the meantime is not overwritten', async () => {
    const page = await world.open('/settings');
    const policy = page.getByRole('form', { name: 'Policy' });
    await policy.getByRole('button', { name: 'Add a rule' }).click();
    const mine = await policy.getByRole('listitem').count();
    await policy.getByLabel(`Rule ${mine}: tool`).fill('mine');
    const theirs = [{ tool: 'theirs', action: 'deny' }];
    const changed = await fetch(api('/policy'), {
      method: 'PUT',
      headers: { ...AS_PERSON, 'content-type': 'application/json' },
      body: JSON.stringify({ rules: theirs }),
    });
    expect(changed.status).toBe(200);
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByText('The policy has changed since it was read').waitFor();
    expect(await policy.getByLabel(`Rule ${mine}: tool`).inputValue()).toBe('mine');
    expect(await rules()).toEqual(theirs);
    await policy.getByRole('button', { name: 'Discard' }).click();
    await policy.getByLabel('Rule 2: tool').waitFor({ state: 'detached' });
    expect(await policy.getByLabel('Rule 1: tool').inputValue()).toBe('theirs');
  });

  test('PLUS-5 an invalid role file is shown with line and column as soon as it is written', async () => {
    const page = await world.open('/settings');
    await page.getByRole('heading', { name: 'reviewer' }).waitFor();
    await fetch(api('/files/agents/poet.md'), {
      method: 'PUT',
      headers: AS_PERSON,
      body: '---\nlimits: { steps: 0 }\n---\nYou write poems.\n',
    });
    await page.getByRole('heading', { name: 'poet' }).waitFor();
    await page.getByText('/agents/poet.md:2:').waitFor();
    await fetch(api('/files/agents/poet.md'), {
      method: 'PUT',
      headers: AS_PERSON,
      body: 'You write poems.\n',
    });
    await page.getByText('/agents/poet.md:2:').waitFor({ state: 'detached' });
  });

  test('PLUS-5 an MCP server is added, restarted and removed', async () => {
    const page = await world.open('/settings');
    await page.getByRole('button', { name: 'Add a server' }).click();
    const form = page.getByRole('form', { name: 'Add an MCP server' });
    await form.getByLabel('Name').fill('Not a name');
    await form.getByLabel('Command').fill(process.execPath);
    await form.getByLabel('Arguments').fill(MEMORY);
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByRole('alert').getByText('lower-case letters').waitFor();
    await form.getByLabel('Name').fill('memory');
    await form.getByRole('button', { name: 'Add' }).click();
    const servers = page.getByRole('list', { name: 'MCP servers', exact: true });
    await servers.getByText(/^Ready · \d+ tools$/).waitFor();
    await servers.getByText('Tools', { exact: true }).click();
    await servers.getByText('memory__create_entities').waitFor();
    await servers.getByRole('button', { name: 'Restart memory' }).click();
    await servers.getByText(/^Ready · \d+ tools$/).waitFor();
    await servers.getByRole('button', { name: 'Remove memory…' }).click();
    await servers.getByRole('button', { name: 'Keep' }).click();
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Remove memory…');
    await page.keyboard.press('Enter');
    await servers.getByRole('button', { name: 'Remove memory' }).click();
    await servers.getByText('No MCP servers yet.').waitFor();
  });

  test('PLUS-5 a pasted command line is split; a server is edited, and stored values are kept', async () => {
    const page = await world.open('/settings');
    await page.getByRole('button', { name: 'Add a server' }).click();
    const form = page.getByRole('form', { name: 'Add an MCP server' });
    await form.getByLabel('Name').fill('pasted');
    await form.getByLabel('Command').evaluate((field: HTMLInputElement, line) => {
      const data = new DataTransfer();
      data.setData('text', line);
      field.dispatchEvent(
        new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }),
      );
    }, `TOKEN=abc no-such-program run --dir "/two words" 'x'`);
    await form.getByText('The command line was split').waitFor();
    expect(await form.getByLabel('Command').inputValue()).toBe('no-such-program');
    expect(await form.getByLabel('Arguments').inputValue()).toBe('run\n--dir\n/two words\nx');
    expect(await form.getByLabel('Environment').inputValue()).toBe('TOKEN=abc');
    await form.getByLabel('Time limit of a call').fill('5');
    await form.getByRole('button', { name: 'Add' }).click();
    const entry = page.getByRole('list', { name: 'MCP servers', exact: true }).getByRole('listitem');
    await entry.getByText('Next try at').waitFor();
    await entry.getByRole('button', { name: 'Edit pasted' }).click();
    const edit = page.getByRole('form', { name: 'Edit pasted' });
    expect(await edit.getByLabel('Environment').inputValue()).toBe('TOKEN=(stored)');
    expect(await edit.getByLabel('Time limit of a call').inputValue()).toBe('5');
    await edit.getByLabel('Folder').fill('not/absolute');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByRole('alert').getByText('absolute path').waitFor();
    expect(await violations(page)).toEqual([]);
    await edit.getByLabel('Folder').fill('/tmp');
    await edit.getByLabel(/^Trust what it says/).check();
    await edit.getByLabel('Enabled').uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    await entry.getByText('Disabled').waitFor();
    const { items } = (await (await fetch(api('/mcp-servers'), { headers: AS_PERSON })).json()) as {
      items: { config: object }[];
    };
    expect(items.map(({ config }) => config)).toMatchObject([
      { trust: true, enabled: false, timeout_seconds: 5, cwd: '/tmp', env: { TOKEN: null } },
    ]);
    await entry.getByRole('button', { name: 'Remove pasted…' }).click();
    await entry.getByRole('button', { name: 'Remove pasted' }).click();
    await page.getByText('No MCP servers yet.').waitFor();
  });

  test('PLUS-5 a role is edited where it is shown, with its error below the text; a built-in one becomes a file', async () => {
    const page = await world.open('/settings');
    await page.getByRole('button', { name: 'Edit the role reviewer' }).click();
    const form = page.getByRole('form', { name: 'Edit the role reviewer' });
    const text = form.getByRole('textbox');
    const builtIn = await text.inputValue();
    expect(builtIn).toMatch(/^---\ndescription: ".+"\n[^]*tools: \["[^]*---\n\S/);
    await text.fill(builtIn.replace('---\n', '---\nlimits: { steps: 0 }\n'));
    await page.keyboard.press('Control+s');
    await form.getByText('Saved, but not in use.').waitFor();
    await form.getByRole('alert').getByRole('button', { name: 'Line 2, column' }).click();
    expect(await text.evaluate((field: HTMLTextAreaElement) => field.selectionStart > 4)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await text.fill(builtIn);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved and in use.').waitFor();
    const entry = page.getByRole('list', { name: 'Roles' }).getByRole('listitem').filter({ has: form });
    await entry.getByRole('link', { name: 'reviewer.md' }).waitFor();
    await form.getByRole('button', { name: 'Remove the file' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('form', { name: 'New role' }).getByLabel('Name of the new role').fill('gardener');
    await page.keyboard.press('Enter');
    await page
      .getByRole('form', { name: 'Edit the role gardener' })
      .getByRole('button', { name: 'Save' })
      .click();
    await page.getByRole('list', { name: 'Roles' }).getByRole('heading', { name: 'gardener' }).waitFor();
  });

  test('PLUS-5 usage over time is drawn by model, role, project and chat, with its numbers', async () => {
    const { run } = await openScript(world.url, 'Used', [{ text: 'Some words.' }]);
    await until('the run has ended', async () => {
      const { status } = (await (await fetch(`${world.url}/api/runs/${run}`)).json()) as { status: string };
      return status === 'done';
    });
    const page = await world.open('/settings');
    const usage = page.getByRole('region', { name: 'Usage' });
    await usage.getByRole('img', { name: 'Tokens last 30 days, by model' }).waitFor();
    await usage.getByRole('combobox', { name: 'By' }).selectOption('by chat');
    await usage.getByRole('combobox', { name: 'Time' }).selectOption('Last 24 hours');
    await usage.getByRole('combobox', { name: 'What is shown' }).selectOption('Runs');
    await usage.getByRole('img', { name: 'Runs last 24 hours, by chat' }).waitFor();
    await usage.getByRole('link', { name: 'Used' }).waitFor();
    await usage.getByText('The numbers').click();
    await expect.poll(() => usage.getByRole('table').getByRole('row').count()).toBeGreaterThanOrEqual(25);
    expect(await violations(page)).toEqual([]);
  });

  test('PLUS-5 a workspace is created, renamed, removed and restored', async () => {
    const page = await world.open('/settings');
    const create = page.getByRole('form', { name: 'New workspace' });
    await create.getByLabel('Name of the new workspace').fill('Not a name');
    await create.getByRole('button', { name: 'Create workspace' }).click();
    await create.getByRole('alert').getByText('lower-case letters').waitFor();
    await create.getByLabel('Name of the new workspace').fill('garden');
    await page.keyboard.press('Enter');
    const list = page.getByRole('list', { name: 'Workspaces', exact: true });
    await list.getByRole('button', { name: 'Rename garden' }).click();
    await list.getByLabel('New name of garden').fill('default');
    await page.keyboard.press('Enter');
    await list.getByRole('alert').getByText('already exists').waitFor();
    expect(await violations(page)).toEqual([]);
    await list.getByLabel('New name of garden').fill('orchard');
    await page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'Remove orchard…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    const removed = page.getByRole('list', { name: 'Removed workspaces' });
    await removed.getByText('can be restored until').waitFor();
    await removed.getByRole('button', { name: 'Restore orchard' }).click();
    await list.getByRole('button', { name: 'Show orchard' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await page.goto(`${world.url}/settings`);
    await list.getByRole('button', { name: 'Remove orchard…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    // The console goes on with the default workspace.
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await page.goto(`${world.url}/settings`);
    await list.getByText('shown', { exact: true }).waitFor();
    await removed.getByText('orchard').waitFor();
  });

  test('PLUS-5 every section of the settings has a link and an address, to which the palette leads, too', async () => {
    const page = await world.open('/settings');
    const links = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
    await page.getByRole('region', { name: 'Server' }).getByText('0.1.0').waitFor();
    const titles = await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts();
    expect(await links.allInnerTexts()).toEqual(titles);
    await links.getByText('Usage').click();
    await page.waitForURL('**/settings#usage');
    const isShown = (title: string) =>
      page.waitForFunction((name) => {
        const heading = [...document.querySelectorAll('h2')].find((each) => each.textContent === name);
        const top = heading?.getBoundingClientRect().top ?? -1;
        return top >= 0 && top < innerHeight / 2;
      }, title);
    await isShown('Usage');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('mcp serv');
    await page.getByRole('option', { name: 'Settings: MCP servers', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await isShown('MCP servers');
  });

  test('PLUS-5 the settings show the model, the storage and the version', async () => {
    const page = await world.open('/settings');
    await page.getByRole('region', { name: 'Model' }).getByText('offline/instant').first().waitFor();
    await page.getByText('ANTHROPIC_API_KEY', { exact: true }).waitFor();
    await page.getByRole('meter', { name: 'Storage used' }).waitFor();
    // What is hidden but read aloud does not make the document longer than the window.
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true);
    await page.getByRole('region', { name: 'Server' }).getByText('0.1.0').waitFor();
  });

  test('PLUS-5 one of several workspaces is chosen; a chat or run of another workspace says so, with a link', async () => {
    const page = await world.open('/');
    const chats = page.getByRole('navigation', { name: 'Chats' });
    const choice = page.getByRole('combobox', { name: 'Workspace' });
    await chats.getByRole('link', { name: 'Archived and removed' }).waitFor();
    expect(await choice.count()).toBe(0);
    const workspaces = `${world.url}/api/v1/workspaces`;
    await fetch(workspaces, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'second' }),
    });
    const remove = [{ text: 'May it go?', calls: [{ tool: 'remove', input: { path: '/there.md' } }] }];
    const { chat, run } = await openScript(world.url, 'Over there', remove, 'second');
    await page.goto(`${world.url}/chats/${chat}`);
    await page.getByRole('heading', { name: 'This chat is in another workspace' }).waitFor();
    expect(await choice.locator('option:checked').innerText()).toBe('default');
    expect(await violations(page)).toEqual([]);
    await page.goto(`${world.url}/runs/${run}`);
    await page.getByRole('heading', { name: 'This run is in another workspace' }).waitFor();
    await page.getByRole('button', { name: 'Go to second' }).click();
    await page.getByRole('heading', { name: 'Run of Over there' }).waitFor();
    expect(await choice.locator('option:checked').innerText()).toBe('second');
    await page.getByRole('link', { name: /^Approvals/ }).click();
    const asked = page.getByRole('group', { name: 'Approval of remove' });
    await asked.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByText('Nothing to approve').waitFor();
    expect(await chats.getByRole('listitem').count()).toBe(1);
    await openScript(world.url, 'Told by a hint', [{ text: 'Here.' }], 'second');
    await chats.getByRole('link', { name: 'Told by a hint' }).waitFor();

    await choice.selectOption('default');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await chats.getByRole('link', { name: 'Archived and removed' }).waitFor();
    expect(await chats.getByRole('link', { name: 'Told by a hint' }).count()).toBe(0);
    await choice.selectOption('second');
    await chats.getByRole('link', { name: 'Told by a hint' }).waitFor();
    // Another tab's choice does not change this tab; a new tab starts with the last choice.
    const other = await world.open('/', { context: page.context() });
    await other.getByRole('link', { name: 'Told by a hint' }).waitFor();
    await other.getByRole('combobox', { name: 'Workspace' }).selectOption('default');
    await other.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await page.reload();
    await chats.getByRole('link', { name: 'Told by a hint' }).waitFor();
    await fetch(`${workspaces}/second`, { method: 'DELETE' });
    await page.reload();
    await choice.waitFor({ state: 'detached' });
    await chats.getByRole('link', { name: 'Archived and removed' }).waitFor();
    expect(await chats.getByRole('link', { name: 'Told by a hint' }).count()).toBe(0);
  });

  test.each([
    ['light', {}],
    ['dark', {}],
    ['light', NARROW],
  ] as const)('PLUS-5 axe finds no violation in the settings (%s, %j)', async (colorScheme, profile) => {
    const page = await world.open('/settings', {
      profile: { colorScheme, ...profile },
    });
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByRole('region', { name: 'Server' }).getByText('Ready').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    ).toBe(true);
  });
});

describe.skipIf(chromiumPath === null)(`a server with a provider’s key, in a browser${WITHOUT}`, () => {
  // The key is not valid, and no test calls the provider.
  const world = useConsole({ ANTHROPIC_API_KEY: 'a-key-of-the-tests-only' });

  test('PLUS-5 a message can name a known model or any other', async () => {
    const page = await world.open('/');
    await page.getByRole('button', { name: 'Model: offline/instant' }).click();
    await page.getByRole('menuitemradio', { name: 'anthropic/claude-opus-4-8' }).click();
    await page.getByRole('button', { name: 'Model: anthropic/claude-opus-4-8' }).click();
    await page.getByRole('menuitem', { name: 'Another model…' }).click();
    const name = page.getByRole('textbox', { name: 'Model, as provider/model' });
    await name.fill('nobody/nothing');
    await name.press('Enter');
    await page.getByRole('button', { name: 'Model: nobody/nothing' }).waitFor();
    await say(page, 'Hello');
    await page.getByRole('alert').getByText('provider "nobody" is not known').waitFor();
    await page.getByRole('button', { name: 'Model: nobody/nothing' }).click();
    await page.getByRole('menuitem', { name: 'Another model…' }).click();
    expect(await violations(page)).toEqual([]);
    await name.press('Escape');
    await page.getByRole('button', { name: 'Model: nobody/nothing' }).waitFor();

    await page.goto(`${world.url}/settings`);
    await page.getByText(/^Ready · \d+ known models$/).click();
    await page.getByText('anthropic/claude-opus-4-8', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
