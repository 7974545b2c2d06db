// What operators watch stays small, whatever requests name.

import { expect, test } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const pod = { pod: 'host:1', role: 'all', version: '0.0.0' };
const load = {
  pods: 1,
  queue: { depth: 0, ageSeconds: 0 },
  approvals: 2,
  states: { queued: 3, running: 4, waiting: 5, paused: 6 },
};

test('the first hundred models have a label of their own, and all others one together', async () => {
  const metrics = createMetrics({
    followers: () => 0,
    holding: () => 0,
    pod,
    load: () => Promise.resolve(load),
  });
  const call = { ended: 'done', seconds: 1, usage: { input: 2, output: 0 }, cost: 0.5 };
  for (let n = 1; n <= 150; n += 1) metrics.modelCalled({ ...call, model: `compatible/${n}` });
  metrics.modelCalled({ ...call, model: 'compatible/1' });
  metrics.modelRetried('compatible/150', 'rate_limited');
  const text = await metrics.text();
  const models = new Set([...text.matchAll(/model="([^"]+)"/g)].map((found) => found[1]));
  expect(models.size).toBe(101);
  expect(text).toContain('continuo_model_calls_total{model="compatible/1",ended="done"} 2\n');
  expect(text).toContain('continuo_model_calls_total{model="other",ended="done"} 50\n');
  expect(text).toContain('continuo_model_tokens_total{model="other",kind="input"} 100\n');
  expect(text).toContain('continuo_model_cost_usd_total{model="other"} 25\n');
  expect(text).toContain('continuo_model_retries_total{model="other",code="rate_limited"} 1\n');
});

test('a number that cannot be counted is left out, and reporting it does not throw', async () => {
  const metrics = createMetrics({
    followers: () => 0,
    holding: () => 0,
    pod,
    load: () => Promise.reject(new Error('the database is away')),
  });
  const call = { model: 'compatible/x', ended: 'done', seconds: 1, cost: null };
  for (const input of [-1, Number.NaN, '12' as unknown as number])
    metrics.modelCalled({ ...call, usage: { input, output: 1 } });
  metrics.modelCalled({ ...call, usage: { input: 2 }, seconds: Number.NaN, cost: -1 });
  metrics.runStarted(Number.NaN);
  const text = await metrics.text();
  expect(text).toContain('continuo_model_calls_total{model="compatible/x",ended="done"} 4\n');
  // The others are told though the database is away.
  expect(text).toContain('continuo_queue_age_seconds Nan\n');
  expect(text).toContain('continuo_open_runs{state="running"} Nan\n');
});
