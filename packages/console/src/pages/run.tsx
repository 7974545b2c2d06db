// A run: its status, its figures, and its timeline, replay and events.

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, ChevronLeft, Hourglass, RotateCcw } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect, useEffectEvent, useState } from 'react';
import { titleOf } from '../app/chat-entry.tsx';
import { BACK, InHeader, useIsNarrow } from '../app/header-slot.tsx';
import { useParam } from '../app/router.tsx';
import { useTitle } from '../app/title.ts';
import { ShareMenu } from '../chat/share-menu.tsx';
import { InOtherWorkspace } from '../app/workspace-picker.tsx';
import { client } from '../data/client.ts';
import { chatQuery, keys, useChat } from '../data/queries.ts';
import { useRun, useWhy, type Run } from '../data/run-queries.ts';
import { ContextView, type ContextPlace } from '../runs/context-view.tsx';
import { EventLog } from '../runs/event-log.tsx';
import { RunSummary } from '../runs/run-summary.tsx';
import { useRunLog, type RunLog } from '../runs/log.ts';
import { Replay } from '../runs/replay.tsx';
import { StateBadge, stateOf, whyNotMoving } from '../runs/state.tsx';
import { Timeline } from '../runs/timeline.tsx';
import { Button } from '../ui/button.tsx';
import { Failure, isMissing, Loading, Missing } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

export function Page() {
  const id = useParam('run');
  return <RunPage key={id} id={id} />;
}

function RunPage({ id }: { readonly id: string }) {
  const { data: run, error, refetch } = useRun(id);
  const chat = useQuery({ ...chatQuery(run?.thread_id ?? ''), enabled: run !== undefined });
  useTitle(chat.data ? `Run of ${titleOf(chat.data)}` : 'Run');
  if (isMissing(error)) return <Missing what="run" />;
  if (error && !run) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (run && isMissing(chat.error)) return <InOtherWorkspace chat={run.thread_id} what="run" />;
  if (!run) return <Loading what="the run" />;
  return <RunView run={run} />;
}

const TAB =
  'border-b-2 border-transparent px-1 py-2 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink';
const PANEL = 'flex min-h-0 flex-1 flex-col';
const VIEWS = ['timeline', 'replay', 'events', 'context'] as const;
type View = (typeof VIEWS)[number];
const WORDS: Record<View, string> = {
  timeline: 'Timeline',
  replay: 'Replay',
  events: 'Events',
  context: 'Context',
};
/**
 * How long the replay position must be stable before it is written to the address: browsers limit how often an address
 * may change.
 */
const ADDRESS_DELAY_MS = 200;

/** `m2`, or `m2.1` for its first try. */
const CALL = /^m\d{1,6}(\.\d{1,3})?$/;
/** The seq of a request, and its try. */
const REQUEST = /^\d{1,9}-\d{1,3}$/;

interface RunSearch {
  readonly view: View;
  /** How many events the replay shows; null: all. */
  readonly at: number | null;
  /** The call that the context shows, and the one that it is compared with. */
  readonly context: ContextPlace;
}

