// The status of a chat, with its controls. A requested change is shown as pending until it has happened, and a page
// that lags behind its chat says so.

import { Link } from '@tanstack/react-router';
import { CornerLeftUp, ListTree, LoaderCircle, Pause, Play, TextSearch, Unplug } from 'lucide-react';
import type { StreamState } from '@continuo/client';
import type { ReactNode } from 'react';
import type { ChatView } from '@continuo/protocol';
import { InHeader, useIsNarrow } from '../app/header-slot.tsx';
import { MODIFIER, palette } from '../app/shortcuts.ts';
import type { Chat } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { money, number } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { modeName } from './mode.ts';
import { Dot, WORDS, type Status } from './status.tsx';

interface StatusBarProps {
  readonly chat: Chat;
  readonly title: string;
  readonly status: Status;
  /** Why the last command failed. */
  readonly problem: string | null;
  readonly connection: StreamState;
  /** How many events of the log the page has not received. */
  readonly lag: number;
  readonly view: ChatView;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Buttons at the end. */
  readonly children?: ReactNode;
}

export function StatusBar(props: StatusBarProps) {
  const { chat, title, status, problem, connection, lag, view, pause, resume, children } = props;
  const run = view.turns.at(-1)?.run;
  const isNarrow = useIsNarrow();
  const controls = (
    <>
      {chat.parent_run !== null && (
        <Link
          to="/runs/$run"
          params={{ run: chat.parent_run }}
          className="inline-flex items-center gap-1 text-xs text-soft underline-offset-2 hover:text-ink hover:underline"
        >
          <CornerLeftUp className="size-3.5" aria-hidden="true" />
          <Words>Part of another run</Words>
        </Link>
      )}
      {chat.mode !== 'chat_mode' && (
        <span className="rounded-full bg-hover px-2.5 py-0.5 text-xs text-soft max-sm:hidden">
          {modeName(chat.mode)}
        </span>
      )}
      <p role="status" className="flex items-center gap-2 text-xs text-soft">
        {connection.kind === 'reconnecting' ? (
          <>
            <Unplug className="size-3.5 text-warn" aria-hidden="true" />
            <Words>Reconnecting…</Words>
          </>
        ) : lag > 0 ? (
          <>
            <LoaderCircle className="size-3.5 animate-spin" aria-hidden="true" />
            <Words>
              {number(lag)} {lag === 1 ? 'event' : 'events'} behind
            </Words>
          </>
        ) : (
          <>
            <Dot status={status} />
            <Words>{WORDS[status]}</Words>
          </>
        )}
      </p>
      {(status === 'running' || status === 'queued') && (
        <Button kind="quiet" className="!px-2 !py-1 !text-xs" onClick={pause}>
          <Pause className="size-3.5" aria-hidden="true" /> <Words>Pause</Words>
        </Button>
      )}
      {(status === 'paused' || status === 'pausing') && (
        <Button className="!px-2 !py-1 !text-xs" onClick={resume}>
          <Play className="size-3.5" aria-hidden="true" /> <Words>Resume</Words>
        </Button>
      )}
      <span className="flex items-center md:-mr-2">
        {run !== undefined && (
          <Link
            to="/runs/$run"
            params={{ run }}
            aria-label="Open the latest run"
            title="Open the latest run: timeline, replay, events, context"
            className="inline-flex size-8 items-center justify-center rounded-lg text-soft hover:bg-hover hover:text-ink"
          >
            <ListTree className="size-4.5" aria-hidden="true" />
          </Link>
        )}
        <IconButton label={`Search this chat (${MODIFIER}-Shift-F)`} onClick={() => palette.set('chat')}>
          <TextSearch />
        </IconButton>
        {children}
      </span>
    </>
  );
  const alert = problem && (
    <p role="alert" className="w-full text-sm text-bad wrap-anywhere">
      {problem}
    </p>
  );
  if (isNarrow)
    return (
      <>
        <h1 className="sr-only">
          <Visible text={title} />
        </h1>
        <InHeader>{controls}</InHeader>
        {alert && <div className="border-b px-4 py-2">{alert}</div>}
      </>
    );
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5 sm:px-6">
      <h1 className="min-w-0 flex-1 truncate text-sm font-semibold">
        <Visible text={title} />
      </h1>
      <Usage usage={chat.usage} />
      {controls}
      {alert}
    </header>
  );
}

/** On a narrow screen there is room for the symbol only. */
function Words({ children }: { readonly children: ReactNode }) {
  return <span className="max-md:sr-only">{children}</span>;
}

function Usage({ usage }: { readonly usage: Chat['usage'] }) {
  if (!usage || usage.input + usage.output === 0) return null;
  return (
    <span className="text-xs text-soft tabular-nums">
      {number(usage.input + usage.output)} tokens
      {usage.cost !== null && ` · ${money(usage.cost)}`}
    </span>
  );
}
