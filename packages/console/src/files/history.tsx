// The versions of a file: who made each, what it changed, and how to restore it.

import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, FileQuestion, RotateCcw } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Select } from '../ui/select.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { When } from '../ui/format.tsx';
import { filterOf, nameOf, useFileSearch } from './file-search.ts';
import { AuthorName, AuthorOrigin } from './author.tsx';
import { FileBar } from './file-bar.tsx';
import { LinkToFile, useOpenFile } from './link-to-file.tsx';
import { EDITOR_BYTES, useHistory, useVersionText, type Version } from './queries.ts';

const Compare = lazyPart(async () => (await import('./compare.tsx')).default);

const DID: Record<Version['op'], string> = {
  write: 'Written',
  move: 'Moved',
  remove: 'Removed',
  restore: 'Restored',
};

/** The two compared versions: from the address, or the newest and the one before it. */
function useChosen(versions: readonly Version[]): { from: number; to: number } {
  const { from, to } = useFileSearch();
  const last = to ?? versions[0]?.version ?? 0;
  return { from: from ?? last - 1, to: last };
}

export function Versions({ path }: { readonly path: string }) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useHistory(path);
  const search = useFileSearch();
  const versions = data?.pages.flatMap(({ items }) => items) ?? [];
  const { to } = useChosen(versions);
  return (
    <nav aria-label="Versions" className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-13 shrink-0 items-center gap-2 px-3">
        <LinkToFile
          path={path}
          search={filterOf(search)}
          aria-label="Back to the text"
          data-same="history"
          className="grid size-7 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
        >
          <ArrowLeft className="size-4.5" aria-hidden="true" />
        </LinkToFile>
        <h2 className="truncate text-sm font-semibold">Versions of {nameOf(path)}</h2>
      </div>
      <ol className="min-h-0 flex-1 space-y-px overflow-y-auto px-2 pb-3">
        {versions.map((version, index) => (
          <li
            key={version.version}
            className={`relative rounded-lg px-2.5 py-2 text-sm ${version.version === to ? 'bg-accent-wash' : 'hover:bg-hover'}`}
          >
            <div className="flex items-baseline gap-2">
              <LinkToFile
                path={path}
                search={{ ...filterOf(search), view: 'history', to: version.version }}
                aria-current={version.version === to || undefined}
                className="rounded font-medium after:absolute after:inset-0"
              >
                Version {version.version}
              </LinkToFile>
              {index === 0 && <span className="text-xs text-soft">now</span>}
              <When at={version.at} className="ml-auto text-xs text-soft" />
            </div>
            <p className="mt-0.5 flex items-center gap-1.5 text-xs text-soft">
              {DID[version.op]} · <AuthorName author={version.author} />
            </p>
            <div className="relative w-fit max-w-full">
              <AuthorOrigin author={version.author} />
            </div>
          </li>
        ))}
        {hasNextPage && (
          <li>
            <Button
              kind="quiet"
              className="w-full justify-center"
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              Older versions
            </Button>
          </li>
        )}
      </ol>
    </nav>
  );
}

/** Loads pages until this version is there; true while it loads. */
function useBackTo(path: string, versions: readonly Version[], version: number): boolean {
  const { hasNextPage, fetchNextPage, isFetchingNextPage, isFetchNextPageError } = useHistory(path);
  const missing = hasNextPage && !isFetchNextPageError && versions.at(-1)!.version > version;
  useEffect(() => {
    if (missing && !isFetchingNextPage) void fetchNextPage();
  }, [missing, isFetchingNextPage, fetchNextPage]);
  return missing;
}

