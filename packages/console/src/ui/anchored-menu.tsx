// One menu for all rows of a list: it opens where the button of its row is.

import { DropdownMenu } from 'radix-ui';
import { useRef, useState, type ReactNode } from 'react';
import { MenuPortal } from './menu-portal.tsx';

interface AnchoredMenuProps {
  /** The button that opened it. It gets the focus back. */
  readonly anchor: HTMLElement;
  readonly close: () => void;
  /** `away` is for actions that move the focus elsewhere, such as into a dialog: the menu must not take it back. */
  readonly children: (away: (act: () => void) => () => void) => ReactNode;
}

export function AnchoredMenu({ anchor, close, children }: AnchoredMenuProps) {
  const [{ left, top, width, height }] = useState(() => anchor.getBoundingClientRect());
  const elsewhere = useRef(false);
  const away = (act: () => void) => () => {
    elsewhere.current = true;
    act();
  };
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(next) => !next && close()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden="true" className="pointer-events-none fixed" style={{ left, top, width, height }} />
      </DropdownMenu.Trigger>
      <MenuPortal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!elsewhere.current) anchor.focus({ preventScroll: true });
          }}
          className="z-50 min-w-52 rounded-lg border bg-raised p-1 shadow-lg"
        >
          {children(away)}
        </DropdownMenu.Content>
      </MenuPortal>
    </DropdownMenu.Root>
  );
}
