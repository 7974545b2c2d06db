// What executors and the owners of their threads announce to each other on the bus.

import { defineTopic, oneField, type Bus, type Codec } from '../bus/bus.ts';

/** An assignment waits for an executor of this name. */
export const ASSIGNMENT_OFFERED = defineTopic('executors.offered', oneField('executor'));

interface AssignmentChange {
  /** `posted`: the executor claimed it or posted events, which the owner reads. `ended`: the executor must stop. */
  readonly what: 'posted' | 'ended';
  readonly key: string;
}

const change: Codec<AssignmentChange> = {
  encode: ({ what, key }) => `${what} ${key}`,
  decode: (text) => ({
    what: text.startsWith('ended') ? 'ended' : 'posted',
    key: text.slice(text.indexOf(' ') + 1),
  }),
};

export const ASSIGNMENT_CHANGED = defineTopic('executors.changed', change);

export interface AssignmentKey {
  readonly runId: string;
  readonly message: string;
}

export function keyOf({ runId, message }: AssignmentKey): string {
  return `${runId}:${message}`;
}

/** Calls back when one of many assignments changes; one subscription of the bus serves all of them. */
export class AssignmentWatch {
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(bus: Bus) {
    bus.subscribe(ASSIGNMENT_CHANGED, {
      message: (message) => this.#call(ASSIGNMENT_CHANGED.encode(message)),
      rescan: () => this.#listeners.forEach((_, listened) => this.#call(listened)),
    });
  }

  /** The returned function ends it. */
  on({ what, key }: AssignmentChange, listener: () => void): () => void {
    const listened = ASSIGNMENT_CHANGED.encode({ what, key });
    const listeners = this.#listeners.get(listened) ?? new Set();
    this.#listeners.set(listened, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(listened) === listeners)
        this.#listeners.delete(listened);
    };
  }

  #call(listened: string): void {
    for (const listener of this.#listeners.get(listened) ?? []) listener();
  }
}
