// The status of a chat as a word and a colour. A requested change has a status of its own, such as `stopping`.

import type { Chat } from '../data/queries.ts';

export type Status =
  | 'idle'
  | 'queued'
  | 'running'
  | 'waiting'
  | 'pausing'
  | 'paused'
  | 'stopping'
  | 'stopped'
  | 'error';

export const WORDS: Record<Status, string> = {
  idle: 'Ready',
  queued: 'Queued',
  running: 'Running',
  waiting: 'Waiting for approval',
  pausing: 'Pausing…',
  paused: 'Paused',
  stopping: 'Stopping…',
  // The end of the stopped turn says so.
  stopped: 'Ready',
  error: 'Failed',
};

const COLOUR: Record<Status, string> = {
  idle: 'border border-strong',
  queued: 'border-2 border-accent',
  running: 'bg-accent breathe',
  waiting: 'bg-warn',
  pausing: 'bg-strong breathe',
  paused: 'bg-strong',
  stopping: 'bg-strong breathe',
  stopped: 'border border-strong',
  error: 'bg-bad',
};

/** `isPlanWaiting`: a person must approve the chat's plan. */
export function statusOf(
  chat: Pick<Chat, 'state' | 'reason' | 'active_run'>,
  isPlanWaiting: boolean,
): Status {
  if (chat.reason !== null) return chat.reason;
  switch (chat.state) {
    case 'running':
      return isPlanWaiting ? 'waiting' : 'running';
    case 'paused':
      return 'paused';
    case 'error':
      return chat.active_run === null ? 'error' : 'queued';
    case 'cancelled':
      return chat.active_run === null ? 'stopped' : 'queued';
    case 'idle':
    case 'completed':
      return chat.active_run === null ? 'idle' : 'queued';
  }
}

export function Dot({ status }: { readonly status: Status }) {
  return <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${COLOUR[status]}`} />;
}

/** For places that do not show the word. */
export function StatusDot({ status }: { readonly status: Status }) {
  const quiet = status === 'idle' || status === 'stopped';
  return (
    <>
      <Dot status={status} />
      {!quiet && <span className="sr-only">{WORDS[status]}: </span>}
    </>
  );
}
