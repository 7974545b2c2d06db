// `continuo top`: the whole server at a glance.

import { describe, expect, test } from 'vitest';
import { ask, seen } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { readPod, SeenPods } from '../src/top/pods.ts';
import { continuo, hasTerminals, terminal } from './support.ts';

const world = usePod();
const env = () => ({ CONTINUO_URL: world.url, NO_COLOR: '1' });
const script = (...steps: object[]) => JSON.stringify({ steps });
const begin = async (...steps: object[]) =>
  (await continuo(['chat', '--no-wait', script(...steps)], { env: env() })).stdout.trim();

/** One run that hangs, and one that waits for approval. */
async function twoOpenRuns() {
  await ask('PUT', `${world.url}/api/v1/workspaces/default/policy`, {
    rules: [{ tool: 'write', action: 'ask' }],
  });
  const hanging = await begin({ text: 'so far', hang: true });
  const asking = await begin({ calls: [{ tool: 'write', input: { path: '/top.md', content: 'x' } }] });
  await Promise.all([seen(world.url, hanging, 'token'), seen(world.url, asking, 'approval')]);
  return {
    hanging,
    asking,
    end: () => Promise.all([hanging, asking].map((id) => continuo(['stop', id], { env: env() }))),
  };
}

test('PLUS-6 continuo top --once shows pods, runs by state, queue, rates, cost and what waits for a person', async () => {
  const { hanging, asking, end } = await twoOpenRuns();
  const args = ['top', '--once', '--interval', '1', '--pod', world.url, 'http://127.0.0.1:9'];
  const [shown, json] = await Promise.all([
    continuo(args, { env: env() }),
    continuo([...args, '--json'], { env: env() }),
  ]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^Runs {7}1 running {3}1 waiting for approval {3}0 paused {3}0 queued$/m);
  expect(shown.stdout).toMatch(/^Queue {6}0 chats wait for a pod$/m);
  expect(shown.stdout).toMatch(/^Approvals {2}1 waiting$/m);
  expect(shown.stdout).toMatch(/^Rates {6}[\d.]+ runs\/min {3}[\d.]+ tokens\/s out {3}[\d.]+ tokens\/s in$/m);
  expect(shown.stdout).toMatch(/^Cost {7}\$[\d.]+\/h {3}\$[\d.]+ since the pods started$/m);
  expect(shown.stdout).toMatch(new RegExp(`^${hanging}  running  `, 'm'));
  expect(shown.stdout).toMatch(new RegExp(`^${asking}  waiting  `, 'm'));
  expect(shown.stdout).toContain('write {"path":"/top.md"');
  expect(shown.stdout).toContain('http://127.0.0.1:9');
  // The same pod under two addresses is one pod.
  const overview = JSON.parse(json.stdout);
  expect(overview).toMatchObject({
    runs: { queued: 0, running: 1, waiting: 1, paused: 0 },
    queue: { depth: 0 },
    approvals_waiting: 1,
    pods_registered: 1,
    pods: [{ role: 'all', streams: 0 }],
    problems: [expect.stringContaining('http://127.0.0.1:9')],
  });
  await end();
  const { body } = await ask('GET', `${world.url}/api/v1/workspaces/default/runs?status=open`);
  expect(body.items).toEqual([]);
});

test.skipIf(!hasTerminals)(
  'PLUS-6 at a terminal continuo top redraws its own screen, and q gives the old one back',
  async () => {
    const shown = terminal(['top', '--interval', '1'], { env: env() });
    await shown.shows('No open runs in this workspace.');
    const { hanging, end } = await twoOpenRuns();
    await shown.shows('1 running   1 waiting for approval');
    await shown.shows(hanging);
    shown.press('q');
    expect(await shown.ended).toBe(0);
    await end();
  },
);

describe('readings of pods', () => {
  const metrics = (pod: string, tokens: number, cpu: number) =>
    [
      '# TYPE continuo_pods gauge',
      `continuo_pod_info{pod="${pod}",role="all",version="1.0.0"} 1`,
      'continuo_pods Nan',
      String.raw`continuo_model_tokens_total{model="a\"},b\\c",kind="output"} ` + tokens,
      'continuo_model_tokens_total{model="x",kind="input"} 7',
      `process_cpu_seconds_total ${cpu}`,
    ].join('\n');

  test('what pods share is unknown if the database does not answer them', () => {
    expect(readPod(metrics('a:1', 5, 1), 0)).toMatchObject({
      pod: 'a:1',
      outputTokens: 5,
      inputTokens: 7,
      shared: null,
    });
    expect(readPod('# a page of something else', 0)).toBeNull();
  });

  test('rates are those of one process over the last minute, though a proxy shows the pods in turn', () => {
    const pods = new SeenPods();
    const see = (pod: string, tokens: number, cpu: number, at: number) =>
      pods.add(readPod(metrics(pod, tokens, cpu), at)!);
    see('a:1', 0, 0.5, 0);
    see('b:1', 1000, 9, 1000);
    see('a:1', 40, 1, 2000);
    expect(pods.list(2000).map(({ reading, rates }) => [reading.pod, rates?.outputTokens])).toEqual([
      ['a:1', 20],
      ['b:1', undefined],
    ]);
    // Restarted under the same name.
    see('a:1', 0, 0, 3000);
    see('a:1', 10, 0, 4000);
    expect(pods.list(4000)[0]!.rates!.outputTokens).toBe(10);
    expect(pods.list(63_999).map(({ reading }) => reading.pod)).toEqual(['a:1']);
  });
});
