// The navigation: a new chat, the pages, and the chats with their status.

import { Link } from '@tanstack/react-router';
import { Archive, Monitor, Moon, Plus, Search, Sun } from 'lucide-react';
import { useChats, usePinnedChats, type Chat } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ChatEntry } from './chat-entry.tsx';
import { Logo } from './logo.tsx';
import { dayGroup } from './day-group.ts';
import { pages } from './pages.ts';
import { MODIFIER, palette } from './shortcuts.ts';
import { theme, type Theme } from './theme.ts';
import { WorkspacePicker } from './workspace-picker.tsx';

const ROW =
  'flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm text-soft transition-colors hover:bg-hover hover:text-ink';
const HERE = { className: 'bg-hover !text-ink font-medium', 'aria-current': 'page' as const };

export function Sidebar({ waiting }: { readonly waiting: number }) {
  return (
    <div className="flex h-full flex-col overflow-y-auto">
      <div className="flex items-center justify-between px-4 pt-4 pb-3">
        <Link to="/" className="flex items-center gap-2.5 rounded-lg font-semibold tracking-tight">
          <Logo />
          Continuo
        </Link>
        <ThemeButton />
      </div>
      <WorkspacePicker />
      <nav className="space-y-0.5 px-2.5" aria-label="Pages">
        <Link
          to="/"
          className={`${ROW} !text-accent`}
          activeOptions={{ exact: true }}
          activeProps={{ className: 'bg-hover font-medium', 'aria-current': 'page' }}
        >
          <Plus className="size-4.5" aria-hidden="true" />
          New chat
        </Link>
        <button
          type="button"
          data-closes-drawer
          className={`${ROW} w-full`}
          onClick={() => palette.set('everything')}
        >
          <Search className="size-4.5" aria-hidden="true" />
          Search
          <kbd className="ml-auto font-sans text-xs max-md:hidden">{MODIFIER} K</kbd>
        </button>
        {pages.map(({ label, icon: Icon, path, to = path }) =>
          label === undefined ? null : (
            <Link key={path} to={to} className={ROW} activeProps={HERE}>
              {Icon && <Icon className="size-4.5" aria-hidden="true" />}
              {label}
              {label === 'Approvals' && waiting > 0 && (
                <span className="ml-auto rounded-full bg-warn-wash px-1.5 text-xs font-semibold text-warn tabular-nums">
                  {waiting}
                  <span className="sr-only"> waiting</span>
                </span>
              )}
            </Link>
          ),
        )}
      </nav>
      <ChatList />
    </div>
  );
}

function ChatList() {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useChats();
  const chats = data?.pages.flatMap(({ items }) => items) ?? [];
  const pinned = usePinnedChats().data ?? [];
  const groups = groupsOf(chats.filter(({ pinned_at }) => pinned_at === null));
  return (
    <nav className="mt-4 flex min-h-0 flex-[1_0_12rem] flex-col" aria-label="Chats">
      <div className="flex items-center justify-between pr-3.5 pb-1 pl-5">
        <h2 className="text-xs font-medium text-soft">Chats</h2>
        {data && (
          <Link
            to="/archived"
            aria-label="Archived and removed"
            title="Archived and removed"
            className="grid size-6.5 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink"
            activeProps={HERE}
          >
            <Archive className="size-3.5" aria-hidden="true" />
          </Link>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2.5 pb-3">
        {isPending && !error && <Skeleton />}
        {error && !data && (
          <p className="px-2.5 py-1 text-sm text-soft">The chats cannot be loaded right now.</p>
        )}
        {data && chats.length === 0 && (
          <p className="px-2.5 py-1 text-sm text-soft">No chats yet. Your first message opens one.</p>
        )}
        {[...(pinned.length > 0 ? [{ day: 'Pinned', items: pinned }] : []), ...groups].map(
          ({ day, items }) => (
            <section key={day} aria-label={day}>
              <h3 className="px-2.5 pt-2 pb-1 text-xs text-soft">{day}</h3>
              <ul className="space-y-px">
                {items.map((chat) => (
                  <ChatEntry key={chat.id} chat={chat} />
                ))}
              </ul>
            </section>
          ),
        )}
        {hasNextPage && (
          <Button
            kind="quiet"
            className="mt-1 w-full justify-center"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Older chats
          </Button>
        )}
      </div>
    </nav>
  );
}

/** The chats by the day of their latest activity, in their order. */
function groupsOf(chats: readonly Chat[]): { readonly day: string; readonly items: readonly Chat[] }[] {
  const now = new Date();
  const groups = new Map<string, Chat[]>();
  for (const chat of chats) {
    const day = dayGroup(new Date(chat.active_at), now);
    groups.set(day, [...(groups.get(day) ?? []), chat]);
  }
  return [...groups].map(([day, items]) => ({ day, items }));
}

function Skeleton() {
  return (
    <div aria-hidden="true" className="space-y-2 px-2.5 py-1.5">
      {[70, 50, 85].map((width) => (
        <div key={width} className="breathe h-4 rounded bg-hover" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

const NEXT: Record<Theme, { readonly theme: Theme; readonly icon: typeof Sun; readonly label: string }> = {
  system: { theme: 'light', icon: Monitor, label: 'Theme: system' },
  light: { theme: 'dark', icon: Sun, label: 'Theme: light' },
  dark: { theme: 'system', icon: Moon, label: 'Theme: dark' },
};

function ThemeButton() {
  const { theme: next, icon: Icon, label } = NEXT[useStore(theme)];
  return (
    <IconButton label={`${label}. Switch to ${next}`} onClick={() => theme.set(next)}>
      <Icon />
    </IconButton>
  );
}
