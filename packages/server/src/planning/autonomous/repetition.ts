// The watchdog's memory: whether a round left the files as an earlier round had left them. Pure.

import { versionKey, type End } from './agenda.ts';

/**
 * Whether all files that the rounds changed have the contents that they had after an earlier round. A round that changed entities is
 * always new. `hashes` has the contents by file and version.
 */
export function repeatsEarlierState(rounds: readonly End[], hashes: ReadonlyMap<string, string>): boolean {
  const states: string[] = [];
  const contents = new Map<string, string>();
  for (const { files = [], entities = [] } of rounds) {
    for (const { file, v } of files) contents.set(file, hashes.get(versionKey(file, v)) ?? `version ${v}`);
    // Contents of entities are not compared, so no state before such a round can count as repeated.
    if (entities.length > 0) states.length = 0;
    states.push(JSON.stringify([...contents].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }
  return states.slice(0, -1).includes(states.at(-1) ?? '');
}
