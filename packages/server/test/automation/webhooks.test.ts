// Webhooks: what receivers get, what happens when they fail, and that a message commits with what it tells of.

import { Webhook as Verifier } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { Webhook, WebhookMessage } from '@continuo/protocol';
import { ANONYMOUS, ask, call, until } from '@continuo/testkit';
import { count, freshDatabase, startPod, usePod } from '@continuo/testkit/fixtures';
import { startReceiver, type Receiver } from './receiver.ts';

const RETRY = { CONTINUO_WEBHOOK_RETRY_SECONDS: '0.05,0.05', CONTINUO_OUTGOING_ALLOW: '127.0.0.1' };
/** The pods of one database need one key. */
const SHARED = { ...RETRY, CONTINUO_SECRETS_KEY: 'the-key-of-these-tests-0123456789abcdef' };
const world = usePod(RETRY);
const SHORT = JSON.stringify({ steps: [{ text: 'Done.' }] });
type Added = Webhook & { secret: string };

let made = 0;
/** A workspace of its own, so that no test gets the messages of another. */
async function workspace(url = world.url) {
  const name = `hooked-${(made += 1)}`;
  const { id } = await call<{ id: string }>('POST', `${url}/api/v1/workspaces`, { name });
  const at = (rest: string) => `${url}/api/v1/workspaces/${id}${rest}`;
  return {
    at,
    id,
    hook: (receiver: Receiver | string, more: object = {}) =>
      call<Added>('POST', at('/webhooks'), {
        url: typeof receiver === 'string' ? receiver : receiver.url,
        ...more,
      }),
    run: async (goal = SHORT) => (await call<{ run: { id: string } }>('POST', at('/chats'), { goal })).run.id,
    messages: async (webhook: { id: string }, query = '') =>
      (await call<{ items: WebhookMessage[] }>('GET', at(`/webhooks/${webhook.id}/messages${query}`))).items,
  };
}
const got = (receiver: Receiver, times = 1) =>
  until(`the receiver got ${times}`, () => receiver.received.length >= times && receiver.received);

test('PLUS-10 the webhook for the end of a run has a signature that the Standard Webhooks library verifies', async () => {
  const space = await workspace();
  const receiver = await startReceiver();
  const hook = await space.hook(receiver);
  const run = await space.run();
  const [first] = await got(receiver);
  const told = new Verifier(hook.secret).verify(first!.body, first!.headers as Record<string, string>);
  expect(told).toMatchObject({
    type: 'run.ended',
    timestamp: expect.stringMatching(/Z$/),
    data: { run_id: run, status: 'done', workspace_id: space.id, error: null, model: 'offline/script' },
  });
  expect(() =>
    new Verifier(hook.secret).verify(`${first!.body} `, first!.headers as Record<string, string>),
  ).toThrow();
  const [message] = await until('the delivery is recorded', async () => {
    const all = await space.messages(hook, '?state=delivered');
    return all.length === 1 && all;
  });
  expect(message).toMatchObject({ attempts: 1, status: 204, error: null, next_at: null });
  expect(first!.headers['webhook-id']).toBe(`msg_${message!.id}`);
});

test('PLUS-10 the webhook for a waiting approval does not contain the input of its call', async () => {
  const space = await workspace();
  const receiver = await startReceiver();
  await space.hook(receiver, { events: ['approval.waiting'] });
  const run = await space.run(
    JSON.stringify({ steps: [{ calls: [{ tool: 'external', input: { note: 'secret' } }] }, { text: 'x' }] }),
  );
  const [first] = await got(receiver);
  const { type, data } = JSON.parse(first!.body);
  expect([type, data.run_id, data.tool, data.kind]).toEqual(['approval.waiting', run, 'external', 'call']);
  expect(first!.body).not.toContain('secret');
  await call('POST', space.at(`/approvals/${data.approval_id}`), { decision: 'deny' });
  await until(
    'the run ended',
    async () => (await call<{ status: string }>('GET', `${world.url}/api/runs/${run}`)).status === 'done',
  );
  expect(receiver.received).toHaveLength(1);
});

test('PLUS-10 a failing receiver is tried again; what stays undelivered is dead, is listed, and is sent again on request', async () => {
  const space = await workspace();
  let works = false;
  const receiver = await startReceiver((response) => response.writeHead(works ? 200 : 500).end('no'));
  const hook = await space.hook(receiver);
  await space.run();
  const [dead] = await until('the message is dead', async () => {
    const all = await space.messages(hook, '?state=dead');
    return all.length === 1 && all;
  });
  expect(dead).toMatchObject({ attempts: 3, status: 500, error: 'the receiver answered 500', state: 'dead' });
  expect(await call('GET', space.at(`/webhooks/${hook.id}`))).toMatchObject({ dead: 1, waiting: 0 });
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);

  works = true;
  expect((await ask('POST', space.at(`/webhooks/${hook.id}/messages/${dead!.id}/send`))).status).toBe(202);
  const [again] = await until('it is delivered', async () => {
    const all = await space.messages(hook, '?state=delivered');
    return all.length === 1 && all;
  });
  expect(again).toMatchObject({ id: dead!.id, attempts: 1, status: 200, error: null });
  expect(receiver.received[3]!.body).toBe(receiver.received[0]!.body);
});

