// What a follower costs that waits and gets nothing.

import { pause } from '../measure/clock.ts';
import { bytes, median } from '../measure/numbers.ts';
import { continuoModel } from '../systems/continuo.ts';
import { startGatedRun } from './gated-run.ts';
import type { Line } from './line.ts';

export const idle: Line = {
  key: 'idle',
  measure: (stage) =>
    stage.withPods('idle', 1, async ([pod]) => {
      const { load, model } = stage;
      const count = stage.many(1000, 200);
      const run = await startGatedRun(pod!.url, continuoModel('fake-0-1-gated'), model);
      const order = { url: `${pod!.url}/api/runs/${run}/events`, count, mark: '\nid: ' };
      const memory = () => pod!.program.ask<NodeJS.MemoryUsage>('memory');
      const [heap, resident]: number[][] = [[], []];
      for (let round = 0; round < stage.options.rounds; round += 1) {
        const before = await memory();
        await load.ask('follow', order);
        await pause(1000);
        const after = await memory();
        heap!.push((after.heapUsed + after.external - before.heapUsed - before.external) / count);
        resident!.push((after.rss - before.rss) / count);
        await load.ask('leave');
        await pause(1000);
      }
      await model.ask('open');
      return [
        {
          key: 'idle-memory',
          line: `memory per idle follower (${count} of them)`,
          target: '–',
          measured: `${bytes(median(heap!))} in use; resident memory grew by ${bytes(resident![0]!)} each when they first came`,
          verdict: 'reported',
        },
      ];
    }),
};
