// The left column: search, a new file, and the tree or the changed files.

import { useQueryClient } from '@tanstack/react-query';
import { FilePlus2, FileText, Search, SearchX } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { IconButton } from '../ui/button.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { folderOf, useFileSearch } from './file-search.ts';
import { ChangedFiles } from './changed-files.tsx';
import { PathDialog } from './path-dialog.tsx';
import { LinkToFile, useOpenFile } from './link-to-file.tsx';
import { useSearchHits } from './queries.ts';
import { Tree } from './tree.tsx';

export function Browse({ open }: { readonly open: string }) {
  const [words, setWords] = useState('');
  const { changed } = useFileSearch();
  return (
    <>
      <div className="flex items-center gap-1.5 px-3 py-2.5">
        <h2 className="sr-only">All files</h2>
        <div className="relative min-w-0 flex-1">
          <Search
            className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft"
            aria-hidden="true"
          />
          <input
            type="search"
            aria-label="Search files"
            placeholder="Search names and contents"
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && setWords('')}
            className="w-full rounded-lg border bg-page py-1 pr-2 pl-8 text-sm"
          />
        </div>
        <NewFile beside={open} />
      </div>
      {words.trim() !== '' ? (
        <Hits words={words.trim()} open={open} />
      ) : changed ? (
        <ChangedFiles open={open} />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <Tree open={open} />
        </div>
      )}
    </>
  );
}

function NewFile({ beside }: { readonly beside: string }) {
  const cache = useQueryClient();
  const openFile = useOpenFile();
  const [asking, setAsking] = useState(false);
  const folder = beside === '/' || beside.startsWith('/chats') ? '/' : folderOf(beside);
  const make = async (path: string) => {
    try {
      await client.files.write(path, '', { base: null });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'version_conflict')
        throw new Error(`The file ${path} already exists.`, { cause: error });
      throw error;
    }
    void cache.invalidateQueries({ queryKey: keys.files });
    openFile(path);
  };
  return (
    <>
      <IconButton label="New file" onClick={() => setAsking(true)}>
        <FilePlus2 />
      </IconButton>
      <PathDialog
        open={asking}
        close={() => setAsking(false)}
        title="New file"
        action="Create"
        initial={folder === '/' ? '/' : `${folder}/`}
        act={make}
      />
    </>
  );
}

function Hits({ words, open }: { readonly words: string; readonly open: string }) {
  const { data, error, refetch } = useSearchHits(useDeferredValue(words));
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (data?.length === 0)
    return (
      <Empty icon={SearchX} title="Nothing found">
        Names match by substring, contents by whole words.
      </Empty>
    );
  return (
    <ul aria-label="Search results" className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
      {data?.map(({ path, snippet }) => (
        <li key={path}>
          <LinkToFile
            path={path}
            aria-current={path === open ? 'page' : undefined}
            className={`block rounded-md px-2 py-1.5 text-sm ${path === open ? 'bg-accent-wash' : 'hover:bg-hover'}`}
          >
            <span className="flex items-center gap-2">
              <FileText className="size-4 shrink-0 text-soft" aria-hidden="true" />
              <span className="truncate">{path}</span>
            </span>
            {snippet && <span className="mt-0.5 line-clamp-2 pl-6 text-xs text-soft">{snippet}</span>}
          </LinkToFile>
        </li>
      ))}
    </ul>
  );
}
