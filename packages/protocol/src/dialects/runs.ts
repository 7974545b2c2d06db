// The `runs` dialect: one frame per event of a run, with the event's own type and data.

import type { Dialect } from './dialect.ts';

export const runs: Dialect<null> = {
  name: 'runs',
  initial: null,
  step: (_state, event) => [null, [{ event: event.type, data: event.data }]],
};
