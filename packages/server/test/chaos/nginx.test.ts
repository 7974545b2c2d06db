// The same followers, with an nginx in between.

import { expect, onTestFinished, test } from 'vitest';
import { createThread, follow, followToEnd, send } from '@continuo/testkit';
import { findNginx, freshDatabase, startNginx, startPod } from '@continuo/testkit/fixtures';
import { followInPieces } from './support/pieces.ts';
import { storedFrames } from './support/whole.ts';

const nginx = await findNginx();
const missing = 'why' in nginx;
const because = missing ? ` (skipped: ${nginx.why})` : '';

test.skipIf(missing)(
  `RUN-7 through nginx, a follower that is cut after every 25 events sees each once and in order${because}`,
  async () => {
    if (missing) return;
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const start = () => startPod({ databaseUrl: database.url, armable: true });
    const pods = await Promise.all([start(), start()]);
    onTestFinished(async () => void (await Promise.all(pods.map((pod) => pod.end()))));
    const direct = pods.map((pod) => pod.url);
    const proxy = await startNginx(nginx.program, direct);
    onTestFinished(() => proxy.end());
    const through = direct.map((_, index) => `${proxy.url}/${index}`);

    const thread = await createThread(through[0]!);
    const run = await send(through[0]!, thread, {
      steps: [
        {
          reasoning: 'first a thought',
          tokens: 150,
          delay_ms: 2,
          calls: [{ tool: 'pure', input: { note: 'x' } }],
        },
        { tokens: 150, delay_ms: 2 },
      ],
    });
    const [whole, proxied, cut, alternating] = await Promise.all([
      followToEnd(() => [direct[0]!], run.id),
      followToEnd(() => [through[1]!], run.id),
      followInPieces([through[0]!], run.id),
      followInPieces([through[1]!, direct[0]!, through[0]!], run.id),
    ]);
    const bytes = whole.map((frame) => frame.raw);
    expect(bytes).toEqual(await storedFrames(database.pool, run.id));
    expect(proxied.map((frame) => frame.raw)).toEqual(bytes);
    for (const { frames, cuts } of [cut, alternating]) {
      expect(cuts).toBeGreaterThanOrEqual(12);
      expect(frames.map((frame) => frame.raw)).toEqual(bytes);
    }
    const answer = await fetch(`${through[0]}/api/runs/${run.id}/events`);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toBe(bytes.join(''));
    const { frames } = await followInPieces(through, run.id);
    expect(frames.map((frame) => frame.raw)).toEqual(bytes);

    // Nothing is kept back: what was said is here although the model never says another word.
    const hanging = await send(through[0]!, thread, { steps: [{ text: 'one two three', hang: true }] });
    let said = '';
    for await (const frame of follow(through[1]!, hanging.id)) {
      if (frame.event === 'token') said += String(frame.data.text);
      if (said === 'one two three') break;
    }
    expect(said).toBe('one two three');
  },
);
