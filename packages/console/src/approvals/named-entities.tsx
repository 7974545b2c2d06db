// The entities that a call names by their ids, as people know them. Each has one row from the start, so that nothing moves when
// the names have been read.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../data/client.ts';
import { iconOf, inWords, titleOf } from '../knowledge/words.ts';
import { Visible } from '../ui/visible.tsx';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ids in an input, by the names of their fields: `task_id`, `from_id`. */
function idsIn(input: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(input).flatMap(([name, value]) =>
    name.endsWith('_id') && typeof value === 'string' && ID.test(value) ? [[name, value] as const] : [],
  );
}

export function NamedEntities({ input }: { readonly input: Readonly<Record<string, unknown>> }) {
  const ids = idsIn(input);
  if (ids.length === 0) return null;
  return (
    <ul aria-label="What the call is about" className="mb-2 text-sm">
      {ids.map(([name, id]) => (
        <NamedEntity key={name} field={name.slice(0, -'_id'.length)} id={id} />
      ))}
    </ul>
  );
}

function NamedEntity({ field, id }: { readonly field: string; readonly id: string }) {
  const { data: entity, isError } = useQuery({
    queryKey: ['entity-name', id],
    queryFn: ({ signal }) => client.entity(id, { signal }),
  });
  const Icon = iconOf(entity?.kind ?? '');
  return (
    <li className="flex h-6 items-center gap-1.5">
      <span className="shrink-0 text-soft">{inWords(field)}:</span>
      {entity ? (
        <>
          <Icon className="size-4 shrink-0 text-soft" aria-hidden="true" />
          <Link
            to="/entities/$entity"
            params={{ entity: id }}
            preload={false}
            className="truncate underline decoration-strong underline-offset-2 hover:decoration-current"
          >
            <Visible text={titleOf(entity)} />
          </Link>
        </>
      ) : (
        <span className="text-soft">{isError ? 'not there' : '…'}</span>
      )}
    </li>
  );
}
