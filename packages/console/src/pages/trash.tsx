// Removed files, projects and entities, which can be restored.

import { Link } from '@tanstack/react-router';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { FileText, RotateCcw, Search, Trash2 } from 'lucide-react';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { AuthorName } from '../files/author.tsx';
import { LinkToFile } from '../files/link-to-file.tsx';
import type { Kind } from '../knowledge/api.ts';
import { PlaceLink } from '../knowledge/links-to.tsx';
import { useKinds } from '../knowledge/queries.ts';
import { iconOf, titleOf } from '../knowledge/words.ts';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

const FILES_PER_PAGE = 100;
/** How many files one request restores. */
const MOST = 1000;

type Removed = Awaited<ReturnType<typeof client.files.trash>>['items'][number];
type Skipped = Awaited<ReturnType<typeof client.files.restoreRemoved>>['skipped'];

/** What was restored, and what was not. */
interface Outcome {
  readonly restored: string;
  readonly skipped: Skipped;
}

export function Page() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  return (
    <PageFrame
      title="Trash"
      about="Removed files stay here, with all their versions. Removed projects, tasks and the like are deleted permanently after 30 days."
    >
      <div role="status">
        {outcome && (
          <div className="mt-6 rounded-xl border bg-raised px-4 py-3 text-sm">
            <p>{outcome.restored}</p>
            {outcome.skipped.length > 0 && (
              <>
                <p className="mt-2 text-warn">
                  These files stay in the trash, because their paths are taken:
                </p>
                <ul className="mt-1 list-disc space-y-0.5 pl-5 text-soft wrap-anywhere">
                  {outcome.skipped.map(({ id, reason }) => (
                    <li key={id}>{reason}</li>
                  ))}
                </ul>
              </>
            )}
          </div>
        )}
      </div>
      <Entities done={setOutcome} />
      <Files done={setOutcome} />
      <p className="mt-8 text-sm text-soft">
        Chats are in{' '}
        <Link to="/archived" className="rounded text-ink underline underline-offset-2">
          Archived and removed
        </Link>
        , workspaces in the{' '}
        <Link to="/settings" className="rounded text-ink underline underline-offset-2">
          settings
        </Link>
        .
      </p>
    </PageFrame>
  );
}

interface DoneProps {
  readonly done: (outcome: Outcome) => void;
}

/** Documents and plans are files. */
function Entities({ done }: DoneProps) {
  const { data: kinds, error, refetch } = useKinds();
  if (error && !kinds) return <Failure error={error} retry={() => void refetch()} />;
  if (!kinds) return <Loading what="projects" />;
  return kinds.items
    .filter((kind) => !kind.is_file)
    .map((kind) => <EntitiesOf key={kind.kind} kind={kind} done={done} />);
}

/** Of projects, it says so if none was removed. */
function EntitiesOf({ kind, done }: DoneProps & { readonly kind: Kind }) {
  const { list, restore } = client.entities<string>(kind.plural, kind.plural);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...keys.files, 'removed', kind.plural],
    queryFn: ({ pageParam, signal }) =>
      list(
        { removed: 'true', limit: FILES_PER_PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
  const entities = data?.pages.flatMap(({ items }) => items) ?? [];
  const Icon = iconOf(kind.kind);
  const [one, many] = [kind.label.one.toLowerCase(), kind.label.many.toLowerCase()];
  const isProject = kind.kind === 'project';
  if (entities.length === 0 && !error && !isProject) return null;
  return (
    <section className="mt-8" aria-label={`Removed ${many}`}>
      <h2 className="flex items-center gap-2 text-sm font-semibold">
        <Icon className="size-4 text-soft" aria-hidden="true" /> {kind.label.many}
      </h2>
      {error && !data ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading what={many} />
      ) : entities.length === 0 ? (
        <p className="mt-2 rounded-xl border bg-raised px-4 py-3 text-sm text-soft">No removed {many}.</p>
      ) : (
        <ul className="mt-2 divide-y rounded-xl border bg-raised">
          {entities.map((entity) => (
            <Entry
              key={entity.id}
              name={titleOf(entity)}
              removedAt={String(entity['removed_at'])}
              restore={async () => {
                const { skipped = [] } = await restore(entity.id);
                done({ restored: `The ${one} ${titleOf(entity)} is restored.`, skipped });
              }}
            >
              {isProject ? (
                <Visible text={titleOf(entity)} />
              ) : (
                // Its page has its history.
                <PlaceLink
                  place={{ project: entity.project_id!, at: `${kind.plural}/${entity.id}` }}
                  className="rounded hover:underline"
                >
                  <Visible text={titleOf(entity)} />
                </PlaceLink>
              )}
            </Entry>
          ))}
        </ul>
      )}
      {hasNextPage && <More fetchNextPage={fetchNextPage} />}
    </section>
  );
}

