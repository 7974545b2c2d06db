// A dialog that asks for the path of a file.

import { Dialog } from 'radix-ui';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { BOX, OVERLAY, useAct } from '../ui/confirm.tsx';
import { restoreFocus } from '../ui/focus.ts';

interface PathDialogProps {
  readonly open: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly action: string;
  readonly initial: string;
  readonly act: (path: string) => Promise<void>;
}

export function PathDialog(props: PathDialogProps) {
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ close, title, action, initial, act }: PathDialogProps) {
  const [path, setPath] = useState(initial);
  const wanted = path.trim().startsWith('/') ? path.trim() : `/${path.trim()}`;
  const { problem, busy, run, leave } = useAct(() => act(wanted), close);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog.Root open onOpenChange={leave}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content aria-describedby={undefined} className={BOX} onCloseAutoFocus={restoreFocus}>
          <Dialog.Title className="font-semibold">{title}</Dialog.Title>
          <form onSubmit={submit}>
            <label htmlFor={id} className="mt-3 block text-sm font-medium">
              Path
            </label>
            <input
              id={id}
              autoFocus
              spellCheck={false}
              autoComplete="off"
              value={path}
              onChange={(event) => setPath(event.target.value)}
              onFocus={(event) => selectName(event.target)}
              aria-invalid={problem !== null}
              className="mt-1.5 w-full rounded-lg border border-strong bg-page px-3 py-2 font-mono text-sm"
            />
            <p className="mt-1.5 text-xs text-soft">Folders above it are created as needed.</p>
            {problem && (
              <p role="alert" className="mt-2 text-sm text-bad">
                {problem}
              </p>
            )}
            <div className="mt-5 flex justify-end gap-2">
              <Button disabled={busy} onClick={leave}>
                Cancel
              </Button>
              <Button kind="primary" type="submit" disabled={busy || wanted === '/' || wanted === initial}>
                {action}
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Selects the name without its extension. */
function selectName(field: HTMLInputElement): void {
  const start = field.value.lastIndexOf('/') + 1;
  const dot = field.value.lastIndexOf('.');
  field.setSelectionRange(start, dot > start ? dot : field.value.length);
}
