// The links of an entity, both ways; links can be added, from the relations that its kind allows, and removed.

import { Link2, Plus, X } from 'lucide-react';
import { useId, useState, type FormEvent } from 'react';
import type { Entity } from '@continuo/protocol';
import { Button, IconButton } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { api, type Kind, type Kinds, type Link } from './api.ts';
import { EntityPicker } from './entity-picker.tsx';
import { PlaceLink } from './links-to.tsx';
import { useKinds, useLinks } from './queries.ts';
import { iconOf, inWords } from './words.ts';

export function Links({ entity, kind }: { readonly entity: Entity; readonly kind: Kind }) {
  const { data: links, error, refetch } = useLinks(entity.id);
  const [adding, setAdding] = useState(false);
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-8">
      <div className="flex items-center justify-between">
        <h2 id={id} className="text-sm font-semibold">
          Links
        </h2>
        {!adding && (
          <Button kind="quiet" onClick={() => setAdding(true)}>
            <Plus className="size-4" aria-hidden="true" />
            Add link
          </Button>
        )}
      </div>
      {adding && <NewLink entity={entity} kind={kind} close={() => setAdding(false)} />}
      {error && !links && <Failure error={error} retry={() => void refetch()} />}
      {!links && !error && <Loading what="the links" />}
      {links?.length === 0 && !adding && <p className="mt-1 text-sm text-soft">No links yet.</p>}
      {links && links.length > 0 && (
        <ul aria-label="Links" className="mt-2 divide-y rounded-xl border bg-raised">
          {links.map((link) => (
            <LinkRow key={link.id} link={link} project={entity.project_id ?? entity.id} />
          ))}
        </ul>
      )}
    </section>
  );
}

function LinkRow({ link, project }: { readonly link: Link; readonly project: string }) {
  const { data: kinds } = useKinds();
  const [problem, setProblem] = useState<string | null>(null);
  const { entity } = link;
  const plural = kinds?.items.find(({ kind }) => kind === entity.kind)?.plural;
  const Icon = iconOf(entity.kind);
  const remove = () => api.unlink(link.id).catch((error: Error) => setProblem(error.message));
  const place =
    entity.kind === 'project'
      ? { project: entity.id, at: 'about' }
      : { project: entity.project_id ?? project, at: `${plural}/${entity.id}` };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-4 py-1.5 text-sm">
      <span className="text-soft">{link.label}</span>
      <Icon className="size-4 shrink-0 text-soft" aria-hidden="true" />
      <PlaceLink
        place={place}
        className="min-w-0 underline decoration-strong underline-offset-2 wrap-anywhere hover:decoration-current"
      >
        <Visible text={entity.title} />
      </PlaceLink>
      {entity.state && <span className="text-xs text-soft">{inWords(entity.state)}</span>}
      <IconButton
        label={`Remove the link: ${link.label} ${entity.title}`}
        className="ml-auto"
        onClick={() => void remove()}
      >
        <X />
      </IconButton>
      {problem && (
        <p role="alert" className="w-full text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}

interface Choice {
  readonly value: string;
  readonly rel: string;
  readonly label: string;
  readonly out: boolean;
  /** The kinds at the other end; null: any. */
  readonly ends: readonly string[] | null;
}

/** Each relation reads one way or the other; only those that may start or end at this kind. */
function choicesFor(kind: string, { relations }: Kinds): Choice[] {
  const at = (ends: readonly string[] | null) => ends === null || ends.includes(kind);
  return relations.flatMap(({ rel, forward, backward, from, to }) => [
    ...(at(from) ? [{ value: `out ${rel}`, rel, label: forward, out: true, ends: to }] : []),
    ...(at(to) ? [{ value: `in ${rel}`, rel, label: backward, out: false, ends: from }] : []),
  ]);
}

function NewLink({
  entity,
  kind,
  close,
}: {
  readonly entity: Entity;
  readonly kind: Kind;
  readonly close: () => void;
}) {
  const { data: kinds } = useKinds();
  const choices = kinds ? choicesFor(kind.kind, kinds) : [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [end, setEnd] = useState<{ id: string; title: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const relationId = useId();
  const choice = choices.find(({ value }) => value === chosen) ?? choices[0];
  if (!kinds || !choice) return <Loading what="the relations" />;
  const add = async () => {
    if (!end) return;
    const [from_id, to_id] = choice.out ? [entity.id, end.id] : [end.id, entity.id];
    try {
      await api.link({ from_id, to_id, rel: choice.rel });
      close();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void add();
  };
  const ends = kinds.items.filter((each) => choice.ends === null || choice.ends.includes(each.kind));
  return (
    <form onSubmit={submit} aria-label="New link" className="mt-2 space-y-3 rounded-xl border bg-raised p-4">
      <div>
        <label htmlFor={relationId} className="text-sm font-medium">
          This {kind.label.one.toLowerCase()}
        </label>
        <select
          id={relationId}
          autoFocus
          value={choice.value}
          onChange={(event) => {
            setChosen(event.target.value);
            setEnd(null);
            setProblem(null);
          }}
          className="mt-1 w-full rounded-lg border border-strong/60 bg-page px-3 py-1.5 text-sm"
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <EntityPicker
        key={choice.value}
        project={entity.project_id ?? entity.id}
        kinds={ends.filter((each) => each.kind !== 'project')}
        except={entity.id}
        chosen={end}
        choose={setEnd}
      />
      {problem && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={!end}>
          <Link2 className="size-4" aria-hidden="true" />
          Link
        </Button>
      </div>
    </form>
  );
}
