// What operators watch stays small, whatever requests name.

import { expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics.ts';

test('the first hundred models have a label of their own, and all others one together', async () => {
  const metrics = createMetrics({
    followers: () => 0,
    holding: () => 0,
    queueAgeSeconds: () => Promise.resolve(0),
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
