// The webhooks of the workspace, and their dead letters, which can be sent again.

import { Link } from '@tanstack/react-router';
import { RotateCcw, Send } from 'lucide-react';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { Labelled } from '../settings/labelled.tsx';
import { CARD, Code, FIELD, Section } from '../settings/section.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { AddForm, Problem, RemoveButton, ShownOnce, useChanged, useItems } from './parts.tsx';

type Webhook = Awaited<ReturnType<typeof client.webhooks.get>>;
type Event = Webhook['events'][number];

const EVENTS: readonly (readonly [Event, string])[] = [
  ['run.ended', 'A run has ended'],
  ['approval.waiting', 'An approval is waiting'],
  ['plan.waiting', 'A plan waits for its approval'],
  ['plan.ended', 'The run of a plan has ended'],
  ['content.published', 'Content is published'],
  ['content.unpublished', 'Content is unpublished'],
];

export function Webhooks() {
  const query = useItems('webhooks', (signal) => client.webhooks.list({ signal }));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title="Webhooks"
      about="Addresses that receive a signed message about each event (Standard Webhooks)."
      query={query}
    >
      {(webhooks) => (
        <>
          <ul className={CARD} aria-label="Webhooks">
            {webhooks.map((webhook) => (
              <Entry key={webhook.id} webhook={webhook} showSecret={setSecret} />
            ))}
            {webhooks.length === 0 && <li className="px-4 py-3 text-soft">No webhooks yet.</li>}
          </ul>
          {secret !== null && (
            <ShownOnce secrets={[['Signing secret', secret]]} close={() => setSecret(null)} />
          )}
          <AddWebhook showSecret={setSecret} />
        </>
      )}
    </Section>
  );
}

interface EntryProps {
  readonly webhook: Webhook;
  readonly showSecret: (secret: string) => void;
}

function Entry({ webhook, showSecret }: EntryProps) {
  const { id, url, events, plan_id, enabled, waiting, dead } = webhook;
  const { busy, problem, act } = useAction(useChanged());
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0">
          <Code>{url}</Code>
        </h3>
        {!enabled && <span className="text-xs text-soft">Disabled</span>}
        <span className="ml-auto flex items-center gap-1">
          <Button
            disabled={busy}
            onClick={() =>
              void act(() => client.webhooks.change(id, { url, events, plan_id, enabled: !enabled }))
            }
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <IconButton
            label={`Replace the secret of ${url}`}
            disabled={busy}
            onClick={() => void act(async () => showSecret((await client.webhooks.replaceSecret(id)).secret))}
          >
            <RotateCcw />
          </IconButton>
          <RemoveButton name={url} busy={busy} remove={() => void act(() => client.webhooks.remove(id))} />
        </span>
      </div>
      <p className="text-xs text-soft">
        {EVENTS.filter(([event]) => events.includes(event))
          .map(([, words]) => words)
          .join(', ')}
        {plan_id !== null && (
          <>
            {' · of '}
            <Link to="/plans/$plan" params={{ plan: plan_id }} className="underline">
              one plan
            </Link>
          </>
        )}
        {waiting > 0 && ` · ${waiting} waiting`}
      </p>
      <Problem text={problem} />
      {dead > 0 && <DeadLetters webhook={webhook} />}
    </li>
  );
}

function DeadLetters({ webhook: { id, url, dead } }: { readonly webhook: Webhook }) {
  const query = useItems(`dead ${id}`, (signal) =>
    client.webhooks.messages(id, { state: 'dead', limit: 20 }, { signal }),
  );
  const { busy, problem, act } = useAction(useChanged());
  return (
    <div className="mt-1 text-xs">
      <p className="text-bad">{dead === 1 ? '1 dead letter' : `${dead} dead letters`}</p>
      <ul aria-label={`Dead letters of ${url}`} className="mt-1 space-y-1 border-l-2 pl-3">
        {query.data?.map(({ id: message, event, created_at, attempts, error }) => (
          <li key={message} className="flex flex-wrap items-center gap-2">
            <When at={created_at} className="text-soft" />
            <Code>{event}</Code>
            <span className="min-w-0 flex-1 basis-56 wrap-anywhere">
              {error} ({attempts === 1 ? '1 attempt' : `${attempts} attempts`})
            </span>
            <Button disabled={busy} onClick={() => void act(() => client.webhooks.sendAgain(id, message))}>
              <Send className="size-3.5" aria-hidden="true" /> Send again
            </Button>
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </div>
  );
}

function AddWebhook({ showSecret }: Pick<EntryProps, 'showSecret'>) {
  const changed = useChanged();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly Event[]>(EVENTS.map(([event]) => event));
  const add = async () => {
    const { secret } = await client.webhooks.create({ url, events: [...events] });
    showSecret(secret);
    setUrl('');
    await changed();
  };
  return (
    <AddForm what="webhook" add={add}>
      <Labelled label="URL" hint="Gets a POST for each event.">
        {(id) => (
          <input
            id={id}
            required
            autoFocus
            type="url"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            className={`${FIELD} font-mono`}
          />
        )}
      </Labelled>
      <fieldset className="flex flex-wrap gap-4">
        <legend className="sr-only">Events</legend>
        {EVENTS.map(([event, words]) => (
          <label key={event} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="accent-accent"
              checked={events.includes(event)}
              onChange={({ target }) =>
                setEvents(target.checked ? [...events, event] : events.filter((each) => each !== event))
              }
            />
            {words}
          </label>
        ))}
      </fieldset>
    </AddForm>
  );
}
