// The tree of a project's documents. Documents are moved by drag and drop, with Alt and the arrow keys, or from the menu of a
// row; each move is announced to screen readers. The tree shows what the server says: a move appears when the feed brings it.

import { FilePlus2 } from 'lucide-react';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
} from 'react';
import { createStore, useStore } from '../data/store.ts';
import { IconButton } from '../ui/button.tsx';
import { api, type Kind, type Structure } from './api.ts';
import { EntityDialog } from './entity-dialog.tsx';
import { useGo } from './links-to.tsx';
import { heldStructure, structureAfter } from './queries.ts';
import {
  countBelow,
  dropTarget,
  spotsIn,
  targetOf,
  type Direction,
  type Spot,
  type Target,
  type Zone,
} from './tree-moves.ts';
import { RowMenu, TreeRow, type RowEvent } from './tree-row.tsx';
import { offerUndo } from './undo.tsx';

/** The collapsed documents of this tab. New ones are expanded, so that what an agent adds is seen. */
const collapsed = createStore<ReadonlySet<string>>(new Set());

function setCollapsed(id: string, closed: boolean): void {
  const next = new Set(collapsed.get());
  if (closed) next.add(id);
  else next.delete(id);
  collapsed.set(next);
}

const UNTITLED = 'Untitled';

interface Row {
  readonly spot: Spot;
  readonly depth: number;
}

function rowsOf(spots: Iterable<Spot>, closed: ReadonlySet<string>): Row[] {
  const depths = new Map<Spot, number>();
  const rows: Row[] = [];
  // Parents come before their children.
  for (const spot of spots) {
    const above = spot.parent === null ? 0 : depths.get(spot.parent);
    if (above === undefined || (spot.parent && closed.has(spot.parent.node.id))) continue;
    depths.set(spot, above + 1);
    rows.push({ spot, depth: above + 1 });
  }
  return rows;
}

interface DocumentTreeProps {
  readonly project: string;
  readonly structure: Structure;
  readonly kind: Kind;
  /** The id of the open document. */
  readonly open: string | null;
}

type Asked =
  | { readonly what: 'create'; readonly below: string | null }
  | { readonly what: 'rename'; readonly id: string };

