// The status of a chat, from its log, from what the server reports, and from the last command of this page.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOpen, neverBegan, type ChatView, type TurnState } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { keys, type Chat } from '../data/queries.ts';
import { useIsPlanWaiting } from '../plans/queries.ts';
import { statusOf, type Status } from './status.tsx';

type Command = 'stop' | 'pause' | 'resume';

const FAILED: Record<Command, string> = {
  stop: 'The chat could not be stopped',
  pause: 'The chat could not be paused',
  resume: 'The chat could not be resumed',
};

interface ChatStatus {
  readonly status: Status;
  /** Why the last command failed. */
  readonly problem: string | null;
  readonly command: (command: Command) => void;
}

interface SentCommand {
  readonly command: Command;
  readonly session: string;
  readonly problem: string | null;
}

export function useStatus(chat: Chat, view: ChatView): ChatStatus {
  const cache = useQueryClient();
  const [sent, setSent] = useState<SentCommand | null>(null);
  const open = view.turns.findLast(isOpen);
  const session = `${view.session?.id}:${view.session?.state}:${open?.run}`;
  // Once the session has moved on, the command has taken effect or no longer applies.
  const latest = sent?.session === session ? sent : null;
  const problem = latest?.problem ?? null;
  const pending = latest && problem === null ? latest.command : null;
  const command = (next: Command) => {
    const attempt = { command: next, session, problem: null };
    setSent(attempt);
    void client.chats[next](chat.id)
      .catch(({ message }: Error) =>
        setSent((now) => (now === attempt ? { ...attempt, problem: `${FAILED[next]}: ${message}` } : now)),
      )
      .finally(() => void cache.invalidateQueries({ queryKey: keys.chat(chat.id) }));
  };
  const isPlanWaiting = useIsPlanWaiting(chat.id);
  const reported = statusOf(chat, isPlanWaiting);
  return {
    status: open ? openStatus(open.state, reported, pending, isPlanWaiting) : idleStatus(chat, view),
    problem,
    command,
  };
}

function openStatus(
  state: TurnState,
  reported: Status,
  pending: Command | null,
  isPlanWaiting: boolean,
): Status {
  if (pending === 'stop' || reported === 'stopping') return 'stopping';
  if (state === 'paused') return pending === 'resume' ? 'running' : 'paused';
  if (pending === 'pause' || (reported === 'pausing' && pending !== 'resume')) return 'pausing';
  return state === 'waiting' || isPlanWaiting ? 'waiting' : 'running';
}

const ENDED: Partial<Record<TurnState, Status>> = { done: 'idle', error: 'error', canceled: 'stopped' };

/** The log may be ahead of the fetched chat: `active_run` may already have ended. */
function idleStatus({ active_run: next }: Chat, { turns, fold }: ChatView): Status {
  if (next !== null && !fold.turns.has(next)) return 'queued';
  return ENDED[turns.findLast((turn) => !neverBegan(turn))?.state ?? 'done'] ?? 'idle';
}
