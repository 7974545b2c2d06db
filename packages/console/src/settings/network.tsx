// Agents' commands: why this server has none, if it has none, and the hosts that they may reach.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Code, FIELD, Section } from './section.tsx';

const QUERY_KEY = ['policy'];
type Policy = Awaited<ReturnType<typeof client.policies.get>>;

export function Network() {
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => client.policies.get({ signal }),
    staleTime: 0,
  });
  return (
    <Section
      title="Commands"
      about={
        <>
          Commands of agents have no network. A command that names hosts from this list may reach these, if
          the policy allows it or a person approves. One host per line: <Code>registry.npmjs.org</Code>,{' '}
          <Code>*.example.org</Code>, <Code>example.org:8443</Code>.
        </>
      }
      query={query}
    >
      {(policy) => (
        <>
          <Unusable />
          <Hosts key={policy.network.join()} policy={policy} />
        </>
      )}
    </Section>
  );
}

/** What to install or to change, if agents cannot run commands here. */
function Unusable() {
  const { data } = useQuery({
    queryKey: ['sandbox'],
    queryFn: ({ signal }) => client.executions.sandbox({ signal }),
  });
  if (!data || data.usable) return null;
  return (
    <p className="mb-3 rounded-lg bg-warn-wash px-3 py-2 text-sm wrap-anywhere text-warn">
      Agents cannot run commands on this server: {data.reason}. What to do: {data.remedy}.
    </p>
  );
}

function Hosts({ policy }: { readonly policy: Policy }) {
  const cache = useQueryClient();
  const problemId = useId();
  const [text, setText] = useState(policy.network.join('\n'));
  const { busy, problem, act } = useAction(() => cache.invalidateQueries({ queryKey: QUERY_KEY }));
  const hosts = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isChanged = hosts.join() !== policy.network.join();
  return (
    <form
      aria-label="Network of commands"
      onSubmit={(event) => {
        event.preventDefault();
        const { rules, version } = policy;
        void act(() => client.policies.set({ rules, version, network: hosts }));
      }}
    >
      <textarea
        aria-label="Hosts"
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : problemId}
        rows={Math.min(8, Math.max(3, hosts.length + 1))}
        value={text}
        placeholder="No hosts"
        onChange={(event) => setText(event.target.value)}
        className={`${FIELD} font-mono !text-[0.8125rem]`}
      />
      <div className="mt-2 flex items-center gap-2">
        <span
          id={problemId}
          role={problem === null ? undefined : 'alert'}
          className="mr-auto text-sm text-bad"
        >
          {problem}
        </span>
        <Button kind="primary" type="submit" disabled={!isChanged || busy}>
          Save hosts
        </Button>
      </div>
    </form>
  );
}
