// What a chat is doing, from what the log says, what the server says is wanted, and what was clicked here a moment ago.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOpen, neverBegan, type ChatView, type TurnState } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { keys, type Chat } from '../data/queries.ts';
import { statusOf, type Status } from './status.tsx';

type Wish = 'stop' | 'pause' | 'resume';

const FAILED: Record<Wish, string> = {
  stop: 'It could not be stopped',
  pause: 'It could not be paused',
  resume: 'It could not be resumed',
};

interface ShownStatus {
  readonly status: Status;
  /** Why what was asked for last was not done. */
  readonly problem: string | null;
  readonly wish: (wish: Wish) => void;
}

interface Wished {
  readonly wish: Wish;
  readonly session: string;
  readonly problem: string | null;
}

export function useStatus(chat: Chat, view: ChatView): ShownStatus {
  const cache = useQueryClient();
  const [wished, setWished] = useState<Wished | null>(null);
  const open = view.turns.findLast(isOpen);
  const session = `${view.session?.id}:${view.session?.state}:${open?.run}`;
  // A session that went on has taken the wish in, or has no use for it any more.
  const latest = wished?.session === session ? wished : null;
  const problem = latest?.problem ?? null;
  const pending = latest && problem === null ? latest.wish : null;
  const wish = (next: Wish) => {
    const asked = { wish: next, session, problem: null };
    setWished(asked);
    void client.chats[next](chat.id)
      .catch(({ message }: Error) =>
        setWished((now) => (now === asked ? { ...asked, problem: `${FAILED[next]}: ${message}` } : now)),
      )
      .finally(() => void cache.invalidateQueries({ queryKey: keys.chat(chat.id) }));
  };
  const known = statusOf(chat);
  return { status: open ? ofOpen(open.state, known, pending) : ofIdle(chat, view), problem, wish };
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
