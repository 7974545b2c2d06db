// The figures of a run.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { foldView } from '@continuo/protocol';
import type { Run } from '../data/run-queries.ts';
import { between, money, number, When } from '../ui/format.tsx';
import type { RunLog } from './log.ts';

export function RunSummary({ run, log }: { readonly run: Run; readonly log: RunLog }) {
  const { usage, cost, attempts } = used(run, log);
  return (
    <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:flex sm:flex-wrap sm:gap-x-8">
      <Figure name="Model">{run.model}</Figure>
      <Figure name="Role">{run.role}</Figure>
      <Figure name="Tokens">{usage ? `${number(usage.input)} in, ${number(usage.output)} out` : '–'}</Figure>
      <Figure name="Cost">{cost === null ? 'Unknown' : money(cost)}</Figure>
      <Figure name="Queued">
        <When at={run.queued_at} />
      </Figure>
      {run.ended_at !== null && <Figure name="Took">{between(run.started_at, run.ended_at) ?? '–'}</Figure>}
      {attempts > 1 && <Figure name="Attempts">{attempts}</Figure>}
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

/** For an open run, the sums so far from its log. */
function used(run: Run, { events }: RunLog) {
  const steps = events.filter(({ type }) => type !== 'token' && type !== 'reasoning');
  const turn = foldView(steps).turns[0];
  return {
    usage: run.usage ?? (turn && turn.usage.input + turn.usage.output > 0 ? turn.usage : null),
    cost: run.cost ?? turn?.cost ?? null,
    attempts: (turn?.takeovers ?? 0) + 1,
  };
}
