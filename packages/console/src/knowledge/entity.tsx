// One entity: its fields, its state, its links and its history. Others' changes appear at once; unsaved changes stay. Where both
// changed the same field, the person chooses.

import { Save, Trash2, TriangleAlert } from 'lucide-react';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { VersionConflict } from '@continuo/client';
import type { Entity } from '@continuo/protocol';
import { useTitle } from '../app/title.ts';
import { Button } from '../ui/button.tsx';
import { Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { api, type Fields, type Kind } from './api.ts';
import { FieldInput, fieldsOf } from './fields.tsx';
import { useGo } from './links-to.tsx';
import { Links } from './links.tsx';
import { putEntity, useEntity } from './queries.ts';
import { StateSelect } from './state-select.tsx';
import { offerUndo } from './undo.tsx';
import { RemovedEntity, Versions } from './versions.tsx';
import { iconOf, shortValue, titleOf } from './words.ts';

interface EntityPageProps {
  readonly id: string;
  readonly kind: Kind;
  readonly project: string;
  /** Actions beside the title, instead of the removal. */
  readonly children?: ReactNode;
}

export function EntityPage({ id, kind, project, children }: EntityPageProps) {
  const { data: entity, error, refetch } = useEntity(id);
  useTitle(entity ? titleOf(entity) : '');
  if (isMissing(error) || entity?.removed_at) return <RemovedEntity kind={kind} id={id} />;
  if (error && !entity) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!entity) return <Loading what={`the ${kind.label.one.toLowerCase()}`} />;
  return (
    <div
      className="min-h-0 flex-1 overflow-y-auto"
      tabIndex={0}
      role="region"
      aria-label={kind.label.one}
      data-quiet-focus
    >
      <div className="mx-auto max-w-3xl px-4 py-6 sm:px-6">
        <Head entity={entity} kind={kind} project={project}>
          {children}
        </Head>
        <EntityForm key={id} entity={entity} kind={kind} />
        <Links entity={entity} kind={kind} />
        <Versions entity={entity} kind={kind} />
      </div>
    </div>
  );
}

function Head({
  entity,
  kind,
  project,
  children,
}: Omit<EntityPageProps, 'id'> & { readonly entity: Entity }) {
  const [problem, setProblem] = useState<string | null>(null);
  const go = useGo();
  const Icon = iconOf(kind.kind);
  const attempt = async (work: () => Promise<void>) => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      if (error instanceof VersionConflict) putEntity(error.current as Entity);
      setProblem((error as Error).message);
    }
  };
  const choose = (state: string) =>
    attempt(async () => putEntity(await api.update(kind.plural, entity.id, { state }, entity.version)));
  const remove = () =>
    attempt(async () => {
      await api.remove(kind.plural, entity.id);
      offerUndo({
        text: `Removed “${titleOf(entity)}”.`,
        restore: async () => putEntity(await api.restore(kind.plural, entity.id)),
      });
      go({ project, at: kind.plural });
    });
  return (
    <header>
      <p className="flex items-center gap-1.5 text-xs font-medium text-soft">
        <Icon className="size-3.5" aria-hidden="true" />
        {kind.label.one}
      </p>
      <div className="mt-1 flex flex-wrap items-start gap-x-3 gap-y-2">
        <h1 className="min-w-0 flex-1 basis-60 text-xl font-semibold tracking-tight wrap-anywhere">
          <Visible text={titleOf(entity)} />
        </h1>
        {kind.states && <StateSelect kind={kind} entity={entity} choose={(state) => void choose(state)} />}
        {children ?? (
          <Button kind="danger" onClick={() => void remove()}>
            <Trash2 className="size-4" aria-hidden="true" />
            Remove
          </Button>
        )}
      </div>
      {problem && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
    </header>
  );
}

/** The changed fields, and what they were when the person began to change them. */
interface Draft {
  readonly fields: Fields;
  readonly before: Fields;
}

