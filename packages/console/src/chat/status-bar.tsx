// The status of a chat, with its controls. A requested change is shown as pending until it has happened, and a page
// that lags behind its chat says so.

import { LoaderCircle, Pause, Play, TextSearch, Unplug } from 'lucide-react';
import type { StreamState } from '@continuo/client';
import type { ChatView } from '@continuo/protocol';
import { MODIFIER, palette } from '../app/shortcuts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { money, number } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { Dot, WORDS, type Status } from './status.tsx';

interface StatusBarProps {
  readonly title: string;
  readonly status: Status;
  /** Why the last command failed. */
  readonly problem: string | null;
  readonly connection: StreamState;
  /** How many events of the log the page has not received. */
  readonly lag: number;
  readonly view: ChatView;
  readonly usage: { readonly input: number; readonly output: number; readonly cost: number | null } | null;
  readonly pause: () => void;
  readonly resume: () => void;
}

export function StatusBar(props: StatusBarProps) {
  const { title, status, problem, connection, lag, usage, pause, resume } = props;
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5 sm:px-6">
      <h1 className="min-w-0 flex-1 truncate text-sm font-semibold max-md:sr-only">
        <Visible text={title} />
      </h1>
      <Usage usage={usage} />
      <p role="status" className="flex items-center gap-2 text-xs text-soft">
        {connection.kind === 'reconnecting' ? (
          <>
            <Unplug className="size-3.5 text-warn" aria-hidden="true" /> Reconnecting…
          </>
        ) : lag > 0 ? (
          <>
            <LoaderCircle className="size-3.5 animate-spin" aria-hidden="true" />
            {number(lag)} {lag === 1 ? 'event' : 'events'} behind
          </>
        ) : (
          <>
            <Dot status={status} />
            {WORDS[status]}
          </>
        )}
      </p>
      {(status === 'running' || status === 'queued') && (
        <Button kind="quiet" className="!px-2 !py-1 !text-xs" onClick={pause}>
          <Pause className="size-3.5" aria-hidden="true" /> Pause
        </Button>
      )}
      {(status === 'paused' || status === 'pausing') && (
        <Button className="!px-2 !py-1 !text-xs" onClick={resume}>
          <Play className="size-3.5" aria-hidden="true" /> Resume
        </Button>
      )}
      <IconButton
        label={`Search this chat (${MODIFIER}-Shift-F)`}
        className="-my-1 -mr-2 max-md:order-first max-md:mr-auto max-md:-ml-2"
        onClick={() => palette.set('chat')}
      >
        <TextSearch />
      </IconButton>
      {problem && (
        <p role="alert" className="w-full text-sm text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </header>
  );
}

function Usage({ usage }: Pick<StatusBarProps, 'usage'>) {
  if (!usage || usage.input + usage.output === 0) return null;
  return (
    <span className="text-xs text-soft tabular-nums max-sm:hidden">
      {number(usage.input + usage.output)} tokens
      {usage.cost !== null && ` · ${money(usage.cost)}`}
    </span>
  );
}
