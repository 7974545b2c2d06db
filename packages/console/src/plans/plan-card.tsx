// A plan within a chat: its state, how far it is, and its approval. Live.

import { Link } from '@tanstack/react-router';
import { Check, Route } from 'lucide-react';
import type { ReactNode } from 'react';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Visible } from '../ui/visible.tsx';
import { Progress } from './progress.tsx';
import { changePlan, usePlan } from './queries.ts';
import { StateBadge } from './status.tsx';

export function PlanCard({ id, children }: { readonly id: string; readonly children?: ReactNode }) {
  const { data: plan, error } = usePlan(id);
  const { busy, problem, act } = useAction(async () => {});
  const waits = plan !== undefined && plan.problems.length === 0 && !plan.approved?.is_current;
  return (
    <section aria-label="Plan" className="rounded-xl border bg-raised px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-sm">
        <Route className="size-4 shrink-0 text-soft" aria-hidden="true" />
        <Link
          to="/plans/$plan"
          params={{ plan: id }}
          className="min-w-0 flex-1 basis-40 font-medium underline decoration-line underline-offset-4 wrap-anywhere hover:decoration-current"
        >
          <Visible text={plan?.title ?? 'Plan'} />
        </Link>
        {plan && <StateBadge state={plan.state} />}
      </div>
      {error && !plan && (
        <p className="mt-1 text-sm text-soft">The plan cannot be read: its file may have been removed.</p>
      )}
      {plan && <Progress plan={plan} />}
      {waits && (
        <div className="mt-3 flex flex-wrap items-center gap-2 text-sm">
          <Button
            kind="primary"
            disabled={busy}
            onClick={() =>
              void act(() =>
                changePlan(id, () => client.plans.approve(id, { version: plan.content_version })),
              )
            }
          >
            <Check className="size-4" aria-hidden="true" />
            {plan.approved ? 'Approve again' : 'Approve the plan'}
          </Button>
          <span className="text-soft">
            {plan.approved
              ? 'It was changed since its approval: no further step starts.'
              : 'Nothing is done before you approve it. Open it to read or edit it.'}
          </span>
        </div>
      )}
      {plan !== undefined && plan.problems.length > 0 && (
        <p className="mt-2 text-sm text-warn">
          It has {plan.problems.length === 1 ? 'a problem' : `${plan.problems.length} problems`}: open it to
          see where.
        </p>
      )}
      {problem && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {children}
    </section>
  );
}