function RunView({ run }: { readonly run: Run }) {
  const log = useRunLog(run);
  const { view, place, show, move, context, showContext } = useRunView(run.id);
  return (
    <>
      <Head run={run} log={log} />
      <Tabs.Root
        value={view}
        onValueChange={(next) => show(next as View)}
        className="flex min-h-0 flex-[1_0_20rem] flex-col"
      >
        <Tabs.List aria-label="Views of the run" className="flex gap-5 border-b px-4 sm:px-6">
          {VIEWS.map((each) => (
            <Tabs.Trigger key={each} value={each} className={TAB}>
              {WORDS[each]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {view === 'context' ? (
          <Tabs.Content value="context" className="min-h-0 flex-1 overflow-y-auto -outline-offset-2">
            <ContextView run={run} place={context} show={showContext} />
          </Tabs.Content>
        ) : log.error || log.loading ? (
          <Tabs.Content value={view} tabIndex={-1} className={PANEL}>
            {log.error ? <Failure error={log.error} /> : <Loading what="the events" />}
          </Tabs.Content>
        ) : (
          <>
            <Tabs.Content value="timeline" className="min-h-0 flex-1 overflow-y-auto -outline-offset-2">
              <Timeline run={run} events={log.events} show={(seq) => show('replay', seq)} />
            </Tabs.Content>
            <Tabs.Content value="replay" tabIndex={-1} className={PANEL}>
              <Replay chat={run.thread_id} events={log.events} count={log.count} place={place} move={move} />
            </Tabs.Content>
            <Tabs.Content value="events" tabIndex={-1} className={PANEL}>
              <EventLog events={log.events} count={log.count} />
            </Tabs.Content>
          </>
        )}
      </Tabs.Root>
    </>
  );
}

/**
 * The shown tab and replay position, kept in the address: Back returns to the previous tab, and a position can be
 * shared as a link.
 */
function useRunView(run: string) {
  const { view, at, context } = useRunSearch();
  const navigate = useNavigate();
  const [place, setPlace] = useState(at);
  const [known, setKnown] = useState(view);
  if (view !== known) {
    setKnown(view);
    setPlace(at);
  }
  const go = (search: RunSearch, replace = false) =>
    void navigate({
      to: '/runs/$run',
      params: { run },
      search: {
        view: search.view === 'timeline' ? undefined : search.view,
        at: search.at ?? undefined,
        call: search.context.call ?? undefined,
        other: search.context.other ?? undefined,
      },
      replace,
    });
  const writeAddress = useEffectEvent(() => go({ view, at: place, context }, true));
  useEffect(() => {
    if (place === at) return;
    const timer = setTimeout(() => writeAddress(), ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [place, at]);
  const show = (next: View, seq = place) => go({ view: next, at: seq, context });
  const showContext = (next: ContextPlace) => go({ view, at: place, context: next });
  return { view, place, show, move: setPlace, context, showContext };
}

function useRunSearch(): RunSearch {
  const { view, at, call, other } = useSearch({ strict: false }) as Record<string, unknown>;
  return {
    context: {
      call: typeof call === 'string' && CALL.test(call) ? call : null,
      other: typeof other === 'string' && REQUEST.test(other) ? other : null,
    },
    view: VIEWS.find((each) => each === view) ?? 'timeline',
    at: Number.isSafeInteger(at) && (at as number) >= 0 ? (at as number) : null,
  };
}

function Head({ run, log }: { readonly run: Run; readonly log: RunLog }) {
  const { data: chat } = useChat(run.thread_id);
  const { data: why } = useWhy(run, stepsIn(log));
  const waits = run.ended_at === null ? whyNotMoving(why) : null;
  const isNarrow = useIsNarrow();
  const title = chat ? titleOf(chat) : 'its chat';
  const share = <ShareMenu chat={run.thread_id} run={run.id} />;
  return (
    <header className="shrink-0 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isNarrow ? (
          <>
            <h1 className="sr-only">
              Run of <Visible text={title} />
            </h1>
            <InHeader at="start">
              <Link to="/chats/$chat" params={{ chat: run.thread_id }} title="Open the chat" className={BACK}>
                <ChevronLeft className="size-5" aria-hidden="true" />
                <span className="sr-only">
                  <Visible text={title} />
                </span>
              </Link>
            </InHeader>
            <InHeader>{share}</InHeader>
          </>
        ) : (
          <h1 className="line-clamp-3 min-w-0 text-lg font-semibold tracking-tight wrap-anywhere">
            Run of{' '}
            <Link
              to="/chats/$chat"
              params={{ chat: run.thread_id }}
              className="underline decoration-line underline-offset-4 hover:decoration-current"
            >
              <Visible text={title} />
            </Link>
          </h1>
        )}
        <span role="status" className="text-sm font-medium">
          <StateBadge state={stateOf(run, why)} />
        </span>
        <Actions run={run} />
        {!isNarrow && share}
      </div>
      <p className="mt-1 line-clamp-2 text-sm text-soft wrap-anywhere">
        <span className="sr-only">Message: </span>“
        <Visible text={run.said.trim()} />”
      </p>
      {waits && (
        <p className="mt-2 flex items-start gap-2 rounded-lg bg-warn-wash px-3 py-2 text-sm text-warn">
          <Hourglass className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          <span className="min-w-0 wrap-anywhere">
            <Visible text={waits} />{' '}
            {(why?.waits_for === 'approval' || why?.waits_for === 'resume') && (
              <Link to="/chats/$chat" params={{ chat: run.thread_id }} className="font-medium underline">
                Open the chat
              </Link>
            )}
          </span>
        </p>
      )}
      {run.error && (
        <p className="mt-2 rounded-lg bg-bad-wash px-3 py-2 text-sm break-words text-bad">
          {run.error.error} <code className="font-mono text-xs">({run.error.code})</code>
        </p>
      )}
      <RunSummary run={run} log={log} />
    </header>
  );
}

function Actions({ run }: { readonly run: Run }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = async (action: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await action();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
      void cache.invalidateQueries({ queryKey: keys.runs });
    }
  };
  const retry = () =>
    act(async () => {
      const { run: next } = await client.runs.retry(run.id);
      await navigate({ to: '/runs/$run', params: { run: next.id } });
    });
  const cancel = () => act(() => client.runs.cancel(run.id));
  return (
    <span className="ml-auto flex flex-wrap items-center justify-end gap-2">
      {problem && (
        <span role="alert" className="text-sm text-bad">
          {problem}
        </span>
      )}
      {(run.status === 'error' || run.status === 'canceled') && run.steered_into === null && (
        <Button disabled={busy} onClick={() => void retry()}>
          <RotateCcw className="size-4" aria-hidden="true" /> Retry
        </Button>
      )}
      {run.ended_at === null && (
        <Button
          kind="danger"
          disabled={busy || run.cancel_requested_at !== null}
          onClick={() => void cancel()}
        >
          <Ban className="size-4" aria-hidden="true" /> Cancel
        </Button>
      )}
    </span>
  );
}

/** Changes whenever the run may wait for something else. */
function stepsIn({ events, count }: RunLog): number {
  let steps = count === 0 ? 0 : 1;
  for (const { type } of events) if (type !== 'token' && type !== 'reasoning') steps += 1;
  return steps;
}
