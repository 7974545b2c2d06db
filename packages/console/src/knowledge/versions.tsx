// The history of an entity: who changed what, and how to get an earlier version back.

import { RotateCcw, SearchX, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Entity } from '@continuo/protocol';
import { AuthorName, AuthorOrigin } from '../files/author.tsx';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { api, type EntityVersion, type Fields, type Kind } from './api.ts';
import { fieldsOf } from './fields.tsx';
import { putEntity, useVersions } from './queries.ts';
import { mayChange } from './state-select.tsx';
import { inWords, shortValue, titleOf } from './words.ts';

const DID: Record<EntityVersion['op'], string> = {
  create: 'Created',
  update: 'Changed',
  remove: 'Removed',
  restore: 'Restored',
  link: 'Linked',
  unlink: 'Link removed',
  write: 'Written',
  move: 'Moved',
};

export function Versions({ entity, kind }: { readonly entity: Entity; readonly kind: Kind }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="mt-8" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm font-semibold">History</summary>
      {open && <VersionList entity={entity} kind={kind} />}
    </details>
  );
}

function VersionList({ entity, kind }: { readonly entity: Entity; readonly kind: Kind }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useVersions(
    kind,
    entity.id,
  );
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the history" />;
  const versions = data.pages.flatMap(({ items }) => items);
  return (
    <>
      <ol aria-label="Versions" className="mt-2 divide-y rounded-xl border bg-raised">
        {versions.map((version, index) => (
          <li key={version.version} className="px-4 py-2.5 text-sm">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-medium">Version {version.version}</span>
              <span className="flex flex-wrap items-center gap-x-1.5 text-soft">
                {DID[version.op]} · <AuthorName author={version.author} />
              </span>
              <When at={version.at} className="ml-auto text-xs text-soft" />
              {index > 0 && <RestoreVersion version={version} entity={entity} kind={kind} />}
            </div>
            <AuthorOrigin author={version.author} />
            <Changes kind={kind} now={version.entity} before={versions[index + 1]?.entity} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button
          kind="quiet"
          className="mt-1 w-full justify-center"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Older versions
        </Button>
      )}
    </>
  );
}

type Shown = EntityVersion['entity'];

function namesOf(kind: Kind): string[] {
  return [...fieldsOf(kind).map(({ name }) => name), ...(kind.states ? ['state'] : [])];
}

function Changes({
  kind,
  now,
  before,
}: {
  readonly kind: Kind;
  readonly now: Shown;
  readonly before: Shown;
}) {
  if (!now || !before) return null;
  const changed = namesOf(kind).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]));
  if (changed.length === 0) return null;
  const shown = (name: string, value: unknown) => {
    const text = name === 'state' ? inWords(shortValue(value)) : shortValue(value);
    return <Visible text={text || 'empty'} />;
  };
  return (
    <dl className="mt-1 space-y-0.5 text-xs text-soft">
      {changed.map((name) => (
        <div key={name} className="line-clamp-3 wrap-anywhere">
          <dt className="inline font-medium">{inWords(name)}: </dt>
          <dd className="inline">
            <del>{shown(name, before[name])}</del>
            <span aria-hidden="true"> → </span>
            <ins className="text-ink no-underline">{shown(name, now[name])}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function RestoreVersion({
  version,
  entity,
  kind,
}: {
  readonly version: EntityVersion;
  readonly entity: Entity;
  readonly kind: Kind;
}) {
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const { entity: then } = version;
  if (!then) return null;
  const fields = fieldsThen(kind, then, entity);
  if (Object.keys(fields).length === 0) return null;
  const restore = async () => {
    setState('busy');
    try {
      putEntity(await api.update(kind.plural, entity.id, fields, entity.version));
      setState('idle');
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <>
      <Button
        className="!px-2 !py-1 !text-xs"
        disabled={state === 'busy'}
        aria-label={`Restore version ${version.version}`}
        onClick={() => void restore()}
      >
        <RotateCcw className="size-3.5" aria-hidden="true" />
        Restore
      </Button>
      {state instanceof Error && (
        <p role="alert" className="w-full text-sm text-bad">
          {state.message}
        </p>
      )}
    </>
  );
}

/** What must change to get the fields of a version back. A state that the entity may not change to now stays as it is. */
function fieldsThen(kind: Kind, then: NonNullable<Shown>, now: Entity): Fields {
  const differing = namesOf(kind).filter(
    (name) => JSON.stringify(then[name] ?? null) !== JSON.stringify(now[name] ?? null),
  );
  return Object.fromEntries(
    differing
      .filter((name) => name !== 'state' || mayChange(kind, now.state, String(then.state)))
      .map((name) => [name, then[name] ?? null]),
  );
}

/** At the address of an entity that is not there: if it was removed, it can be restored. */
export function RemovedEntity({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const { data, error } = useVersions(kind, id);
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const one = kind.label.one;
  if (error)
    return (
      <Empty icon={SearchX} title={`${one} not found`} heading="h1">
        The address may be outdated or incomplete.
      </Empty>
    );
  if (!data) return <Loading what={`the ${one.toLowerCase()}`} />;
  const last = data.pages[0]?.items[0]?.entity;
  const restore = async () => {
    setState('busy');
    try {
      putEntity(await api.restore(kind.plural, id));
      setState('idle');
    } catch (cause) {
      setState(cause as Error);
    }
  };
  return (
    <Empty icon={Trash2} title={`${one} removed`} heading="h1">
      <p className="wrap-anywhere">
        {last && titleOf(last) ? <Visible text={`“${titleOf(last)}” was removed.`} /> : 'It was removed.'} It
        can be restored for 30 days.
      </p>
      <Button className="mt-4" disabled={state === 'busy'} onClick={() => void restore()}>
        <RotateCcw className="size-4" aria-hidden="true" />
        Restore
      </Button>
      {state instanceof Error && (
        <p role="alert" className="mt-2 text-bad">
          {state.message}
        </p>
      )}
    </Empty>
  );
}
