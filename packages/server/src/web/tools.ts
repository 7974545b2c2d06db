// The web tools that the settings switch on. A tool that is not configured does not exist.

import type { Outgoing } from '../outgoing/outgoing.ts';
import type { AnyTool } from '../tools/registry.ts';
import { createEngine } from './engines.ts';
import { searchTool } from './search.ts';
import { visitTool } from './visit.ts';

export interface WebSettings {
  readonly webVisit: boolean;
  /** `brave`, or the address of a SearXNG server. */
  readonly webSearch: string | undefined;
}

export function createWebTools(
  { webVisit, webSearch }: WebSettings,
  world: { readonly outgoing: Outgoing; readonly env: Readonly<Record<string, string | undefined>> },
): readonly AnyTool[] {
  return [
    ...(webVisit ? [visitTool(world.outgoing)] : []),
    ...(webSearch === undefined ? [] : [searchTool({ ...world, engine: createEngine(webSearch) })]),
  ];
}
