// The page of a folder: what is in it, who changed it, and what can be done there. Files are uploaded by drag and by paste.

import {
  ChevronRight,
  Download,
  Ellipsis,
  FilePlus2,
  FileText,
  Folder,
  FolderOpen,
  FolderPlus,
  MessageSquare,
  Upload,
} from 'lucide-react';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { ApiError } from '@continuo/client';
import { useStore } from '../data/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { bytes, When } from '../ui/format.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { currentFolder } from './current-folder.ts';
import { downloadFolder } from './download.ts';
import { isFixed, NameField, useEntryActions, type EntryActions } from './entry-actions.tsx';
import { setExpanded } from './expanded-folders.ts';
import { FileBar } from './file-bar.tsx';
import { folderOf, nameOf } from './file-search.ts';
import { LinkToFile } from './link-to-file.tsx';
import { forgetFolder, newFolders } from './new-folders.ts';
import { useFolders, type Entry } from './queries.ts';
import { useFileChooser } from './uploads.tsx';

const BY: Record<NonNullable<Entry['author']>, string> = {
  person: 'a person',
  key: 'a key',
  disk: 'on disk',
  run: 'an agent',
  plan: 'a plan',
};

export function FolderView({ path }: { readonly path: string }) {
  const [pages, setPages] = useState(1);
  const [folder] = useFolders([path], new Map([[path, pages]]));
  const { data, error, refetch } = folder!;
  const made = useStore(newFolders);
  const actions = useEntryActions(path);
  const [problem, setProblem] = useState<string | null>(null);
  const { chooser, choose } = useFileChooser(path);
  useEffect(() => {
    currentFolder.set(path);
    if (path !== '/') setExpanded(path, true);
    return () => currentFolder.set(null);
  }, [path]);
  useEffect(() => {
    if (data && data.items.length > 0 && path !== '/') forgetFolder(path);
  }, [data, path]);
  const isNew = error instanceof ApiError && error.status === 404 && (path === '/' || made.has(path));
  const items = data?.items ?? [];
  const known = new Set(items.map((entry) => entry.path));
  const added = [...made]
    .filter((each) => folderOf(each) === path && !known.has(each))
    .map((each): Entry => ({ type: 'folder', name: nameOf(each), path: each }));
  const entries = [
    ...items.filter(({ type }) => type === 'folder'),
    ...added,
    ...items.filter(({ type }) => type === 'file'),
  ];
  const fixed = isFixed(path);
  const subject = { type: 'folder', path } as const;
  return (
    <>
      <FileBar path={path} newest={null} missing>
        {!fixed && (
          <>
            <IconButton label="New file" onClick={() => actions.ask({ what: 'file', subject })}>
              <FilePlus2 />
            </IconButton>
            <IconButton label="New folder" onClick={() => actions.ask({ what: 'folder', subject })}>
              <FolderPlus />
            </IconButton>
            <IconButton label="Upload files" onClick={choose}>
              <Upload />
            </IconButton>
          </>
        )}
        {path === '/' ? (
          entries.length > 0 && (
            <IconButton
              label="Download everything as zip"
              onClick={() => void downloadFolder(path).catch((failed: Error) => setProblem(failed.message))}
            >
              <Download />
            </IconButton>
          )
        ) : (
          <IconButton
            label={`Actions for ${nameOf(path)}`}
            aria-haspopup="menu"
            onClick={(event) => actions.openMenu(subject, event.currentTarget)}
          >
            <Ellipsis />
          </IconButton>
        )}
      </FileBar>
      {chooser}
      {actions.overlays}
      {(problem ?? actions.problem) && (
        <p role="alert" className="border-b bg-bad-wash px-4 py-2 text-sm text-bad">
          {problem ?? actions.problem}
        </p>
      )}
      {actions.renaming === path && (
        <div className="flex border-b px-4 py-2">
          <NameField subject={subject} actions={actions} />
        </div>
      )}
      <div
        className="min-h-0 flex-1 overflow-y-auto"
        tabIndex={0}
        data-quiet-focus
        role="region"
        aria-label="Contents"
      >
        {error && !data && !isNew ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : !data && !isNew ? (
          <Loading what={path === '/' ? 'files' : nameOf(path)} />
        ) : entries.length === 0 ? (
          <Empty icon={FolderOpen} title={path === '/' ? 'No files yet' : 'This folder is empty'}>
            <p>
              Drop files here, paste them, or create one.{' '}
              {path !== '/' && 'The folder is kept once it has a file.'}
            </p>
            <div className="mt-4 flex flex-wrap justify-center gap-2">
              <Button kind="primary" onClick={choose}>
                <Upload className="size-4" aria-hidden="true" /> Upload files
              </Button>
              <Button onClick={() => actions.ask({ what: 'file', subject })}>
                <FilePlus2 className="size-4" aria-hidden="true" /> New file
              </Button>
            </div>
          </Empty>
        ) : (
          <>
            <Entries entries={entries} actions={actions} />
            {data?.more && (
              <div className="px-4 pb-4">
                <Button kind="quiet" className="w-full justify-center" onClick={() => setPages(pages + 1)}>
                  More
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </>
  );
}

function Entries({
  entries,
  actions,
}: {
  readonly entries: readonly Entry[];
  readonly actions: EntryActions;
}) {
  return (
    <table className="w-full table-fixed text-sm">
      <thead className="text-left text-xs text-soft">
        <tr className="border-b">
          <th className="py-2 pl-4 font-medium">Name</th>
          <th className="w-24 py-2 pr-3 font-medium">Changed</th>
          <th className="hidden w-28 py-2 pr-3 font-medium sm:table-cell">By</th>
          <th className="hidden w-24 py-2 pr-3 text-right font-medium sm:table-cell">Size</th>
          <th className="w-12">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <EntryRow key={entry.path} entry={entry} actions={actions} />
        ))}
      </tbody>
    </table>
  );
}

function EntryRow({ entry, actions }: { readonly entry: Entry; readonly actions: EntryActions }) {
  const { type, name, path, kind, changed_at, author, size } = entry;
  const Icon = type === 'folder' ? Folder : kind === 'chat' ? MessageSquare : FileText;
  const keyDown = (event: KeyboardEvent) => {
    if (isFixed(path) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'F2') actions.rename(path);
    else if (event.key === 'Delete') actions.ask({ what: 'remove', subject: entry });
    else return;
    event.preventDefault();
  };
  return (
    <tr className="group border-b border-line/60 hover:bg-hover" onKeyDown={keyDown}>
      <td className="py-1 pl-4">
        <div className="flex min-h-7 items-center gap-2">
          <Icon
            className={`size-4 shrink-0 ${type === 'folder' ? 'text-accent' : 'text-soft'}`}
            aria-hidden="true"
          />
          {actions.renaming === path ? (
            <NameField subject={entry} actions={actions} />
          ) : (
            <LinkToFile path={path} title={name} className="min-w-0 truncate rounded hover:underline">
              {name}
            </LinkToFile>
          )}
          {type === 'folder' && <ChevronRight className="size-3.5 shrink-0 text-soft" aria-hidden="true" />}
        </div>
      </td>
      <td className="pr-3 text-xs whitespace-nowrap text-soft">{changed_at && <When at={changed_at} />}</td>
      <td className="hidden truncate pr-3 text-xs text-soft sm:table-cell">{author && BY[author]}</td>
      <td className="hidden pr-3 text-right text-xs whitespace-nowrap text-soft tabular-nums sm:table-cell">
        {size !== undefined && bytes(size)}
      </td>
      <td className="pr-2 text-right">
        <button
          type="button"
          aria-label={`Actions for ${name}`}
          aria-haspopup="menu"
          aria-expanded={actions.menuOf === path}
          onClick={(event) => actions.openMenu(entry, event.currentTarget)}
          className="inline-grid size-7 place-items-center rounded-md text-soft hover:bg-panel hover:text-ink"
        >
          <Ellipsis className="size-4" aria-hidden="true" />
        </button>
      </td>
    </tr>
  );
}
