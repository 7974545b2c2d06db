// The triggers of the workspace: addresses by which other programs start a chat.

import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { CARD, Section } from '../settings/section.tsx';
import { IconButton } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { AddForm, NameAndMessage, Problem, RemoveButton, ShownOnce, useChanged, useItems } from './parts.tsx';

type Trigger = Awaited<ReturnType<typeof client.triggers.get>>;
type Secrets = readonly (readonly [string, string])[];
type Show = (secrets: Secrets) => void;

export function Triggers() {
  const query = useItems('triggers', (signal) => client.triggers.list({ signal }));
  const [secrets, setSecrets] = useState<Secrets>([]);
  return (
    <Section
      title="Triggers"
      about="Addresses by which other programs start a chat. What they send reaches the agent as data from outside."
      query={query}
    >
      {(triggers) => (
        <>
          <ul className={CARD} aria-label="Triggers">
            {triggers.map((trigger) => (
              <Entry key={trigger.id} trigger={trigger} show={setSecrets} />
            ))}
            {triggers.length === 0 && <li className="px-4 py-3 text-soft">No triggers yet.</li>}
          </ul>
          {secrets.length > 0 && <ShownOnce secrets={secrets} close={() => setSecrets([])} />}
          <AddTrigger show={setSecrets} />
        </>
      )}
    </Section>
  );
}

function secretsOf({ path, secret }: { readonly path: string; readonly secret: string | null }): Secrets {
  const address = ['Address', new URL(path, location.href).href] as const;
  return secret === null ? [address] : [address, ['Signing secret', secret]];
}

function Entry({ trigger, show }: { readonly trigger: Trigger; readonly show: Show }) {
  const { id, name, message, signed, enabled, uses, used_at } = trigger;
  const { busy, problem, act } = useAction(useChanged());
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium wrap-anywhere">
          <Visible text={name} />
        </h3>
        <span className="text-xs text-soft">
          {enabled ? (signed ? 'Signed requests' : 'No signature needed') : 'Disabled'}
          {uses > 0 && ` · ${uses} started`}
          {used_at !== null && (
            <>
              , last <When at={used_at} />
            </>
          )}
        </span>
        <span className="ml-auto flex items-center gap-1">
          <IconButton
            label={`Replace the address of ${name}`}
            disabled={busy}
            onClick={() => void act(async () => show(secretsOf(await client.triggers.replaceToken(id))))}
          >
            <RotateCcw />
          </IconButton>
          <RemoveButton name={name} busy={busy} remove={() => void act(() => client.triggers.remove(id))} />
        </span>
      </div>
      <p className="line-clamp-2 text-soft wrap-anywhere">
        <Visible text={message} />
      </p>
      <Problem text={problem} />
    </li>
  );
}

function AddTrigger({ show }: { readonly show: Show }) {
  const changed = useChanged();
  const [name, setName] = useState('');
  const [message, setMessage] = useState('');
  const [signed, setSigned] = useState(false);
  const add = async () => {
    show(secretsOf(await client.triggers.create({ name, message, signed })));
    setName('');
    setMessage('');
    await changed();
  };
  return (
    <AddForm what="trigger" add={add}>
      <NameAndMessage
        name={name}
        setName={setName}
        message={message}
        setMessage={setMessage}
        hint="The message to the agent; the body of the request is added to it."
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="accent-accent"
          checked={signed}
          onChange={({ target }) => setSigned(target.checked)}
        />
        Requests must be signed (Standard Webhooks)
      </label>
    </AddForm>
  );
}
