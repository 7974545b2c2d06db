// Chats and runs from a shell: pipes, not terminals.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send } from '@continuo/testkit';
import { temporaryFolder, usePod } from '@continuo/testkit/fixtures';
import { continuo, start } from './support.ts';

const world = usePod();
const run = (args: readonly string[], input?: string) =>
  continuo(args, { env: { CONTINUO_URL: world.url, NO_COLOR: '1' }, ...(input !== undefined && { input }) });
const script = (...steps: object[]) => JSON.stringify({ steps });
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('PLUS-5 chat streams the answer, shows calls with their results, and ends with the run', async () => {
  const message = script(
    { text: 'Let me look.', calls: [{ tool: 'write', input: { path: '/a.md', content: 'one' } }] },
    { text: 'Done.' },
  );
  const { code, stdout, stderr } = await run(['chat', message]);
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.slice(0, 20))).toMatchObject({ 0: 'Let me look.' });
  expect(stdout).toContain('→ Writes /a.md');
  expect(stdout).toContain('/a.md is at version 1');
  expect(stdout).toContain('✓ write');
  expect(stdout.endsWith('Done.\n')).toBe(true);
  // NO_COLOR: no escape sequence at all.
  expect(stdout + stderr).not.toContain('\u001B');
  const chat = /chat ([0-9a-f-]{36})/.exec(stderr)![1]!;

  const next = await run(['chat', '--chat', chat], script({ text: 'From a pipe.' }));
  expect(next).toMatchObject({ code: 0, stdout: 'From a pipe.\n' });
});

test('RUN-14 approve lists what an executor asks, and --edit answers it', async () => {
  const url = `${world.url}/api/v1`;
  const thread = await createThread(world.url);
  const message = { content: 'Plan a trip', model: 'executor/travel' };
  const sent = await ask('POST', `${world.url}/api/threads/${thread}/messages`, message);
  const { body: assignment } = await ask('POST', `${url}/executors/travel/claim`, { wait: 30 });
  const question = { type: 'tool_call', tool: 'ask_person', input: { question: 'Where to?' } };
  await ask('POST', `${url}/runs/${assignment.run_id}/assignments/${assignment.message}/events`, {
    claim: assignment.claim,
    seq: 1,
    events: [question, { type: 'finish' }],
  });
  const { data } = await seen(world.url, sent.body.run.id, 'approval');
  const listed = await run(['approve']);
  expect(listed.stdout).toMatch(
    new RegExp(`^${String(data['approval'])} .*question +ask_person +Where to\\?$`, 'm'),
  );
  const answer = await run(['approve', String(data['approval']), '--edit', '{"answer": "Rome"}']);
  expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining('ask_person: answer') });
  const next = await ask('POST', `${url}/executors/travel/claim`, { wait: 30 });
  expect(next.body.request.history.at(-1)).toMatchObject({ output: { answer: { answer: 'Rome' } } });
  await run(['stop', sent.body.run.id]);
});

test('PLUS-5 chat --json prints a line for `accepted`, each event without a gap, and `ended`', async () => {
  const { code, stdout } = await run(['chat', '--json', script({ tokens: 20 })]);
  expect(code).toBe(0);
  const [accepted, ...rest] = lines(stdout);
  const ended = rest.pop();
  expect(accepted).toMatchObject({ type: 'accepted', chat: expect.any(String), run: { status: 'queued' } });
  expect(rest.map(({ id }) => id)).toEqual(rest.map((_, index) => index + 1));
  expect(rest.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });
  expect(ended).toMatchObject({
    type: 'ended',
    ending: 'done',
    run: { id: accepted.run.id, status: 'done' },
  });
});