test.each<[string, () => Promise<Receiver | string>, number, RegExp]>([
  [
    'redirects',
    async () => {
      const target = await startReceiver();
      return startReceiver((response) => response.writeHead(307, { location: target.url }).end());
    },
    3,
    /redirects \(307\), and redirects are not followed/,
  ],
  ['is gone', async () => startReceiver((response) => response.writeHead(410).end()), 1, /gone for good/],
  ['hangs up', async () => startReceiver((response) => response.destroy()), 3, /socket|closed/],
  ['is not there', async () => 'http://127.0.0.1:9/', 3, /ECONNREFUSED|bad port/],
  // The guard lets nothing out to an address that is not public and not allowed.
  ['is not allowed', async () => 'http://127.0.0.2:9/', 1, /CONTINUO_OUTGOING_ALLOW/],
  ['is the metadata of a cloud', async () => 'http://169.254.169.254/latest', 1, /CONTINUO_OUTGOING_ALLOW/],
])('PLUS-10 a receiver that %s leaves a dead letter that says why', async (_, start, attempts, error) => {
  const space = await workspace();
  const hook = await space.hook(await start());
  await space.run();
  const [dead] = await until('the message is dead', async () => {
    const all = await space.messages(hook, '?state=dead');
    return all.length === 1 && all;
  });
  expect(dead).toMatchObject({ attempts, error: expect.stringMatching(error) });
});

test('PLUS-10 a slow receiver delays no other', async () => {
  const space = await workspace();
  const slow = await startReceiver(() => undefined);
  const quick = await startReceiver();
  await space.hook(slow);
  await space.hook(quick);
  for (let count = 0; count < 8; count += 1) await space.run();
  await got(quick, 8);
  // Four requests at a time to one receiver.
  expect(slow.received).toHaveLength(4);
});

test('PLUS-10 the secret is shown once, and can be replaced', async () => {
  const space = await workspace();
  const receiver = await startReceiver();
  const hook = await space.hook(receiver);
  expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/=]{44}$/);
  const { rows } = await world.database.pool.query('select secret from webhooks where id = $1', [hook.id]);
  expect(Buffer.from(rows[0].secret, 'base64').toString('latin1')).not.toContain('whsec_');
  const read = await ask('GET', space.at(`/webhooks/${hook.id}`));
  const changed = await ask('PUT', space.at(`/webhooks/${hook.id}`), { url: hook.url, enabled: false });
  for (const { text } of [read, changed, await ask('GET', space.at('/webhooks'))])
    expect(text).not.toContain('whsec_');
  const fresh = await call<Added>('POST', space.at(`/webhooks/${hook.id}/secret`));
  expect(fresh.secret).not.toBe(hook.secret);
  // Disabled, it gets nothing.
  await space.run();
  expect(await count(world.database, 'webhook_deliveries where webhook_id = $1', [hook.id])).toBe(0);
  await call('PUT', space.at(`/webhooks/${hook.id}`), { url: hook.url });
  await space.run();
  const [first] = await got(receiver);
  new Verifier(fresh.secret).verify(first!.body, first!.headers as Record<string, string>);
});

test('changing webhooks needs a person; bad ones are refused', async () => {
  const space = await workspace();
  const hook = await space.hook('https://example.com/hook');
  const url = space.at(`/webhooks/${hook.id}`);
  for (const [method, rest, body] of [
    ['PUT', '', { url: 'https://example.com/' }],
    ['POST', '/secret'],
    ['DELETE', ''],
  ] as const)
    expect((await ask(method, url + rest, body, ANONYMOUS)).body.code).toBe('person_required');
  for (const [wrong, detail] of [
    ['ftp://example.com/', /url: /],
    ['https://user:password@example.com/', /must not contain a user/],
  ] as const)
    expect(await ask('POST', space.at('/webhooks'), { url: wrong })).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', detail: expect.stringMatching(detail) },
    });
});

test('a webhook that is removed while runs end fails no run', async () => {
  const space = await workspace();
  const runs: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const hook = await space.hook('http://127.0.0.1:9/');
    const started = Promise.all([space.run(), space.run()]);
    await call('DELETE', space.at(`/webhooks/${hook.id}`));
    runs.push(...(await started));
  }
  await until('every run is done', async () => {
    const open = "runs where workspace_id = $1 and status in ('queued', 'running')";
    return (await count(world.database, open, [space.id])) === 0;
  });
  expect(await count(world.database, "runs where workspace_id = $1 and status = 'done'", [space.id])).toBe(
    runs.length,
  );
});

test.each(['webhook.claimed', 'webhook.sent'])(
  'PLUS-10 a pod that is killed at %s: another pod delivers the message, under the same id',
  async (fault) => {
    const own = await freshDatabase();
    const victim = await startPod({ databaseUrl: own.url, fault, env: SHARED });
    const receiver = await startReceiver();
    try {
      const space = await workspace(victim.url);
      await space.hook(receiver);
      // The pod may die before it answers.
      await space.run().catch(() => undefined);
      await victim.exited;
      expect(await count(own, "webhook_deliveries where state = 'waiting'")).toBe(1);
      // As if the time that the message is left to its pod were over.
      await own.pool.query('update webhook_deliveries set next_at = clock_timestamp()');
      const survivor = await startPod({ databaseUrl: own.url, env: SHARED });
      try {
        await until(
          'the message is delivered',
          async () => (await count(own, "webhook_deliveries where state = 'delivered'")) === 1,
        );
        expect(receiver.received).toHaveLength(fault === 'webhook.sent' ? 2 : 1);
        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      } finally {
        await survivor.end();
      }
    } finally {
      await victim.end();
      await own.drop();
    }
  },
);
