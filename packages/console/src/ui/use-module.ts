// A module that is loaded on demand. Until it is there, or if it cannot be loaded, the caller shows plain text.

import { useEffect, useReducer } from 'react';

export interface Module<T> {
  load(): Promise<void>;
  get(): T | null;
}

export function lazyModule<T>(importIt: () => Promise<T>): Module<T> {
  let loaded: T | null = null;
  let loading: Promise<void> | null = null;
  const start = async () => {
    try {
      loaded = await importIt();
    } catch (error) {
      // Tried again by the next part that needs the module.
      loading = null;
      throw error;
    }
  };
  return { load: () => (loading ??= start()), get: () => loaded };
}

/** Null until the module is loaded. */
export function useModule<T>(module: Module<T>, wanted = true): T | null {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const loaded = module.get();
  useEffect(() => {
    if (!wanted || loaded !== null) return;
    let here = true;
    // A server that does not respond has a banner of its own; the text stays readable.
    module.load().then(
      () => here && rerender(),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [module, wanted, loaded]);
  return wanted ? loaded : null;
}
