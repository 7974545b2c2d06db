// The frame of every page: the sidebar (a drawer on a narrow screen), and a banner while the server is not responding.

import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Menu, Unplug } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { Suspense, useCallback, useEffect, useState } from 'react';
import { useNotifications } from '../approvals/notify.ts';
import { connection } from '../data/hints.ts';
import { useApprovals } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { useWaitingPlans } from '../plans/queries.ts';
import { IconButton } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Visible } from '../ui/visible.tsx';
import { HeaderSlot } from './header-slot.tsx';
import { pageTitle } from './title.ts';
import { listenToShortcuts, palette } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';

const Palette = lazyPart(async () => (await import('../palette/palette.tsx')).Palette);

/** The minimum height of a page. On a shorter or zoomed screen, the whole page scrolls. */
const MIN_HEIGHT = 'min-h-0 flex-[1_0_26rem]';

export function Shell() {
  const approvals = useApprovals().data?.items;
  const plans = useWaitingPlans().data?.items;
  const waiting = (approvals?.length ?? 0) + (plans?.length ?? 0);
  const title = useStore(pageTitle);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title === '' ? '' : `${title} · `}Continuo`;
  }, [waiting, title]);
  const navigate = useNavigate();
  // What is typed right after Ctrl-K must find its field.
  useEffect(() => void Palette.preload(), []);
  useEffect(() => listenToShortcuts(() => void navigate({ to: '/' })), [navigate]);
  const openChat = useCallback(
    (chat: string) => void navigate({ to: '/chats/$chat', params: { chat } }),
    [navigate],
  );
  useNotifications(approvals, plans, openChat);
  const isPaletteOpen = useStore(palette) !== 'closed';
  return (
    <div className="flex h-full">
      {isPaletteOpen && (
        <Suspense>
          <Palette />
        </Suspense>
      )}
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="hidden w-68 shrink-0 border-r bg-panel md:block" aria-label="Navigation">
        <Sidebar waiting={waiting} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col overflow-y-auto">
        <Drawer waiting={waiting} />
        <ConnectionBanner />
        <main id="main" tabIndex={-1} data-quiet-focus className={`flex ${MIN_HEIGHT} flex-col`}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

function Drawer({ waiting }: { readonly waiting: number }) {
  const [open, setOpen] = useState(false);
  const place = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => setOpen(false), [place]);
  const title = useStore(pageTitle);
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b px-2 md:hidden">
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger asChild>
          <IconButton
            label={waiting > 0 ? `Menu, ${waiting} waiting for approval` : 'Menu'}
            className="relative shrink-0"
          >
            <Menu />
            {waiting > 0 && <span className="absolute top-1 right-1 size-2 rounded-full bg-warn" />}
          </IconButton>
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="fixed inset-0 z-40 bg-[#0006]" />
          <Dialog.Content
            aria-describedby={undefined}
            // Close the drawer also for a link to the current page.
            onClick={({ target }) =>
              target instanceof Element && target.closest('a, [data-closes-drawer]') && setOpen(false)
            }
            className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] border-r bg-panel shadow-xl outline-none"
          >
            <Dialog.Title className="sr-only">Navigation</Dialog.Title>
            <Sidebar waiting={waiting} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
      <HeaderSlot at="start" />
      <span className="min-w-0 truncate text-sm font-medium">
        <Visible text={title || 'Continuo'} />
      </span>
      <HeaderSlot at="end" />
    </header>
  );
}

/** Drafts and shown content stay; streams and lists continue by themselves. */
function ConnectionBanner() {
  if (useStore(connection) !== 'lost') return null;
  return (
    <p
      role="status"
      className="flex items-center justify-center gap-2 border-b bg-warn-wash px-4 py-1.5 text-sm text-warn"
    >
      <Unplug className="size-4 shrink-0" aria-hidden="true" />
      The server is not responding. Retrying…
    </p>
  );
}