const EMPTY: Draft = { fields: {}, before: {} };

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function EntityForm({ entity, kind }: { readonly entity: Entity; readonly kind: Kind }) {
  const [draft, setDraft] = useState(EMPTY);
  const [state, setState] = useState<'idle' | 'busy' | 'saved' | Error>('idle');
  const names = Object.keys(draft.fields);
  const dirty = names.length > 0;
  /** Fields that someone else has changed since, to something else. */
  const disputed = names.filter(
    (name) => !same(entity[name], draft.before[name]) && !same(entity[name], draft.fields[name]),
  );
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [dirty]);
  const change = (name: string, value: unknown) => {
    setState('idle');
    setDraft(({ fields, before }) => {
      const { [name]: _, ...others } = fields;
      const { [name]: known = entity[name] ?? null, ...othersBefore } = before;
      return same(value, entity[name]) && same(known, entity[name])
        ? { fields: others, before: othersBefore }
        : { fields: { ...fields, [name]: value }, before: { ...before, [name]: known } };
    });
  };
  const save = async () => {
    setState('busy');
    try {
      // The person sees the newest state of all other fields, so the change is made from the shown version.
      putEntity(await api.update(kind.plural, entity.id, draft.fields, entity.version));
      setDraft(EMPTY);
      setState('saved');
    } catch (error) {
      if (!(error instanceof VersionConflict)) return setState(error as Error);
      // Nothing was written. If the same fields have changed, the choice appears; otherwise the person saves again.
      putEntity(error.current as Entity);
      setState(
        new Error('Someone else has changed this meanwhile. Nothing was saved; look at it and save again.'),
      );
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (dirty && disputed.length === 0 && state !== 'busy') void save();
  };
  const fields = fieldsOf(kind);
  const settle = (keep: boolean) => {
    setState('idle');
    setDraft(({ fields: own, before }) =>
      keep
        ? { fields: own, before: Object.fromEntries(names.map((name) => [name, entity[name] ?? null])) }
        : {
            fields: Object.fromEntries(Object.entries(own).filter(([name]) => !disputed.includes(name))),
            before: Object.fromEntries(Object.entries(before).filter(([name]) => !disputed.includes(name))),
          },
    );
  };
  return (
    <form onSubmit={submit} className="mt-5 space-y-4" aria-label="Fields">
      {disputed.length > 0 && (
        <section aria-label="Conflict" className="rounded-xl border border-warn bg-warn-wash p-4 text-sm">
          <h2 className="flex items-center gap-2 font-semibold text-warn">
            <TriangleAlert className="size-4 shrink-0" aria-hidden="true" />
            Someone else has changed this meanwhile
          </h2>
          <p className="mt-1">It is at version {entity.version} now. Nothing of yours is saved yet.</p>
          <dl className="mt-2 space-y-2">
            {fields
              .filter(({ name }) => disputed.includes(name))
              .map(({ name, label }) => (
                <div key={name}>
                  <dt className="font-medium">{label}</dt>
                  <dd className="wrap-anywhere">
                    <span className="text-soft">Now: </span>
                    <Visible text={shortValue(entity[name]) || 'empty'} />
                  </dd>
                  <dd className="wrap-anywhere">
                    <span className="text-soft">Yours: </span>
                    <Visible text={shortValue(draft.fields[name]) || 'empty'} />
                  </dd>
                </div>
              ))}
          </dl>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={() => settle(true)}>Keep mine</Button>
            <Button onClick={() => settle(false)}>Take theirs</Button>
          </div>
        </section>
      )}
      {fields.map((field, index) => (
        <FieldInput
          key={field.name}
          field={field}
          value={field.name in draft.fields ? draft.fields[field.name] : entity[field.name]}
          change={(value) => change(field.name, value)}
          required={index === 0}
        />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" type="submit" disabled={!dirty || disputed.length > 0 || state === 'busy'}>
          <Save className="size-4" aria-hidden="true" />
          Save
        </Button>
        {dirty && (
          <Button
            onClick={() => {
              setDraft(EMPTY);
              setState('idle');
            }}
          >
            Discard changes
          </Button>
        )}
        <span role="status" className="text-xs text-soft">
          {state === 'busy' ? 'Saving…' : dirty ? 'Not saved' : state === 'saved' ? 'Saved' : ''}
        </span>
      </div>
      {state instanceof Error && (
        <p role="alert" className="text-sm text-bad">
          {state.message}
        </p>
      )}
    </form>
  );
}
