// Asks for the API key, once per tab, if the server requires one.

import type { ReactNode } from 'react';
import { access, unlock } from '../data/client.ts';
import { queries } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { Logo } from './logo.tsx';
import { SecretForm } from './secret-form.tsx';

export function KeyGate({ children }: { readonly children: ReactNode }) {
  return useStore(access) === 'open' ? children : <AskForKey />;
}

function AskForKey() {
  const submit = async (key: string) => {
    if (!(await unlock(key))) return 'The server rejected this key.';
    void queries.invalidateQueries();
    return null;
  };
  return (
    <main className="grid h-full place-items-center bg-panel p-6">
      <SecretForm
        label="API key"
        autoComplete="current-password"
        submit={submit}
        className="w-full max-w-sm rounded-xl border bg-raised p-6 shadow-sm"
      >
        <Logo className="size-9" />
        <h1 className="mt-4 text-lg font-semibold">API key required</h1>
        <p className="mt-1 text-sm text-soft">
          Enter the value of <code className="font-mono text-[0.85em]">CONTINUO_API_KEY</code>. The key is
          kept for this tab only.
        </p>
      </SecretForm>
    </main>
  );
}
