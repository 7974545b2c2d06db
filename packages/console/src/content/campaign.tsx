// A campaign: how far each stage is, who works on what, what it has cost, and whether its plan waits for approval.

import { Link } from '@tanstack/react-router';
import { Check, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { PlanProgress } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { changePlan, usePlan } from '../plans/queries.ts';
import { StateBadge } from '../plans/status.tsx';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/format.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { inWords } from './queries.ts';

type StageProgress = PlanProgress['stages'][number];

export function Campaign({ id }: { readonly id: string }) {
  const { data: plan, error, refetch } = usePlan(id);
  if (error && !plan) return <Failure error={error} retry={() => void refetch()} />;
  if (!plan) return <Loading what="the campaign" />;
  const steps = plan.stages.flatMap((stage) => stage.steps);
  const costs = steps.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const done = steps.filter(isEnded).length;
  return (
    <li aria-label={plan.title} className="rounded-xl border bg-raised p-4 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="min-w-0 flex-1 basis-48 font-medium wrap-anywhere">
          <Link
            to="/plans/$plan"
            params={{ plan: id }}
            className="underline decoration-line underline-offset-4 hover:decoration-current"
          >
            <Visible text={plan.title} />
          </Link>
        </h3>
        <StateBadge state={plan.state} />
        <span className="text-xs text-soft">
          {done} of {steps.length} steps done
          {costs.length > 0 && ` · ${money(costs.reduce((sum, cost) => sum + cost, 0))} so far`}
        </span>
      </div>
      <PlanApproval plan={plan} />
      <ul className="mt-3 grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {plan.stages.map((stage) => (
          <Stage key={stage.id} stage={stage} />
        ))}
      </ul>
    </li>
  );
}

function PlanApproval({ plan }: { readonly plan: PlanProgress }) {
  const { busy, problem, act } = useAction(async () => {});
  if (plan.problems.length > 0)
    return (
      <p className="mt-2 flex gap-2 text-warn">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
        The plan has problems. Open it to see what to correct.
      </p>
    );
  if (plan.approved?.is_current) return null;
  const approve = () => client.plans.approve(plan.id, { version: plan.content_version });
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3 rounded-lg bg-warn-wash px-3 py-2">
      <p className="flex-1 basis-48">The team begins when you approve the plan.</p>
      <Button
        kind="primary"
        disabled={busy}
        onClick={() => void act(() => changePlan(plan.id, approve))}
        aria-label={`Approve the plan: ${plan.title}`}
      >
        <Check className="size-4" aria-hidden="true" />
        Approve the plan
      </Button>
      {problem !== null && (
        <p role="alert" className="w-full text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </div>
  );
}

function isEnded({ status }: StageProgress['steps'][number]): boolean {
  return status === 'done' || status === 'skipped';
}

function Stage({ stage }: { readonly stage: StageProgress }) {
  const done = stage.steps.filter(isEnded).length;
  const percent = stage.steps.length === 0 ? 0 : Math.round((done / stage.steps.length) * 100);
  const stuck = stage.steps.filter(({ status }) => status === 'failed' || status === 'blocked').length;
  return (
    <li className="min-w-0">
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 truncate font-medium">
          <Visible text={stage.name} />
        </span>
        <span className="ml-auto shrink-0 text-xs text-soft">
          {done} of {stage.steps.length}
          {stuck > 0 && <span className="text-bad">, {stuck} stuck</span>}
        </span>
      </p>
      <div
        role="progressbar"
        aria-label={`Progress of ${stage.name}`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
      {stage.steps
        .filter(({ status }) => status === 'running')
        .map((step) => (
          <p key={step.id} className="mt-1 flex min-w-0 items-center gap-1.5 text-xs text-soft">
            <LoaderCircle
              className="size-3.5 shrink-0 text-accent motion-safe:animate-spin"
              aria-hidden="true"
            />
            <span className="truncate">
              {inWords(step.executor)}: <Visible text={step.title} />
            </span>
          </p>
        ))}
    </li>
  );
}
