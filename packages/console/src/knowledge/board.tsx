// A board: a column for each state. A card is moved by drag and drop or with its state's list, and only to a state that it may
// change to.

import { useState, type DragEvent } from 'react';
import { VersionConflict } from '@continuo/client';
import type { Entity } from '@continuo/protocol';
import { Failure, isMissing, Loading } from '../ui/states.tsx';
import { number } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { api, type Board as BoardData, type Kind } from './api.ts';
import { PlaceLink } from './links-to.tsx';
import { useBoard } from './queries.ts';
import { mayChange, StateSelect } from './state-select.tsx';
import { inWords, shortValue, titleOf } from './words.ts';

export function Board({ kind, project }: { readonly kind: Kind; readonly project: string }) {
  const { data: board, error, refetch } = useBoard(kind, project);
  const [dragged, setDragged] = useState<Entity | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const [said, setSaid] = useState<{ text: string; bad: boolean } | null>(null);
  if (error && !board && !isMissing(error)) return <Failure error={error} retry={() => void refetch()} />;
  if (!board) return <Loading what={kind.label.many.toLowerCase()} />;
  const change = async (entity: Entity, state: string) => {
    setSaid(null);
    try {
      await api.update(kind.plural, entity.id, { state }, entity.version);
      setSaid({ text: `“${titleOf(entity)}” is now ${inWords(state).toLowerCase()}.`, bad: false });
    } catch (cause) {
      const current = cause instanceof VersionConflict ? (cause.current as Entity) : null;
      const text = current
        ? `“${titleOf(entity)}” was changed meanwhile: it is ${inWords(current.state ?? '').toLowerCase()} now. Nothing was changed; try again if you still want to.`
        : (cause as Error).message;
      setSaid({ text, bad: true });
    }
  };
  const allowed = (state: string) => dragged !== null && mayChange(kind, dragged.state, state);
  const dragOver = (event: DragEvent, state: string) => {
    if (!allowed(state)) return;
    event.preventDefault();
    if (over !== state) setOver(state);
  };
  const drop = (event: DragEvent, state: string) => {
    event.preventDefault();
    if (dragged && allowed(state)) void change(dragged, state);
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <p
        role={said?.bad ? 'alert' : 'status'}
        className={
          said?.bad ? 'mx-4 mb-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad sm:mx-6' : 'sr-only'
        }
      >
        {said?.text}
      </p>
      <div
        className="flex min-h-0 flex-1 snap-x scroll-px-4 gap-3 overflow-x-auto px-4 pb-4 sm:scroll-px-6 sm:px-6"
        tabIndex={0}
        role="region"
        aria-label={`Board of ${kind.label.many.toLowerCase()}`}
      >
        {board.columns.map((column) => (
          <section
            key={column.state}
            aria-label={`${inWords(column.state)}, ${column.count}`}
            onDragOver={(event) => dragOver(event, column.state)}
            onDragLeave={() => over === column.state && setOver(null)}
            onDrop={(event) => drop(event, column.state)}
            className={`flex w-64 shrink-0 snap-start flex-col rounded-xl border bg-panel ${
              dragged && dragged.state !== column.state && !allowed(column.state) ? 'opacity-50' : ''
            } ${over === column.state ? 'ring-2 ring-accent' : ''}`}
          >
            <h2 className="flex items-baseline justify-between px-3 py-2 text-sm font-semibold">
              {inWords(column.state)}
              <span className="text-xs font-normal text-soft tabular-nums">{number(column.count)}</span>
            </h2>
            <Cards
              kind={kind}
              project={project}
              column={column}
              change={(entity, state) => void change(entity, state)}
              drag={setDragged}
            />
          </section>
        ))}
      </div>
    </>
  );
}

interface CardsProps {
  readonly kind: Kind;
  readonly project: string;
  readonly column: BoardData['columns'][number];
  readonly change: (entity: Entity, state: string) => void;
  readonly drag: (entity: Entity | null) => void;
}

function Cards({ kind, project, column: { state, count, items }, change, drag }: CardsProps) {
  const details = kind.columns.filter((name) => name !== 'state' && name !== 'updated_at');
  return (
    <ul className="min-h-0 flex-1 space-y-2 overflow-y-auto px-2 pb-2" aria-label={inWords(state)}>
      {items.map((entity) => (
        <li
          key={entity.id}
          draggable
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move';
            event.dataTransfer.setData('text/plain', titleOf(entity));
            drag(entity);
          }}
          onDragEnd={() => drag(null)}
          className="rounded-lg border bg-raised p-2.5 text-sm shadow-xs"
        >
          <PlaceLink
            place={{ project, at: `${kind.plural}/${entity.id}` }}
            draggable={false}
            className="line-clamp-3 font-medium wrap-anywhere hover:underline"
          >
            <Visible text={titleOf(entity)} />
          </PlaceLink>
          {details.map((name) => {
            const value = shortValue(entity[name]);
            return value === '' ? null : (
              <p key={name} className="mt-0.5 line-clamp-2 text-xs text-soft wrap-anywhere">
                {inWords(name)}: <Visible text={value} />
              </p>
            );
          })}
          <StateSelect
            kind={kind}
            entity={entity}
            choose={(next) => change(entity, next)}
            className="mt-2 [&>select]:!py-0.5 [&>select]:!text-xs"
          />
        </li>
      ))}
      {items.length === 0 && <li className="px-1 py-0.5 text-xs text-soft">None</li>}
      {count > items.length && (
        <li>
          <PlaceLink
            place={{ project, at: kind.plural, search: { view: 'table', state } }}
            className="block rounded-md px-2 py-1.5 text-center text-sm text-accent hover:bg-hover"
          >
            {number(count - items.length)} more
          </PlaceLink>
        </li>
      )}
    </ul>
  );
}
