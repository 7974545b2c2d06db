// The entities of one kind as a table, with the columns that the kind's definition names.

import { useState } from 'react';
import { VersionConflict } from '@continuo/client';
import type { Entity } from '@continuo/protocol';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { Select } from '../ui/select.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { api, type Kind } from './api.ts';
import { PlaceLink, useGo } from './links-to.tsx';
import { useList } from './queries.ts';
import { StateSelect } from './state-select.tsx';
import { iconOf, inWords, shortValue, titleOf } from './words.ts';

interface EntityTableProps {
  readonly kind: Kind;
  readonly project: string;
  readonly state: string | null;
}

export function EntityTable({ kind, project, state }: EntityTableProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useList(
    kind,
    project,
    state,
  );
  const [problem, setProblem] = useState<string | null>(null);
  const go = useGo();
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what={kind.label.many.toLowerCase()} />;
  const entities = data.pages.flatMap(({ items }) => items);
  const change = async (entity: Entity, next: string) => {
    setProblem(null);
    try {
      await api.update(kind.plural, entity.id, { state: next }, entity.version);
    } catch (cause) {
      const changed = `“${titleOf(entity)}” was changed meanwhile. Nothing was changed; look at it and try again.`;
      setProblem(cause instanceof VersionConflict ? changed : (cause as Error).message);
    }
  };
  return (
    <div
      className="min-h-0 flex-1 overflow-auto px-4 pb-6 sm:px-6"
      tabIndex={0}
      role="region"
      aria-label={kind.label.many}
    >
      {kind.states && (
        <Select
          label="Show"
          value={state ?? ''}
          choose={(chosen) =>
            go({
              project,
              at: kind.plural,
              search: { view: 'table', ...(chosen !== '' && { state: chosen }) },
            })
          }
          choices={[
            ['', 'All states'],
            ...Object.keys(kind.states.transitions).map((each) => [each, inWords(each)] as const),
          ]}
          className="mb-3"
        />
      )}
      {problem && (
        <p role="alert" className="mb-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {entities.length === 0 ? (
        <Empty icon={iconOf(kind.kind)} title={`No ${kind.label.many.toLowerCase()} here yet`}>
          {kind.description}
        </Empty>
      ) : (
        <table className="w-full min-w-120 text-left text-sm">
          <thead>
            <tr className="border-b text-xs text-soft">
              <th scope="col" className="py-1.5 pr-3 font-medium">
                {inWords(kind.title_field)}
              </th>
              {kind.columns.map((name) => (
                <th key={name} scope="col" className="px-3 py-1.5 font-medium">
                  {name === 'updated_at' ? 'Changed' : inWords(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {entities.map((entity) => (
              <tr key={entity.id}>
                <th scope="row" className="min-w-48 py-1.5 pr-3 font-medium">
                  <PlaceLink
                    place={{ project, at: `${kind.plural}/${entity.id}` }}
                    className="line-clamp-2 wrap-anywhere hover:underline"
                  >
                    <Visible text={titleOf(entity)} />
                  </PlaceLink>
                </th>
                {kind.columns.map((name) => (
                  <td key={name} className="max-w-72 min-w-26 px-3 py-1.5 text-soft">
                    {name === 'state' ? (
                      <StateSelect
                        kind={kind}
                        entity={entity}
                        choose={(next) => void change(entity, next)}
                        className="min-w-32 [&>select]:!py-0.5 [&>select]:!text-xs"
                      />
                    ) : name.endsWith('_at') && typeof entity[name] === 'string' ? (
                      <When at={entity[name]} className="whitespace-nowrap" />
                    ) : (
                      <span className="line-clamp-2 wrap-break-word">
                        <Visible text={shortValue(entity[name])} />
                      </span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && (
        <Button
          kind="quiet"
          className="mt-2 w-full justify-center"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          More
        </Button>
      )}
    </div>
  );
}
