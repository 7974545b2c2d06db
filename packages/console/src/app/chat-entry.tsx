// A chat in the sidebar: its title, what it is doing, and what can be done with it.

import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { Archive, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { putChat, keys, type Chat } from '../data/queries.ts';
import { statusOf, StatusDot } from '../chat/status.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { useEscape } from '../ui/escape.ts';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover';

export function ChatEntry({ chat }: { readonly chat: Chat }) {
  const [renaming, setRenaming] = useState(false);
  const status = statusOf(chat);
  if (renaming) return <Rename chat={chat} done={() => setRenaming(false)} />;
  return (
    <li className="group relative">
      <Link
        to="/chats/$chat"
        params={{ chat: chat.id }}
        className="flex items-center gap-2.5 rounded-lg py-1.5 pr-9 pl-2.5 text-sm text-soft transition-colors group-hover:bg-hover hover:text-ink"
        activeProps={{ className: 'bg-hover !text-ink font-medium', 'aria-current': 'page' }}
      >
        <StatusDot status={status} />
        <span className="truncate">{titleOf(chat)}</span>
      </Link>
      <ChatMenu chat={chat} rename={() => setRenaming(true)} />
    </li>
  );
}

/** Until it has a title, it is called by its goal. */
export function titleOf({ title, goal }: Pick<Chat, 'title' | 'goal'>): string {
  return title ?? (goal?.trim() || 'New chat');
}

function ChatMenu({ chat, rename }: { readonly chat: Chat; readonly rename: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [removing, setRemoving] = useState(false);
  const here = useRouterState({ select: ({ location }) => location.pathname === `/chats/${chat.id}` });
  const leave = () => here && void navigate({ to: '/' });
  const archive = async () => {
    putChat(cache, await client.chats.change(chat.id, { archived: true }));
    void cache.invalidateQueries({ queryKey: keys.away });
    leave();
  };
  const remove = async () => {
    await client.chats.remove(chat.id);
    putChat(cache, { ...chat, removed_at: new Date().toISOString() });
    void cache.invalidateQueries({ queryKey: keys.approvals });
    void cache.invalidateQueries({ queryKey: keys.away });
    leave();
  };
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label={`Actions for ${titleOf(chat)}`}
          className="absolute top-1 right-1 grid size-6.5 place-items-center rounded-md text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
        >
          <Ellipsis className="size-4" aria-hidden="true" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="start"
            sideOffset={4}
            onCloseAutoFocus={(event) => event.preventDefault()}
            className="z-50 min-w-40 rounded-lg border bg-raised p-1 shadow-lg"
          >
            <DropdownMenu.Item className={ITEM} onSelect={rename}>
              <Pencil className="size-4 text-soft" aria-hidden="true" /> Rename
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={() => void archive()}>
              <Archive className="size-4 text-soft" aria-hidden="true" /> Put away
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Item className={`${ITEM} text-bad`} onSelect={() => setRemoving(true)}>
              <Trash2 className="size-4" aria-hidden="true" /> Remove…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Confirm
        open={removing}
        close={() => setRemoving(false)}
        title={`Remove “${titleOf(chat)}”?`}
        action="Remove"
        act={remove}
      >
        What it is doing is stopped. For 7 days it can be brought back from “Put away and removed”; then it is
        deleted for good. Files stay as they are.
      </Confirm>
    </>
  );
}

function Rename({ chat, done }: { readonly chat: Chat; readonly done: () => void }) {
  const cache = useQueryClient();
  useEscape(done);
  const save = async (title: string) => {
    done();
    if (title !== '' && title !== chat.title) putChat(cache, await client.chats.change(chat.id, { title }));
  };
  return (
    <li>
      <input
        autoFocus
        aria-label="Title of the chat"
        defaultValue={titleOf(chat)}
        maxLength={200}
        onFocus={(event) => event.target.select()}
        onBlur={(event) => void save(event.target.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        className="w-full rounded-lg border border-accent bg-page px-2.5 py-1.5 text-sm"
      />
    </li>
  );
}
