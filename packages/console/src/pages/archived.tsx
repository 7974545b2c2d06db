// Archived and removed chats, which can be restored.

import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { useState } from 'react';
import { titleOf } from '../app/chat-entry.tsx';
import { client } from '../data/client.ts';
import { keys, putChat, useHiddenChats, type Chat } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';

export function Page() {
  const archived = useHiddenChats('archived');
  const removed = useHiddenChats('removed');
  const error = archived.error ?? removed.error;
  const none = [archived, removed].every(({ data }) => data?.pages[0]?.items.length === 0);
  return (
    <PageFrame
      title="Archived and removed"
      about="Archived chats are kept. Removed chats are deleted permanently after 7 days."
    >
      {error && !archived.data && !removed.data && <Failure error={error} />}
      {(archived.isPending || removed.isPending) && !error && <Loading what="chats" />}
      {none && (
        <Empty icon={Archive} title="No archived chats">
          “Archive” and “Remove…” are in the menu of each chat.
        </Empty>
      )}
      <Chats title="Archived" chats={archived} />
      <Chats title="Removed" chats={removed} />
    </PageFrame>
  );
}

function Chats({
  title,
  chats: { data, hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  readonly title: string;
  readonly chats: ReturnType<typeof useHiddenChats>;
}) {
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <section className="mt-8">
      <h2 className="text-sm font-semibold">{title}</h2>
      <ul className="mt-2 divide-y rounded-xl border bg-raised" aria-label={title}>
        {items.map((chat) => (
          <Entry key={chat.id} chat={chat} />
        ))}
      </ul>
      {hasNextPage && (
        <Button
          kind="quiet"
          className="mt-1 w-full justify-center"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          More
        </Button>
      )}
    </section>
  );
}

function Entry({ chat }: { readonly chat: Chat }) {
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const restore = async () => {
    setBusy(true);
    try {
      const back =
        chat.removed_at === null
          ? await client.chats.change(chat.id, { archived: false })
          : await client.chats.restore(chat.id);
      putChat(cache, back);
      await cache.invalidateQueries({ queryKey: keys.hiddenChats });
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
      <span className="min-w-0 flex-1 truncate">
        {chat.removed_at === null ? (
          <Link
            to="/chats/$chat"
            params={{ chat: chat.id }}
            className="underline decoration-line underline-offset-4 hover:decoration-current"
          >
            <Visible text={titleOf(chat)} />
          </Link>
        ) : (
          <Visible text={titleOf(chat)} />
        )}
      </span>
      <When at={chat.removed_at ?? chat.archived_at ?? chat.created_at} className="text-xs text-soft" />
      <Button
        disabled={busy}
        aria-label={`Restore ${titleOf(chat)}`}
        className="!px-2 !py-1 !text-xs"
        onClick={() => void restore()}
      >
        Restore
      </Button>
      {problem && (
        <p role="alert" className="w-full text-sm text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}
