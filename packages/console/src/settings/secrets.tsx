// The secrets of the workspace: their names; store, replace, remove. No value is ever shown again.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { client } from '../data/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { Labelled } from './labelled.tsx';
import { CARD, Code, FIELD, Section } from './section.tsx';

const KEY = ['secrets'];

export function Secrets() {
  const cache = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const query = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await client.secrets.list({ signal })).items,
    staleTime: 0,
  });
  const act = async (action: () => Promise<unknown>): Promise<boolean> => {
    setProblem(null);
    try {
      await action();
      await cache.invalidateQueries({ queryKey: KEY });
      return true;
    } catch (error) {
      setProblem((error as Error).message);
      return false;
    }
  };
  return (
    <Section
      title="Secrets"
      about={
        <>
          Values that MCP servers and tools get by name, such as <Code>{'${secret:NAME}'}</Code> in a header.
          They are stored encrypted, and never shown again, to you or to a model.
        </>
      }
      query={query}
    >
      {(secrets) => (
        <>
          <ul className={CARD} aria-label="Secrets">
            {secrets.map(({ name, updated_at, readable }) => (
              <li key={name} className="flex flex-wrap items-center gap-x-3 px-4 py-2.5">
                <Code>{name}</Code>
                <span className="text-xs text-soft">
                  stored <When at={updated_at} />
                </span>
                {!readable && <span className="text-bad">Stored with another key: enter it again.</span>}
                <span className="ml-auto">
                  <IconButton
                    label={`Remove ${name}`}
                    onClick={() => void act(() => client.secrets.remove(name))}
                  >
                    <Trash2 />
                  </IconButton>
                </span>
              </li>
            ))}
            {secrets.length === 0 && <li className="px-4 py-3 text-soft">No secrets yet.</li>}
          </ul>
          <StoreSecret store={(name, value) => act(() => client.secrets.set(name, { value }))} />
          {problem && (
            <p role="alert" className="mt-2 break-words text-sm text-bad">
              {problem}
            </p>
          )}
        </>
      )}
    </Section>
  );
}

interface StoreSecretProps {
  readonly store: (name: string, value: string) => Promise<boolean>;
}

function StoreSecret({ store }: StoreSecretProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await store(name, value))) return;
    setName('');
    setValue('');
  };
  return (
    <form
      aria-label="Store a secret"
      onSubmit={(event) => void submit(event)}
      className="mt-3 grid items-end gap-3 text-sm sm:grid-cols-[1fr_2fr_auto]"
    >
      <Labelled label="Name">
        {(id) => (
          <input
            id={id}
            required
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
            className={`${FIELD} font-mono`}
          />
        )}
      </Labelled>
      <Labelled label="Value" hint="At least 8 characters.">
        {(id) => (
          <input
            id={id}
            required
            type="password"
            autoComplete="off"
            value={value}
            onChange={(event) => setValue(event.target.value)}
            className={FIELD}
          />
        )}
      </Labelled>
      <Button kind="primary" type="submit">
        Store
      </Button>
    </form>
  );
}
