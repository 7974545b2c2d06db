// Who asked: messages, runs, decisions, requests and versions of files store the principal that caused them, and never its secret.

import { describe, expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const BOT = { kind: 'key', name: 'deploy-bot' };
const OPS = { kind: 'key', name: 'ops' };
const LOCAL = { kind: 'local' };
const KEYS = ['deploy-bot', 'ops'].map((name) => ({
  name,
  secret: `the-secret-of-${name}`,
  isPerson: true,
  workspaceId: null,
}));
const world = usePod({ CONTINUO_TEST_KEYS: JSON.stringify(KEYS) });
const as = ({ name }: { name: string }) => ({ authorization: `Bearer the-secret-of-${name}` });
const api = (path: string) => `${world.url}/api/v1/workspaces/default${path}`;

const HANGS = JSON.stringify({ steps: [{ text: 'x', hang: true }] });
const WHO = JSON.stringify({
  steps: [{ calls: [{ tool: 'pure', input: { note: 'who', tell_principal: true } }] }, { text: 'Done.' }],
});
const FAILS = JSON.stringify({ steps: [{ text: 'hm', error: { code: 'overloaded', message: 'busy' } }] });

async function newThread(): Promise<string> {
  return (await ask('POST', `${world.url}/api/threads`, {})).body.id as string;
}

/** Sends a message and resolves to its run. */
async function say(thread: string, content: string, headers?: Record<string, string>, more: object = {}) {
  const path = `/api/threads/${thread}/messages`;
  const { status, body, text } = await ask('POST', `${world.url}${path}`, { content, ...more }, headers);
  expect(status, text).toBe(202);
  return body.run as { id: string; principal: unknown };
}

async function runOf(id: string) {
  return (await ask('GET', `${world.url}/api/runs/${id}`)).body;
}

/** What the tool of a run was told. */
async function toldTool(runId: string): Promise<unknown> {
  const frames = await framesOf(world.url, runId);
  const end = frames.find(({ event }) => event === 'tool_end')!;
  return (end.data as { output: { principal: unknown } }).output.principal;
}

async function row(table: string, id: string): Promise<Record<string, unknown>> {
  const { rows } = await world.database.pool.query(`select * from ${table} where id = $1`, [id]);
  return rows[0];
}

describe('files', () => {
  const write = (path: string, text: string, headers?: Record<string, string>) =>
    ask('PUT', api(`/files/${path}`), text, headers);

  test('a version that was written with a key names the key; any other request is by a person', async () => {
    await write('by.md', 'one');
    await write('by.md', 'two', as(BOT));
    const { body } = await ask('GET', api('/versions?path=/by.md'));
    expect(body.items.map(({ author }: { author: unknown }) => author)).toEqual([BOT, { kind: 'person' }]);
    const tree = await ask('GET', api('/tree'));
    expect(tree.body.items).toContainEqual(expect.objectContaining({ path: '/by.md', author: 'key' }));
    const changes = await ask('GET', api('/changes'));
    expect(changes.body.items.at(-1).data.author).toEqual(BOT);
  });

  test('moves, restores and removals name the key, too', async () => {
    await write('moves.md', 'one');
    await ask('POST', api('/moves'), { from: '/moves.md', to: '/moved.md' }, as(BOT));
    await ask('DELETE', api('/files/moved.md'), undefined, as(OPS));
    await ask('POST', api('/restore'), { path: '/moved.md', version: 1 }, as(BOT));
    const { body } = await ask('GET', api('/versions?path=/moved.md'));
    expect(body.items.map(({ op, author }: { op: string; author: unknown }) => [op, author])).toEqual([
      ['restore', BOT],
      ['remove', OPS],
      ['move', BOT],
      ['write', { kind: 'person' }],
    ]);
  });

  test('a file’s history shows agents which key changed it', async () => {
    await write('told.md', 'one', as(BOT));
    const script = { steps: [{ calls: [{ tool: 'history', input: { path: '/told.md' } }] }, { text: 'ok' }] };
    const { id } = await say(await newThread(), JSON.stringify(script));
    const end = (await framesOf(world.url, id)).find(({ event }) => event === 'tool_end')!;
    expect(JSON.stringify(end.data)).toContain('by the key deploy-bot');
  });
});

describe('messages and runs', () => {
  test('a message and its run store who sent it, and the run’s tools get that principal', async () => {
    for (const [headers, principal] of [
      [as(BOT), BOT],
      [undefined, LOCAL],
    ] as const) {
      const thread = await newThread();
      const run = await say(thread, WHO, headers);
      expect(run.principal).toEqual(principal);
      expect(await toldTool(run.id)).toEqual(principal);
      expect((await runOf(run.id)).principal).toEqual(principal);
      const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
      expect(items.map((item: { principal?: unknown }) => item.principal)).toEqual([principal, undefined]);
    }
  });

  test('a chat that a key opens acts on behalf of the key', async () => {
    const { body } = await ask('POST', api('/chats'), { goal: WHO }, as(BOT));
    expect(body.run.principal).toEqual(BOT);
    expect(await toldTool(body.run.id)).toEqual(BOT);
  });

  test('a run that waited in the queue acts on behalf of its own sender', async () => {
    const thread = await newThread();
    const first = await say(thread, HANGS, as(OPS));
    const second = await say(thread, WHO, as(BOT));
    await ask('POST', `${world.url}/api/runs/${first.id}/cancel`, {});
    expect(await toldTool(second.id)).toEqual(BOT);
  });

  test('a retry acts on behalf of the principal that asked for it; the message keeps its sender', async () => {
    const thread = await newThread();
    const failed = await say(thread, FAILS, as(BOT));
    await framesOf(world.url, failed.id);
    const { body } = await ask('POST', `${world.url}/api/runs/${failed.id}/retry`, undefined, as(OPS));
    expect(body.run.principal).toEqual(OPS);
    const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
    expect(items[0]).toMatchObject({ role: 'user', principal: BOT });
  });

  test('a message that steers a run has its own sender; the run keeps its principal', async () => {
    const thread = await newThread();
    const run = await say(thread, HANGS, as(BOT));
    await seen(world.url, run.id, 'token');
    await say(thread, 'And this.', as(OPS), { policy: 'steer' });
    expect((await runOf(run.id)).principal).toEqual(BOT);
    const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
    expect(items.at(-1)).toMatchObject({ content: 'And this.', principal: OPS });
    await ask('POST', `${world.url}/api/runs/${run.id}/cancel`, {});
  });

  test('clients of other protocols send in the name of their key', async () => {
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: WHO }] }];
    await ask('POST', `${world.url}/api/chat`, { id: 'their-chat', messages }, as(BOT));
    const { rows } = await world.database.pool.query(
      'select principal from runs order by queued_at desc limit 1',
    );
    expect(rows[0].principal).toEqual(BOT);
  });
});

