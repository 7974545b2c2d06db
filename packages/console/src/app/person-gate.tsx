// Asks for the person's token when a request needs it.

import { Dialog } from 'radix-ui';
import { useEffect } from 'react';
import { dismissPersonGate, personGate, recheckPerson, storeToken } from '../data/person.ts';
import { useStore } from '../data/store.ts';
import { Button } from '../ui/button.tsx';
import { BOX, OVERLAY } from '../ui/confirm.tsx';
import { restoreFocus } from '../ui/focus.ts';
import { SecretForm } from './secret-form.tsx';

export function PersonGate() {
  const open = useStore(personGate) === 'asking';
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && dismissPersonGate()}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content className={BOX} onCloseAutoFocus={restoreFocus}>
          <AskForToken />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function AskForToken() {
  useEffect(() => {
    const recheck = () => void recheckPerson();
    window.addEventListener('focus', recheck);
    return () => window.removeEventListener('focus', recheck);
  }, []);
  return (
    <SecretForm
      label="Link or token"
      autoComplete="off"
      submit={(pasted) => storeToken(tokenIn(pasted))}
      dismiss={
        <Dialog.Close asChild>
          <Button>Not now</Button>
        </Dialog.Close>
      }
    >
      <Dialog.Title className="font-semibold">The person’s token is required</Dialog.Title>
      <Dialog.Description className="mt-1.5 text-sm text-soft">
        Open the link that the server printed when it started, or that{' '}
        <code className="font-mono text-[0.85em] whitespace-nowrap">continuo open</code> prints, or paste the
        link here. This browser then keeps the token.
      </Dialog.Description>
    </SecretForm>
  );
}

/** The token of a pasted link, or the pasted token itself. */
function tokenIn(pasted: string): string {
  return pasted.replace(/^.*#token=/, '');
}
