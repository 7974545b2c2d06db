// Where menus are shown: above the page, and in a landmark of their own.

import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

export function MenuPortal({ children }: { readonly children: ReactNode }) {
  return (
    <DropdownMenu.Portal>
      <section aria-label="Menu">{children}</section>
    </DropdownMenu.Portal>
  );
}