export function Difference({
  path,
  versions,
}: {
  readonly path: string;
  readonly versions: readonly Version[];
}) {
  const search = useFileSearch();
  const openFile = useOpenFile();
  const chosen = useChosen(versions);
  const reading = useBackTo(path, versions, Math.min(chosen.from || chosen.to, chosen.to));
  const to = versions.find(({ version }) => version === chosen.to);
  const from = versions.find(({ version }) => version === chosen.from);
  return (
    <>
      <FileBar path={path} newest={versions[0]!} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2 text-sm">
        <span className="font-medium">Version {chosen.to}</span>
        <span className="flex items-center gap-2 text-soft">
          compared with
          <Select
            label="compared with"
            value={String(chosen.from)}
            choose={(version) =>
              openFile(path, {
                ...filterOf(search),
                view: 'history',
                to: chosen.to,
                from: Number(version),
              })
            }
            choices={[
              ...versions
                .filter(({ version }) => version !== chosen.to)
                .map(({ version }) => [String(version), `version ${version}`] as const),
              ['0', 'nothing'],
            ]}
          />
        </span>
        {to && <Restore path={path} version={to} newest={versions[0]!} />}
      </div>
      <div className="min-h-0 flex-1">
        {reading ? (
          <Loading what="the versions" />
        ) : to ? (
          <Compared path={path} from={from ?? null} to={to} />
        ) : (
          <Empty icon={FileQuestion} title={`Version ${chosen.to} not found`}>
            The newest is version {versions[0]!.version}.
          </Empty>
        )}
      </div>
    </>
  );
}

function Compared({
  path,
  from,
  to,
}: {
  readonly path: string;
  readonly from: Version | null;
  readonly to: Version;
}) {
  const before = useVersionText(path, to.file, numberOf(from));
  const after = useVersionText(path, to.file, numberOf(to));
  const error = before.error ?? after.error;
  const sides = [from, to].filter((side) => side !== null);
  if (sides.some(({ text }) => !text))
    return (
      <Empty icon={FileQuestion} title="Not a text file">
        Only text can be compared. You can still restore each version.
      </Empty>
    );
  if (sides.some(({ size }) => size > EDITOR_BYTES))
    return (
      <Empty icon={FileQuestion} title="Too large to compare here">
        Text files of up to 1 MiB can be compared.
      </Empty>
    );
  if (error) return <Failure error={error} />;
  if (before.data?.version !== numberOf(from) || after.data?.version !== numberOf(to))
    return <Loading what="the versions" />;
  const same = before.data.text === after.data.text;
  return (
    <div className="flex h-full flex-col">
      {same && (
        <p role="status" className="border-b bg-panel px-4 py-2 text-sm text-soft">
          {to.op === 'move' && from
            ? `Moved from ${from.path} to ${to.path}; the text is the same.`
            : 'The two texts are the same.'}
        </p>
      )}
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading what="the comparison" />}>
          <Compare
            path={path}
            before={before.data.text}
            after={after.data.text}
            beforeLabel={from ? label(from) : 'Nothing'}
            afterLabel={label(to)}
          />
        </Suspense>
      </div>
    </div>
  );
}

function label({ version, op }: Version): string {
  return op === 'remove' ? `Version ${version} (removed)` : `Version ${version}`;
}

/** A removal has no text. */
function numberOf(version: Version | null): number {
  return version === null || version.op === 'remove' ? 0 : version.version;
}

export function Restore({
  path,
  version,
  newest,
}: {
  readonly path: string;
  readonly version: Version;
  readonly newest: Version;
}) {
  const cache = useQueryClient();
  const openFile = useOpenFile();
  const search = useFileSearch();
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const button = useRef<HTMLButtonElement>(null);
  if (version.version === newest.version || version.op === 'remove') return null;
  const restore = async () => {
    setState('busy');
    try {
      await client.files.restore({
        file: version.file,
        version: version.version,
        to: newest.path,
        ...(newest.op !== 'remove' && { if_match: newest.version }),
      });
      await cache.invalidateQueries({ queryKey: keys.files });
      // The button disappears once the version is restored.
      if (document.activeElement === button.current)
        document.getElementById('main')?.focus({ preventScroll: true });
      openFile(path, { ...filterOf(search), view: search.view });
      setState('idle');
    } catch (error) {
      setState(error as Error);
      void cache.invalidateQueries({ queryKey: keys.files });
    }
  };
  return (
    <>
      <Button ref={button} className="ml-auto" disabled={state === 'busy'} onClick={() => void restore()}>
        <RotateCcw className="size-4" aria-hidden="true" />
        Restore version {version.version}
      </Button>
      {state instanceof Error && (
        <p role="alert" className="w-full text-sm text-bad">
          {state.message}
        </p>
      )}
    </>
  );
}
