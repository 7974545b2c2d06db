// A run in figures.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { foldView } from '@continuo/protocol';
import type { Run } from '../data/run-queries.ts';
import { between, money, number, When } from '../ui/time.tsx';
import type { RunLog } from './log.ts';

export function Facts({ run, log }: { readonly run: Run; readonly log: RunLog }) {
  const { usage, cost, attempts } = used(run, log);
  return (
    <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:flex sm:flex-wrap sm:gap-x-8">
      <Fact name="Model">{run.model}</Fact>
      <Fact name="Role">{run.role}</Fact>
      <Fact name="Tokens">{usage ? `${number(usage.input)} in, ${number(usage.output)} out` : '–'}</Fact>
      <Fact name="Cost">{cost === null ? 'Not known' : money(cost)}</Fact>
      <Fact name="Queued">
        <When at={run.queued_at} />
      </Fact>
      {run.ended_at !== null && <Fact name="Took">{between(run.started_at, run.ended_at) ?? '–'}</Fact>}
      {attempts > 1 && <Fact name="Attempts">{attempts}</Fact>}
      {run.retry_of !== null && <RunLink name="Retry of" id={run.retry_of} words="an earlier run" />}
      {run.steered_into !== null && (
        <RunLink name="Taken in by" id={run.steered_into} words="the run that was at work" />
      )}
      {run.blocked_by !== null && <RunLink name="Waits for" id={run.blocked_by} words="the run before it" />}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
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
    <Fact name={name}>
      <Link
        to="/runs/$run"
        params={{ run: id }}
        className="underline decoration-line underline-offset-4 hover:decoration-current"
      >
        {words}
      </Link>
    </Fact>
  );
}

/** Until it has ended, what its log says so far. */
function used(run: Run, { events }: RunLog) {
  const steps = events.filter(({ type }) => type !== 'token' && type !== 'reasoning');
  const turn = foldView(steps).turns[0];
  return {
    usage: run.usage ?? (turn && turn.usage.input + turn.usage.output > 0 ? turn.usage : null),
    cost: run.cost ?? turn?.cost ?? null,
    attempts: (turn?.takeovers ?? 0) + 1,
  };
}
