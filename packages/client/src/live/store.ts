// A state that changes often and is published once per frame. It works only while it has listeners.

export interface Live<S> {
  /** Starts with the first listener and stops after the last; the state stays. */
  subscribe(this: void, listener: () => void): () => void;
  /** The same object until the state changes. */
  get(this: void): S;
}

export interface Work<S> {
  /** The current state. */
  readonly show: () => S;
  /** Runs until the signal aborts; calls `changed` whenever `show` would return something else. */
  readonly run: (signal: AbortSignal, changed: () => void) => Promise<void>;
}

export function createLive<S>({ show, run }: Work<S>): Live<S> {
  const listeners = new Set<() => void>();
  let shown = show();
  let working: AbortController | null = null;
  let waiting = false;
  const flush = () => {
    waiting = false;
    shown = show();
    for (const listener of listeners) listener();
  };
  const changed = () => {
    if (waiting) return;
    waiting = true;
    nextFrame(flush);
  };
  return {
    get: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      if (!working) {
        working = new AbortController();
        void run(working.signal, changed);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        working?.abort();
        working = null;
      };
    },
  };
}

/** How often the state of a hidden tab is published. */
const HIDDEN_MS = 250;
const FRAME_MS = 16;

/** A hidden tab gets no animation frames. */
function nextFrame(flush: () => void): void {
  const visible = globalThis.document?.visibilityState === 'visible';
  if (visible) requestAnimationFrame(flush);
  else setTimeout(flush, globalThis.document ? HIDDEN_MS : FRAME_MS);
}
