// A panel beside a chat: a column on a wide screen, a drawer on a narrow one. Whether it is open is kept in the browser.

import { PanelRight, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { Suspense, useState, useSyncExternalStore, type ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Loading } from '../ui/states.tsx';

const KEPT = 'continuo-chat-panel';
/** Room for the navigation, a chat and the panel. */
const WIDE = matchMedia('(min-width: 64rem)');

export interface Panel {
  readonly isOpen: boolean;
  readonly isWide: boolean;
  readonly show: (open: boolean) => void;
}

export function usePanel(): Panel {
  const isWide = useSyncExternalStore(
    (changed) => {
      WIDE.addEventListener('change', changed);
      return () => WIDE.removeEventListener('change', changed);
    },
    () => WIDE.matches,
  );
  const [isOpen, setOpen] = useState(() => WIDE.matches && localStorage.getItem(KEPT) === 'open');
  return {
    isOpen,
    isWide,
    show: (open) => {
      setOpen(open);
      // A drawer covers the chat, so it does not open by itself.
      if (isWide) localStorage.setItem(KEPT, open ? 'open' : 'closed');
    },
  };
}

export function PanelButton({ panel: { isOpen, show } }: { readonly panel: Panel }) {
  return (
    <IconButton
      label={isOpen ? 'Close the memory panel' : 'Open the memory panel'}
      aria-expanded={isOpen}
      onClick={() => show(!isOpen)}
    >
      <PanelRight />
    </IconButton>
  );
}

export function WithPanel({
  panel: { isOpen, isWide, show },
  content,
  children,
}: {
  readonly panel: Panel;
  readonly content: ReactNode;
  readonly children: ReactNode;
}) {
  const loaded = <Suspense fallback={<Loading what="the memory" />}>{content}</Suspense>;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
      {isOpen && isWide && (
        <aside aria-label="Memory" className="w-84 shrink-0 overflow-y-auto border-l bg-panel">
          {loaded}
        </aside>
      )}
      {!isWide && (
        <Dialog.Root open={isOpen} onOpenChange={show}>
          <Dialog.Portal>
            <Dialog.Overlay className="fixed inset-0 z-40 bg-[#0006]" />
            <Dialog.Content
              aria-describedby={undefined}
              className="fixed inset-y-0 right-0 z-50 w-84 max-w-[92vw] overflow-y-auto border-l bg-panel shadow-xl outline-none"
            >
              <div className="flex items-center justify-between border-b py-1 pr-2 pl-4">
                <Dialog.Title className="text-sm font-semibold">Memory</Dialog.Title>
                <Dialog.Close asChild>
                  <IconButton label="Close">
                    <X />
                  </IconButton>
                </Dialog.Close>
              </div>
              {loaded}
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
      )}
    </div>
  );
}
