// A plan: its goal, its stages with their steps, how far it is, and what is wrong with it. Everything here is live.

import {
  Check,
  FilePen,
  MessageSquare,
  Pause,
  Play,
  RotateCcw,
  Route,
  SearchX,
  Square,
  TriangleAlert,
} from 'lucide-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { Suspense, useState, type ReactNode } from 'react';
import type { PlanProblem, PlanProgress } from '@continuo/protocol';
import { useTitle } from '../app/title.ts';
import { client } from '../data/client.ts';
import { LinkToFile } from '../files/link-to-file.tsx';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Empty, Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { Progress } from './progress.tsx';
import { Stage } from './stage.tsx';
import { StateBadge } from './status.tsx';
import { changePlan, usePlan } from './queries.ts';

const GraphView = lazyPart(async () => (await import('./graph-view.tsx')).GraphView);

interface PlanViewProps {
  readonly id: string;
  /** What the page shows below the plan. */
  readonly children?: ReactNode;
}

export function PlanView({ id, children }: PlanViewProps) {
  const { data: plan, error, refetch } = usePlan(id);
  useTitle(plan?.title ?? 'Plan');
  const { view, show } = usePlanView(id);
  if (isMissing(error))
    return (
      <Empty icon={SearchX} title="Plan not found" heading="h1">
        Its file may have been removed, or it is no longer a plan.
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
      <div className={`mx-auto px-4 py-6 sm:px-6 ${view === 'graph' ? 'max-w-6xl' : 'max-w-3xl'}`}>
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
        <Views plan={plan} view={view} show={show} />
        {children}
      </div>
    </div>
  );
}

const VIEWS = ['checklist', 'graph'] as const;
type View = (typeof VIEWS)[number];
const TAB =
  'border-b-2 border-transparent px-1 py-2 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink';

/** The shown view is kept in the address. */
function usePlanView(plan: string) {
  const { view } = useSearch({ strict: false }) as { readonly view?: unknown };
  const navigate = useNavigate();
  return {
    view: VIEWS.find((each) => each === view) ?? 'checklist',
    show: (next: View) =>
      navigate({
        to: '/plans/$plan',
        params: { plan },
        search: { view: next === 'checklist' ? undefined : next },
      }),
  };
}

interface ViewsProps {
  readonly plan: PlanProgress;
  readonly view: View;
  readonly show: (view: View) => Promise<void>;
}

function Views({ plan, view, show }: ViewsProps) {
  const open = async (step: string) => {
    await show('checklist');
    requestAnimationFrame(() => document.getElementById(`step-${step}`)?.focus());
  };
  return (
    <Tabs.Root value={view} onValueChange={(next) => void show(next as View)} className="mt-6">
      <Tabs.List aria-label="Views of the plan" className="flex gap-5 border-b">
        <Tabs.Trigger value="checklist" className={TAB}>
          Checklist
        </Tabs.Trigger>
        <Tabs.Trigger value="graph" className={TAB}>
          Graph
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="checklist" tabIndex={-1}>
        {plan.stages.map((stage, index) => (
          <Stage key={stage.id} plan={plan} stage={stage} number={index + 1} />
        ))}
      </Tabs.Content>
      <Tabs.Content value="graph" tabIndex={-1}>
        <Suspense fallback={<Loading what="the graph" />}>
          <GraphView plan={plan} open={(step) => void open(step)} />
        </Suspense>
      </Tabs.Content>
    </Tabs.Root>
  );
}

function Head({ plan }: { readonly plan: PlanProgress }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { approved } = plan;
  const mayApprove = plan.problems.length === 0 && !approved?.is_current;
  const isApproved = approved?.is_current === true && plan.problems.length === 0;
  const mayRun = isApproved && (plan.counts.pending ?? 0) > 0;
  const mayRunAgain = isApproved && !mayRun && plan.stages.some(({ steps }) => steps.length > 0);
  const run = async (restart: boolean) => {
    await client.plans.run(plan.id, restart ? { restart } : {});
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
        <h1 className="min-w-0 flex-1 basis-full text-xl font-semibold tracking-tight wrap-anywhere sm:basis-60">
          <Visible text={plan.title} />
        </h1>
        <div className="flex flex-wrap gap-2">
          {plan.chat_id !== null && (
            <Link
              to="/chats/$chat"
              params={{ chat: plan.chat_id }}
              className="inline-flex items-center gap-1.5 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm font-medium hover:bg-hover"
            >
              <MessageSquare className="size-4" aria-hidden="true" />
              Chat
            </Link>
          )}
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
            <Button kind="primary" disabled={busy} onClick={() => void act(() => run(false))}>
              <Play className="size-4" aria-hidden="true" />
              Run
            </Button>
          )}
          {mayRunAgain && !isAtWork && (
            <Button disabled={busy} onClick={() => void act(() => run(true))}>
              <RotateCcw className="size-4" aria-hidden="true" />
              Run again
            </Button>
          )}
          {plan.state === 'running' && (
            <Button disabled={busy} onClick={() => void act(() => client.plans.pause(plan.id))}>
              <Pause className="size-4" aria-hidden="true" />
              Pause
            </Button>
          )}
          {plan.state === 'paused' && (
            <Button
              kind="primary"
              disabled={busy}
              onClick={() => void act(() => client.plans.resume(plan.id))}
            >
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
