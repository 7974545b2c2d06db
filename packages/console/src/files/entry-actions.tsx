// What a person does to a file or a folder in a list: rename in place, move, download, remove with undo. One menu serves all rows.

import {
  Download,
  FilePlus2,
  FolderInput,
  FolderOpen,
  FolderPlus,
  Pencil,
  Trash2,
  Upload,
} from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { offerUndo } from '../knowledge/undo.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { AnchoredMenu } from '../ui/anchored-menu.tsx';
import { download, downloadFolder } from './download.ts';
import { setExpanded } from './expanded-folders.ts';
import { folderOf, nameOf } from './file-search.ts';
import { useOpenFile } from './link-to-file.tsx';
import { addFolder, forgetFolder, newFolders } from './new-folders.ts';
import { PathDialog } from './path-dialog.tsx';
import type { Entry } from './queries.ts';
import { useFileChooser } from './uploads.tsx';

type Subject = Pick<Entry, 'type' | 'path'>;

/** Chats are made from threads: nobody writes there. */
export function isFixed(path: string): boolean {
  return path === '/chats' || path.startsWith('/chats/');
}

export function within(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

type Asked = { readonly what: 'move' | 'remove' | 'file' | 'folder'; readonly subject: Subject };

export interface EntryActions {
  /** The path whose name is being edited. */
  readonly renaming: string | null;
  rename(path: string | null): void;
  /** Moves to another path; throws if it cannot. */
  move(subject: Subject, to: string): Promise<void>;
  ask(asked: Asked): void;
  openMenu(subject: Subject, anchor: HTMLElement): void;
  readonly menuOf: string | null;
  /** The menu and the dialogs. */
  readonly overlays: ReactNode;
  readonly problem: string | null;
}

/** `open`: the path that the page shows, which follows when it is moved. */
export function useEntryActions(open: string): EntryActions {
  const cache = useQueryClient();
  const openFile = useOpenFile();
  const [renaming, setRenaming] = useState<string | null>(null);
  const [menu, setMenu] = useState<{ subject: Subject; anchor: HTMLElement } | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const refresh = () => cache.invalidateQueries({ queryKey: keys.files });

  const move = async ({ type, path }: Subject, to: string) => {
    setProblem(null);
    if (newFolders.get().has(path)) addFolder(to);
    else await client.files.move({ from: path, to });
    if (type === 'folder') {
      forgetFolder(path);
      setExpanded(to, true);
    }
    void refresh();
    if (open === path || open.startsWith(`${path}/`)) openFile(to + open.slice(path.length));
  };
  const remove = async ({ type, path }: Subject) => {
    const done = type === 'folder' ? await removeFolder(path) : [(await client.files.remove(path)).id];
    if (open === path || open.startsWith(`${path}/`)) openFile(folderOf(path));
    void refresh();
    if (done.length > 0)
      offerUndo({
        text: `Removed ${path}.`,
        restore: async () => {
          const { skipped } = await client.files.restoreRemoved(done);
          await refresh();
          if (skipped.length > 0) throw new Error(skipped.map(({ reason }) => `${reason}.`).join(' '));
        },
      });
  };
  const create = async ({ path }: Subject, what: 'file' | 'folder', wanted: string) => {
    if (what === 'folder') {
      addFolder(wanted.replace(/\/+$/, ''));
      if (path !== '/') setExpanded(path, true);
      return openFile(wanted.replace(/\/+$/, ''));
    }
    await createFile(wanted);
    void refresh();
    openFile(wanted);
  };
  const subject = asked?.subject;
  const overlays = (
    <>
      {menu && (
        <EntryMenu
          {...menu}
          close={() => setMenu(null)}
          ask={setAsked}
          rename={setRenaming}
          failed={(error) => setProblem(error.message)}
          show={() => openFile(menu.subject.path)}
        />
      )}
      {subject && (asked.what === 'file' || asked.what === 'folder') && (
        <PathDialog
          open
          close={() => setAsked(null)}
          title={asked.what === 'file' ? 'New file' : 'New folder'}
          action="Create"
          initial={within(subject.path, '')}
          act={(wanted) => create(subject, asked.what as 'file' | 'folder', wanted)}
        />
      )}
      {subject && asked.what === 'move' && (
        <PathDialog
          open
          close={() => setAsked(null)}
          title={`Move ${nameOf(subject.path)}`}
          action="Move"
          initial={subject.path}
          act={(to) => move(subject, to)}
        />
      )}
      {subject && (
        <Confirm
          open={asked.what === 'remove'}
          close={() => setAsked(null)}
          title={`Remove ${subject.path}?`}
          action="Remove"
          act={() => remove(subject)}
        >
          {subject.type === 'folder' ? 'With everything in it. ' : ''}It is also removed from the folder on
          disk. You can restore it from the trash.
        </Confirm>
      )}
    </>
  );
  return {
    renaming,
    rename: setRenaming,
    move,
    ask: setAsked,
    openMenu: (given, anchor) => setMenu({ subject: given, anchor }),
    menuOf: menu?.subject.path ?? null,
    overlays,
    problem,
  };
}

/** Only if there is no such file. */
async function createFile(path: string): Promise<void> {
  try {
    await client.files.write(path, '', { base: null });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'version_conflict')
      throw new Error(`The file ${path} already exists.`, { cause: error });
    throw error;
  }
}

