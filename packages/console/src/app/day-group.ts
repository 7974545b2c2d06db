// The headings of chats in the sidebar.

const DAY_MS = 86_400_000;

/** Today, Yesterday, the last 7 days, the last 30 days, or a month. */
export function dayGroup(at: Date, now: Date): string {
  const days = Math.round((midnight(now) - midnight(at)) / DAY_MS);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days <= 7) return 'Last 7 days';
  if (days <= 30) return 'Last 30 days';
  return at.toLocaleDateString('en', { month: 'long', year: 'numeric' });
}

/** Rounded above, because a day on which the clocks change has 23 or 25 hours. */
function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
