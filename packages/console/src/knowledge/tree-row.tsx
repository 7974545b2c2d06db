// A row of the document tree, and the menu of a row.

import { ChevronRight, Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { memo, type DragEvent } from 'react';
import { AnchoredMenu } from '../ui/anchored-menu.tsx';
import { Visible } from '../ui/visible.tsx';
import type { Direction, Zone } from './tree-moves.ts';

const DRAGGED = 'application/x-continuo-document';

const DROP_STYLE: Record<Zone, string> = {
  before: 'shadow-[inset_0_2px_0_var(--accent)]',
  after: 'shadow-[inset_0_-2px_0_var(--accent)]',
  inside: 'bg-accent-wash ring-2 ring-accent ring-inset',
};

/** What a person does to a row. */
export type RowEvent =
  | { readonly kind: 'focus' | 'open' | 'toggle' | 'drag-start' | 'drag-end'; readonly id: string }
  | { readonly kind: 'menu'; readonly id: string; readonly anchor: HTMLElement }
  | { readonly kind: 'drag-over' | 'drop'; readonly id: string; readonly event: DragEvent };

interface TreeRowProps {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly description: string | null;
  readonly depth: number;
  readonly position: number;
  readonly siblings: number;
  /** Undefined: there is nothing below it. */
  readonly expanded: boolean | undefined;
  readonly isOpen: boolean;
  /** The row that Tab reaches. */
  readonly isStop: boolean;
  readonly isDragged: boolean;
  /** Where the dragged document would go. */
  readonly zone: Zone | null;
  readonly hasMenu: boolean;
  /** Always the same function, so that only rows that changed are rendered again. */
  readonly act: (event: RowEvent) => void;
}

export const TreeRow = memo(function TreeRow({
  id,
  project,
  name,
  expanded,
  isOpen,
  isStop,
  zone,
  act,
  ...row
}: TreeRowProps) {
  return (
    <div
      role="treeitem"
      aria-level={row.depth}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isOpen}
      aria-expanded={expanded}
      aria-label={name}
      data-document={id}
      tabIndex={isStop ? 0 : -1}
      draggable
      onFocus={() => act({ kind: 'focus', id })}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, id);
        event.dataTransfer.effectAllowed = 'move';
        act({ kind: 'drag-start', id });
      }}
      onDragEnd={() => act({ kind: 'drag-end', id })}
      onDragOver={(event) => act({ kind: 'drag-over', id, event })}
      onDrop={(event) => act({ kind: 'drop', id, event })}
      style={{ paddingLeft: `${(row.depth - 1) * 0.9 + 0.25}rem` }}
      className={`group relative flex items-center rounded-md pr-1 text-sm [contain-intrinsic-size:auto_1.75rem] [content-visibility:auto] ${
        isOpen ? 'bg-accent-wash font-medium text-ink' : 'text-soft hover:bg-hover hover:text-ink'
      } ${row.isDragged ? 'opacity-50' : ''} ${zone ? DROP_STYLE[zone] : ''}`}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        onClick={() => act({ kind: 'toggle', id })}
        className={`grid size-6 shrink-0 place-items-center rounded ${expanded === undefined ? 'invisible' : ''}`}
      >
        <ChevronRight className={`size-4 transition-transform ${expanded ? 'rotate-90' : ''}`} />
      </button>
      {/* Thousands of the router's links take seconds to render. */}
      <a
        href={`/projects/${project}/documents/${id}`}
        tabIndex={-1}
        draggable={false}
        title={row.description ?? undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          act({ kind: 'open', id });
        }}
        className="min-w-0 flex-1 truncate py-1"
      >
        <Visible text={name} />
      </a>
      <button
        type="button"
        aria-label={`Actions for ${name}`}
        aria-haspopup="menu"
        aria-expanded={row.hasMenu}
        tabIndex={isStop ? 0 : -1}
        onClick={(event) => act({ kind: 'menu', id, anchor: event.currentTarget })}
        className="grid size-6.5 shrink-0 place-items-center rounded-md text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
      >
        <Ellipsis className="size-4" aria-hidden="true" />
      </button>
    </div>
  );
});

interface RowMenuProps {
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  readonly close: () => void;
  readonly can: (direction: Direction) => boolean;
  readonly move: (direction: Direction) => void;
  readonly create: () => void;
  readonly rename: () => void;
  readonly remove: () => void;
}

const ITEM =
  'flex items-center justify-between gap-6 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover data-disabled:text-soft data-disabled:opacity-60';
const MOVES = [
  ['up', 'Move up', 'Alt+↑'],
  ['down', 'Move down', 'Alt+↓'],
  ['in', 'Move below the one above', 'Alt+→'],
  ['out', 'Move out', 'Alt+←'],
] as const;

export function RowMenu({ anchor, close, can, move, create, rename, remove }: RowMenuProps) {
  const key = (words: string) => (
    <span aria-hidden="true" className="text-xs text-soft">
      {words}
    </span>
  );
  return (
    <AnchoredMenu anchor={anchor} close={close}>
      {(away) => (
        <>
          <DropdownMenu.Item className={ITEM} onSelect={away(create)}>
            New document below
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} onSelect={away(rename)}>
            Rename… {key('F2')}
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          {MOVES.map(([direction, words, keys]) => (
            <DropdownMenu.Item
              key={direction}
              disabled={!can(direction)}
              className={ITEM}
              onSelect={() => move(direction)}
            >
              {words} {key(keys)}
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={`${ITEM} text-bad`} onSelect={away(remove)}>
            Remove {key('Del')}
          </DropdownMenu.Item>
        </>
      )}
    </AnchoredMenu>
  );
}