test('PLUS-5 a failed run is exit code 1, and an unknown id is 4', async () => {
  const failed = await run(['chat', script({ error: { code: 'overloaded', message: 'too much' } })]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('too much');
  const nothing = '01a1e264-eff2-7144-8d90-9c91a4b3dc89';
  for (const args of [
    ['tail', nothing],
    ['runs', '--chat', nothing],
    ['why', nothing],
    ['context', nothing],
    ['stop', nothing],
    ['chat', 'x', '--chat', nothing],
  ]) {
    expect({ args, ...(await run(args)) }).toMatchObject({ args, code: 4, stdout: '' });
  }
});

test('PLUS-8 context shows what a run sent to its model', async () => {
  const chat = await createThread(world.url);
  const steps = [{ calls: [{ tool: 'ls', input: { path: '/' } }] }, { text: 'Nothing there.' }];
  const { id } = await send(world.url, chat, { steps });
  await framesOf(world.url, id);
  const { stdout } = await run(['context', id]);
  expect(stdout).toContain('Exactly what was sent');
  expect(stdout).toMatch(/^history +assistant +event \d+ +\d+/m);
  expect(stdout).not.toContain('You are');
  const first = await run(['context', id, '--message', 'm1', '--text']);
  expect(first.stdout).toContain('You are');
  expect(first.stdout).not.toMatch(/^history +assistant/m);
  expect(JSON.parse((await run(['context', id, '--json'])).stdout)).toMatchObject({
    message: 'm2',
    exact: true,
  });
});

test('PLUS-5 model output cannot control the terminal', async () => {
  const evil = '\u001B[2J\u001B]0;owned\u0007 \u009B31m \u202Egnp.exe \u200B \r';
  const { stdout } = await run([
    'chat',
    script({ text: evil, reasoning: evil, calls: [{ tool: evil, input: { note: evil } }] }, { text: 'fine' }),
  ]);
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]/);
  expect(stdout).toContain('fine');
  const title = 'a\u200Bb \u202Egnp.exe';
  const { body } = await ask('POST', `${world.url}/api/threads`, { title });
  await framesOf(world.url, (await send(world.url, body.id, { steps: [{ text: 'x' }] })).id);
  const listed = await run(['runs', '--chat', body.id]);
  expect(listed.stdout).toContain(String.raw`a\u200bb \u202egnp.exe`);
  const json = await run(['runs', '--chat', body.id, '--json']);
  expect(json.stdout).not.toContain('\u202E');
  expect(JSON.parse(json.stdout).items[0].title).toBe(title);
  const refused = await run(['files', 'cat', '/\u202Edm.niar']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(String.raw`\u202edm.niar`);
});

test('PLUS-5 runs, why and tail show an open run, and stop stops it', async () => {
  const chat = await createThread(world.url);
  const held = await send(world.url, chat, { steps: [{ text: 'so far', hang: true }] });
  await seen(world.url, held.id, 'token');
  const waiting = await send(world.url, chat, { steps: [{ text: 'next' }] });

  const listed = await run(['runs', '--status', 'open', '--chat', chat]);
  expect(
    listed.stdout
      .split('\n')
      .slice(1, 3)
      .map((line) => line.split(/ +/).slice(0, 2)),
  ).toEqual([
    [waiting.id, 'queued'],
    [held.id, 'running'],
  ]);
  const { items } = JSON.parse((await run(['runs', '--json', '--chat', chat])).stdout);
  expect(items.map(({ id }: { id: string }) => id)).toEqual([waiting.id, held.id]);
  expect((await run(['why', waiting.id])).stdout).toMatch(/waits|before it|runs/i);
  expect(JSON.parse((await run(['why', waiting.id, '--json'])).stdout)).toMatchObject({ waits_for: 'run' });

  const now = await run(['tail', chat, '--no-follow']);
  expect(now).toMatchObject({ code: 0 });
  expect(now.stdout).toContain('so far');

  const follower = start(['tail', held.id], { env: { CONTINUO_URL: world.url } });
  expect((await run(['stop', held.id])).stdout).toMatch(/^The run is (being )?canceled\.\n$/);
  expect(await follower.ended).toMatchObject({ code: 1 });
  await framesOf(world.url, waiting.id);

  const again = await send(world.url, chat, { steps: [{ hang: true }] });
  expect(JSON.parse((await run(['stop', chat, '--json'])).stdout)).toEqual({
    kind: 'chat',
    id: chat,
    status: 'cancelled',
  });
  const frames = await framesOf(world.url, again.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'canceled' });
});

