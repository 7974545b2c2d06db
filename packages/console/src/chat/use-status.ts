// What a chat is doing, from what the log says, what the server says is wanted, and what was clicked here a moment ago.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOpen, neverBegan, type ChatView, type TurnState } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { keys, type Chat } from '../data/queries.ts';
import { statusOf, type Status } from './status.tsx';

type Wish = 'stop' | 'pause' | 'resume';

export function useStatus(chat: Chat, view: ChatView): { status: Status; wish: (wish: Wish) => void } {
  const cache = useQueryClient();
  const [wished, setWished] = useState<{ readonly wish: Wish; readonly session: string } | null>(null);
  const open = view.turns.findLast(isOpen);
  const session = `${view.session?.id}:${view.session?.state}:${open?.run}`;
  // A session that went on has taken the wish in.
  const pending = wished !== null && wished.session === session ? wished.wish : null;
  const wish = (next: Wish) => {
    setWished({ wish: next, session });
    void client.chats[next](chat.id)
      .catch(() => setWished(null))
      .finally(() => void cache.invalidateQueries({ queryKey: keys.chat(chat.id) }));
  };
  const known = statusOf(chat);
  return { status: open ? ofOpen(open.state, known, pending) : ofIdle(chat, view), wish };
}

function ofOpen(state: TurnState, known: Status, pending: Wish | null): Status {
  if (pending === 'stop' || known === 'stopping') return 'stopping';
  if (state === 'paused') return pending === 'resume' ? 'running' : 'paused';
  if (pending === 'pause' || (known === 'pausing' && pending !== 'resume')) return 'pausing';
  return state === 'waiting' ? 'waiting' : 'running';
}

const ENDED: Partial<Record<TurnState, Status>> = { done: 'idle', error: 'error', canceled: 'stopped' };

/** The log is ahead of what the server was asked last: a run that has ended in it is not next any more. */
function ofIdle({ active_run: next }: Chat, { turns, fold }: ChatView): Status {
  if (next !== null && !fold.turns.has(next)) return 'queued';
  return ENDED[turns.findLast((turn) => !neverBegan(turn))?.state ?? 'done'] ?? 'idle';
}
