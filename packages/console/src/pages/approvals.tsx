// The inbox: waiting approvals, oldest first, and the recently decided ones. A card keeps its position while the page
// is open, so that no click hits the wrong card.

import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { titleOf } from '../app/chat-entry.tsx';
import { ApprovalCard } from '../approvals/card.tsx';
import { useApprovals, useChat, useDecided, type Approval } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';

/** Cards per page. */
const CARDS = 50;

export function Page() {
  const waiting = useApprovals('waiting');
  const ordered = useStableOrder(waiting.data?.items);
  const open = new Set(waiting.data?.items.map(({ id }) => id));
  const [limit, setLimit] = useState(CARDS);
  return (
    <PageFrame
      title="Approvals"
      about="Calls that need your approval. A waiting run uses no resources and can wait for days."
    >
      {waiting.isPending && !waiting.error && <Loading what="approvals" />}
      {waiting.error && !waiting.data && (
        <Failure error={waiting.error} retry={() => void waiting.refetch()} />
      )}
      <ul className="mt-6 space-y-4">
        {ordered.slice(0, limit).map((approval) => (
          <Waiting key={approval.id} approval={approval} open={open.has(approval.id)} />
        ))}
      </ul>
      {ordered.length > limit && (
        <Button kind="quiet" className="mt-3 w-full justify-center" onClick={() => setLimit(limit + CARDS)}>
          Show more of {ordered.length}
        </Button>
      )}
      {waiting.data?.items.length === 0 && (
        <Empty icon={ShieldCheck} title="Nothing to approve">
          Calls that the policy asks about appear here and in their chat.
        </Empty>
      )}
      <Decided />
    </PageFrame>
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

function Waiting({ approval, open }: { readonly approval: Approval; readonly open: boolean }) {
  const { data: decided } = useDecided(approval.id, !open);
  const decisionText = decided?.decision ? `${DECISION[decided.decision]}.` : 'No longer waiting.';
  return (
    <li className="overflow-hidden rounded-xl border bg-raised">
      <div className="flex items-baseline gap-3 px-4 py-2.5 text-sm">
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
            <code className="font-mono text-[0.8125rem]">
              <Visible text={approval.tool} />
            </code>
            <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">
              <Visible text={approval.paths.join(', ')} />
            </span>
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
