// Something that changes all the time and is looked at once per frame. It is at work only while somebody looks.

export interface Live<S> {
  /** Begins with the first listener and rests after the last; what is known stays. */
  subscribe(this: void, listener: () => void): () => void;
  /** The same object until something changed. */
  get(this: void): S;
}

export interface Work<S> {
  /** What is to be shown now. */
  readonly show: () => S;
  /** Runs until the signal aborts; says `changed` whenever `show` would give something else. */
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

/** How often what nobody can see is brought up to date. */
const HIDDEN_MS = 250;
const FRAME_MS = 16;

/** A tab in the background gets no frames. */
function nextFrame(flush: () => void): void {
  const visible = globalThis.document?.visibilityState === 'visible';
  if (visible) requestAnimationFrame(flush);
  else setTimeout(flush, globalThis.document ? HIDDEN_MS : FRAME_MS);
}
