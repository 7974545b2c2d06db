// A run whose model waits at the gate: it has begun, and nothing comes of it yet.

import { pause } from '../measure/clock.ts';
import type { Program } from '../processes.ts';

const PATIENCE_MS = 10_000;

/** Resolves with the run's id when its model has been asked. */
export async function startGatedRun(base: string, model: string, fake: Program): Promise<string> {
  const thread = await post<{ id: string }>(`${base}/api/threads`, {});
  const { run } = await post<{ run: { id: string } }>(`${base}/api/threads/${thread.id}/messages`, {
    content: 'hello',
    model,
  });
  const until = performance.now() + PATIENCE_MS;
  while ((await fake.ask<number>('waiting')) === 0) {
    if (performance.now() > until) throw new Error('the model was not asked');
    await pause(20);
  }
  return run.id;
}

async function post<T>(url: string, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
