// The graph of a plan: its steps with their statuses, and what each waits for. A step leads to its place in the checklist.

import { useMemo } from 'react';
import type { PlanProgress } from '@continuo/protocol';
import { money } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { layOut, STEP_HEIGHT, STEP_WIDTH, type PlanGraph } from './graph.ts';
import { STATUS, StatusIcon } from './status.tsx';

/** With more steps, the layout would take too long. */
const MOST_STEPS = 300;

const FRAME: Partial<Record<string, string>> = {
  running: 'border-accent',
  failed: 'border-bad',
  blocked: 'border-warn',
};

interface GraphViewProps {
  readonly plan: PlanProgress;
  readonly open: (step: string) => void;
}

export function GraphView({ plan: { stages }, open }: GraphViewProps) {
  const steps = stages.flatMap((stage) => stage.steps);
  // A new status changes no place.
  const shape = JSON.stringify(
    stages.map((stage) => [stage.mode, stage.steps.map(({ id, inputs }) => [id, inputs])]),
  );
  const graph = useMemo(() => (steps.length > MOST_STEPS ? null : layOut(stages)), [shape]);
  if (steps.length === 0) return <p className="mt-4 text-sm text-soft">The plan has no steps yet.</p>;
  if (graph === null)
    return (
      <p className="mt-4 text-sm text-soft">
        The graph shows plans of up to {MOST_STEPS} steps; this one has {steps.length}. The checklist shows
        them all.
      </p>
    );
  return (
    <>
      <p className="mt-4 flex flex-wrap gap-x-5 gap-y-1 text-xs text-soft">
        <Legend kind="input">gets the result</Legend>
        <Legend kind="order">waits for the end</Legend>
      </p>
      <div
        role="region"
        aria-label="Graph of the plan"
        tabIndex={0}
        className="mt-2 overflow-auto rounded-xl border bg-panel p-3"
      >
        <div className="relative mx-auto" style={{ width: graph.width, height: graph.height }}>
          <Edges graph={graph} />
          {steps.map((step) => {
            const { x, y } = graph.steps.get(step.id)!;
            return (
              <button
                key={step.id}
                type="button"
                title={`${step.title} · ${STATUS[step.status].label}`}
                onClick={() => open(step.id)}
                className={`absolute flex items-start gap-1.5 overflow-hidden rounded-lg border bg-raised px-2 py-1.5 text-left text-xs hover:bg-hover ${FRAME[step.status] ?? ''}`}
                style={{ left: x, top: y, width: STEP_WIDTH, height: STEP_HEIGHT }}
              >
                <StatusIcon status={step.status} />
                <span className="min-w-0 flex-1">
                  <span className="line-clamp-2 font-medium wrap-anywhere">
                    <Visible text={step.title} />
                  </span>
                  {step.cost !== null && step.cost > 0 && (
                    <span className="text-soft">{money(step.cost)}</span>
                  )}
                </span>
              </button>
            );
          })}
        </div>
      </div>
    </>
  );
}

const DASH = { input: undefined, order: '3 4' } as const;

function Edges({ graph: { width, height, edges } }: { readonly graph: PlanGraph }) {
  return (
    <svg width={width} height={height} className="absolute inset-0 text-strong" aria-hidden="true">
      <defs>
        <marker
          id="plan-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" fill="currentColor" />
        </marker>
      </defs>
      {edges.map(({ from, to, kind, points }) => (
        <path
          key={`${from} ${to}`}
          d={points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('')}
          fill="none"
          stroke="currentColor"
          strokeWidth={kind === 'input' ? 1.5 : 1}
          strokeDasharray={DASH[kind]}
          strokeLinejoin="round"
          markerEnd={isGate(to) ? undefined : 'url(#plan-arrow)'}
        />
      ))}
    </svg>
  );
}

/** The arrow is at the step behind the gate. */
function isGate(id: string): boolean {
  return id.startsWith('|');
}

function Legend({ kind, children }: { readonly kind: 'input' | 'order'; readonly children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg width="24" height="8" className="text-strong" aria-hidden="true">
        <path
          d="M0 4H24"
          stroke="currentColor"
          strokeWidth={kind === 'input' ? 1.5 : 1}
          strokeDasharray={DASH[kind]}
        />
      </svg>
      {children}
    </span>
  );
}
