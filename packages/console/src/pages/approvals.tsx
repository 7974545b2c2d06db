// The inbox: plans that wait for their approval, waiting approvals, oldest first, and the recently decided ones. A card keeps its position while the page
// is open, so that no click hits the wrong card.

import { Link } from '@tanstack/react-router';
import { Bell, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { titleOf } from '../app/chat-entry.tsx';
import { ApprovalCard } from '../approvals/card.tsx';
import { canAsk } from '../approvals/notify.ts';
import { Several } from '../approvals/several.tsx';
import { isPublishing, publishingWords } from '../content/queries.ts';
import { useApprovals, useChat, useDecided, type Approval } from '../data/queries.ts';
import { PlanCard } from '../plans/plan-card.tsx';
import { useWaitingPlans } from '../plans/queries.ts';
import { Button } from '../ui/button.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';

/** Cards per page. */
const CARDS = 50;

export function Page() {
  const waiting = useApprovals('waiting');
  const plans = useWaitingPlans().data?.items ?? [];
  const ordered = useStableOrder(waiting.data?.items);
  const open = new Set(waiting.data?.items.map(({ id }) => id));
  const [limit, setLimit] = useState(CARDS);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // A question needs an answer of its own, and so does a call whose outcome is unknown.
  const calls = ordered.slice(0, limit).filter(({ id, kind }) => kind === 'call' && open.has(id));
  const selected = calls.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const [asks, setAsks] = useState(canAsk());
  return (
    <PageFrame
      title="Approvals"
      about="Calls that agents make only if you agree. They can wait for days."
      beside={
        asks && (
          <Button onClick={() => void Notification.requestPermission().then(() => setAsks(canAsk()))}>
            <Bell className="size-4" aria-hidden="true" /> Notify me
          </Button>
        )
      }
    >
      {waiting.isPending && !waiting.error && <Loading what="approvals" />}
      {waiting.error && !waiting.data && (
        <Failure error={waiting.error} retry={() => void waiting.refetch()} />
      )}
      <WaitingPlans plans={plans} />
      <ul className="mt-6 space-y-4">
        {ordered.slice(0, limit).map((approval) => (
          <Waiting
            key={approval.id}
            approval={approval}
            open={open.has(approval.id)}
            {...(calls.length > 1 &&
              calls.includes(approval) && {
                selection: {
                  isChosen: chosen.has(approval.id),
                  choose: (isChosen: boolean) => choose(approval.id, isChosen),
                },
              })}
          />
        ))}
      </ul>
      {/* Below the cards, so that it moves none of them, and in view while they scroll. */}
      {ordered.length > 1 && (
        <Several
          selected={selected}
          count={calls.length}
          selectAll={(all) => setChosen(new Set(all ? calls.map(({ id }) => id) : []))}
        />
      )}
      {ordered.length > limit && (
        <Button kind="quiet" className="mt-3 w-full justify-center" onClick={() => setLimit(limit + CARDS)}>
          Show more of {ordered.length}
        </Button>
      )}
      {waiting.data?.items.length === 0 && plans.length === 0 && (
        <Empty icon={ShieldCheck} title="Nothing to approve">
          What agents ask you about appears here and in their chat.
        </Empty>
      )}
      <Decided />
    </PageFrame>
  );
}

function WaitingPlans({
  plans,
}: {
  readonly plans: readonly { readonly id: string; readonly chat_id: string | null }[];
}) {
  if (plans.length === 0) return null;
  return (
    <ul className="mt-6 space-y-4" aria-label="Plans">
      {plans.map(({ id, chat_id }) => (
        <li key={id}>
          <PlanCard id={id}>
            {chat_id !== null && (
              <p className="mt-3 flex gap-1 border-t pt-2 text-sm text-soft">
                In the chat <ChatLink id={chat_id} />
              </p>
            )}
          </PlanCard>
        </li>
      ))}
    </ul>
  );
}

/** Every approval that has waited since the page was opened; new ones are appended. */
function useStableOrder(waiting: readonly Approval[] = []): readonly Approval[] {
  const [ordered, setOrdered] = useState<readonly Approval[]>([]);
  const known = new Set(ordered.map(({ id }) => id));
  const added = waiting.filter(({ id }) => !known.has(id)).toReversed();
  if (added.length > 0) setOrdered([...ordered, ...added]);
  return ordered;
}

interface WaitingProps {
  readonly approval: Approval;
  readonly open: boolean;
  /** If several calls can be decided at once. */
  readonly selection?: { readonly isChosen: boolean; readonly choose: (isChosen: boolean) => void };
}

function Waiting({ approval, open, selection }: WaitingProps) {
  const { data: decided } = useDecided(approval.id, !open);
  const decisionText = decided?.decision ? `${DECISION[decided.decision]}.` : 'No longer waiting.';
  return (
    <li className="overflow-hidden rounded-xl border bg-raised">
      <div className="flex items-baseline gap-3 px-4 py-2.5 text-sm">
        {selection && (
          <input
            type="checkbox"
            aria-label={`Select ${isPublishing(approval) ? publishingWords(approval) : [approval.tool, ...approval.paths].join(' ')}`}
            className="size-4 shrink-0 self-center accent-accent"
            checked={selection.isChosen}
            onChange={(event) => selection.choose(event.target.checked)}
          />
        )}
        <ChatLink id={approval.chat_id} />
        <When at={approval.asked_at} className="ml-auto shrink-0 text-xs text-soft" />
      </div>
      <div className="border-t">
        <ApprovalCard approval={approval} decided={open ? null : decisionText} />
      </div>
    </li>
  );
}

function ChatLink({ id }: { readonly id: string }) {
  const { data: chat } = useChat(id);
  return (
    <Link
      to="/chats/$chat"
      params={{ chat: id }}
      className="min-w-0 truncate font-medium underline decoration-line underline-offset-4 hover:decoration-current"
    >
      <Visible text={chat ? titleOf(chat) : 'The chat'} />
    </Link>
  );
}

const DECISION: Record<NonNullable<Approval['decision']>, string> = {
  approve: 'Approved',
  edit: 'Approved with changes',
  deny: 'Denied',
  retry: 'Retried',
  skip: 'Skipped',
  answer: 'Answered',
  expired: 'Expired',
  canceled: 'The run ended first',
};
const SHOWN = 20;

function Decided() {
  const { data } = useApprovals('decided');
  const items = data?.items.slice(0, SHOWN) ?? [];
  if (items.length === 0) return null;
  return (
    <section className="mt-10">
      <h2 className="text-sm font-semibold">Recently decided</h2>
      <ul className="mt-2 divide-y rounded-xl border">
        {items.map((approval) => (
          <li key={approval.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-sm">
            {isPublishing(approval) ? (
              <span className="min-w-0 flex-1">
                <Visible text={publishingWords(approval)} />
              </span>
            ) : (
              <>
                <code className="font-mono text-[0.8125rem]">
                  <Visible text={approval.tool} />
                </code>
                <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">
                  <Visible text={approval.paths.join(', ')} />
                </span>
              </>
            )}
            <span className={approval.decision === 'deny' ? 'text-bad' : 'text-soft'}>
              {DECISION[approval.decision ?? 'canceled']}
              {approval.decided_by?.kind === 'key' && (
                <Visible text={` by the key ${approval.decided_by.name}`} />
              )}
            </span>
            <When at={approval.decided_at ?? approval.asked_at} className="text-xs text-soft" />
            {approval.comment && <span className="w-full text-xs text-soft">“{approval.comment}”</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
