// The verdict on a round of an autonomous run: whether the goal is met, who decided, and why.

import { CircleCheck, CircleDot, CircleX, type LucideIcon } from 'lucide-react';
import type { VerdictItem } from '@continuo/protocol';
import { Visible } from '../ui/visible.tsx';
import { counted, DECIDED_BY, VERDICTS } from './words-of-runs.ts';

const LOOK: Record<VerdictItem['verdict']['verdict'], { readonly icon: LucideIcon; readonly style: string }> =
  {
    met: { icon: CircleCheck, style: 'text-good' },
    not_met: { icon: CircleDot, style: 'text-warn' },
    impossible: { icon: CircleX, style: 'text-bad' },
  };
/** After this many rounds in a row without progress, the server ends the run. */
const IDLE_ROUNDS = 3;

export function Verdict({ item: { verdict: data } }: { readonly item: VerdictItem }) {
  const { round, verdict, by, reasons, changed, idle } = data;
  const { icon: Icon, style } = LOOK[verdict];
  const brought =
    idle > 0
      ? `made no progress (${idle} of ${IDLE_ROUNDS} such rounds in a row end the run)`
      : `changed ${counted(changed, 'file or entity', 'files and entities')}`;
  return (
    <section
      aria-label={`Verdict on round ${round}`}
      className="rounded-xl border bg-raised px-4 py-3 text-sm"
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <Icon className={`size-4 shrink-0 ${style}`} aria-hidden="true" />
        <span className="font-medium">
          Round {round}: {VERDICTS[verdict].toLowerCase()}
        </span>
        <span className="text-xs text-soft">
          Decided {DECIDED_BY[by]}. The round {brought}.
        </span>
      </p>
      {reasons.length > 0 && (
        <ul className="mt-1.5 list-disc space-y-0.5 pl-10 text-soft">
          {reasons.map((reason, index) => (
            <li key={index} className="wrap-anywhere">
              <Visible text={reason} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
