// The keys with which sites read what the workspace has published.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AddForm, Problem, RemoveButton, ShownOnce } from '../automation/parts.tsx';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { keys } from '../data/queries.ts';
import { Labelled } from '../settings/labelled.tsx';
import { CARD, FIELD, Section } from '../settings/section.tsx';
import { When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';

const KEY = [...keys.files, 'read-keys'];

export function ReadKeys() {
  const cache = useQueryClient();
  const changed = () => cache.invalidateQueries({ queryKey: KEY });
  const [name, setName] = useState('');
  const [shown, setShown] = useState<string | null>(null);
  const { busy, problem, act } = useAction(changed);
  const query = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await client.readKeys.list({ signal })).items,
  });
  const add = async () => {
    const { key } = await client.readKeys.create(name);
    setShown(key);
    setName('');
    await changed();
  };
  return (
    <Section
      title="Keys for your site"
      about="With a key, a site or an app reads what you have published, and nothing else."
      query={query}
    >
      {(items) => (
        <>
          <ul className={CARD} aria-label="Keys for your site">
            {items.map((key) => (
              <li key={key.id} className="flex flex-wrap items-center gap-x-3 px-4 py-2.5">
                <span className="min-w-0 font-medium wrap-anywhere">
                  <Visible text={key.name} />
                </span>
                <span className="text-xs text-soft">
                  made <When at={key.created_at} />
                  {key.used_at === null ? (
                    ', never used'
                  ) : (
                    <>
                      , used <When at={key.used_at} />
                    </>
                  )}
                </span>
                <span className="ml-auto flex items-center gap-1">
                  <RemoveButton
                    name={key.name}
                    busy={busy}
                    remove={() => void act(() => client.readKeys.remove(key.id))}
                  />
                </span>
              </li>
            ))}
            {items.length === 0 && <li className="px-4 py-3 text-soft">No keys yet.</li>}
          </ul>
          <Problem text={problem} />
          {shown !== null && <ShownOnce secrets={[['Key', shown]]} close={() => setShown(null)} />}
          <AddForm what="key" add={add}>
            <Labelled label="Name" hint="Where the key is used, such as “Blog”.">
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
          </AddForm>
        </>
      )}
    </Section>
  );
}
