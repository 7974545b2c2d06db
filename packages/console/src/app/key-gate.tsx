// Asks for the server's API key, where it wants one, once per tab.

import { useState, type FormEvent, type ReactNode } from 'react';
import { access, unlock } from '../data/client.ts';
import { queries } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { Button } from '../ui/button.tsx';
import { Mark } from './mark.tsx';

export function KeyGate({ children }: { readonly children: ReactNode }) {
  return useStore(access) === 'open' ? children : <AskForKey />;
}

function AskForKey() {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      if (await unlock(key.trim())) void queries.invalidateQueries();
      else setProblem('The server does not take this key.');
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="grid h-full place-items-center bg-panel p-6">
      <form
        onSubmit={(event) => void submit(event)}
        className="w-full max-w-sm rounded-xl border bg-raised p-6 shadow-sm"
      >
        <Mark className="size-9" />
        <h1 className="mt-4 text-lg font-semibold">This server wants its key</h1>
        <p className="mt-1 text-sm text-soft">
          It is the value of <code className="font-mono text-[0.85em]">CONTINUO_API_KEY</code>. It is kept for
          this tab only.
        </p>
        <label className="mt-5 block text-sm font-medium" htmlFor="key">
          API key
        </label>
        <input
          id="key"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-describedby={problem ? 'key-problem' : undefined}
          aria-invalid={problem !== null}
          className="mt-1.5 w-full rounded-lg border border-strong bg-page px-3 py-2 font-mono text-sm"
        />
        {problem && (
          <p id="key-problem" role="alert" className="mt-2 text-sm text-bad">
            {problem}
          </p>
        )}
        <Button kind="primary" type="submit" disabled={busy} className="mt-4 w-full justify-center">
          {busy ? 'Asking…' : 'Continue'}
        </Button>
      </form>
    </main>
  );
}
