// What a call would do: a diff if it changes a text file, otherwise its input. The preview stays as first shown until
// the person refreshes it, because a preview that grows would move what is below it.

import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { DiffText } from '../ui/diff-text.tsx';
import { bytes, number } from '../ui/format.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Value } from '../ui/value.tsx';
import { Visible } from '../ui/visible.tsx';
import { NamedEntities } from './named-entities.tsx';

const MergeView = lazyPart(async () => (await import('../ui/merge-view.tsx')).default);

/** Longer texts are shown as plain input, without a diff. */
const MAX_CHARACTERS = 200_000;

interface PreviewProps {
  readonly tool: string;
  readonly input: unknown;
  readonly decided: boolean;
}

export function Preview({ tool, input, decided }: PreviewProps) {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  if (tool === 'patch' && typeof given.patch === 'string') return <DiffText text={given.patch} />;
  if (typeof given.path === 'string' && (tool === 'write' || tool === 'edit'))
    return <Change path={given.path} tool={tool} input={given} decided={decided} />;
  if (typeof given.path === 'string' && tool === 'remove')
    return <Removal path={given.path} recursive={given.recursive === true} />;
  return (
    <>
      {tool.includes('_onto_') && <NamedEntities input={given} />}
      <Value value={input} />
    </>
  );
}

/** How deep a path may be. */
const DEEPEST = 64;
/** How many files of a removed folder are named. */
const NAMED = 20;
const UNKNOWN = 'What it removes could not be counted:';

/**
 * What a removal would destroy: the file, or each file of the folder, with its size. It follows the workspace, so its height is
 * the same in every state: nothing moves under the pointer. It holds whole rows: one for a file, four for a folder.
 */
function Removal({ path, recursive }: { readonly path: string; readonly recursive: boolean }) {
  const under = `/${path.replace(/^\/+|\/+$/g, '')}`;
  const { data: removed, isError } = useQuery({
    queryKey: [...keys.files, 'removal', under, recursive],
    queryFn: async () => (recursive ? await filesIn(under) : await fileAt(under)),
  });
  const more = removed ? removed.files.length - NAMED : 0;
  return (
    <div className="rounded-lg border bg-page px-3 py-2 text-sm">
      <p className="font-medium">
        {removed ? sumOf(removed) : isError ? UNKNOWN : 'Counting what it removes…'}
      </p>
      <ul
        tabIndex={0}
        aria-label="Files that are removed"
        className={`mt-1 overflow-y-auto font-mono text-xs ${recursive ? 'h-20' : 'h-5'}`}
      >
        {removed?.files.slice(0, NAMED).map((file) => (
          <Removed key={file.path} path={file.path} size={file.size} />
        ))}
        {more > 0 && <li className="py-0.5 text-soft">and {number(more)} more</li>}
        {removed?.files.length === 0 && <Removed path={under} size="not there" />}
        {isError && !removed && <Removed path={under} size="unknown" />}
      </ul>
    </div>
  );
}

function Removed({ path, size }: { readonly path: string; readonly size: number | string }) {
  return (
    <li className="flex gap-3 py-0.5">
      <span className="min-w-0 flex-1 wrap-anywhere">
        <Visible text={path} />
      </span>
      <span className="shrink-0 text-soft tabular-nums">{typeof size === 'number' ? bytes(size) : size}</span>
    </li>
  );
}

function sumOf({ files, areAll }: FilesOfRemoval): string {
  if (files.length === 0) return 'Removes nothing:';
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const count = `${number(files.length)} ${files.length === 1 ? 'file' : 'files'}, ${bytes(size)}`;
  return `Removes ${areAll ? '' : 'more than '}${count}:`;
}

/** Lower than any comparison: the card of an approval grows, and does not shrink. */
const COMPARING = <p className="text-xs text-soft">Comparing with the file…</p>;

function Change({
  path,
  tool,
  input,
  decided,
}: {
  readonly path: string;
  readonly tool: 'write' | 'edit';
  readonly input: Record<string, unknown>;
  readonly decided: boolean;
}) {
  const {
    data: now,
    isFetching,
    isError,
  } = useQuery({
    queryKey: [...keys.files, 'text', path],
    queryFn: () => textOf(path),
  });
  const [before, setBefore] = useState<string | null>();
  if (before === undefined && now !== undefined && !isFetching) setBefore(now);
  if (before === undefined) return isError ? <Value value={input} /> : COMPARING;
  const after = tool === 'write' ? String(input.content) : edited(before ?? '', input.edits);
  if (after === null || after.length > MAX_CHARACTERS || (before ?? '').length > MAX_CHARACTERS)
    return <Value value={input} />;
  return (
    <>
      {before === null && <p className="mb-1 text-xs text-soft">A new file:</p>}
      {now !== before && !decided && (
        <p className="mb-1 text-xs text-soft">
          The file has changed since.{' '}
          <button type="button" className="text-ink underline" onClick={() => setBefore(now)}>
            Compare again
          </button>
        </p>
      )}
      <Suspense fallback={COMPARING}>
        <MergeView before={before ?? ''} after={after} />
      </Suspense>
    </>
  );
}

/** Null if the file does not exist. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await (await client.files.read(path.startsWith('/') ? path : `/${path}`)).text();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Null if the edits do not apply to the current text. */
function edited(text: string, edits: unknown): string | null {
  if (!Array.isArray(edits)) return null;
  let now = text;
  for (const edit of edits as { old_text?: unknown; new_text?: unknown; replace_all?: unknown }[]) {
    const { old_text: old, new_text: fresh } = edit;
    if (typeof old !== 'string' || typeof fresh !== 'string' || !now.includes(old)) return null;
    now = edit.replace_all === true ? now.replaceAll(old, () => fresh) : now.replace(old, () => fresh);
  }
  return now;
}

interface FilesOfRemoval {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** False if the folder has more. */
  readonly areAll: boolean;
}

async function fileAt(path: string): Promise<FilesOfRemoval> {
  const found = await client.files.versions({ path, limit: 1 }).catch(nothingIfMissing);
  const newest = found?.items[0];
  const isThere = newest !== undefined && newest.op !== 'remove';
  return { files: isThere ? [{ path, size: newest.size }] : [], areAll: true };
}

/** The files of a folder; a path of a file names that file. */
async function filesIn(path: string): Promise<FilesOfRemoval> {
  const found = await client.files.tree({ path, depth: DEEPEST, limit: 1000 }).catch(nothingIfMissing);
  const files = found?.items.filter(({ type }) => type === 'file') ?? [];
  if (files.length === 0) return fileAt(path);
  return {
    files: files.map((file) => ({ path: file.path, size: file.size ?? 0 })),
    areAll: found?.next === null,
  };
}

function nothingIfMissing(error: unknown): null {
  // A path that no file can have is refused with 400.
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return null;
  throw error;
}