describe('requests and decisions', () => {
  test('a cancel says who asked for it, and the first one counts', async () => {
    const run = await say(await newThread(), HANGS);
    const cancel = `${world.url}/api/runs/${run.id}/cancel`;
    const first = await ask('POST', cancel, {}, as(BOT));
    expect(first.body).toMatchObject({ principal: LOCAL, cancel_requested_by: BOT });
    expect((await ask('POST', cancel, {}, as(OPS))).body.cancel_requested_by).toEqual(BOT);
  });

  test('a cancel by interrupting or by steering stores who asked for it', async () => {
    const thread = await newThread();
    const interrupted = await say(thread, HANGS);
    const next = await say(thread, HANGS, as(BOT), { policy: 'interrupt' });
    expect((await runOf(interrupted.id)).cancel_requested_by).toEqual(BOT);
    await seen(world.url, next.id, 'token');
    const waiting = await say(thread, 'Also this.');
    const steered = await ask('POST', `${world.url}/api/runs/${waiting.id}/steer`, undefined, as(OPS));
    expect(steered.status, steered.text).toBe(200);
    expect((await runOf(waiting.id)).cancel_requested_by).toEqual(OPS);
    await ask('POST', `${world.url}/api/runs/${next.id}/cancel`, {});
  });

  test('a pause and a stop store who asked; a resume clears the pause', async () => {
    const { body } = await ask('POST', api('/chats'), { goal: HANGS });
    const control = (what: string, headers: Record<string, string>) =>
      ask('POST', api(`/chats/${body.chat.id}/${what}`), undefined, headers);
    await seen(world.url, body.run.id, 'token');
    await control('pause', as(BOT));
    await control('pause', as(OPS));
    expect((await row('runs', body.run.id)).pause_requested_by).toEqual(BOT);
    await control('resume', as(OPS));
    expect((await row('runs', body.run.id)).pause_requested_by).toBeNull();
    await control('stop', as(OPS));
    expect((await row('threads', body.chat.id)).stop_requested_by).toEqual(OPS);
    expect((await runOf(body.run.id)).cancel_requested_by).toEqual(OPS);
  });

  test('a decision stores who decided; the same decision by another principal changes nothing', async () => {
    // With the default policy: external effects are asked for.
    await ask('POST', `${world.url}/api/v1/workspaces`, { name: 'asking' });
    const approvals = `${world.url}/api/v1/workspaces/asking/approvals`;
    const goal = JSON.stringify({
      steps: [{ calls: [{ tool: 'external', input: { note: 'a' } }] }, { text: 'ok' }],
    });
    await ask('POST', `${world.url}/api/v1/workspaces/asking/chats`, { goal });
    const waiting = await until('the call waits', async () => (await ask('GET', approvals)).body.items[0]);
    expect(waiting.decided_by).toBeNull();
    const decide = async (headers: Record<string, string>) =>
      (await ask('POST', `${approvals}/${waiting.id}`, { decision: 'deny' }, headers)).body;
    expect((await decide(as(BOT))).decided_by).toEqual(BOT);
    expect((await decide(as(OPS))).decided_by).toEqual(BOT);
  });
});

// After all tests above, so that every kind of row is there.
test('no row holds a secret', async () => {
  const { pool } = world.database;
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  expect(rows.length).toBeGreaterThan(10);
  for (const { name } of rows) {
    const found = await pool.query(`select from ${name} t where t::text like '%the-secret-of-%' limit 1`);
    expect(found.rowCount, name).toBe(0);
  }
});
