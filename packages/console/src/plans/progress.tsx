// How far a plan is, and what it has cost.

import type { PlanProgress } from '@continuo/protocol';
import { money, number } from '../ui/format.tsx';
import { STATUS } from './status.tsx';

type Counts = Partial<PlanProgress['counts']>;

const sum = (counts: Counts) => Object.values(counts).reduce((all: number, count) => all + (count ?? 0), 0);

/** How many steps are done, and how many have a status that a person should know. */
export function howFar({ counts }: { readonly counts: Counts }): string {
  const words = (['running', 'failed', 'blocked', 'skipped'] as const)
    .filter((status) => counts[status])
    .map((status) => `${counts[status]} ${STATUS[status].label.toLowerCase()}`);
  return [`${counts.done ?? 0} of ${sum(counts)} steps done`, ...words].join(' · ');
}

export function Progress({ plan }: { readonly plan: PlanProgress }) {
  const { counts, usage } = plan;
  const steps = sum(counts);
  if (steps === 0) return null;
  const ended = (counts.done ?? 0) + (counts.skipped ?? 0);
  const percent = Math.round((ended / steps) * 100);
  const tokens = usage && usage.input + usage.output;
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
        {[
          howFar(plan),
          ...(tokens ? [`${number(tokens)} tokens`] : []),
          ...(usage?.cost != null ? [money(usage.cost)] : []),
        ].join(' · ')}
      </p>
    </section>
  );
}
