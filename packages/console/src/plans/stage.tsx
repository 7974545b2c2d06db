// A stage of a plan: a checklist of its steps, each with who does it, what it waits for, and what people can do about it.

import { Link } from '@tanstack/react-router';
import { ArrowDownNarrowWide, MessageSquare, Rows3 } from 'lucide-react';
import { useState } from 'react';
import type { PlanProgress, PlanStepState } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { changePlan } from './queries.ts';
import { StatusIcon } from './status.tsx';

interface StageProps {
  readonly plan: PlanProgress;
  readonly stage: PlanProgress['stages'][number];
  readonly number: number;
}

export function Stage({ plan, stage, number }: StageProps) {
  const ended = stage.steps.filter(({ status }) => status === 'done' || status === 'skipped').length;
  const costs = stage.steps.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const isParallel = stage.mode === 'parallel';
  const Icon = isParallel ? Rows3 : ArrowDownNarrowWide;
  const heading = `stage-${stage.id}`;
  return (
    <section className="mt-6" aria-labelledby={heading}>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 id={heading} className="font-semibold wrap-anywhere">
          {number}. <Visible text={stage.name} />
        </h2>
        <p className="flex items-center gap-1 text-xs text-soft">
          <Icon className="size-3.5" aria-hidden="true" />
          {isParallel ? 'In parallel' : 'In sequence'} · {ended} of {stage.steps.length}
          {costs.length > 0 && ` · ${money(costs.reduce((sum, cost) => sum + cost, 0))}`}
        </p>
      </div>
      {stage.steps.length > 0 && <StageBar name={stage.name} steps={stage.steps} />}
      <ul className="mt-2 divide-y rounded-xl border bg-raised">
        {stage.steps.map((step) => (
          <Step key={step.id} plan={plan} step={step} />
        ))}
        {stage.steps.length === 0 && <li className="px-4 py-3 text-sm text-soft">No steps yet.</li>}
      </ul>
    </section>
  );
}

const PIECES = [
  ['done', 'bg-good'],
  ['skipped', 'bg-strong/60'],
  ['running', 'bg-accent breathe'],
  ['failed', 'bg-bad'],
  ['blocked', 'bg-warn'],
] as const;

/** A piece for each status, as long as its share of the stage. */
function StageBar({ name, steps }: { readonly name: string; readonly steps: readonly PlanStepState[] }) {
  const count = (status: PlanStepState['status']) => steps.filter((step) => step.status === status).length;
  return (
    <div
      role="progressbar"
      aria-label={`Progress of ${name}`}
      aria-valuenow={Math.round(((count('done') + count('skipped')) / steps.length) * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="mt-1.5 flex h-1 overflow-hidden rounded-full bg-hover"
    >
      {PIECES.map(([status, style]) => (
        <span
          key={status}
          className={`transition-[width] ${style}`}
          style={{ width: `${(count(status) / steps.length) * 100}%` }}
        />
      ))}
    </div>
  );
}

const RETRYABLE = new Set(['done', 'failed', 'blocked', 'skipped']);
const SKIPPABLE = new Set(['pending', 'failed', 'blocked']);

function Step({ plan, step }: { readonly plan: PlanProgress; readonly step: PlanStepState }) {
  const [problem, setProblem] = useState<string | null>(null);
  const act = async (change: () => Promise<unknown>) => {
    setProblem(null);
    await changePlan(plan.id, change).catch((error: unknown) => setProblem((error as Error).message));
  };
  const again = step.status === 'failed' || step.status === 'blocked' ? 'Retry' : 'Do again';
  return (
    <li
      id={`step-${step.id}`}
      tabIndex={-1}
      className="flex gap-3 px-4 py-3 focus:outline-2 focus:-outline-offset-2 focus:outline-accent"
      aria-label={step.title}
    >
      <StatusIcon status={step.status} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
          <p className="min-w-0 flex-1 basis-48 text-sm font-medium wrap-anywhere">
            <Visible text={step.title} />
          </p>
          <div className="flex flex-wrap items-center gap-1">
            {step.cost !== null && <span className="px-1 text-xs text-soft">{money(step.cost)}</span>}
            {step.chat_id !== null && (
              <Link
                to="/chats/$chat"
                params={{ chat: step.chat_id }}
                aria-label={`Open chat: ${step.title}`}
                className="inline-flex items-center gap-1 rounded-lg px-2 py-1 text-xs font-medium text-soft hover:bg-hover hover:text-ink"
              >
                <MessageSquare className="size-3.5" aria-hidden="true" />
                Open chat
              </Link>
            )}
            {RETRYABLE.has(step.status) && (
              <Button
                kind="quiet"
                className="!px-2 !py-1 !text-xs"
                aria-label={`${again}: ${step.title}`}
                onClick={() => void act(() => client.plans.retryStep(plan.id, step.id))}
              >
                {again}
              </Button>
            )}
            {SKIPPABLE.has(step.status) && (
              <Button
                kind="quiet"
                className="!px-2 !py-1 !text-xs"
                aria-label={`Skip: ${step.title}`}
                onClick={() => void act(() => client.plans.skipStep(plan.id, step.id))}
              >
                Skip
              </Button>
            )}
          </div>
        </div>
        <p className="mt-0.5 text-xs text-soft wrap-anywhere">
          {step.intent} by {step.executor}
          <Details label="tools" items={step.tools} none="no tools" />
          <Details label="after" items={step.inputs} />
          <Details label="makes" items={step.outputs} />
        </p>
        {step.error !== null && (
          <p className={`mt-1 text-xs wrap-anywhere ${step.status === 'failed' ? 'text-bad' : 'text-soft'}`}>
            <Visible text={step.error} />
          </p>
        )}
        {problem && (
          <p role="alert" className="mt-1 text-xs text-bad">
            {problem}
          </p>
        )}
      </div>
    </li>
  );
}

interface DetailsProps {
  readonly label: string;
  readonly items: readonly string[] | undefined;
  readonly none?: string;
}

function Details({ label, items, none }: DetailsProps) {
  if (items === undefined || (items.length === 0 && none === undefined)) return null;
  return (
    <>
      {' · '}
      {items.length === 0 ? none : `${label} `}
      {items.length > 0 && <Visible text={items.join(', ')} />}
    </>
  );
}
