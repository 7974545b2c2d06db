// The files that a run changed, or that changed in a chat since the person's last message, read from the log.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileText, FileX2, ListFilter, X } from 'lucide-react';
import { titleOf } from '../app/chat-entry.tsx';
import { client } from '../data/client.ts';
import { keys, useChat } from '../data/queries.ts';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { filterOf, useFileSearch, type FileSearch } from './file-search.ts';
import { LinkToFile } from './link-to-file.tsx';

interface Change {
  readonly path: string;
  readonly file: string;
  /** The version before the first change. */
  readonly from: number;
  readonly v: number;
  readonly removed: boolean;
}

const EVENTS_PER_PAGE = 1000;

export function ChangedFiles({ open }: { readonly open: string }) {
  const search = useFileSearch();
  const { changed, run, chat } = search;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...keys.files, 'changed', changed, run, chat],
    queryFn: ({ signal }) =>
      changed === 'run' ? changedInRun(run ?? '', signal) : changedSinceMessage(chat ?? '', signal),
  });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Filter search={search} />
      {isPending && !error && <Loading what="the changed files" />}
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty icon={ListFilter} title="No file has changed">
          Files appear here as the agent changes them.
        </Empty>
      )}
      <ul aria-label="Changed files" className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {data?.map(({ path, file, from, v, removed }) => (
          <li key={file}>
            <LinkToFile
              path={path}
              search={{ ...filterOf(search), view: 'history', from, to: v }}
              aria-current={path === open ? 'page' : undefined}
              className={`flex items-center gap-2 rounded-md px-2 py-1.5 text-sm ${path === open ? 'bg-accent-wash font-medium' : 'text-soft hover:bg-hover hover:text-ink'}`}
            >
              {removed ? (
                <FileX2 className="size-4 shrink-0" aria-hidden="true" />
              ) : (
                <FileText className="size-4 shrink-0" aria-hidden="true" />
              )}
              <span className={`min-w-0 flex-1 truncate ${removed ? 'line-through' : ''}`}>{path}</span>
              <span className="text-xs text-soft">{removed ? 'removed' : `v${v}`}</span>
            </LinkToFile>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Filter({ search }: { readonly search: FileSearch }) {
  const { changed, run, chat } = search;
  const kinds = [
    ...(run === undefined ? [] : [{ kind: 'run' as const, words: 'In this run' }]),
    ...(chat === undefined ? [] : [{ kind: 'message' as const, words: 'Since my last message' }]),
  ];
  return (
    <div className="px-3 pb-2">
      <div className="flex items-center gap-2 text-xs text-soft">
        <span className="min-w-0 flex-1 truncate">
          Changed
          {chat === undefined ? (
            ''
          ) : (
            <>
              {' '}
              in <ChatName id={chat} />
            </>
          )}
        </span>
        <Link
          to="/files"
          className="inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 hover:bg-hover hover:text-ink"
        >
          <X className="size-3.5" aria-hidden="true" /> All files
        </Link>
      </div>
      <div className="mt-1.5 flex flex-wrap gap-1">
        {kinds.map(({ kind, words }) => (
          <Link
            key={kind}
            to="/files"
            search={{ run, chat, changed: kind }}
            aria-current={changed === kind || undefined}
            className={`rounded-full border px-2.5 py-0.5 text-xs font-medium ${changed === kind ? 'border-accent bg-accent-wash text-ink' : 'text-soft hover:bg-hover'}`}
          >
            {words}
          </Link>
        ))}
      </div>
    </div>
  );
}

function ChatName({ id }: { readonly id: string }) {
  const { data: chat } = useChat(id);
  return (
    <Link
      to="/chats/$chat"
      params={{ chat: id }}
      className="text-ink underline decoration-strong underline-offset-2"
    >
      <Visible text={chat ? titleOf(chat) : 'a chat'} />
    </Link>
  );
}

interface FileEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Each file with its version before its first change and after its last. */
function changesOf(events: readonly FileEvent[]): Change[] {
  const files = new Map<string, Change>();
  for (const { type, data } of events) {
    if (type !== 'file_updated') continue;
    const { path, file, v, removed } = data as Omit<Change, 'from' | 'removed'> & { removed?: boolean };
    files.set(file, { path, file, from: files.get(file)?.from ?? v - 1, v, removed: removed === true });
  }
  return [...files.values()].toSorted((one, other) => one.path.localeCompare(other.path));
}

async function changedInRun(run: string, signal: AbortSignal): Promise<Change[]> {
  const events: FileEvent[] = [];
  let after: string | null = '0';
  while (after !== null) {
    const page: Awaited<ReturnType<typeof client.runs.events>> = await client.runs.events(
      run,
      { after, limit: EVENTS_PER_PAGE },
      { signal },
    );
    events.push(...page.items.filter(({ type }) => type === 'file_updated'));
    // An open run has a next page, which is empty for now.
    after = page.items.length === 0 ? null : page.next;
  }
  return changesOf(events);
}

async function changedSinceMessage(chat: string, signal: AbortSignal): Promise<Change[]> {
  let events: FileEvent[] = [];
  let before: string | null = 'latest';
  while (before !== null) {
    const page: Awaited<ReturnType<typeof client.threads.events>> = await client.threads.events(
      chat,
      { before, limit: EVENTS_PER_PAGE },
      { signal },
    );
    const said = page.items.findLastIndex(({ type }) => type === 'message');
    events = [
      ...page.items.slice(Math.max(said, 0)).filter(({ type }) => type === 'file_updated'),
      ...events,
    ];
    before = said === -1 ? page.next : null;
  }
  return changesOf(events);
}
