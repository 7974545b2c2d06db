// A chat in the sidebar: its title, its status, and its menu.

import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { Archive, Ellipsis, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { putChat, keys, type Chat } from '../data/queries.ts';
import { statusOf, StatusDot } from '../chat/status.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { useIsPlanWaiting } from '../plans/queries.ts';
import { useEscape } from '../ui/escape.ts';
import { MenuPortal } from '../ui/menu-portal.tsx';
import { Visible } from '../ui/visible.tsx';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover';

export function ChatEntry({ chat }: { readonly chat: Chat }) {
  const [renaming, setRenaming] = useState<'no' | 'yes' | 'closed'>('no');
  const [problem, setProblem] = useState<string | null>(null);
  const link = useRef<HTMLAnchorElement>(null);
  // After the field closes, the focus moves to the title that replaces it.
  useEffect(() => {
    if (renaming === 'closed') link.current?.focus();
  }, [renaming]);
  const status = statusOf(chat, useIsPlanWaiting(chat.id));
  if (renaming === 'yes') return <Rename chat={chat} close={setRenaming} />;
  return (
    <li ref={passFocusOn} className="group relative">
      <Link
        ref={link}
        to="/chats/$chat"
        params={{ chat: chat.id }}
        className="flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm text-soft transition-colors group-focus-within:pr-9 group-hover:bg-hover group-hover:pr-9 group-has-data-[state=open]:pr-9 hover:text-ink pointer-coarse:pr-9"
        activeProps={{ className: 'bg-hover !text-ink font-medium', 'aria-current': 'page' }}
      >
        <StatusDot status={status} />
        <span className="truncate">
          <Visible text={titleOf(chat)} />
        </span>
      </Link>
      <ChatMenu chat={chat} rename={() => setRenaming('yes')} failed={setProblem} />
      {problem && <Problem>The chat could not be {problem}</Problem>}
    </li>
  );
}

/** A chat without a title is named after its goal. */
export function titleOf({ title, goal }: Pick<Chat, 'title' | 'goal'>): string {
  return title ?? (goal?.trim() || 'New chat');
}

/** The chat that was pinned or unpinned: its entry appears in another group, where it takes the focus. */
let justMoved: string | null = null;

interface ChatMenuProps {
  readonly chat: Chat;
  readonly rename: () => void;
  readonly failed: (problem: string | null) => void;
}

function ChatMenu({ chat, rename, failed }: ChatMenuProps) {
  const cache = useQueryClient();
  // The chosen item takes the focus itself: the menu must not take it back.
  const elsewhere = useRef(false);
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (justMoved !== chat.id) return;
    justMoved = null;
    trigger.current?.focus();
  }, [chat.id]);
  const navigate = useNavigate();
  const [removing, setRemoving] = useState(false);
  const here = useRouterState({ select: ({ location }) => location.pathname === `/chats/${chat.id}` });
  const leave = () => here && void navigate({ to: '/' });
  const archive = async () => {
    try {
      putChat(cache, await client.chats.change(chat.id, { archived: true }));
    } catch (error) {
      return failed(`archived: ${(error as Error).message}`);
    }
    void cache.invalidateQueries({ queryKey: keys.hiddenChats });
    leave();
  };
  const pin = async () => {
    const pinned = chat.pinned_at === null;
    // The entry moves to another group.
    elsewhere.current = true;
    // Before the request: a hint may move the entry before the answer does.
    justMoved = chat.id;
    try {
      putChat(cache, await client.chats.change(chat.id, { pinned }));
    } catch (error) {
      justMoved = null;
      failed(`${pinned ? 'pinned' : 'unpinned'}: ${(error as Error).message}`);
      trigger.current?.focus();
    }
  };
  const remove = async () => {
    await client.chats.remove(chat.id);
    putChat(cache, { ...chat, removed_at: new Date().toISOString() });
    void cache.invalidateQueries({ queryKey: keys.approvals });
    void cache.invalidateQueries({ queryKey: keys.hiddenChats });
    leave();
  };
  return (
    <>
      <DropdownMenu.Root modal={false} onOpenChange={(open) => open && failed(null)}>
        <DropdownMenu.Trigger
          ref={trigger}
          aria-label={`Actions for ${titleOf(chat)}`}
          className="absolute top-1 right-1 grid size-6.5 place-items-center rounded-md text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
        >
          <Ellipsis className="size-4" aria-hidden="true" />
        </DropdownMenu.Trigger>
        <MenuPortal>
          <DropdownMenu.Content
            align="start"
            sideOffset={4}
            onCloseAutoFocus={(event) => {
              if (elsewhere.current) event.preventDefault();
              elsewhere.current = false;
            }}
            className="z-50 min-w-40 rounded-lg border bg-raised p-1 shadow-lg"
          >
            <DropdownMenu.Item
              className={ITEM}
              onSelect={() => {
                elsewhere.current = true;
                rename();
              }}
            >
              <Pencil className="size-4 text-soft" aria-hidden="true" /> Rename
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={() => void pin()}>
              {chat.pinned_at === null ? (
                <>
                  <Pin className="size-4 text-soft" aria-hidden="true" /> Pin
                </>
              ) : (
                <>
                  <PinOff className="size-4 text-soft" aria-hidden="true" /> Unpin
                </>
              )}
            </DropdownMenu.Item>
            <DropdownMenu.Item
              className={ITEM}
              onSelect={() => {
                // Now: the menu returns the focus only later, perhaps when the entry has left the list.
                trigger.current?.focus();
                void archive();
              }}
            >
              <Archive className="size-4 text-soft" aria-hidden="true" /> Archive
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Item
              className={`${ITEM} text-bad`}
              onSelect={() => {
                elsewhere.current = true;
                setRemoving(true);
              }}
            >
              <Trash2 className="size-4" aria-hidden="true" /> Remove…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </MenuPortal>
      </DropdownMenu.Root>
      <Confirm
        open={removing}
        close={() => setRemoving(false)}
        title={<Visible text={`Remove “${titleOf(chat)}”?`} />}
        action="Remove"
        act={remove}
      >
        Its open runs are stopped. You can restore the chat for 7 days from “Archived and removed”; after that
        it is deleted permanently. Files are not affected.
      </Confirm>
    </>
  );
}