export function DocumentTree({ project, structure, kind, open }: DocumentTreeProps) {
  const spots = useMemo(() => spotsIn(structure.root), [structure.root]);
  const closed = useStore(collapsed);
  const rows = useMemo(() => rowsOf(spots.values(), closed), [spots, closed]);
  const box = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [drag, setDrag] = useState<{ id: string; over: string | null; zone: Zone } | null>(null);
  const go = useGo();
  const nameOf = (id: string) => structure.documents.get(id)?.title ?? UNTITLED;
  useExpandTo(open, spots);
  const stop = rows.some(({ spot }) => spot.node.id === focused)
    ? focused
    : (rows.find(({ spot }) => spot.node.id === open)?.spot.node.id ?? rows[0]?.spot.node.id);
  const focus = (id: string | undefined) => {
    if (id === undefined) return;
    setFocused(id);
    find(box.current, id)?.focus();
  };
  // The browser takes the focus from a row that moves in the page, and from one that goes.
  const refocus = useRef<string | null>(null);
  useLayoutEffect(() => {
    const row = refocus.current === null ? null : find(box.current, refocus.current);
    if (!row) return;
    refocus.current = null;
    if (document.activeElement === document.body) row.focus();
  }, [structure.root]);

  const attempt = async (work: () => Promise<void>) => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  /** One move after the other: each starts from what the one before left. */
  const moves = useRef(Promise.resolve());
  const move = (id: string, targetIn: (now: ReadonlyMap<string, Spot>) => Target | null) => {
    moves.current = moves.current.then(() =>
      attempt(async () => {
        const now = heldStructure(project) ?? structure;
        const target = targetIn(spotsIn(now.root));
        if (!target) return setSaid(`“${nameOf(id)}” cannot be moved there.`);
        if (isThere(spotsIn(now.root).get(id), target)) return;
        if (box.current?.contains(document.activeElement)) refocus.current = id;
        await api.move(id, target);
        if (target.parent_id !== null) setCollapsed(target.parent_id, false);
        await structureAfter(project, now.version);
        const below = target.parent_id === null ? 'at the top level' : `below “${nameOf(target.parent_id)}”`;
        setSaid(`Moved “${nameOf(id)}” to position ${target.order + 1} ${below}.`);
      }),
    );
  };
  const moveBy = (id: string, direction: Direction) =>
    move(id, (now) => {
      const spot = now.get(id);
      return spot ? targetOf(spot, direction) : null;
    });
  const remove = (spot: Spot) =>
    attempt(async () => {
      const { id } = spot.node;
      const name = nameOf(id);
      const below = countBelow(spot.node);
      const rowAt = rows.findIndex((row) => row.spot === spot);
      const next = rows.slice(rowAt + 1).find((row) => row.depth <= rows[rowAt]!.depth) ?? rows[rowAt - 1];
      if (next) refocus.current = next.spot.node.id;
      await api.remove('documents', id);
      if (open !== null && isWithin(spots.get(open), id)) go({ project });
      const with_ =
        below === 0
          ? ''
          : below === 1
            ? ' and the document below it'
            : ` and the ${below} documents below it`;
      offerUndo({
        text: `Removed “${name}”${with_}.`,
        restore: () => api.restore('documents', id),
      });
    });
  const actionFor = ({ key, altKey }: KeyboardEvent, { spot }: Row, at: number): (() => void) | null => {
    const { id, children } = spot.node;
    if (altKey) {
      const direction = ({ ArrowUp: 'up', ArrowDown: 'down', ArrowRight: 'in', ArrowLeft: 'out' } as const)[
        key
      ];
      return direction ? () => moveBy(id, direction) : null;
    }
    switch (key) {
      case 'ArrowDown':
        return () => focus(rows[at + 1]?.spot.node.id);
      case 'ArrowUp':
        return () => focus(rows[at - 1]?.spot.node.id);
      case 'Home':
        return () => focus(rows[0]?.spot.node.id);
      case 'End':
        return () => focus(rows.at(-1)?.spot.node.id);
      case 'ArrowRight':
        if (children.length === 0) return null;
        return closed.has(id) ? () => setCollapsed(id, false) : () => focus(children[0]!.id);
      case 'ArrowLeft':
        return children.length > 0 && !closed.has(id)
          ? () => setCollapsed(id, true)
          : () => focus(spot.parent?.node.id);
      case 'F2':
        return () => setAsked({ what: 'rename', id });
      case 'Delete':
        return () => void remove(spot);
      case 'Enter':
      case ' ':
        return () => go({ project, at: `documents/${id}` });
      default:
        return null;
    }
  };
  const keyDown = (event: KeyboardEvent) => {
    // Keys of the row's menu are not for the tree.
    if (!(event.target as Element).matches('[role=treeitem]') || event.ctrlKey || event.metaKey) return;
    const at = rows.findIndex(({ spot }) => spot.node.id === stop);
    const act = rows[at] && actionFor(event, rows[at], at);
    if (!act) return;
    event.preventDefault();
    act();
  };
  const dragOver = (event: DragEvent, over: string) => {
    const dragged = drag && spots.get(drag.id);
    const onto = spots.get(over);
    if (!dragged || !onto) return;
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const part = (event.clientY - top) / height;
    const zone: Zone = part < 0.25 ? 'before' : part > 0.75 ? 'after' : 'inside';
    const fits = dropTarget(dragged, onto, zone) !== null;
    if (fits) event.preventDefault();
    const target = fits ? over : null;
    if (drag.over !== target || drag.zone !== zone) setDrag({ ...drag, over: target, zone });
  };
  const drop = (event: DragEvent, onto: string) => {
    event.preventDefault();
    if (!drag) return;
    const { id, zone } = drag;
    setDrag(null);
    move(id, (now) => {
      const [from, to] = [now.get(id), now.get(onto)];
      return from && to ? dropTarget(from, to, zone) : null;
    });
  };
  const [menu, setMenu] = useState<{ id: string; anchor: HTMLElement } | null>(null);
  const menuSpot = menu && spots.get(menu.id);
  const handle = (event: RowEvent) => {
    switch (event.kind) {
      case 'focus':
        return setFocused(event.id);
      case 'open':
        return go({ project, at: `documents/${event.id}` });
      case 'toggle':
        return setCollapsed(event.id, !closed.has(event.id));
      case 'menu':
        return setMenu(event);
      case 'drag-start':
        return setDrag({ id: event.id, over: null, zone: 'inside' });
      case 'drag-over':
        return dragOver(event.event, event.id);
      case 'drag-end':
        return setDrag(null);
      case 'drop':
        return drop(event.event, event.id);
    }
  };
  const latest = useRef(handle);
  latest.current = handle;
  const act = useCallback((event: RowEvent) => latest.current(event), []);
  const save = async (fields: Record<string, unknown>) => {
    if (asked?.what === 'rename') {
      await api.update('documents', asked.id, fields);
      return;
    }
    const { id } = await api.create('documents', {
      ...fields,
      project_id: project,
      parent_id: asked?.below ?? null,
    });
    if (asked?.below) setCollapsed(asked.below, false);
    go({ project, at: `documents/${id}` });
  };
  const renamed = asked?.what === 'rename' ? structure.documents.get(asked.id) : undefined;
  return (
    <div>
      <div className="flex items-center justify-between px-4 pt-2">
        <h2 className="text-xs font-medium text-soft">{kind.label.many}</h2>
        <IconButton label="New document" onClick={() => setAsked({ what: 'create', below: null })}>
          <FilePlus2 />
        </IconButton>
      </div>
      {problem && (
        <p role="alert" className="mx-3 mb-1 rounded-lg bg-bad-wash px-3 py-1.5 text-sm text-bad">
          {problem}
        </p>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
      {rows.length === 0 ? (
        <p className="px-4 py-1 text-sm text-soft">No documents yet.</p>
      ) : (
        <div
          ref={box}
          role="tree"
          aria-label={kind.label.many}
          aria-describedby="tree-keys"
          onKeyDown={keyDown}
          onDragLeave={(event) =>
            drag &&
            !event.currentTarget.contains(event.relatedTarget as Node | null) &&
            setDrag({ ...drag, over: null })
          }
          className="px-2 pb-2"
        >
          {rows.map(({ spot: { node, index, siblings }, depth }) => (
            <TreeRow
              key={node.id}
              id={node.id}
              project={project}
              name={nameOf(node.id)}
              description={structure.documents.get(node.id)?.description ?? null}
              depth={depth}
              position={index + 1}
              siblings={siblings.length}
              expanded={node.children.length === 0 ? undefined : !closed.has(node.id)}
              isOpen={node.id === open}
              isStop={node.id === stop}
              isDragged={drag?.id === node.id}
              zone={drag?.over === node.id ? drag.zone : null}
              hasMenu={menu?.id === node.id}
              act={act}
            />
          ))}
        </div>
      )}
      {menu && menuSpot && (
        <RowMenu
          key={menu.id}
          anchor={menu.anchor}
          close={() => setMenu(null)}
          can={(direction) => targetOf(menuSpot, direction) !== null}
          move={(direction) => moveBy(menu.id, direction)}
          create={() => setAsked({ what: 'create', below: menu.id })}
          rename={() => setAsked({ what: 'rename', id: menu.id })}
          remove={() => void remove(menuSpot)}
        />
      )}
      <p id="tree-keys" className="hidden">
        Arrow keys navigate, Enter opens, Alt and an arrow key moves the document, F2 renames, Delete removes.
      </p>
      {asked && (
        <EntityDialog
          kind={kind}
          title={
            asked.what === 'rename'
              ? 'Rename document'
              : asked.below === null
                ? 'New document'
                : `New document below “${nameOf(asked.below)}”`
          }
          action={asked.what === 'rename' ? 'Save' : 'Create'}
          {...(renamed && { initial: { title: renamed.title, description: renamed.description } })}
          close={() => setAsked(null)}
          act={save}
        />
      )}
    </div>
  );
}

function find(tree: HTMLElement | null, id: string): HTMLElement | null {
  return tree?.querySelector<HTMLElement>(`[data-document="${CSS.escape(id)}"]`) ?? null;
}

function isWithin(spot: Spot | undefined, id: string): boolean {
  for (let above: Spot | null | undefined = spot; above; above = above.parent)
    if (above.node.id === id) return true;
  return false;
}

function isThere(spot: Spot | undefined, { parent_id, order }: Target): boolean {
  return spot?.index === order && (spot.parent?.node.id ?? null) === parent_id;
}

/** The open document is always shown. */
function useExpandTo(open: string | null, spots: ReadonlyMap<string, Spot>): void {
  const known = open !== null && spots.has(open);
  useEffect(() => {
    if (!known) return;
    for (let above = spots.get(open)?.parent; above; above = above.parent)
      if (collapsed.get().has(above.node.id)) setCollapsed(above.node.id, false);
    // Only when another document is opened: a person may collapse it afterwards.
  }, [open, known]);
}
