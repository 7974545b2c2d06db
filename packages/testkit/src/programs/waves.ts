// A conductor for tests: the directive's waves of children, one after the other. Each child gets its script as its message.

import type { Conductor } from '@continuo/server/internals';

interface Waves {
  readonly waves: readonly (readonly object[])[];
}

export const waves: Conductor<Waves> = {
  read: async (_, { family }) => family!.directive as unknown as Waves,
  next: (run, { family }, { waves: all }) => {
    const ended = new Set((family!.ended ?? []).map((each) => each.run));
    const open = run.children.filter((child) => child.status === 'open' && !ended.has(child.run));
    if (open.length > 0) {
      const hasNews = run.children.some((child) => child.status === 'open' && ended.has(child.run));
      return hasNews ? { kind: 'act', events: [], spawn: [] } : { kind: 'wait' };
    }
    const begun = new Set(run.children.map(({ child }) => child.split('.')[0])).size;
    const wave = all[begun];
    if (!wave) return { kind: 'finish', events: [], changes: [] };
    const spawn = wave.map((_, index) => ({
      child: `${begun}.${index}`,
      title: `child ${begun}.${index}`,
      role: 'assistant',
    }));
    return { kind: 'act', events: [], spawn };
  },
  closing: async (_, run) => `${run.children.length} children`,
  message: async (_, __, { waves: all }, { child }) => {
    const [wave, index] = child.split('.').map(Number);
    return { text: JSON.stringify(all[wave!]![index!]) };
  },
};
