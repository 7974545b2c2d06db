// A part of the console whose module is loaded on demand. While the server does not respond, the part says so and loads
// by itself once the server is back; the rest of the page is not affected.

import { use, useEffect, useReducer, type ComponentType, type ReactNode } from 'react';
import { ConnectionError } from '@continuo/client';
import { client } from '../data/client.ts';
import { connection } from '../data/hints.ts';
import { Failure } from './states.tsx';

type Part<P> = ((props: P) => ReactNode) & { readonly preload: () => Promise<void> };

export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): Part<P> {
  let loaded: ComponentType<P> | null = null;
  let loading: Promise<void> | null = null;
  let failures = 0;
  const attempt = async () => {
    // Browsers cache a failed import and do not request it again.
    if (connection.get() === 'lost') return;
    try {
      loaded = await load();
    } catch {
      failures += 1;
      if (failures > 1 && (await serverAnswers())) location.reload();
    }
  };
  const loadOnce = () => (loading ??= attempt());
  /** Called on navigation: tries again if an earlier load failed. */
  const preload = async () => {
    await loading;
    if (!loaded) loading = null;
    await loadOnce();
  };
  const Loaded = (props: P) => {
    const [, rerender] = useReducer((tries: number) => tries + 1, 0);
    if (!loaded) use(loadOnce());
    if (loaded) {
      const Component = loaded;
      return <Component {...props} />;
    }
    return (
      <Unavailable
        retry={() => {
          loading = null;
          rerender();
        }}
      />
    );
  };
  return Object.assign(Loaded, { preload });
}

/** If the server responds but a module cannot be loaded, the page is from another build and must be reloaded. */
async function serverAnswers(): Promise<boolean> {
  try {
    await client.workspaces.get();
    return true;
  } catch (error) {
    return !(error instanceof ConnectionError);
  }
}

const LOAD_ERROR = new ConnectionError('a part of the console could not be loaded');

/** How soon a failed load is retried while the connection is open. */
const RETRY_MS = 3000;

function Unavailable({ retry }: { readonly retry: () => void }) {
  useEffect(() => {
    let previous = connection.get();
    const timer = setTimeout(() => connection.get() === 'open' && retry(), RETRY_MS);
    const unsubscribe = connection.subscribe(() => {
      const reconnected = previous === 'lost' && connection.get() === 'open';
      previous = connection.get();
      if (reconnected) retry();
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  });
  return <Failure error={LOAD_ERROR} retry={retry} heading="h1" />;
}
