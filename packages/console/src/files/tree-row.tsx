// A row of the file tree. A file or a folder can be dragged onto a folder, and files of this computer dropped on it.

import { ChevronRight, Ellipsis, FileText, Folder, MessageSquare } from 'lucide-react';
import { useState, type DragEvent } from 'react';
import { isFixed, NameField, type EntryActions } from './entry-actions.tsx';
import { folderOf, nameOf } from './file-search.ts';
import { LinkToFile } from './link-to-file.tsx';
import type { Entry } from './queries.ts';
import { hasFiles, uploadDropped } from './uploads.tsx';

const DRAGGED = 'application/x-continuo-path';

export type Row =
  | { readonly kind: 'entry'; readonly path: string; readonly entry: Entry; readonly depth: number }
  | { readonly kind: 'more'; readonly path: string; readonly folder: string; readonly depth: number };

interface RowProps {
  readonly row: Row;
  readonly open: boolean;
  readonly expanded: boolean;
  readonly isStop: boolean;
  readonly activate: () => void;
  readonly focused: () => void;
  readonly actions: EntryActions;
  /** Moves what was dragged into the folder. */
  readonly moveInto: (dragged: string, folder: string) => void;
}

export function RowView({ row, open, expanded, isStop, activate, focused, actions, moveInto }: RowProps) {
  const [over, setOver] = useState(false);
  const tabIndex = isStop ? 0 : -1;
  const indent = { paddingLeft: `${(row.depth - 1) * 0.9 + 0.4}rem` };
  if (row.kind === 'more')
    return (
      <button
        type="button"
        role="treeitem"
        aria-level={row.depth}
        aria-selected="false"
        data-path={row.path}
        tabIndex={tabIndex}
        onFocus={focused}
        onClick={activate}
        style={indent}
        className="flex w-full items-center gap-1.5 rounded-md py-1 pr-2 text-left text-sm text-soft hover:bg-hover hover:text-ink"
      >
        <Ellipsis className="ml-5 size-4" aria-hidden="true" />
        More
      </button>
    );
  const { entry, path } = row;
  const { type, name, kind } = entry;
  const isFolder = type === 'folder';
  const fixed = isFixed(path);
  const target = isFolder ? path : folderOf(path);
  const Icon = isFolder ? Folder : kind === 'chat' ? MessageSquare : FileText;
  const dragOver = (event: DragEvent) => {
    if (fixed || !(hasFiles(event) || event.dataTransfer.types.includes(DRAGGED))) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = hasFiles(event) ? 'copy' : 'move';
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (fixed) return;
    event.preventDefault();
    event.stopPropagation();
    if (hasFiles(event)) uploadDropped(target, event.dataTransfer);
    else moveInto(event.dataTransfer.getData(DRAGGED), target);
  };
  const icon = <Icon className="size-4 shrink-0" aria-hidden="true" />;
  const label = 'flex min-w-0 flex-1 items-center gap-1.5 py-1';
  return (
    <div
      role="treeitem"
      aria-level={row.depth}
      aria-label={actions.renaming === path ? undefined : name}
      aria-selected={open}
      aria-expanded={isFolder ? expanded : undefined}
      data-path={path}
      tabIndex={tabIndex}
      draggable={!fixed && actions.renaming !== path}
      onFocus={focused}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, path);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={dragOver}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      style={indent}
      className={`group flex items-center gap-1 rounded-md pr-1 text-sm ${
        open ? 'bg-accent-wash font-medium text-ink' : 'text-soft hover:bg-hover hover:text-ink'
      } ${over ? 'ring-2 ring-accent ring-inset' : ''}`}
    >
      {isFolder && (
        <ChevronRight
          onClick={activate}
          className={`size-4 shrink-0 cursor-pointer transition-transform ${expanded ? 'rotate-90' : ''}`}
          aria-hidden="true"
        />
      )}
      {actions.renaming === path ? (
        <span className={`${label} ${isFolder ? '' : 'pl-5'}`}>
          {icon}
          <NameField subject={entry} actions={actions} />
        </span>
      ) : isFolder ? (
        <span className={`${label} cursor-pointer`} onClick={activate}>
          {icon}
          <span className="truncate">{name}</span>
        </span>
      ) : (
        <LinkToFile path={path} tabIndex={-1} className={`${label} pl-5`}>
          {icon}
          <span className="truncate">{name}</span>
        </LinkToFile>
      )}
      <button
        type="button"
        aria-label={`Actions for ${nameOf(path)}`}
        aria-haspopup="menu"
        aria-expanded={actions.menuOf === path}
        tabIndex={tabIndex}
        onClick={(event) => actions.openMenu(entry, event.currentTarget)}
        className="grid size-6.5 shrink-0 place-items-center rounded-md text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
      >
        <Ellipsis className="size-4" aria-hidden="true" />
      </button>
    </div>
  );
}
