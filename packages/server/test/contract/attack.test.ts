// What is made to keep a pod busy ends in time, in words that a model or a client can act on, and the pod serves others
// meanwhile. The benchmark measures how fast (bench/lines/attack.ts).

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { attacks, type Outcome } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();

/** Makes the attack, and asks /healthz all the time; `look` is called between two answers. */
async function under(name: string, look: () => void = () => undefined): Promise<Outcome> {
  const attack = attacks.find((each) => each.name === name)!;
  const target = await attack.prepare(world.url);
  let outcome: Outcome | null = null;
  let failed = false;
  const ended = attack.attack(target).then(
    (value) => (outcome = value),
    (error: unknown) => {
      failed = true;
      throw error;
    },
  );
  ended.catch(() => undefined);
  while (outcome === null && !failed) {
    const health = await fetch(`${world.url}/healthz`);
    await health.arrayBuffer();
    expect(health.status).toBe(200);
    look();
  }
  return ended;
}

/** The running ripgrep processes of the pod. */
function searches(): number {
  const pod = String(world.pod.process.pid);
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      return /^Name:\trg$/m.test(status) && new RegExp(`^PPid:\t${pod}$`, 'm').test(status);
    } catch {
      // It ended meanwhile.
      return false;
    }
  }).length;
}

const names = attacks.map(({ name }) => name);
const [patch, diffs, edit, calls, greps, requests, checks, nested] = names as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

test('a patch that fits nowhere is refused with the line that is missing', async () => {
  const { statuses, results } = await under(patch);
  expect(statuses).toEqual(['done']);
  expect(results).toHaveLength(1);
  expect(results[0]!.output.error).toMatch(/does not apply to \/same\.txt\. Nothing was changed/);
});

test('100 differences of texts in another order are all made', { timeout: 180_000 }, async () => {
  const { statuses, results } = await under(diffs);
  expect(statuses).toEqual(['done']);
  expect(results.map(({ success }) => success)).toEqual(Array.from({ length: 100 }, () => true));
  expect(results[0]!.output.text).toMatch(/^--- \/text\.txt/);
});

test('an edit of a long text is refused, not searched for minutes', async () => {
  const { statuses, results } = await under(edit);
  expect(statuses).toEqual(['done']);
  expect(results[0]!.output.error).toMatch(/old_text is not in the file|was stopped/);
});

test('of 10,000 calls in a message 128 are made, and the log says so of the others that were kept', async () => {
  const { statuses, results } = await under(calls);
  expect(statuses).toEqual(['done']);
  expect(results).toHaveLength(1000);
  expect(results.filter(({ success }) => success)).toHaveLength(128);
  const refused = results.filter(({ success }) => !success);
  expect(new Set(refused.map(({ output }) => output.error))).toEqual(
    new Set([expect.stringMatching(/^not made: a message may request at most 128 calls/)]),
  );
  // Calls are numbered in their order, and those that were not made end in it.
  const place = ({ call }: { call: string }) => Number(/\d+$/.exec(call)![0]);
  expect(refused.map(place)).toEqual(refused.map(place).toSorted((a, b) => a - b));
});

test.runIf(process.platform === 'linux')('ripgrep runs at most twice per processor at a time', async () => {
  let most = 0;
  const { statuses, results } = await under(greps, () => (most = Math.max(most, searches())));
  expect(statuses).toEqual(['done']);
  expect(results).toHaveLength(300);
  expect(results.filter(({ success }) => success)).toHaveLength(128);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2 * availableParallelism());
});

test('20 requests for a difference are all answered', async () => {
  const { statuses } = await under(requests);
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
});

test('20 checks of a piece with 8,000 keys are all answered', async () => {
  const { statuses } = await under(checks);
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 422));
});

test('deeply nested arguments only make the call fail', async () => {
  const { statuses, results } = await under(nested);
  expect(statuses).toEqual(['done']);
  expect(results).toHaveLength(101);
  expect(results.every(({ success }) => !success)).toBe(true);
});
