// The header of a file: its path, its version, and its actions.

import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, Download, Ellipsis, Eye, History, Pencil, Trash2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { BACK, InHeader, useIsNarrow } from '../app/header-slot.tsx';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { IconButton } from '../ui/button.tsx';
import { keepFocus } from '../ui/focus.ts';
import { useFileHome } from './file-home.ts';
import { filterOf, isMarkdown, nameOf, useFileSearch } from './file-search.ts';
import { Confirm } from '../ui/confirm.tsx';
import { MenuPortal } from '../ui/menu-portal.tsx';
import { PathDialog } from './path-dialog.tsx';
import { download } from './download.ts';
import { LinkToFile, useOpenFile } from './link-to-file.tsx';
import type { Version } from './queries.ts';
import { foldersAbove } from './expanded-folders.ts';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover';

interface FileBarProps {
  readonly path: string;
  /** Null if the path has no versions. */
  readonly newest: Version | null;
  /** Hides the actions. */
  readonly missing?: boolean;
  readonly children?: ReactNode;
}

export function FileBar({ path, newest, missing = false, children }: FileBarProps) {
  const search = useFileSearch();
  const here = search.view === 'history';
  const previewed = search.view === 'preview';
  const home = useFileHome(path);
  const isNarrow = useIsNarrow();
  const back = (
    <Link to="/files" search={filterOf(search)} aria-label="All files" className={`${BACK} lg:hidden`}>
      <ChevronLeft className="size-5" aria-hidden="true" />
    </Link>
  );
  const actions = (
    <>
      {children}
      {newest && newest.op !== 'remove' && newest.text && isMarkdown(path) && !here && (
        <LinkToFile
          path={path}
          search={{ ...filterOf(search), view: previewed ? undefined : 'preview' }}
          aria-label={previewed ? 'Edit the text' : 'Preview'}
          title={previewed ? 'Edit the text' : 'Preview'}
          data-same="preview"
          ref={keepFocus}
          className={`grid size-8 place-items-center rounded-lg hover:bg-hover hover:text-ink ${previewed ? 'bg-hover text-ink' : 'text-soft'}`}
        >
          <Eye className="size-4.5" aria-hidden="true" />
        </LinkToFile>
      )}
      {newest && (
        <LinkToFile
          path={path}
          search={{ ...filterOf(search), view: here ? undefined : 'history' }}
          aria-label={here ? 'Back to the text' : 'History'}
          title={here ? 'Back to the text' : 'History'}
          aria-current={here || undefined}
          data-same="history"
          ref={keepFocus}
          className={`grid size-8 place-items-center rounded-lg hover:bg-hover hover:text-ink ${here ? 'bg-hover text-ink' : 'text-soft'}`}
        >
          <History className="size-4.5" aria-hidden="true" />
        </LinkToFile>
      )}
      {!missing && !home && <FileMenu path={path} newest={newest} />}
    </>
  );
  if (isNarrow && !home)
    return (
      <>
        <h1 className="sr-only">{nameOf(path) || 'Files'}</h1>
        <InHeader at="start">{back}</InHeader>
        <InHeader>{actions}</InHeader>
      </>
    );
  return (
    <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b px-3 py-2">
      {home ? (
        // The page has its own heading.
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft" title={path}>
          {path}
        </span>
      ) : (
        <>
          {back}
          <Crumbs path={path} />
        </>
      )}
      {newest && newest.op !== 'remove' && (
        <span className="rounded-md border bg-panel px-1.5 py-0.5 text-xs whitespace-nowrap text-soft tabular-nums">
          <span className="sr-only">Version </span>
          <span aria-hidden="true">v</span>
          {newest.version}
        </span>
      )}
      <div className="ml-auto flex items-center gap-1.5">{actions}</div>
    </header>
  );
}

/** The folders are links; the file name is the heading. */
function Crumbs({ path }: { readonly path: string }) {
  return (
    <h1 className="flex min-w-0 flex-1 items-center text-sm" title={path}>
      {foldersAbove(path).map((folder) => (
        <span key={folder} className="hidden shrink-[2] items-center overflow-hidden text-soft sm:flex">
          <LinkToFile path={folder} className="truncate rounded px-0.5 hover:text-ink hover:underline">
            {nameOf(folder)}
          </LinkToFile>
          <span aria-hidden="true" className="px-1">
            /
          </span>
        </span>
      ))}
      <span className="truncate px-0.5 font-semibold">{nameOf(path) || 'Files'}</span>
    </h1>
  );
}

function FileMenu({ path, newest }: Pick<FileBarProps, 'path' | 'newest'>) {
  const cache = useQueryClient();
  const openFile = useOpenFile();
  const [asked, setAsked] = useState<'move' | 'remove' | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const there = newest !== null && newest.op !== 'remove';
  const close = () => setAsked(null);
  const move = async (to: string) => {
    await client.files.move({ from: path, to });
    void cache.invalidateQueries({ queryKey: keys.files });
    openFile(to);
  };
  const remove = async () => {
    await client.files.remove(path, { base: newest?.version });
    await cache.invalidateQueries({ queryKey: keys.files });
  };
  if (newest?.op === 'remove') return null;
  return (
    <>
      {problem && (
        <span role="alert" className="max-w-40 truncate text-xs text-bad" title={problem}>
          {problem}
        </span>
      )}
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <IconButton label={`Actions for ${nameOf(path)}`}>
            <Ellipsis />
          </IconButton>
        </DropdownMenu.Trigger>
        <MenuPortal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className="z-50 min-w-44 rounded-lg border bg-raised p-1 shadow-lg"
          >
            <DropdownMenu.Item
              className={ITEM}
              onSelect={() => void download(path).catch((error: Error) => setProblem(error.message))}
            >
              <Download className="size-4 text-soft" aria-hidden="true" /> Download
            </DropdownMenu.Item>
            {there && (
              <>
                <DropdownMenu.Item className={ITEM} onSelect={() => setAsked('move')}>
                  <Pencil className="size-4 text-soft" aria-hidden="true" /> Rename or move…
                </DropdownMenu.Item>
                <DropdownMenu.Separator className="my-1 h-px bg-line" />
                <DropdownMenu.Item className={`${ITEM} text-bad`} onSelect={() => setAsked('remove')}>
                  <Trash2 className="size-4" aria-hidden="true" /> Remove…
                </DropdownMenu.Item>
              </>
            )}
          </DropdownMenu.Content>
        </MenuPortal>
      </DropdownMenu.Root>
      <PathDialog
        open={asked === 'move'}
        close={close}
        title="Rename or move"
        action="Move"
        initial={path}
        act={move}
      />
      <Confirm open={asked === 'remove'} close={close} title={`Remove ${path}?`} action="Remove" act={remove}>
        The file is also removed from the folder on disk. Its history stays, so you can restore it.
      </Confirm>
    </>
  );
}
