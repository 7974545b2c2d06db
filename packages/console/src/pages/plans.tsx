// The plans of the workspace.

import { Link } from '@tanstack/react-router';
import { Route } from 'lucide-react';
import { howFar } from '../plans/progress.tsx';
import { usePlans } from '../plans/queries.ts';
import { StateBadge } from '../plans/status.tsx';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

export function Page() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = usePlans();
  const plans = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <PageFrame
      title="Plans"
      about="A plan is a file with a checklist: /plans/<name>.plan, or any Markdown file whose front matter says “plan:”. You and your agents edit the same file."
    >
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading what="plans" />}
      {data && plans.length === 0 && (
        <Empty icon={Route} title="No plans yet">
          Write a file such as /plans/launch.plan, or ask the planner for one.
        </Empty>
      )}
      {plans.length > 0 && (
        <ul className="mt-6 divide-y rounded-xl border bg-raised">
          {plans.map((plan) => (
            <li key={plan.id}>
              <Link
                to="/plans/$plan"
                params={{ plan: plan.id }}
                className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-hover"
              >
                <span className="min-w-0 flex-1 basis-60 font-medium wrap-anywhere">
                  <Visible text={plan.title} />
                </span>
                <span className="flex items-center gap-2 self-center">
                  {plan.is_waiting && <span className="text-xs text-warn">Waits for approval</span>}
                  <StateBadge state={plan.state} />
                </span>
                <span className="flex w-full flex-wrap items-baseline gap-x-3 text-xs text-soft">
                  <span className="min-w-0 flex-1 basis-40 wrap-anywhere">{plan.path}</span>
                  <span className="tabular-nums">{howFar(plan)}</span>
                  <When at={plan.updated_at} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button
          kind="quiet"
          className="mt-3"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </PageFrame>
  );
}
