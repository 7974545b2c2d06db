// Content: publications whose time comes while this pod runs.

import type { Bus } from '../bus/bus.ts';
import { createPublisher } from '../content/scheduled.ts';
import type { Pool } from '../db/pool.ts';
import type { DueWork } from '../actors/due-work.ts';
import type { ServerOptions } from './options.ts';

interface ContentOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly onError: (error: Error) => void;
}

export function wireContent({ config, faults }: ServerOptions, options: ContentOptions): DueWork {
  return createPublisher({ ...options, faults, quotaBytes: config.workspaceBytes });
}
