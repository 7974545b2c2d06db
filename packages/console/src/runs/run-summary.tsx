// The figures of a run.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { foldView } from '@continuo/protocol';
import type { Run } from '../data/run-queries.ts';
import { useClock } from '../ui/clock.ts';
import { between, duration, money, number, When } from '../ui/format.tsx';
import type { RunLog } from './log.ts';

export function RunSummary({ run, log }: { readonly run: Run; readonly log: RunLog }) {
  const { usage, cost, attempts, starts } = used(run, log);
  const now = useClock(run.ended_at === null);
  return (
    <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:flex sm:flex-wrap sm:gap-x-8">
      <Figure name="Model">{run.model}</Figure>
      <Figure name="Role">{run.role}</Figure>
      <Figure name={starts ? 'Tokens of all runs' : 'Tokens'}>
        {usage ? `${number(usage.input)} in, ${number(usage.output)} out` : '–'}
      </Figure>
      <Figure name={starts ? 'Cost of all runs' : 'Cost'}>{cost === null ? 'Unknown' : money(cost)}</Figure>
      <Figure name="Queued">
        <When at={run.queued_at} />
      </Figure>
      <Figure name="Total time">
        {between(run.queued_at, run.ended_at) ?? `${duration(now - Date.parse(run.queued_at))}…`}
      </Figure>
      {attempts > 1 && <Figure name="Attempts">{attempts}</Figure>}
      {run.parent_run !== null && <RunLink name="Part of" id={run.parent_run} words="another run" />}
      {run.retry_of !== null && <RunLink name="Retry of" id={run.retry_of} words="an earlier run" />}
      {run.steered_into !== null && <RunLink name="Steered into" id={run.steered_into} words="another run" />}
      {run.blocked_by !== null && (
        <RunLink name="Waiting for" id={run.blocked_by} words="the run before it" />
      )}
    </dl>
  );
}

export function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="break-words tabular-nums">{children}</dd>
    </div>
  );
}

function RunLink({
  name,
  id,
  words,
}: {
  readonly name: string;
  readonly id: string;
  readonly words: string;
}) {
  return (
    <Figure name={name}>
      <Link
        to="/runs/$run"
        params={{ run: id }}
        className="underline decoration-line underline-offset-4 hover:decoration-current"
      >
        {words}
      </Link>
    </Figure>
  );
}

/** For an open run, the sums so far from its log. With the child runs that have ended. */
function used(run: Run, { events }: RunLog) {
  const steps = events.filter(({ type }) => type !== 'token' && type !== 'reasoning');
  const turn = foldView(steps).turns[0];
  const children = turn?.items.filter((item) => item.kind === 'child') ?? [];
  const own = run.usage ?? turn?.usage ?? { input: 0, output: 0 };
  const usages = [own, ...children.flatMap(({ usage }) => usage ?? [])];
  const input = usages.reduce((sum, usage) => sum + usage.input, 0);
  const output = usages.reduce((sum, usage) => sum + usage.output, 0);
  const costs = [run.cost ?? turn?.cost ?? null, ...children.map(({ cost }) => cost)].filter(
    (cost) => cost !== null,
  );
  return {
    usage: input + output > 0 || run.usage !== null ? { input, output } : null,
    cost: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    attempts: (turn?.takeovers ?? 0) + 1,
    starts: children.length > 0,
  };
}