test('PLUS-5 Ctrl-C on a chat without a terminal detaches; the run continues', async () => {
  const to = ['-w', 'default', '--url', world.url];
  const { child, ended } = start(['chat', script({ text: 'so far', hang: true }), ...to]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  const id = /continuo tail ([0-9a-f-]{36})/.exec(stderr)![1]!;
  expect(stderr).toContain(`continuo tail ${id} ${to.join(' ')}\n`);
  expect((await ask('GET', `${world.url}/api/runs/${id}`)).body.status).toBe('running');
  await run(['stop', id]);
});

test('PLUS-5 without a terminal, a waiting approval is exit code 6; approve decides it, and tail shows the end', async () => {
  const policy = `${world.url}/api/v1/workspaces/default/policy`;
  const before = (await ask('GET', policy)).body;
  const rules = [
    { tool: '*', action: 'allow' },
    { tool: 'write', action: 'ask' },
  ];
  await ask('PUT', policy, { rules });
  const write = (path: string, ...beside: object[]) =>
    script({ calls: [...beside, { tool: 'write', input: { path, content: 'x' } }] }, { text: 'over' });
  const file = async (path: string) =>
    (await ask('GET', `${world.url}/api/v1/workspaces/default/files${path}`)).status;
  const asks = async (path: string, ...beside: object[]) => {
    const { code, stderr } = await run(['chat', write(path, ...beside)]);
    expect(code).toBe(6);
    const [, approval, id] = /continuo approve (\S+) .*continuo tail (\S+)/.exec(stderr)!;
    return { approval: approval!, id: id! };
  };

  const approved = await asks('/yes.md');
  const hint = `decide with: continuo approve ${approved.approval}`;
  expect((await run(['tail', approved.id, '--no-follow'])).stderr).toContain(hint);
  const [listed] = (await run(['runs', '--status', 'open'])).stdout.split('\n').slice(1);
  expect(listed).toMatch(new RegExp(`^${approved.id} +waiting `));
  // A chat without a title is named after its goal.
  expect(listed).toContain('{"steps":[{"calls"');
  expect((await run(['approve'])).stdout).toContain(approved.approval);
  expect(JSON.parse((await run(['approve', '--json'])).stdout).items[0]).toMatchObject({
    id: approved.approval,
    tool: 'write',
  });
  expect((await run(['approve', approved.approval])).stdout).toContain('write: approve');
  await framesOf(world.url, approved.id);
  const over = await run(['tail', approved.id]);
  expect(over).toMatchObject({ code: 0, stderr: '' });
  expect(over.stdout).toContain('write: approve');
  expect(await file('/yes.md')).toBe(200);
  // Another decision comes too late.
  expect(await run(['approve', approved.approval, '--deny'])).toMatchObject({ code: 5 });

  const denied = await asks('/no.md');
  await run(['approve', denied.approval, '--deny', '--comment', 'not there']);
  expect((await run(['tail', denied.id])).stdout).toContain('deny (not there)');
  expect(await file('/no.md')).toBe(404);

  const edited = await asks('/wrong.md');
  expect((await run(['approve', edited.approval, '--edit', 'no json'])).code).toBe(2);
  const input = JSON.stringify({ path: '/right.md', content: 'y' });
  const decided = JSON.parse((await run(['approve', edited.approval, '--edit', input, '--json'])).stdout);
  expect(decided).toMatchObject({ decision: 'edit', decided_input: JSON.parse(input) });
  expect(await run(['tail', edited.id])).toMatchObject({ code: 0 });
  expect([await file('/wrong.md'), await file('/right.md')]).toEqual([404, 200]);
  // A parallel call does not hide that the run waits.
  const stopped = await asks('/never.md', { tool: 'pure', input: { note: 'slow', delay_ms: 2000 } });
  await run(['stop', stopped.id]);
  await framesOf(world.url, stopped.id);
  expect(await run(['tail', stopped.id])).toMatchObject({ code: 1, stderr: '' });
  expect((await run(['approve'])).stderr).toBe('No approvals are waiting.\n');
  await ask('PUT', policy, before);
});

test('PLUS-5 export writes a chat or a run to a file, and replaces none unless it is told to', async () => {
  const chat = /chat ([0-9a-f-]{36})/.exec((await run(['chat', script({ text: 'Shared.' })])).stderr)![1]!;
  const folder = temporaryFolder();
  const file = join(folder, 'chat.md');
  expect(await run(['export', chat, file])).toMatchObject({ code: 0, stdout: `The chat is in ${file}\n` });
  expect(await readFile(file, 'utf8')).toContain('Shared.');
  expect(await run(['export', chat, file])).toMatchObject({ code: 5 });
  expect(await run(['export', 'last', file, '--format', 'json', '--force'])).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    format: 'continuo-chat',
    run: { status: 'done' },
  });
  expect(JSON.parse((await run(['export', chat, '-', '--format', 'json'])).stdout)).toMatchObject({
    chat: { id: chat },
  });
  expect(await readdir(folder)).toEqual(['chat.md']);
});
