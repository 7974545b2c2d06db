// The runs of the workspace, newest first, updated live.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { titleOf } from '../app/chat-entry.tsx';
import { chatQuery, useChat, useChats } from '../data/queries.ts';
import { STATES, useRuns, useWhy, type ListedRun, type RunFilter } from '../data/run-queries.ts';
import { StateBadge, stateOf, whyNotMoving } from '../runs/state.tsx';
import { Button } from '../ui/button.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Select } from '../ui/select.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { between, money, number, When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';

const WORDS: Record<(typeof STATES)[number], string> = {
  open: 'Open',
  queued: 'Queued',
  running: 'Running',
  done: 'Done',
  error: 'Failed',
  canceled: 'Canceled',
};

export function Page() {
  const filter = useFilter();
  const runs = useRuns(filter);
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = filter.status !== undefined || filter.chat !== undefined;
  return (
    <PageFrame
      title="Runs"
      about="Each message that an agent answers is a run."
      beside={<Filters filter={filter} />}
      wide
    >
      {runs.isPending && !runs.error && <Loading what="runs" />}
      {runs.error && !runs.data && <Failure error={runs.error} retry={() => void runs.refetch()} />}
      {runs.data && items.length === 0 && (
        <Empty icon={ListTree} title={filtered ? 'No matching runs' : 'No runs yet'}>
          {filtered ? 'Choose another state or chat.' : 'Each message in a chat starts a run.'}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="mt-5 divide-y overflow-hidden rounded-xl border bg-raised" aria-label="Runs">
          {items.map((run) => (
            <Entry key={run.id} run={run} />
          ))}
        </ul>
      )}
      {runs.hasNextPage && (
        <Button
          kind="quiet"
          className="mt-3 w-full justify-center"
          disabled={runs.isFetchingNextPage}
          onClick={() => void runs.fetchNextPage()}
        >
          Older runs
        </Button>
      )}
    </PageFrame>
  );
}

function useFilter(): RunFilter {
  const { status, chat } = useSearch({ strict: false }) as Record<string, unknown>;
  return {
    status: STATES.find((state) => state === status),
    chat: typeof chat === 'string' ? chat : undefined,
  };
}

/** A value that is not the id of a chat. */
const OLDER = 'older';

function Filters({ filter }: { readonly filter: RunFilter }) {
  const navigate = useNavigate();
  const { data, hasNextPage, fetchNextPage } = useChats();
  const chats = data?.pages.flatMap(({ items }) => items) ?? [];
  const choose = (next: RunFilter) => {
    const search = Object.fromEntries(Object.entries({ ...filter, ...next }).filter(([, value]) => value));
    void navigate({ to: '/runs', search });
  };
  const known = filter.chat === undefined || chats.some(({ id }) => id === filter.chat);
  const { data: older } = useQuery({ ...chatQuery(filter.chat ?? ''), enabled: !known });
  return (
    <div className="flex flex-wrap gap-2">
      <Select
        label="State"
        value={filter.status ?? ''}
        choose={(status) => choose({ status: (status || undefined) as RunFilter['status'] })}
        choices={[['', 'Any state'], ...STATES.map((state) => [state, WORDS[state]] as const)]}
      />
      <Select
        label="Chat"
        value={filter.chat ?? ''}
        choose={(chat) => (chat === OLDER ? void fetchNextPage() : choose({ chat: chat || undefined }))}
        choices={[
          ['', 'Any chat'],
          ...(known ? [] : [[filter.chat, older ? titleOf(older) : 'One chat'] as const]),
          ...chats.map((chat) => [chat.id, titleOf(chat)] as const),
          ...(hasNextPage ? [[OLDER, 'List older chats…'] as const] : []),
        ]}
      />
    </div>
  );
}

function Entry({ run }: { readonly run: ListedRun }) {
  const { data: why } = useWhy(run);
  const waits = run.ended_at === null ? whyNotMoving(why) : null;
  const used = [
    run.usage &&
      run.usage.input + run.usage.output > 0 &&
      `${number(run.usage.input + run.usage.output)} tokens`,
    run.cost !== null && money(run.cost),
    between(run.started_at, run.ended_at),
  ].filter(Boolean);
  return (
    <li>
      <Link
        to="/runs/$run"
        params={{ run: run.id }}
        className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm -outline-offset-2 hover:bg-hover sm:grid-cols-[10.5rem_minmax(0,1fr)_auto]"
      >
        <StateBadge state={stateOf(run, why)} className="max-sm:order-2" />
        <span className="min-w-0 truncate font-medium max-sm:order-1 max-sm:col-span-2">
          {/* What a child run was told begins the same for all of them. */}
          <Visible
            text={(run.parent_run === null ? null : run.title) ?? (run.said.trim() || 'An empty message')}
          />
        </span>
        <span className="text-right text-xs leading-5 text-soft max-sm:order-3">
          <When at={run.queued_at} />
        </span>
        <span className="min-w-0 text-xs text-soft max-sm:order-4 max-sm:col-span-2 sm:col-span-2 sm:col-start-2">
          <span className="flex flex-wrap gap-x-3">
            <span className="max-w-full truncate">
              {run.parent_run !== null && 'Child run'}
              {run.parent_run === null &&
                (run.title === null ? <TitleOfChat id={run.thread_id} /> : <Visible text={run.title} />)}
            </span>
            <span>
              {run.role} · <span className="break-all">{run.model}</span>
            </span>
            {used.length > 0 && <span className="tabular-nums">{used.join(' · ')}</span>}
          </span>
          {waits && (
            <span className="mt-0.5 block text-warn wrap-anywhere">
              <Visible text={waits} />
            </span>
          )}
          {run.error && <span className="mt-0.5 block truncate text-bad">{run.error.error}</span>}
        </span>
      </Link>
    </li>
  );
}

/** A chat without a title is named after its goal. */
function TitleOfChat({ id }: { readonly id: string }) {
  const { data: chat } = useChat(id);
  return <Visible text={chat ? titleOf(chat) : 'A chat'} />;
}
