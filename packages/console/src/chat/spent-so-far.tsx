// What an open run and the runs that it started have used so far, of their limits.

import { useQuery } from '@tanstack/react-query';
import type { Turn } from '@continuo/protocol';
import { useParam } from '../app/router.tsx';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { useRun } from '../data/run-queries.ts';
import { useClock } from '../ui/clock.ts';
import { duration, money, number } from '../ui/format.tsx';

interface Meter {
  readonly name: string;
  readonly used: number;
  readonly limit: number | undefined;
  readonly format: (value: number) => string;
}

export function SpentSoFar({ turn }: { readonly turn: Turn }) {
  const chat = useParam('chat');
  const { data: run } = useRun(turn.run);
  const { data: spent } = useQuery({
    // A hint about any chat asks again: child runs have chats of their own.
    queryKey: [...keys.runs, 'spent', turn.run, turn.items.length],
    queryFn: async ({ signal }) =>
      (await client.chats.digest(chat, { after: Math.max(0, turn.firstSeq - 1) }, { signal })).usage,
    placeholderData: (before) => before,
  });
  const now = useClock(turn.startedAt !== null);
  if (!run || !spent) return null;
  const limits = run.limits ?? {};
  const meters: Meter[] = [
    {
      name: 'Time',
      used: turn.startedAt === null ? 0 : Math.max(0, now - Date.parse(turn.startedAt)),
      limit: limits.seconds === undefined ? undefined : limits.seconds * 1000,
      format: duration,
    },
    { name: 'Model calls', used: spent.model_calls, limit: limits.steps, format: number },
    { name: 'Tokens', used: spent.input + spent.output, limit: limits.tokens, format: number },
    ...(spent.cost !== null || limits.cost !== undefined
      ? [{ name: 'Cost', used: spent.cost ?? 0, limit: limits.cost, format: money }]
      : []),
  ];
  return (
    <section aria-label="Used so far" className="-mt-1">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-xs sm:grid-cols-4">
        {meters.map((meter) => (
          <MeterView key={meter.name} {...meter} />
        ))}
      </dl>
    </section>
  );
}

function MeterView({ name, used, limit, format }: Meter) {
  const share = limit === undefined ? 0 : Math.min(1, used / limit);
  return (
    <div className="min-w-0">
      <dt className="text-soft">{name}</dt>
      <dd className="tabular-nums">
        {format(used)}
        {limit !== undefined && <span className="text-soft"> of {format(limit)}</span>}
        {limit !== undefined && (
          <span className="mt-1 block h-1 overflow-hidden rounded-full bg-hover" aria-hidden="true">
            <span
              className={`block h-full rounded-full ${share > NEARLY ? 'bg-warn' : 'bg-accent'}`}
              style={{ width: `${share * 100}%` }}
            />
          </span>
        )}
      </dd>
    </div>
  );
}

const NEARLY = 0.8;