/**
 * For the `ref` of an entry: when it leaves the list with the focus in it, the next one gets the focus. The hint of a change may remove
 * the entry before the server's answer does.
 */
function passFocusOn(entry: HTMLElement | null): () => void {
  return () => {
    if (!entry?.contains(document.activeElement)) return;
    const links = [...(entry.closest('nav')?.querySelectorAll('a') ?? [])];
    const own = links.findIndex((link) => entry.contains(link));
    const beside = [...links.slice(own + 1), ...links.slice(0, own).toReversed()];
    // Which other entries stay is only known once this entry is removed.
    queueMicrotask(() => {
      if (document.activeElement === document.body) beside.find((link) => link.isConnected)?.focus();
    });
  };
}

interface RenameProps {
  readonly chat: Chat;
  /** `closed`: the field had the focus. `no`: the focus is already elsewhere. */
  readonly close: (renaming: 'closed' | 'no') => void;
}

function Rename({ chat, close }: RenameProps) {
  const cache = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const saving = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const done = () => close(document.activeElement === field.current ? 'closed' : 'no');
  useEscape(done);
  const save = async (given: string) => {
    if (saving.current) return;
    const title = given.trim();
    if (title === '' || title === chat.title) return done();
    saving.current = true;
    setProblem(null);
    try {
      putChat(cache, await client.chats.change(chat.id, { title }));
      done();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      saving.current = false;
    }
  };
  return (
    <li>
      <input
        ref={field}
        autoFocus
        aria-label="Chat title"
        defaultValue={titleOf(chat)}
        maxLength={200}
        onFocus={(event) => event.target.select()}
        onBlur={(event) => void save(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && void save(event.currentTarget.value)}
        className="w-full rounded-lg border border-accent bg-page px-2.5 py-1.5 text-sm -outline-offset-2"
      />
      {problem && <Problem>The chat could not be renamed: {problem}</Problem>}
    </li>
  );
}

function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p role="alert" className="px-2.5 py-1 text-xs text-bad wrap-anywhere">
      {children}
    </p>
  );
}
