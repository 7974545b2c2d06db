// The command at a real terminal, provided by `script`.

import { beforeEach, describe, expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo, CTRL_C, CTRL_D, DOWN, ENTER, hasTerminals, terminal } from './support.ts';

const world = usePod();
const env = () => ({ CONTINUO_URL: world.url });
const script = (...steps: object[]) => JSON.stringify({ steps });
const latest = async () =>
  (await ask('GET', `${world.url}/api/v1/workspaces/default/runs?limit=1`)).body.items[0];

describe.skipIf(!hasTerminals)('at a terminal', () => {
  beforeEach(async () => {
    await ask('PUT', `${world.url}/api/v1/workspaces/default/policy`, {
      rules: [
        { tool: '*', action: 'allow' },
        { tool: 'write', action: 'ask' },
      ],
    });
  });

  test('PLUS-5 Ctrl-C detaches and says how to watch again; the run continues, and tail watches it', async () => {
    const shown = terminal(['chat', script({ text: 'so far', hang: true })], { env: env() });
    await shown.shows('so far');
    shown.press(CTRL_C);
    await shown.shows('the run continues. Watch it again with: continuo tail');
    await shown.shows('Press Ctrl-C again to stop it.');
    expect(await shown.ended).toBe(130);
    const { id, status } = await latest();
    expect(status).toBe('running');
    expect(shown.screen()).toContain(`continuo tail ${id}`);

    const back = terminal(['tail', id], { env: env() });
    await back.shows('so far');
    back.press(CTRL_C);
    expect(await back.ended).toBe(130);
    expect((await latest()).status).toBe('running');
    await continuo(['stop', id], { env: env() });
  });

  test('PLUS-5 Ctrl-C twice stops the chat', async () => {
    const shown = terminal(['chat', script({ text: 'so far', hang: true })], { env: env() });
    await shown.shows('so far');
    shown.press(CTRL_C);
    await shown.shows('Press Ctrl-C again to stop it.');
    shown.press(CTRL_C);
    await shown.shows('Stopped.');
    expect(await shown.ended).toBe(130);
    const { id } = await latest();
    expect((await framesOf(world.url, id)).at(-1)!.data).toEqual({ status: 'canceled' });
  });

  test('PLUS-5 two presses at once stop the chat, too', async () => {
    const shown = terminal(['chat', script({ text: 'so far', hang: true })], { env: env() });
    await shown.shows('so far');
    shown.press(CTRL_C + CTRL_C);
    await shown.shows('Stopped.');
    expect(await shown.ended).toBe(130);
  });

  const asking = (path: string, content = 'x') =>
    script(
      { text: 'I write.', calls: [{ tool: 'write', input: { path, content } }] },
      { text: 'That was it.' },
    );
  const exists = async (path: string) =>
    (await ask('GET', `${world.url}/api/v1/workspaces/default/files${path}`)).status === 200;

  test('PLUS-5 a terminal without a width gets whole lines, with hidden characters escaped', async () => {
    const shown = terminal(['chat', asking('/hidden.md', '\u202Edm.niar')], { env: env(), columns: 0 });
    await shown.shows(String.raw`"content": "\u202edm.niar"`);
    await shown.shows('Approve (with exactly this input)');
    await shown.shows('Later');
    expect(shown.screen()).toContain('Your decision');
    expect(shown.screen()).not.toContain('\u202E');
    shown.press(CTRL_C);
    expect(await shown.ended).toBe(130);
    await continuo(['stop', (await latest()).id], { env: env() });
  });

  test('PLUS-5 approvals are asked where the run is watched, and it continues with the decision', async () => {
    const shown = terminal(['chat', asking('/terminal.md')], { env: env() });
    await shown.shows('A call waits for approval: write');
    await shown.shows('"path": "/terminal.md"');
    await shown.shows('Your decision');
    shown.press(ENTER);
    await shown.shows('That was it.');
    expect(await shown.ended).toBe(0);
    expect(await exists('/terminal.md')).toBe(true);
  });

  test('PLUS-5 a call can be denied, or made with an edited input', async () => {
    const denied = terminal(['chat', asking('/denied.md')], { env: env() });
    await denied.shows('Your decision');
    denied.press(DOWN + ENTER);
    await denied.shows('write: deny');
    await denied.shows('That was it.');
    expect(await denied.ended).toBe(0);
    expect(await exists('/denied.md')).toBe(false);

    const editor = `sed -i 's/before/after/'`;
    const edited = terminal(['chat', asking('/before.md')], { env: { ...env(), EDITOR: editor } });
    await edited.shows('Your decision');
    edited.press(DOWN + DOWN + ENTER);
    await edited.shows('write: edit');
    expect(await edited.ended).toBe(0);
    expect([await exists('/before.md'), await exists('/after.md')]).toEqual([false, true]);
  });

  test('PLUS-5 a decision made elsewhere closes the question', async () => {
    const shown = terminal(['chat', asking('/elsewhere.md')], { env: env() });
    await shown.shows('Your decision');
    const approvals = `${world.url}/api/v1/workspaces/default/approvals`;
    const [waiting] = (await ask('GET', approvals)).body.items;
    await ask('POST', `${approvals}/${waiting.id}`, { decision: 'approve' });
    await shown.shows('That was it.');
    expect(await shown.ended).toBe(0);
    expect(await exists('/elsewhere.md')).toBe(true);
  });

  test('PLUS-5 Ctrl-C in a question detaches: the approval waits, and approve asks again', async () => {
    const shown = terminal(['chat', asking('/later.md')], { env: env() });
    await shown.shows('Your decision');
    shown.press(CTRL_C);
    await shown.shows('the run continues. Watch it again with: continuo tail');
    expect(await shown.ended).toBe(130);
    const { id } = await latest();
    const approve = terminal(['approve'], { env: env() });
    await approve.shows('"path": "/later.md"');
    await approve.shows('Your decision');
    approve.press(ENTER);
    await approve.shows('write: approve.');
    expect(await approve.ended).toBe(0);
    expect((await framesOf(world.url, id)).at(-1)!.data).toEqual({ status: 'done' });
  });

  test('PLUS-5 after “Later” the approval waits, and the run is still watched', async () => {
    const shown = terminal(['chat', asking('/open.md')], { env: env() });
    await shown.shows('Your decision');
    shown.press(CTRL_D);
    await shown.shows('The approval waits. Decide with: continuo approve ');
    const approvals = `${world.url}/api/v1/workspaces/default/approvals`;
    const [waiting] = (await ask('GET', approvals)).body.items;
    expect(await continuo(['approve', waiting.id], { env: env() })).toMatchObject({ code: 0 });
    await shown.shows('That was it.');
    expect(await shown.ended).toBe(0);
  });

  test('PLUS-5 without a message, chat is a dialogue that can be continued later', async () => {
    const shown = terminal(['chat'], { env: env() });
    await shown.shows('you ');
    shown.press(script({ text: 'First.' }) + ENTER);
    await shown.shows('\nFirst.\n');
    await shown.shows('you ');
    shown.press(script({ text: 'Second.' }) + ENTER);
    await shown.shows('\nSecond.\n');
    await shown.shows('you ');
    shown.press(CTRL_D);
    await shown.shows('Continue with: continuo chat --chat');
    expect(await shown.ended).toBe(0);
    const { thread_id: chat } = await latest();
    const listed = await ask('GET', `${world.url}/api/v1/workspaces/default/runs?chat=${chat}`);
    expect(listed.body.items).toHaveLength(2);
  });

  test('PLUS-5 text typed while an answer streams becomes the next messages', async () => {
    const shown = terminal(['chat'], { env: env() });
    await shown.shows('you ');
    shown.press(script({ text: 'so far', hang: true }) + ENTER);
    await shown.shows('\nso far');
    // Corrected with the backspace key.
    shown.press(
      `${ENTER}x\u007F${script({ text: 'Second.' })}${ENTER}${script({ text: 'Third.' })}${ENTER}Fou`,
    );
    await continuo(['stop', (await latest()).id], { env: env() });
    await shown.shows('you ');
    await shown.shows('\nSecond.\n');
    await shown.shows('you ');
    await shown.shows('\nThird.\n');
    await shown.shows('you Fou');
    shown.press(CTRL_C);
    await shown.shows('Continue with: continuo chat --chat');
    expect(await shown.ended).toBe(0);
  });

  /** A message of several lines, as sent by terminals that mark pastes. */
  const pasted = (text: string) =>
    `\u001B[200~${JSON.stringify({ steps: [{ text }] }, null, 2).replaceAll('\n', '\r')}\u001B[201~`;
  const said = async (chat: string): Promise<string[]> => {
    const { body } = await ask('GET', `${world.url}/api/threads/${chat}/messages`);
    return body.items.filter(({ role }: { role: string }) => role === 'user').map(contentOf);
  };
  const contentOf = ({ content }: { content: string }) => content;

  test('PLUS-5 pasted text is one message, together with text typed around it, and can be corrected', async () => {
    const shown = terminal(['chat'], { env: env() });
    await shown.shows('you ');
    shown.press(`${pasted('Pasted.')} ${pasted('Twice.')}\u0015${pasted('Once.')}  x\u007F`);
    await shown.shows('"text": "Once."');
    shown.press(ENTER);
    await shown.shows('\nOnce.\n');
    await shown.shows('you ');
    // In chunks, with all kinds of line ends, and control characters.
    const paste = '\u001B[200~{"steps":\r\n[{"text":\n"Third\u001B[2J."}]\t}\u001B[201~';
    for (const piece of [
      paste.slice(0, 3),
      paste.slice(3, 20),
      paste.slice(20, -2),
      paste.slice(-2),
      ENTER,
    ]) {
      shown.press(piece);
    }
    await shown.shows('\nThird[2J.\n');
    await shown.shows('you ');
    shown.press(`\u001B[200~without an end${CTRL_C}`);
    await shown.shows('Continue with: continuo chat --chat');
    expect(await shown.ended).toBe(0);
    expect(await said((await latest()).thread_id)).toEqual([
      `${JSON.stringify({ steps: [{ text: 'Once.' }] }, null, 2)}  `,
      '{"steps":\n[{"text":\n"Third[2J."}]\t}',
    ]);
  });

  test('PLUS-5 without paste marks, each of several lines is a message, in order', async () => {
    const shown = terminal(['chat'], { env: env() });
    await shown.shows('you ');
    const texts = Array.from({ length: 5 }, (_, index) => `Number ${index}, ${'long '.repeat(300)}.`);
    shown.press(`${texts.map((text) => script({ text })).join('\r\r')}${ENTER}and the rest`);
    for (let index = 0; index < 5; index += 1) await shown.shows(`\nNumber ${index}, `);
    await shown.shows('you and the rest');
    shown.press(CTRL_C);
    await shown.shows('Continue with: continuo chat --chat');
    expect(await shown.ended).toBe(0);
    expect(await said((await latest()).thread_id)).toEqual(texts.map((text) => script({ text })));
  });

  test('PLUS-5 text pasted while an answer streams is one message, too', async () => {
    const shown = terminal(['chat'], { env: env() });
    await shown.shows('you ');
    shown.press(script({ text: 'so far', hang: true }) + ENTER);
    await shown.shows('\nso far');
    shown.press(`${pasted('Second.')}${ENTER}${pasted('Third.')}`);
    await continuo(['stop', (await latest()).id], { env: env() });
    await shown.shows('\nSecond.\n');
    await shown.shows('"text": "Third."');
    shown.press(ENTER);
    await shown.shows('\nThird.\n');
    await shown.shows('you ');
    shown.press(CTRL_D);
    expect(await shown.ended).toBe(0);
  });

  test('PLUS-5 tail watches a chat until Ctrl-C, with messages from any client', async () => {
    const opened = await ask('POST', `${world.url}/api/v1/workspaces/default/chats`, {
      goal: script({ text: 'One.' }),
    });
    const chat: string = opened.body.chat.id;
    await framesOf(world.url, opened.body.run.id);
    const shown = terminal(['tail', chat], { env: env() });
    await shown.shows('One.');
    const next = await ask('POST', `${world.url}/api/v1/workspaces/default/chats/${chat}`, {
      content: script({ text: 'Two.' }),
    });
    await seen(world.url, next.body.run.id, 'final');
    await shown.shows('you');
    await shown.shows('\nTwo.');
    shown.press(CTRL_C);
    expect(await shown.ended).toBe(130);
  });

  test('PLUS-5 start prints its address, and Ctrl-C stops it', async () => {
    const shown = terminal(['start', '--no-open', '--port', '0'], {
      env: {
        DATABASE_URL: world.database.url,
        CONTINUO_MODEL: 'offline/instant',
        CONTINUO_LOG_LEVEL: 'warn',
      },
    });
    await shown.shows('Ctrl-C stops it');
    const url = /open +(\S+)/.exec(shown.screen())![1]!;
    expect((await ask('GET', `${url}/readyz`)).status).toBe(200);
    shown.press(CTRL_C);
    expect(await shown.ended).toBe(0);
    await until('the server has stopped', async () => (await fetch(url).catch(() => null)) === null);
  });
});
