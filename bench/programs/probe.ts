// Loaded before the server's own main: answers questions about its memory and its time, and ends it when the
// benchmark is gone. Costs nothing while nobody asks.

import { Session } from 'node:inspector/promises';
import { selfTimes, type Profile } from '../measure/profile.ts';
import { reply } from './answer.ts';

let session: Session | null = null;

const operations = {
  memory: () => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage();
  },
  /** What keeps the process busy or awake. */
  resources: () => process.getActiveResourcesInfo(),
  profile: async () => {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  },
  profiled: async () => {
    const { profile } = await session!.post('Profiler.stop');
    session!.disconnect();
    return selfTimes(profile as Profile);
  },
};

process.on('message', (question) => void reply(question as Parameters<typeof reply>[0], operations));
process.on('disconnect', () => process.exit(1));
// The server ends when its work is done, and not when we are.
process.channel?.unref();
