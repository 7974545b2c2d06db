// A part of the console whose file is loaded when somebody gets there. Where the server is away, the part says so and comes
// by itself once it is back; nothing else on the page is lost by that.

import { use, useEffect, useReducer, type ComponentType, type ReactNode } from 'react';
import { ConnectionError } from '@continuo/client';
import { client } from '../data/client.ts';
import { connection } from '../data/hints.ts';
import { Failure } from './states.tsx';

type Part<P> = ((props: P) => ReactNode) & { readonly preload: () => Promise<void> };

export function part<P extends object>(load: () => Promise<ComponentType<P>>): Part<P> {
  let loaded: ComponentType<P> | null = null;
  let loading: Promise<void> | null = null;
  let failures = 0;
  const attempt = async () => {
    // Browsers remember that a file could not be had, and do not ask again.
    if (connection.get() === 'lost') return;
    try {
      loaded = await load();
    } catch {
      failures += 1;
      if (failures > 1 && (await serverAnswers())) location.reload();
    }
  };
  const ask = () => (loading ??= attempt());
  /** Whoever goes there asks anew. */
  const preload = async () => {
    await loading;
    if (!loaded) loading = null;
    await ask();
  };
  const Loaded = (props: P) => {
    const [, again] = useReducer((tries: number) => tries + 1, 0);
    if (!loaded) use(ask());
    if (loaded) {
      const Component = loaded;
      return <Component {...props} />;
    }
    return (
      <NotThere
        retry={() => {
          loading = null;
          again();
        }}
      />
    );
  };
  return Object.assign(Loaded, { preload });
}

/** If it does, and a file of the page is not to be had, the page is of another build, or must be asked for anew. */
async function serverAnswers(): Promise<boolean> {
  try {
    await client.workspaces.get();
    return true;
  } catch (error) {
    return !(error instanceof ConnectionError);
  }
}

const AWAY = new ConnectionError('a part of the console could not be loaded');

/** When it is tried again though no connection was lost: nothing tells that a file can be had now. */
const AGAIN_MS = 3000;

function NotThere({ retry }: { readonly retry: () => void }) {
  useEffect(() => {
    let was = connection.get();
    const again = setTimeout(() => connection.get() === 'open' && retry(), AGAIN_MS);
    const forget = connection.subscribe(() => {
      const back = was === 'lost' && connection.get() === 'open';
      was = connection.get();
      if (back) retry();
    });
    return () => {
      clearTimeout(again);
      forget();
    };
  });
  return <Failure error={AWAY} retry={retry} heading="h1" />;
}
