// What a server is started with, and what the parts of it that are wired first may ask of the pod, which is wired last.

import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Faults } from '../faults.ts';
import type { AccessKey } from '../identity/principal.ts';
import type { Kind } from '../knowledge/kind.ts';
import type { Conductors } from '../runs/children/conductor.ts';
import type { AnyTool } from '../tools/registry.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly log: Logger;
  /** The providers' keys and addresses, under their usual names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Besides the built-in ones. */
  readonly tools?: readonly AnyTool[];
  /** Kinds of entities besides the built-in ones. */
  readonly kinds?: readonly Kind[];
  /** What decides about runs with a directive of that mode, besides the built-in modes. */
  readonly conductors?: Conductors;
  readonly faults?: Faults;
  /** Keys besides the API key; each may be for one workspace alone. */
  readonly keys?: readonly AccessKey[];
}

export interface PodStatus {
  /** No other pod uses the database. */
  readonly alone: () => boolean;
  /** How many threads the pod holds. */
  readonly holding: () => number;
}

/** How long a step may continue after the server was told to stop, and a tool after its run was canceled. */
export const GRACE_MS = 10_000;