/** Returns the ids of the removed files. */
async function removeFolder(path: string): Promise<string[]> {
  const isEmpty = newFolders.get().has(path);
  forgetFolder(path);
  if (isEmpty) return [];
  const { files, count } = await client.files.removeFolder(path);
  // The answer lists the first thousand: the others are in the trash.
  return count > files.length ? [] : files.map(({ id }) => id);
}

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover';

interface EntryMenuProps {
  readonly subject: Subject;
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  readonly close: () => void;
  readonly ask: (asked: Asked) => void;
  readonly rename: (path: string) => void;
  readonly failed: (error: Error) => void;
  readonly show: () => void;
}

function EntryMenu({ subject, anchor, close, ask, rename, failed, show }: EntryMenuProps) {
  const { type, path } = subject;
  const isFolder = type === 'folder';
  const fixed = isFixed(path);
  const { chooser, choose } = useFileChooser(path);
  return (
    <>
      {chooser}
      <AnchoredMenu anchor={anchor} close={close}>
        {(away) => (
          <>
            {isFolder && (
              <DropdownMenu.Item className={ITEM} onSelect={away(show)}>
                <FolderOpen className="size-4 text-soft" aria-hidden="true" /> Open
              </DropdownMenu.Item>
            )}
            {isFolder && !fixed && (
              <>
                <DropdownMenu.Item className={ITEM} onSelect={away(() => ask({ what: 'file', subject }))}>
                  <FilePlus2 className="size-4 text-soft" aria-hidden="true" /> New file here…
                </DropdownMenu.Item>
                <DropdownMenu.Item className={ITEM} onSelect={away(() => ask({ what: 'folder', subject }))}>
                  <FolderPlus className="size-4 text-soft" aria-hidden="true" /> New folder here…
                </DropdownMenu.Item>
                <DropdownMenu.Item className={ITEM} onSelect={choose}>
                  <Upload className="size-4 text-soft" aria-hidden="true" /> Upload files…
                </DropdownMenu.Item>
                <DropdownMenu.Separator className="my-1 h-px bg-line" />
              </>
            )}
            {!fixed && (
              <>
                <DropdownMenu.Item className={ITEM} onSelect={away(() => rename(path))}>
                  <Pencil className="size-4 text-soft" aria-hidden="true" /> Rename
                  <span aria-hidden="true" className="ml-auto text-xs text-soft">
                    F2
                  </span>
                </DropdownMenu.Item>
                <DropdownMenu.Item className={ITEM} onSelect={away(() => ask({ what: 'move', subject }))}>
                  <FolderInput className="size-4 text-soft" aria-hidden="true" /> Move…
                </DropdownMenu.Item>
              </>
            )}
            <DropdownMenu.Item
              className={ITEM}
              onSelect={() => void (isFolder ? downloadFolder(path) : download(path)).catch(failed)}
            >
              <Download className="size-4 text-soft" aria-hidden="true" />
              {isFolder ? 'Download as zip' : 'Download'}
            </DropdownMenu.Item>
            {!fixed && (
              <>
                <DropdownMenu.Separator className="my-1 h-px bg-line" />
                <DropdownMenu.Item
                  className={`${ITEM} text-bad`}
                  onSelect={away(() => ask({ what: 'remove', subject }))}
                >
                  <Trash2 className="size-4" aria-hidden="true" /> Remove…
                  <span aria-hidden="true" className="ml-auto text-xs">
                    Del
                  </span>
                </DropdownMenu.Item>
              </>
            )}
          </>
        )}
      </AnchoredMenu>
    </>
  );
}

interface NameFieldProps {
  readonly subject: Subject;
  readonly actions: Pick<EntryActions, 'move' | 'rename'>;
}

/** Edits a name in place. Enter saves, Escape leaves it as it was. */
export function NameField({ subject, actions }: NameFieldProps) {
  const name = nameOf(subject.path);
  const [problem, setProblem] = useState<string | null>(null);
  const saving = useRef(false);
  const save = async (given: string) => {
    const wanted = given.trim();
    if (saving.current) return;
    if (wanted === '' || wanted === name) return actions.rename(null);
    if (wanted.includes('/')) return setProblem('A name has no slash; “Move…” is for another folder.');
    saving.current = true;
    try {
      await actions.move(subject, within(folderOf(subject.path), wanted));
      actions.rename(null);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      saving.current = false;
    }
  };
  return (
    <span className="mr-2 block min-w-0 flex-1">
      <input
        autoFocus
        aria-label={`New name of ${name}`}
        aria-invalid={problem !== null}
        defaultValue={name}
        spellCheck={false}
        autoComplete="off"
        onFocus={({ target }) => {
          const dot = subject.type === 'file' ? name.lastIndexOf('.') : -1;
          target.setSelectionRange(0, dot > 0 ? dot : name.length);
        }}
        onBlur={(event) => (problem ? actions.rename(null) : void save(event.target.value))}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter') void save(event.currentTarget.value);
          if (event.key === 'Escape') actions.rename(null);
        }}
        className="w-full rounded border border-accent bg-page px-1.5 py-0.5 text-sm text-ink outline-offset-0 aria-invalid:border-bad"
      />
      {problem && (
        <span role="alert" className="mt-0.5 block text-xs text-bad wrap-anywhere whitespace-normal">
          {problem}
        </span>
      )}
    </span>
  );
}