function Files({ done }: DoneProps) {
  const [words, setWords] = useState('');
  const q = useDeferredValue(words.trim());
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...keys.files, 'trash', q],
    queryFn: ({ pageParam, signal }) =>
      client.files.trash(
        { q, limit: FILES_PER_PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: (before) => before,
  });
  const files = data?.pages.flatMap(({ items }) => items) ?? [];
  const restore = async (some: readonly Removed[]) => {
    const { files: back, skipped } = await client.files.restoreRemoved(
      some.slice(0, MOST).map(({ id }) => id),
    );
    const [only] = back;
    done({
      restored:
        back.length === 1 && only ? `${only.path} is restored.` : `${back.length} files are restored.`,
      skipped,
    });
  };
  const restoreTogether = async (some: readonly Removed[]) => {
    setBusy(true);
    setProblem(null);
    try {
      await restore(some);
    } catch (failed) {
      setProblem((failed as Error).message);
    } finally {
      setBusy(false);
      await cache.invalidateQueries({ queryKey: keys.files });
    }
  };
  return (
    <section className="mt-8" aria-label="Removed files">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="mr-auto flex items-center gap-2 text-sm font-semibold">
          <FileText className="size-4 text-soft" aria-hidden="true" /> Files
        </h2>
        <div className="relative">
          <Search
            className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft"
            aria-hidden="true"
          />
          <input
            type="search"
            aria-label="Search the trash"
            placeholder="Search paths"
            value={words}
            onChange={(event) => setWords(event.target.value)}
            className="w-56 rounded-lg border bg-page py-1 pr-2 pl-8 text-sm"
          />
        </div>
      </div>
      {problem && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {error && !data ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading what="the trash" />
      ) : files.length === 0 ? (
        <Empty icon={Trash2} title={q === '' ? 'No removed files' : 'Nothing found'}>
          {q === ''
            ? 'What you, agents or programs remove appears here.'
            : 'No removed file has a path like that.'}
        </Empty>
      ) : (
        groupsOf(files).map((group) => (
          <div key={group[0]!.id} className="mt-3">
            {group.length > 1 && (
              <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
                <span className="mr-auto">
                  {group.length} files were removed together
                  {folderIn(group) !== '/' && `, from ${folderIn(group)}`}
                </span>
                <Button
                  disabled={busy}
                  className="!px-2 !py-1 !text-xs"
                  onClick={() => void restoreTogether(group)}
                >
                  <RotateCcw className="size-3.5" aria-hidden="true" /> Restore all {group.length}
                </Button>
              </div>
            )}
            <ul className="divide-y rounded-xl border bg-raised" aria-label="Files">
              {group.map((file) => (
                <Entry
                  key={file.id}
                  name={file.path}
                  removedAt={file.removed_at}
                  by={file.removed_by}
                  restore={() => restore([file])}
                >
                  <LinkToFile
                    path={file.path}
                    search={{ view: 'history' }}
                    className="rounded font-mono text-xs hover:underline"
                  >
                    <Visible text={file.path} />
                  </LinkToFile>
                </Entry>
              ))}
            </ul>
          </div>
        ))
      )}
      {hasNextPage && <More fetchNextPage={fetchNextPage} />}
    </section>
  );
}

/** Files that were removed at one time, as with their folder, are one group. */
function groupsOf(files: readonly Removed[]): Removed[][] {
  const groups: Removed[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    if (last?.[0]!.removed_at === file.removed_at) last.push(file);
    else groups.push([file]);
  }
  return groups.map((group) => group.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
}

/** The folder that all of them were in. */
function folderIn(files: readonly Removed[]): string {
  const [first, ...others] = files.map(({ path }) => path.split('/').slice(0, -1));
  const same = first!.findIndex((name, index) => others.some((names) => names[index] !== name));
  return (same < 0 ? first! : first!.slice(0, same)).join('/') || '/';
}

interface EntryProps {
  readonly name: string;
  readonly removedAt: string;
  readonly by?: Removed['removed_by'];
  readonly restore: () => Promise<void>;
  readonly children: ReactNode;
}

function Entry({ name, removedAt, by, restore, children }: EntryProps) {
  const cache = useQueryClient();
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const run = async () => {
    setState('busy');
    try {
      await restore();
      setState('idle');
      document.getElementById('main')?.focus({ preventScroll: true });
      await cache.invalidateQueries({ queryKey: keys.files });
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
      <span className="min-w-0 flex-1 basis-48 truncate" title={name}>
        {children}
      </span>
      <span className="flex items-center gap-1.5 text-xs text-soft">
        {by && <AuthorName author={by} />} <When at={removedAt} />
      </span>
      <Button
        disabled={state === 'busy'}
        aria-label={`Restore ${name}`}
        className="!px-2 !py-1 !text-xs"
        onClick={() => void run()}
      >
        Restore
      </Button>
      {state instanceof Error && (
        <p role="alert" className="w-full text-bad">
          {state.message}
        </p>
      )}
    </li>
  );
}

function More({ fetchNextPage }: { readonly fetchNextPage: () => Promise<unknown> }) {
  return (
    <Button kind="quiet" className="mt-2 w-full justify-center" onClick={() => void fetchNextPage()}>
      More
    </Button>
  );
}
