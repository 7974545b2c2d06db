// An item of the agent state: something provisional, which people edit, resolve and discard.

import { Check, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { useAct } from '../ui/confirm.tsx';
import { Select } from '../ui/select.tsx';
import { Visible } from '../ui/visible.tsx';
import type { Change, Item } from './queries.ts';

const KINDS = [
  ['task', 'Task'],
  ['doc', 'Document'],
  ['note', 'Note'],
  ['idea', 'Idea'],
  ['question', 'Question'],
] as const satisfies readonly (readonly [Item['kind'], string])[];

interface Fields {
  readonly kind: Item['kind'];
  readonly title: string;
  readonly details: string;
}

export function ItemRow({ item, change }: { readonly item: Item; readonly change: Change }) {
  const [editing, setEditing] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { id, kind, title, details, status } = item;
  const set = (next: Item['status']) => {
    setProblem(null);
    const update =
      next === 'discarded'
        ? ({ op: 'remove', id } as const)
        : ({ op: 'update', id, patch: { status: next } } as const);
    change({ agent_state_item_updates: [update] }).catch((error: Error) => setProblem(error.message));
  };
  if (editing)
    return (
      <li>
        <ItemForm
          action="Save"
          initial={{ kind, title, details: details ?? '' }}
          close={() => setEditing(false)}
          save={(patch) => change({ agent_state_item_updates: [{ op: 'update', id, patch }] })}
        />
      </li>
    );
  const word = KINDS.find(([each]) => each === kind)?.[1] ?? kind;
  return (
    <li className="rounded-lg border bg-raised px-3 py-2">
      <div className="flex items-start gap-1">
        <p className={`min-w-0 flex-1 wrap-anywhere ${status === 'active' ? '' : 'text-soft'}`}>
          <span className="mr-1.5 text-xs text-soft">{word}</span>
          <Visible text={title} />
          {status !== 'active' && <span className="text-xs"> ({status})</span>}
        </p>
        <span className="-mt-1 -mr-2 flex shrink-0">
          {status === 'active' ? (
            <>
              <Small label={`Edit ${title}`} act={() => setEditing(true)}>
                <Pencil />
              </Small>
              <Small label={`Resolve ${title}`} act={() => set('resolved')}>
                <Check />
              </Small>
              <Small label={`Discard ${title}`} act={() => set('discarded')}>
                <Trash2 />
              </Small>
            </>
          ) : (
            <Small label={`Reopen ${title}`} act={() => set('active')}>
              <RotateCcw />
            </Small>
          )}
        </span>
      </div>
      {details !== undefined && details !== '' && (
        <p className="mt-0.5 text-xs whitespace-pre-wrap text-soft wrap-anywhere">
          <Visible text={details} />
        </p>
      )}
      {problem && (
        <p role="alert" className="mt-1 text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}

function Small({
  label,
  act,
  children,
}: {
  readonly label: string;
  readonly act: () => void;
  readonly children: ReactNode;
}) {
  return (
    <IconButton label={label} onClick={act} className="!size-7 [&>svg]:!size-3.5">
      {children}
    </IconButton>
  );
}

const FIELD = 'w-full rounded-lg border border-strong/60 bg-page px-3 py-1.5 text-sm';

export function ItemForm({
  action,
  initial = { kind: 'note', title: '', details: '' },
  close,
  save,
}: {
  readonly action: string;
  readonly initial?: Fields;
  readonly close: () => void;
  readonly save: (fields: Fields) => Promise<void>;
}) {
  const [fields, setFields] = useState(initial);
  const title = fields.title.trim();
  const { problem, busy, run, leave } = useAct(() => save({ ...fields, title }), close);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (title !== '' && !busy) run();
  };
  return (
    <form
      aria-label={`${action} item`}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        leave();
      }}
      className="mt-1 mb-2 space-y-2 rounded-lg border bg-raised p-3"
    >
      <Select
        label="Kind"
        value={fields.kind}
        choose={(kind) => setFields({ ...fields, kind: kind as Item['kind'] })}
        choices={KINDS}
      />
      <input
        aria-label="Title"
        placeholder="Title"
        maxLength={200}
        autoFocus
        value={fields.title}
        onChange={(event) => setFields({ ...fields, title: event.target.value })}
        className={FIELD}
      />
      <textarea
        aria-label="Details"
        placeholder="Details"
        maxLength={4000}
        rows={2}
        value={fields.details}
        onChange={(event) => setFields({ ...fields, details: event.target.value })}
        className={`${FIELD} field-sizing-content max-h-40 resize-none`}
      />
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button className="!px-2 !py-1 !text-xs" disabled={busy} onClick={leave}>
          Cancel
        </Button>
        <Button kind="primary" type="submit" className="!px-2 !py-1 !text-xs" disabled={busy || title === ''}>
          {action}
        </Button>
      </div>
    </form>
  );
}
