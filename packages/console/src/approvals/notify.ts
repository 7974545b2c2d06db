// Desktop notifications of what begins to wait for a person, if the person has allowed them: only while the page is hidden, once each.

import type { ListedPlan } from '@continuo/protocol';
import { useEffect, useRef } from 'react';
import type { Approval } from '../data/queries.ts';

export function useNotifications(
  approvals: readonly Approval[] | undefined,
  plans: readonly Pick<ListedPlan, 'id' | 'title' | 'chat_id'>[] | undefined,
  open: (chat: string) => void,
): void {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!approvals || !plans) return;
    const waiting = [
      ...approvals.map(({ id, chat_id, tool, paths }) => ({ id, chat_id, body: [tool, ...paths].join(' ') })),
      ...plans.map(({ id, chat_id, title }) => ({ id, chat_id, body: `Plan: ${title}` })),
    ];
    const before = known.current;
    known.current = new Set([...(before ?? []), ...waiting.map(({ id }) => id)]);
    // Approvals that already waited when the page was opened are not announced.
    if (before === null || !document.hidden || !isAllowed()) return;
    for (const { id, chat_id, body } of waiting) {
      if (before.has(id)) continue;
      // Tabs share the tag, so that several of them show one notification.
      const shown = new Notification('Continuo waits for your approval', {
        body,
        tag: id,
      });
      shown.addEventListener('click', () => {
        window.focus();
        if (chat_id !== null) open(chat_id);
        shown.close();
      });
    }
  }, [approvals, plans, open]);
}

function isAllowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted';
}

/** Whether the browser would ask the person. It does not on an address that is neither https nor localhost. */
export function canAsk(): boolean {
  return 'Notification' in window && window.isSecureContext && Notification.permission === 'default';
}
