// The workspace's storage, and the state of the server.

import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { connection } from '../data/hints.ts';
import { keys } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { bytes, number } from '../ui/format.tsx';
import { CARD, Section } from './section.tsx';

export function Storage() {
  const workspace = useQuery({
    queryKey: [...keys.files, 'workspace'],
    queryFn: ({ signal }) => client.workspaces.get({ signal }),
    staleTime: 0,
  });
  return (
    <>
      <Section title="Storage" about="The files of the workspace, with all their versions." query={workspace}>
        {({ name, files, bytes: used, quota_bytes: quota }) => (
          <div className="rounded-xl border bg-raised px-4 py-3 text-sm">
            <p className="flex flex-wrap gap-x-3">
              <span className="font-medium">{name}</span>
              <span className="text-soft">{`${number(files)} ${files === 1 ? 'file' : 'files'}`}</span>
              <span className="ml-auto tabular-nums">{`${bytes(used)} of ${bytes(quota)}`}</span>
            </p>
            <div
              role="meter"
              aria-label="Storage used"
              aria-valuemin={0}
              aria-valuemax={quota}
              aria-valuenow={used}
              aria-valuetext={`${bytes(used)} of ${bytes(quota)}`}
              className="mt-2 h-2 overflow-hidden rounded-full bg-hover"
            >
              <div className="h-full bg-accent" style={{ width: `${(used / quota) * 100}%` }} />
            </div>
          </div>
        )}
      </Section>
      <Server />
    </>
  );
}

function Server() {
  // Fetched again when the connection changes.
  const state = useStore(connection);
  const query = useQuery({
    queryKey: ['ready', state],
    queryFn: ({ signal }) => ready(signal),
    staleTime: 0,
  });
  return (
    <Section title="Server" about="The state of the server." query={query}>
      {(rows) => (
        <dl className={CARD}>
          {rows.map(([name, value, ok]) => (
            <div key={name} className="flex gap-3 px-4 py-2">
              <dt className="w-28 shrink-0 text-soft">{name}</dt>
              <dd className={`min-w-0 break-words ${ok ? '' : 'text-bad'}`}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}

type ServerState = readonly (readonly [name: string, value: string, ok: boolean])[];

async function ready(signal: AbortSignal): Promise<ServerState> {
  try {
    const { database, migrations, pod, version } = await client.ready({ signal });
    return [
      ['Version', version, true],
      ['State', 'Ready', true],
      ['Database', `${database}, migrations ${migrations}`, true],
      ['Pod', pod, true],
    ];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    return [['State', 'Not ready; see the server’s log and /readyz', false]];
  }
}
