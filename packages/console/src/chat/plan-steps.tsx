// The plan that a run carries out, from the run's events: each step with its status, its chat, and its questions to a person.

import { Link } from '@tanstack/react-router';
import type { PlanItem } from '@continuo/protocol';
import { ApprovalCard } from '../approvals/card.tsx';
import { useApprovals } from '../data/queries.ts';
import { PlanCard } from '../plans/plan-card.tsx';
import { StatusIcon } from '../plans/status.tsx';
import { Visible } from '../ui/visible.tsx';
import { useIsReplay } from './replay-context.ts';

/** A longer list is folded. */
const FEW_STEPS = 12;

export function PlanSteps({ item: { plan, steps } }: { readonly item: PlanItem }) {
  const isReplay = useIsReplay();
  const list = (
    <ol className="mt-2 space-y-1.5 text-sm" aria-label="Steps of the plan">
      {steps.map(({ step_id, status, title, chat, error }) => (
        <li key={step_id} className="flex gap-2">
          <StatusIcon status={status} />
          <div className="min-w-0 flex-1 wrap-anywhere">
            {chat === undefined ? (
              <Visible text={title ?? step_id} />
            ) : (
              <Link
                to="/chats/$chat"
                params={{ chat }}
                className="underline decoration-line underline-offset-4 hover:decoration-current"
              >
                <Visible text={title ?? step_id} />
              </Link>
            )}
            {error !== undefined && (
              <span className={`block text-xs ${status === 'failed' ? 'text-bad' : 'text-soft'}`}>
                <Visible text={error} />
              </span>
            )}
            {chat !== undefined && status === 'running' && !isReplay && <Asked chat={chat} />}
          </div>
        </li>
      ))}
    </ol>
  );
  const shown =
    steps.length <= FEW_STEPS ? (
      list
    ) : (
      <details className="mt-2 text-sm">
        <summary className="text-soft hover:text-ink">{steps.length} steps began or ended</summary>
        {list}
      </details>
    );
  if (isReplay) return <section className="rounded-xl border bg-raised px-4 py-3">{shown}</section>;
  return <PlanCard id={plan}>{shown}</PlanCard>;
}

/** What the chat of a step waits for. */
function Asked({ chat }: { readonly chat: string }) {
  const waiting = useApprovals().data?.items.filter(({ chat_id }) => chat_id === chat) ?? [];
  return waiting.map((approval) => (
    <div key={approval.id} className="mt-1.5 overflow-hidden rounded-lg border">
      <ApprovalCard approval={approval} />
    </div>
  ));
}
