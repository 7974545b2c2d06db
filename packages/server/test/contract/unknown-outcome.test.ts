// A call that a killed pod had started: a person is asked whether it is made again.

import { expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import { brokenInvariants, count, freshDatabase, startPod, type TestPod } from '@continuo/testkit/fixtures';
import { newSpace } from '../files/support.ts';

test.each([
  ['retry', 2, true],
  ['skip', 1, false],
] as const)('PLUS-3 a call whose outcome nobody knows: %s', async (decision, times, success) => {
  const database = await freshDatabase();
  const pods: TestPod[] = [];
  try {
    // Alone until it is dead: it is the one that makes the call.
    const victim = await startPod({ databaseUrl: database.url, fault: 'tool.after_effect.external' });
    pods.push(victim);
    const space = await newSpace(victim.url);
    const steps = [{ calls: [{ tool: 'external', input: { note: 'x' } }] }, { text: 'well' }];
    const { run } = (await ask('POST', `${space.url}/chats`, { goal: JSON.stringify({ steps }), title: 'x' }))
      .body;
    const waiting = (base: string) =>
      until('a call waits for its approval', async () => {
        const { body } = await ask('GET', `${base}/api/v1/workspaces/${space.name}/approvals`);
        return body.items[0] as { id: string } | undefined;
      });
    const { id: first } = await waiting(victim.url);
    await ask('POST', `${space.url}/approvals/${first}`, { decision: 'approve' }).catch(() => null);
    await victim.exited;

    const pod = await startPod({ databaseUrl: database.url });
    pods.push(pod);
    const asked = await waiting(pod.url);
    expect(asked).toMatchObject({ kind: 'unknown_outcome', tool: 'external', input: { note: 'x' } });
    const url = `${pod.url}/api/v1/workspaces/${space.name}/approvals/${asked.id}`;
    for (const other of ['approve', 'deny', 'edit'])
      expect(await ask('POST', url, { decision: other })).toMatchObject({
        status: 400,
        body: { detail: 'decision: is not a decision about a call of unknown outcome; allowed: retry, skip' },
      });
    expect((await ask('POST', url, { decision })).status).toBe(200);
    const frames = await framesOf(pod.url, run.id);
    expect(frames.at(-1)!.data).toEqual({ status: 'done' });
    expect(frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data)).toMatchObject([
      { success },
    ]);
    expect(await count(database, 'effects')).toBe(times);
    expect(await brokenInvariants(database.pool)).toEqual([]);
  } finally {
    await Promise.all(pods.map((pod) => pod.end()));
    await database.drop();
  }
});
