// The inbox: everything that waits for a person, and what was decided lately.

import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { titleOf } from '../app/chat-entry.tsx';
import { ApprovalCard } from '../approvals/card.tsx';
import { useApprovals, useChat, type Approval } from '../data/queries.ts';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { When } from '../ui/time.tsx';
import { Visible } from '../ui/visible.tsx';

export function Page() {
  const waiting = useApprovals('waiting');
  return (
    <PageFrame
      title="Approvals"
      about="What agents may not do unasked. A run that waits holds nothing and can wait for days."
    >
      {waiting.isPending && !waiting.error && <Loading what="approvals" />}
      {waiting.error && !waiting.data && (
        <Failure error={waiting.error} retry={() => void waiting.refetch()} />
      )}
      {waiting.data?.items.length === 0 && (
        <Empty icon={ShieldCheck} title="Nothing waits for you">
          When a run wants to do something that the policy asks about, it appears here and in its chat.
        </Empty>
      )}
      <ul className="mt-6 space-y-4">
        {waiting.data?.items.map((approval) => (
          <Waiting key={approval.id} approval={approval} />
        ))}
      </ul>
      <Decided />
    </PageFrame>
  );
}

function Waiting({ approval }: { readonly approval: Approval }) {
  return (
    <li className="overflow-hidden rounded-xl border bg-raised">
      <div className="flex items-baseline gap-3 px-4 py-2.5 text-sm">
        <ChatLink id={approval.chat_id} />
        <When at={approval.asked_at} className="ml-auto shrink-0 text-xs text-soft" />
      </div>
      <div className="border-t">
        <ApprovalCard approval={approval} />
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
      {chat ? titleOf(chat) : 'The chat'}
    </Link>
  );
}

const DECISION: Record<NonNullable<Approval['decision']>, string> = {
  approve: 'Approved',
  edit: 'Approved with changes',
  deny: 'Denied',
  retry: 'Made again',
  skip: 'Skipped',
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
      <h2 className="text-sm font-semibold">Decided lately</h2>
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
            </span>
            <When at={approval.decided_at ?? approval.asked_at} className="text-xs text-soft" />
            {approval.comment && <span className="w-full text-xs text-soft">“{approval.comment}”</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
