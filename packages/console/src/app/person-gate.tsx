// Asks for the person's token, where something needs it.

import { Dialog } from 'radix-ui';
import { useEffect, useState, type FormEvent } from 'react';
import { giveUp, keepToken, lookAgain, personGate } from '../data/person.ts';
import { useStore } from '../data/store.ts';
import { Button } from '../ui/button.tsx';
import { BOX, OVERLAY } from '../ui/confirm.tsx';
import { focusBack } from '../ui/focus.ts';

export function PersonGate() {
  const open = useStore(personGate) === 'asking';
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && giveUp()}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content className={BOX} onCloseAutoFocus={focusBack}>
          <AskForToken />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function AskForToken() {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const look = () => void lookAgain();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      setProblem(await keepToken(tokenIn(token)));
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Dialog.Title className="font-semibold">This needs you</Dialog.Title>
      <Dialog.Description className="mt-1.5 text-sm text-soft">
        Open the link that the server printed when it started, or that{' '}
        <code className="font-mono text-[0.85em] whitespace-nowrap">continuo open</code> prints, or paste it
        here. This browser then keeps it.
      </Dialog.Description>
      <label className="mt-4 block text-sm font-medium" htmlFor="person-token">
        Link or token
      </label>
      <input
        id="person-token"
        type="password"
        autoComplete="off"
        autoFocus
        required
        value={token}
        onChange={(event) => setToken(event.target.value)}
        aria-describedby={problem ? 'person-token-problem' : undefined}
        aria-invalid={problem !== null}
        className="mt-1.5 w-full rounded-lg border border-strong bg-page px-3 py-2 font-mono text-sm"
      />
      {problem && (
        <p id="person-token-problem" role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Dialog.Close asChild>
          <Button>Not now</Button>
        </Dialog.Close>
        <Button kind="primary" type="submit" disabled={busy}>
          {busy ? 'Asking…' : 'Continue'}
        </Button>
      </div>
    </form>
  );
}

/** People paste the link or the token alone. */
function tokenIn(given: string): string {
  return given.trim().replace(/^.*#token=/, '');
}
