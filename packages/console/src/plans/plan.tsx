// A plan: its goal, its stages with their steps, how far it is, and what is wrong with it. Everything here is live.

import { Check, FilePen, Pause, Play, Route, SearchX, Square, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { PlanProblem, PlanProgress } from '@continuo/protocol';
import { useTitle } from '../app/title.ts';
import { client } from '../data/client.ts';
import { LinkToFile } from '../files/link-to-file.tsx';
import { Button } from '../ui/button.tsx';
import { money, When } from '../ui/format.tsx';
import { Empty, Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { Stage } from './stage.tsx';
import { StateBadge, STATUS } from './status.tsx';
import { changePlan, usePlan } from './queries.ts';

export function PlanView({ id }: { readonly id: string }) {
  const { data: plan, error, refetch } = usePlan(id);
  useTitle(plan?.title ?? 'Plan');
  if (isMissing(error))
    return (
      <Empty icon={SearchX} title="Plan not found" heading="h1">
        Its file may have been removed, or it is no plan any more.
      </Empty>
    );
  if (error && !plan) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!plan) return <Loading what="the plan" />;
  return (
    <div
      className="min-h-0 flex-1 overflow-y-auto"
      tabIndex={0}
      data-quiet-focus
      role="region"
      aria-label="Plan"
    >
      <div className="mx-auto max-w-3xl px-4 py-6 sm:px-6">
        <Head plan={plan} />
        <Progress plan={plan} />
        <Problems problems={plan.problems} path={plan.path} />
        {plan.constraints.length > 0 && (
          <section className="mt-6" aria-label="Constraints">
            <h2 className="text-sm font-semibold">Constraints</h2>
            <ul className="mt-1 list-disc space-y-0.5 pl-5 text-sm text-soft">
              {plan.constraints.map((text) => (
                <li key={text} className="wrap-anywhere">
                  <Visible text={text} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {plan.stages.map((stage, index) => (
          <Stage key={stage.id} plan={plan} stage={stage} number={index + 1} />
        ))}
      </div>
    </div>
  );
}

function Head({ plan }: { readonly plan: PlanProgress }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { approved } = plan;
  const mayApprove = plan.problems.length === 0 && !approved?.is_current;
  const mayRun = approved?.is_current === true && (plan.counts.pending ?? 0) > 0;
  const run = async () => {
    await client.plans.run(plan.id);
    return client.plans.progress(plan.id);
  };
  const isAtWork = plan.state === 'running' || plan.state === 'paused';
  const act = async (change: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await changePlan(plan.id, change);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <header>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs font-medium text-soft">
        <Route className="size-3.5" aria-hidden="true" />
        Plan
        <StateBadge state={plan.state} />
        {approved && (
          <span className="font-normal">
            Version {approved.version} approved <When at={approved.at} />
            {!approved.is_current && '; changed since'}
          </span>
        )}
      </p>
      <div className="mt-1 flex flex-wrap items-start gap-x-3 gap-y-2">
        <h1 className="min-w-0 flex-1 basis-60 text-xl font-semibold tracking-tight wrap-anywhere">
          <Visible text={plan.title} />
        </h1>
        <LinkToFile
          path={plan.path}
          className="inline-flex items-center gap-1.5 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm font-medium hover:bg-hover"
        >
          <FilePen className="size-4" aria-hidden="true" />
          Edit
        </LinkToFile>
        {mayApprove && (
          <Button
            kind="primary"
            disabled={busy}
            onClick={() => void act(() => client.plans.approve(plan.id, { version: plan.content_version }))}
          >
            <Check className="size-4" aria-hidden="true" />
            {approved ? 'Approve again' : 'Approve'}
          </Button>
        )}
        {mayRun && !isAtWork && (
          <Button kind="primary" disabled={busy} onClick={() => void act(run)}>
            <Play className="size-4" aria-hidden="true" />
            Run
          </Button>
        )}
        {plan.state === 'running' && (
          <Button disabled={busy} onClick={() => void act(() => client.plans.pause(plan.id))}>
            <Pause className="size-4" aria-hidden="true" />
            Pause
          </Button>
        )}
        {plan.state === 'paused' && (
          <Button kind="primary" disabled={busy} onClick={() => void act(() => client.plans.resume(plan.id))}>
            <Play className="size-4" aria-hidden="true" />
            Resume
          </Button>
        )}
        {isAtWork && (
          <Button kind="danger" disabled={busy} onClick={() => void act(() => client.plans.stop(plan.id))}>
            <Square className="size-4" aria-hidden="true" />
            Stop
          </Button>
        )}
      </div>
      {plan.goal !== null && plan.goal !== plan.title && (
        <p className="mt-1 text-sm text-soft wrap-anywhere">
          <Visible text={plan.goal} />
        </p>
      )}
      {problem && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
    </header>
  );
}

function Progress({ plan }: { readonly plan: PlanProgress }) {
  const { counts } = plan;
  const steps = plan.stages.flatMap((stage) => stage.steps);
  if (steps.length === 0) return null;
  const ended = (counts.done ?? 0) + (counts.skipped ?? 0);
  const percent = Math.round((ended / steps.length) * 100);
  const costs = steps.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const words = (['running', 'failed', 'blocked', 'skipped'] as const)
    .filter((status) => counts[status])
    .map((status) => `${counts[status]} ${STATUS[status].label.toLowerCase()}`);
  return (
    <section className="mt-4" aria-label="Progress">
      <div
        role="progressbar"
        aria-label="Progress of the plan"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
      <p className="mt-1.5 text-xs text-soft">
        {[`${counts.done ?? 0} of ${steps.length} steps done`, ...words].join(' · ')}
        {costs.length > 0 && ` · ${money(costs.reduce((sum, cost) => sum + cost, 0))}`}
      </p>
    </section>
  );
}

function Problems({ problems, path }: { readonly problems: readonly PlanProblem[]; readonly path: string }) {
  if (problems.length === 0) return null;
  return (
    <section aria-label="Problems" className="mt-4 rounded-xl border border-warn bg-warn-wash p-4 text-sm">
      <h2 className="flex items-center gap-2 font-semibold text-warn">
        <TriangleAlert className="size-4 shrink-0" aria-hidden="true" />
        {problems.length === 1 ? 'One problem' : `${problems.length} problems`}
      </h2>
      <p className="mt-1">
        The plan can be approved when they are corrected in{' '}
        <LinkToFile path={path} className="underline">
          {path}
        </LinkToFile>
        .
      </p>
      <ul className="mt-2 space-y-1">
        {problems.map(({ line, column, text }) => (
          <li key={`${line}:${column}:${text}`} className="flex gap-3">
            <span className="w-20 shrink-0 whitespace-nowrap tabular-nums text-soft">
              Line {line}:{column}
            </span>
            <span className="min-w-0 wrap-anywhere">
              <Visible text={text} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
