// Parts that the lists of schedules, webhooks and triggers share.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { keys } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Labelled } from '../settings/labelled.tsx';
import { Code, FIELD } from '../settings/section.tsx';

/** One of the lists, read again when a hint says so. */
export function useItems<Item>(
  name: string,
  read: (signal: AbortSignal) => Promise<{ readonly items: readonly Item[] }>,
) {
  return useQuery({
    queryKey: [...keys.automation, name],
    queryFn: async ({ signal }) => (await read(signal)).items,
    staleTime: 0,
  });
}

export function useChanged(): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: keys.automation });
}

export function Problem({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" className="mt-1 text-sm break-words text-bad">
      {text}
    </p>
  );
}

/** A button that asks once more before it removes something. */
export function RemoveButton({
  name,
  busy,
  remove,
}: {
  readonly name: string;
  readonly busy: boolean;
  readonly remove: () => void;
}) {
  const [sure, setSure] = useState<'no' | 'yes' | 'kept'>('no');
  if (sure !== 'yes')
    return (
      <IconButton label={`Remove ${name}…`} autoFocus={sure === 'kept'} onClick={() => setSure('yes')}>
        <Trash2 />
      </IconButton>
    );
  return (
    <>
      <Button kind="danger" disabled={busy} autoFocus onClick={remove}>
        Remove
      </Button>
      <Button onClick={() => setSure('kept')}>Keep</Button>
    </>
  );
}

/** Secrets that the server shows once. */
export function ShownOnce({
  secrets,
  close,
}: {
  readonly secrets: readonly (readonly [label: string, value: string])[];
  readonly close: () => void;
}) {
  return (
    <div role="status" className="mt-3 rounded-xl border border-warn/50 bg-warn-wash p-4 text-sm">
      <p className="font-medium">Copy this now. It is not shown again.</p>
      <dl className="mt-2 space-y-2">
        {secrets.map(([label, value]) => (
          <div key={label}>
            <dt className="text-xs text-soft">{label}</dt>
            <dd className="flex items-center gap-1">
              <Code>{value}</Code>
              <CopyButton text={value} what={label.toLowerCase()} />
            </dd>
          </div>
        ))}
      </dl>
      <Button className="mt-3" onClick={close}>
        I have copied it
      </Button>
    </div>
  );
}

interface AddFormProps {
  readonly what: string;
  readonly add: () => Promise<void>;
  readonly children: ReactNode;
}

/** A button that opens a form; the form closes when its thing is added. */
export function AddForm({ what, add, children }: AddFormProps) {
  const [state, setState] = useState<'closed' | 'left' | 'open' | 'busy'>('closed');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (state === 'busy') return;
    setState('busy');
    setProblem(null);
    try {
      await add();
      setState('left');
    } catch (error) {
      setProblem((error as Error).message);
      setState('open');
    }
  };
  if (state === 'closed' || state === 'left')
    return (
      <Button className="mt-3" autoFocus={state === 'left'} onClick={() => setState('open')}>
        <Plus className="size-4" aria-hidden="true" /> Add a {what}
      </Button>
    );
  return (
    <form
      aria-label={`Add a ${what}`}
      onSubmit={(event) => void submit(event)}
      className="mt-3 grid gap-3 rounded-xl border bg-raised p-4 text-sm"
    >
      {children}
      <Problem text={problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={() => setState('left')}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={state === 'busy'}>
          {state === 'busy' ? 'Adding…' : 'Add'}
        </Button>
      </div>
    </form>
  );
}

interface NameAndMessageProps {
  readonly name: string;
  readonly setName: (name: string) => void;
  /** Null: there is none. */
  readonly message: string | null;
  readonly setMessage: (message: string) => void;
  readonly hint: string;
}

/** The first fields of a new schedule or trigger. */
export function NameAndMessage({ name, setName, message, setMessage, hint }: NameAndMessageProps) {
  return (
    <>
      <Labelled label="Name">
        {(id) => (
          <input
            id={id}
            required
            autoFocus
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            className={FIELD}
          />
        )}
      </Labelled>
      {message !== null && (
        <Labelled label="Message" hint={hint}>
          {(id) => (
            <textarea
              id={id}
              required
              rows={3}
              value={message}
              onChange={(event) => setMessage(event.target.value)}
              className={FIELD}
            />
          )}
        </Labelled>
      )}
    </>
  );
}
