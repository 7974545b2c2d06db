// The link from the end of a turn to the files that it changed.

import { Link } from '@tanstack/react-router';
import type { Turn } from '@continuo/protocol';
import { useShownChat } from '../chat/replay-context.ts';

export function ChangedFilesLink({ turn }: { readonly turn: Turn }) {
  const chat = useShownChat();
  const files = new Set(
    turn.items.flatMap((item) => (item.kind === 'call' ? item.files.map(({ file }) => file) : [])),
  );
  if (files.size === 0) return null;
  const text = files.size === 1 ? '1 file changed' : `${files.size} files changed`;
  // Without a chat there is no page to link to.
  if (chat === '') return <span>{text}</span>;
  return (
    <Link
      to="/files"
      search={{ changed: 'run', run: turn.run, chat }}
      className="underline decoration-strong underline-offset-2 hover:text-ink"
    >
      {text}
    </Link>
  );
}
