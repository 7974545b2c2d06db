// The focus of a chat, and the scope that a person chooses for its next message: a project, or something in one.

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { useAction } from '../data/use-action.ts';
import { useKinds } from '../knowledge/queries.ts';
import { iconOf, inWords } from '../knowledge/words.ts';
import { asTyped } from '../palette/entries.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import type { ChatContext } from './queries.ts';
import { Section } from './section.tsx';

/** How many found things are offered. */
const FOUND = 8;

type NewFocus = Parameters<typeof client.chats.focus>[1];

export function Focus({ chat, focus }: { readonly chat: string; readonly focus: ChatContext['focus'] }) {
  const cache = useQueryClient();
  const { busy, problem, act } = useAction(() => cache.invalidateQueries({ queryKey: keys.focus(chat) }));
  const [choosing, setChoosing] = useState(false);
  const { project, entity, is_next } = focus;
  const set = (wanted: NewFocus) => {
    setChoosing(false);
    void act(() => client.chats.focus(chat, wanted));
  };
  return (
    <Section
      title="In focus"
      actions={
        <Button
          className="!px-2 !py-1 !text-xs"
          aria-expanded={choosing}
          disabled={busy}
          onClick={() => setChoosing(!choosing)}
        >
          Change
        </Button>
      }
    >
      {choosing && <FocusPicker choose={set} close={() => setChoosing(false)} />}
      {!project && <p className="text-soft">The whole workspace.</p>}
      {project && (
        <ul className="space-y-1">
          {entity && (
            <Focused kind={entity.kind} title={entity.title}>
              {(label) => (
                <Link
                  to="/entities/$entity"
                  params={{ entity: entity.id }}
                  className="min-w-0 truncate hover:underline"
                >
                  {label}
                </Link>
              )}
            </Focused>
          )}
          <Focused kind="project" title={project.title}>
            {(label) => (
              <Link
                to="/projects/$project/$"
                params={{ project: project.id, _splat: '' }}
                className="min-w-0 truncate hover:underline"
              >
                {label}
              </Link>
            )}
          </Focused>
        </ul>
      )}
      {is_next && <p className="mt-1 text-xs text-soft">Chosen for the next message.</p>}
      {project && (
        <div className="mt-2 flex flex-wrap gap-1.5">
          {entity && (
            <Button
              className="!px-2 !py-1 !text-xs"
              disabled={busy}
              onClick={() => set({ scope: 'project', project_id: project.id })}
            >
              Widen to the project
            </Button>
          )}
          <Button className="!px-2 !py-1 !text-xs" disabled={busy} onClick={() => set({ scope: 'global' })}>
            Widen to the workspace
          </Button>
        </div>
      )}
      {problem && (
        <p role="alert" className="mt-1 text-bad">
          {problem}
        </p>
      )}
    </Section>
  );
}

/** Finds a project, or something in one, by words. */
function FocusPicker({
  choose,
  close,
}: {
  readonly choose: (focus: NewFocus) => void;
  readonly close: () => void;
}) {
  const [words, setWords] = useState('');
  const { data: kinds } = useKinds();
  const question = asTyped(useDeferredValue(words));
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['focus-choices', question],
    queryFn: async ({ signal }) => {
      const known = kinds!.items.map(({ kind }) => kind).join(',');
      return (await client.search({ q: question, kinds: known, limit: FOUND }, { signal })).items;
    },
    enabled: kinds !== undefined && /[\p{L}\p{N}]/u.test(words),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const found = words.trim() === '' ? [] : (data ?? []);
  return (
    <div
      className="mt-1 mb-2 rounded-lg border bg-raised p-2"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <input
        type="search"
        autoComplete="off"
        autoFocus
        aria-label="Find what the next message is about"
        placeholder="A project, a document, a task…"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        className="w-full rounded-lg border border-strong/60 bg-page px-3 py-1.5 text-sm"
      />
      {error && <Failure error={error} retry={() => void refetch()} />}
      <ul aria-label="Found" className="mt-1 space-y-px">
        {found.map(({ entity_type: type, entity_id: id, project_id, title }) => {
          const Icon = iconOf(type);
          return (
            <li key={id}>
              <button
                type="button"
                onClick={() =>
                  choose(
                    type === 'project'
                      ? { scope: 'project', project_id: id }
                      : { scope: 'entity', project_id: project_id!, entity: { type, id } },
                  )
                }
                className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-hover"
              >
                <Icon className="size-4 shrink-0 text-soft" aria-hidden="true" />
                <span className="truncate">
                  <Visible text={title} />
                </span>
                <span className="ml-auto shrink-0 text-xs text-soft">{inWords(type)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <p role="status" className="px-2 text-xs text-soft">
        {words.trim() !== '' && !isPending && found.length === 0
          ? 'Nothing found. Try fewer or other words.'
          : ''}
      </p>
    </div>
  );
}

function Focused({
  kind,
  title,
  children,
}: {
  readonly kind: string;
  readonly title: string;
  readonly children: (label: ReactNode) => ReactNode;
}) {
  const Icon = iconOf(kind);
  return (
    <li className="flex items-center gap-2">
      <Icon className="size-4 shrink-0 text-soft" aria-hidden="true" />
      {children(<Visible text={title} />)}
      <span className="ml-auto shrink-0 text-xs text-soft">{kind.replaceAll('_', ' ')}</span>
    </li>
  );
}
