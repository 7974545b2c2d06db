// Says what was removed, and restores it on request. It stays until it is dismissed.

import { Undo2, X } from 'lucide-react';
import { useState } from 'react';
import { createStore, useStore } from '../data/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Visible } from '../ui/visible.tsx';

interface Removal {
  readonly text: string;
  readonly restore: () => Promise<unknown>;
}

const removal = createStore<Removal | null>(null);

export function offerUndo(offered: Removal): void {
  removal.set(offered);
}

export function UndoBar() {
  const offered = useStore(removal);
  // Without `key`, the error of one would be shown for the next.
  return <div role="status">{offered && <Offered key={offered.text} offered={offered} />}</div>;
}

function Offered({ offered: { text, restore } }: { readonly offered: Removal }) {
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const undo = async () => {
    setState('busy');
    try {
      await restore();
      removal.set(null);
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t bg-panel px-4 py-2 text-sm">
      <span className="min-w-0 flex-1 wrap-anywhere">
        <Visible text={text} />
        {state instanceof Error && <span className="text-bad"> {state.message}</span>}
      </span>
      <Button disabled={state === 'busy'} onClick={() => void undo()}>
        <Undo2 className="size-4" aria-hidden="true" />
        Undo
      </Button>
      <IconButton label="Dismiss" onClick={() => removal.set(null)}>
        <X />
      </IconButton>
    </div>
  );
}
