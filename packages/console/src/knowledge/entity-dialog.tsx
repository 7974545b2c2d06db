// A dialog with the fields of a kind: for a new entity, or to rename a document.

import { Dialog } from 'radix-ui';
import { useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { BOX, OVERLAY, useAct } from '../ui/confirm.tsx';
import { restoreFocus } from '../ui/focus.ts';
import type { Fields, Kind } from './api.ts';
import { FieldInput, fieldsOf } from './fields.tsx';

interface EntityDialogProps {
  readonly kind: Kind;
  readonly title: string;
  readonly action: string;
  readonly initial?: Fields;
  readonly close: () => void;
  /** Gets the fields that differ from the initial ones. */
  readonly act: (fields: Fields) => Promise<void>;
}

export function EntityDialog({ kind, title, action, initial = {}, close, act }: EntityDialogProps) {
  const [changes, setChanges] = useState<Fields>({});
  const { problem, busy, run, leave } = useAct(() => act(changes), close);
  const named = { ...initial, ...changes }[kind.title_field];
  const ready = typeof named === 'string' && named.trim() !== '' && Object.keys(changes).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !busy) run();
  };
  return (
    <Dialog.Root open onOpenChange={leave}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content aria-describedby={undefined} className={BOX} onCloseAutoFocus={restoreFocus}>
          <Dialog.Title className="font-semibold wrap-anywhere">{title}</Dialog.Title>
          <form onSubmit={submit} className="mt-3 space-y-3">
            {fieldsOf(kind).map((field, index) => (
              <FieldInput
                key={field.name}
                field={field}
                value={{ ...initial, ...changes }[field.name]}
                change={(value) => setChanges({ ...changes, [field.name]: value })}
                required={index === 0}
                autoFocus={index === 0}
              />
            ))}
            {problem && (
              <p role="alert" className="text-sm text-bad">
                {problem}
              </p>
            )}
            <div className="flex justify-end gap-2 pt-2">
              <Button disabled={busy} onClick={leave}>
                Cancel
              </Button>
              <Button kind="primary" type="submit" disabled={busy || !ready}>
                {action}
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
