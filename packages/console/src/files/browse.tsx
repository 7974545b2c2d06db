// The left column: search, new files and folders, and the tree or the changed files.

import { Link } from '@tanstack/react-router';
import { Ellipsis, FilePlus2, FileText, FolderPlus, Search, SearchX, Trash2, Upload } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useDeferredValue, useState } from 'react';
import { useStore } from '../data/store.ts';
import { IconButton } from '../ui/button.tsx';
import { MenuPortal } from '../ui/menu-portal.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { folderOf, useFileSearch } from './file-search.ts';
import { ChangedFiles } from './changed-files.tsx';
import { currentFolder } from './current-folder.ts';
import { isFixed, useEntryActions } from './entry-actions.tsx';
import { LinkToFile } from './link-to-file.tsx';
import { newFolders } from './new-folders.ts';
import { useSearchHits } from './queries.ts';
import { Tree } from './tree.tsx';
import { useFileChooser } from './uploads.tsx';

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
            placeholder="Search files"
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && setWords('')}
            className="w-full rounded-lg border bg-page py-1 pr-2 pl-8 text-sm"
          />
        </div>
        <Add beside={open} />
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

function Add({ beside }: { readonly beside: string }) {
  const made = useStore(newFolders);
  const actions = useEntryActions(beside);
  const current = useStore(currentFolder);
  const folder = isFixed(beside) ? '/' : (current ?? (made.has(beside) ? beside : folderOf(beside)));
  const subject = { type: 'folder', path: folder } as const;
  const { chooser, choose } = useFileChooser(folder);
  return (
    <>
      {actions.overlays}
      {chooser}
      <IconButton label="New file" onClick={() => actions.ask({ what: 'file', subject })}>
        <FilePlus2 />
      </IconButton>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <IconButton label="More actions for files">
            <Ellipsis />
          </IconButton>
        </DropdownMenu.Trigger>
        <MenuPortal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className="z-50 min-w-44 rounded-lg border bg-raised p-1 shadow-lg"
          >
            <DropdownMenu.Item className={ITEM} onSelect={() => actions.ask({ what: 'folder', subject })}>
              <FolderPlus className="size-4 text-soft" aria-hidden="true" /> New folder…
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={choose}>
              <Upload className="size-4 text-soft" aria-hidden="true" /> Upload files…
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Item className={ITEM} asChild>
              <Link to="/trash">
                <Trash2 className="size-4 text-soft" aria-hidden="true" /> Trash
              </Link>
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </MenuPortal>
      </DropdownMenu.Root>
    </>
  );
}

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover';

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
