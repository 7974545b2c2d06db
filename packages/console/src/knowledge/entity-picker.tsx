// Chooses an entity of a project by a part of its title, or by words that the search finds it by.

import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { Visible } from '../ui/visible.tsx';
import { api, type Kind, type SearchHit } from './api.ts';
import { iconOf, titleOf } from './words.ts';

/** How many of each kind are looked through by title; a large project has more, which the search finds. */
const PER_KIND = 100;
const HITS = 20;
const SHOWN = 8;

interface Choice {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
}

interface EntityPickerProps {
  readonly project: string;
  readonly kinds: readonly Kind[];
  readonly except: string;
  readonly chosen: { readonly id: string; readonly title: string } | null;
  readonly choose: (entity: Choice | null) => void;
}

export function EntityPicker({ project, kinds, except, chosen, choose }: EntityPickerProps) {
  const [words, setWords] = useState('');
  const id = useId();
  const lists = useQueries({
    queries: kinds.map(({ plural }) => ({
      queryKey: ['choices', plural, project],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.list(plural, { project_id: project, limit: PER_KIND }, signal)).items,
      staleTime: 0,
    })),
  });
  const wanted = useDeferredValue(words).trim();
  const hits = useQuery({
    queryKey: ['choices-found', project, kinds.map(({ kind }) => kind).join(), wanted],
    queryFn: ({ signal }) =>
      api.search(
        {
          // What is typed may be the beginning of a word.
          q: /[\p{L}\p{N}]$/u.test(wanted) ? `${wanted}*` : wanted,
          project_id: project,
          kinds: kinds.map(({ kind }) => kind).join(),
          limit: HITS,
        },
        signal,
      ),
    enabled: wanted !== '' && kinds.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const titled = lists
    .flatMap(({ data }) => data ?? [])
    .map((entity) => ({ id: entity.id, kind: entity.kind, title: titleOf(entity) }))
    .filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
  const searched = (wanted === '' ? [] : (hits.data ?? []))
    .filter((hit): hit is SearchHit => hit.entity_id !== undefined)
    .map((hit) => ({ id: hit.entity_id, kind: hit.entity_type, title: hit.title }));
  const found = [...new Map([...titled, ...searched].map((each) => [each.id, each])).values()].filter(
    (each) => each.id !== except,
  );
  const isPending = lists.some((list) => list.isPending) || hits.isFetching;
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium">
        Entity
      </label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        placeholder="A part of its title"
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          choose(null);
        }}
        className="mt-1 w-full rounded-lg border border-strong/60 bg-page px-3 py-1.5 text-sm"
      />
      <ul className="mt-1.5 space-y-px" aria-label="Entities">
        {found.slice(0, SHOWN).map((entity) => {
          const Icon = iconOf(entity.kind);
          const isChosen = chosen?.id === entity.id;
          return (
            <li key={entity.id}>
              <button
                type="button"
                aria-pressed={isChosen}
                onClick={() => choose(entity)}
                className={`flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm ${isChosen ? 'bg-accent-wash font-medium' : 'hover:bg-hover'}`}
              >
                <Icon className="size-4 shrink-0 text-soft" aria-hidden="true" />
                <span className="truncate">
                  <Visible text={entity.title} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <p role="status" className="mt-1 text-xs text-soft">
        {found.length === 0 && !isPending
          ? 'Nothing matches.'
          : found.length > SHOWN
            ? 'There are more: type a part of the title.'
            : ''}
      </p>
    </div>
  );
}
