// From the end of a turn to the files that it changed.

import { Link } from '@tanstack/react-router';
import type { Turn } from '@continuo/protocol';
import { useShownChat } from '../chat/past.ts';

export function ChangedFiles({ turn }: { readonly turn: Turn }) {
  const chat = useShownChat();
  const files = new Set(
    turn.items.flatMap((item) => (item.kind === 'call' ? item.files.map(({ file }) => file) : [])),
  );
  if (files.size === 0) return null;
  const words = files.size === 1 ? '1 file changed' : `${files.size} files changed`;
  // Outside of its chat, as in a replay, there is nowhere to lead from.
  if (chat === '') return <span>{words}</span>;
  return (
    <Link
      to="/files"
      search={{ changed: 'run', run: turn.run, chat }}
      className="underline decoration-strong underline-offset-2 hover:text-ink"
    >
      {words}
    </Link>
  );
}
