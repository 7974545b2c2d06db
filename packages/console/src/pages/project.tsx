// A project: its map (documents and kinds) beside what is open: a document, an entity, or the entities of a kind. A narrow screen
// shows one of the two.

import { Link, useSearch } from '@tanstack/react-router';
import { ChevronLeft, Info, MessageSquarePlus, SearchX, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { BACK, InHeader, useIsNarrow } from '../app/header-slot.tsx';
import { useParam } from '../app/router.tsx';
import { useFileSearch } from '../files/file-search.ts';
import { FileHomeProvider } from '../files/file-home.ts';
import { Versions } from '../files/history.tsx';
import { api, type Kind, type Kinds, type Structure } from '../knowledge/api.ts';
import { DocumentPage } from '../knowledge/document.tsx';
import { DocumentTree } from '../knowledge/document-tree.tsx';
import { EntityPage } from '../knowledge/entity.tsx';
import { KindPage } from '../knowledge/kind-page.tsx';
import { Links } from '../knowledge/links.tsx';
import { PlaceLink, useGo, type Place } from '../knowledge/links-to.tsx';
import { putEntity, useEntity, useFeed, useKinds, useStructure } from '../knowledge/queries.ts';
import { Hits, SearchField } from '../knowledge/search.tsx';
import { offerUndo, UndoBar } from '../knowledge/undo.tsx';
import { RemovedEntity } from '../knowledge/versions.tsx';
import { iconOf, titleOf } from '../knowledge/words.ts';
import { PlanView } from '../plans/plan.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

export function Page() {
  useFeed();
  const project = useParam('project');
  const { data: kinds, error, refetch } = useKinds();
  if (error && !kinds) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!kinds) return <Loading what="the project" />;
  return <Project key={project} id={project} kinds={kinds} />;
}

/** What the rest of the address names. */
type Shown =
  | { readonly what: 'map' | 'about' | 'nothing' }
  | { readonly what: 'kind'; readonly kind: Kind }
  | { readonly what: 'entity'; readonly kind: Kind; readonly id: string };

function shownAt(rest: string, kinds: Kinds): Shown {
  const [plural = '', id = ''] = rest.split('/');
  if (plural === '') return { what: 'map' };
  if (plural === 'about') return { what: 'about' };
  const kind = kinds.items.find((each) => each.plural === plural && each.kind !== 'project');
  if (!kind) return { what: 'nothing' };
  return id === '' ? { what: 'kind', kind } : { what: 'entity', kind, id };
}

function Project({ id, kinds }: { readonly id: string; readonly kinds: Kinds }) {
  const { data: structure, error, refetch } = useStructure(id);
  const { data: project } = useEntity(id);
  const shown = shownAt(useParam('_splat'), kinds);
  const { view } = useFileSearch();
  const [words, setWords] = useState('');
  const name = project ? titleOf(project) : '';
  const projectKind = kinds.items.find(({ kind }) => kind === 'project')!;
  if (isMissing(error) || project?.removed_at) return <RemovedEntity kind={projectKind} id={id} />;
  if (error && !structure) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!structure || !project) return <Loading what="the project" />;
  const open = shown.what !== 'map';
  const document = shown.what === 'entity' && shown.kind.is_file ? shown.id : null;
  const history = document !== null && view === 'history';
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <section
          aria-label={history ? 'History' : 'Map'}
          className={`min-h-0 shrink-0 flex-col bg-panel/50 lg:flex lg:w-72 lg:border-r ${
            history
              ? 'flex max-h-[38%] border-b lg:max-h-none lg:border-b-0'
              : open
                ? 'hidden'
                : 'flex flex-1 lg:flex-none'
          }`}
        >
          {history ? (
            <DocumentVersions project={id} id={document} />
          ) : (
            <>
              <div className="space-y-2.5 px-3 pt-3">
                <ProjectHead name={name} project={id} narrow={!open} />
                <SearchField words={words} change={setWords} />
              </div>
              <div className="min-h-0 flex-1 overflow-y-auto pt-1">
                {words.trim() === '' ? (
                  <>
                    <KindList kinds={kinds} project={id} shown={shown} />
                    <DocumentTree
                      project={id}
                      structure={structure}
                      kind={kinds.items.find(({ kind }) => kind === 'document')!}
                      open={document}
                    />
                  </>
                ) : (
                  <Hits words={words.trim()} project={id} kinds={kinds} />
                )}
              </div>
            </>
          )}
        </section>
        <section
          aria-label="Open"
          className={`min-h-0 min-w-0 flex-1 flex-col ${open ? 'flex' : 'hidden lg:flex'}`}
        >
          {open && <BackToMap name={name} project={id} />}
          <Content shown={shown} project={id} kinds={kinds} structure={structure} />
        </section>
      </div>
      <UndoBar />
    </div>
  );
}

function ProjectHead({
  name,
  project,
  narrow,
}: {
  readonly name: string;
  readonly project: string;
  readonly narrow: boolean;
}) {
  const Name = narrow ? 'h1' : 'p';
  return (
    <div>
      <Link
        to="/projects"
        className="flex w-fit items-center gap-0.5 rounded text-xs text-soft hover:text-ink"
      >
        <ChevronLeft className="size-3.5" aria-hidden="true" />
        Projects
      </Link>
      {/* On a wide screen, what is open has the heading. */}
      <Name className="mt-0.5 line-clamp-3 font-semibold wrap-anywhere lg:hidden">
        <Visible text={name} />
      </Name>
      <p className="mt-0.5 hidden font-semibold lg:block">
        <PlaceLink place={{ project }} className="line-clamp-3 rounded wrap-anywhere hover:underline">
          <Visible text={name} />
        </PlaceLink>
      </p>
      <Link
        to="/"
        search={{ project }}
        className="mt-2 flex items-center justify-center gap-1.5 rounded-lg border bg-raised px-3 py-1.5 text-sm font-medium hover:bg-hover"
      >
        <MessageSquarePlus className="size-4" aria-hidden="true" />
        New chat in this project
      </Link>
    </div>
  );
}

function KindList({
  kinds,
  project,
  shown,
}: {
  readonly kinds: Kinds;
  readonly project: string;
  readonly shown: Shown;
}) {
  const row = (place: Place, here: boolean, Icon: typeof Info, words: string) => (
    <li key={words}>
      <PlaceLink
        place={place}
        aria-current={here ? 'page' : undefined}
        className={`flex items-center gap-2 rounded-md px-2 py-1 text-sm ${here ? 'bg-accent-wash font-medium text-ink' : 'text-soft hover:bg-hover hover:text-ink'}`}
      >
        <Icon className="size-4 shrink-0" aria-hidden="true" />
        {words}
      </PlaceLink>
    </li>
  );
  return (
    <nav aria-label="In this project" className="px-2 py-1">
      <ul className="grid grid-cols-2 gap-px lg:grid-cols-1">
        {row({ project, at: 'about' }, shown.what === 'about', Info, 'About')}
        {kinds.items
          .filter(({ kind }) => kind !== 'project' && kind !== 'document')
          .map((kind) => {
            const here = 'kind' in shown && shown.kind.kind === kind.kind;
            return row({ project, at: kind.plural }, here, iconOf(kind.kind), kind.label.many);
          })}
      </ul>
    </nav>
  );
}

function BackToMap({ name, project }: { readonly name: string; readonly project: string }) {
  if (useIsNarrow())
    return (
      <InHeader at="start">
        <PlaceLink place={{ project }} aria-label={name} title={name} className={BACK}>
          <ChevronLeft className="size-5" aria-hidden="true" />
        </PlaceLink>
      </InHeader>
    );
  return (
    <PlaceLink
      place={{ project }}
      className="flex shrink-0 items-center gap-1 border-b px-3 py-2 text-sm text-soft hover:text-ink lg:hidden"
    >
      <ChevronLeft className="size-4 shrink-0" aria-hidden="true" />
      <span className="truncate">
        <Visible text={name} />
      </span>
    </PlaceLink>
  );
}

interface ContentProps {
  readonly shown: Shown;
  readonly project: string;
  readonly kinds: Kinds;
  readonly structure: Structure;
}

function Content({ shown, project, kinds, structure }: ContentProps) {
  const { view, state } = useSearch({ strict: false }) as Record<string, unknown>;
  switch (shown.what) {
    case 'map':
    case 'about': {
      const kind = kinds.items.find((each) => each.kind === 'project')!;
      return (
        <EntityPage id={project} kind={kind} project={project}>
          <RemoveProject project={project} />
        </EntityPage>
      );
    }
    case 'nothing':
      return (
        <Empty icon={SearchX} title="Page not found" heading="h1">
          The address may be outdated.
        </Empty>
      );
    case 'kind':
      return (
        <KindPage
          key={shown.kind.kind}
          kind={shown.kind}
          project={project}
          view={view === 'table' ? 'table' : 'board'}
          state={typeof state === 'string' ? state : null}
        />
      );
    case 'entity':
      if (shown.kind.kind === 'plan')
        return (
          <PlanView key={shown.id} id={shown.id}>
            <PlanLinks id={shown.id} kind={shown.kind} />
          </PlanView>
        );
      return shown.kind.is_file ? (
        <DocumentPage
          key={shown.id}
          id={shown.id}
          kind={shown.kind}
          project={project}
          structure={structure}
        />
      ) : (
        <EntityPage key={shown.id} id={shown.id} kind={shown.kind} project={project} />
      );
  }
}

function PlanLinks({ id, kind }: { readonly id: string; readonly kind: Kind }) {
  const { data: plan } = useEntity(id);
  return plan ? <Links entity={plan} kind={kind} /> : null;
}

function RemoveProject({ project }: { readonly project: string }) {
  const [asking, setAsking] = useState(false);
  const go = useGo();
  const { data: entity } = useEntity(project);
  const name = entity ? titleOf(entity) : '';
  const remove = async () => {
    await api.remove('projects', project);
    offerUndo({
      text: `Removed the project “${name}” with all that is in it.`,
      restore: async () => {
        putEntity(await api.restore('projects', project));
        go({ project });
      },
    });
  };
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        <Trash2 className="size-4" aria-hidden="true" />
        Remove project…
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={<Visible text={`Remove “${name}”?`} />}
        action="Remove"
        act={remove}
      >
        Its documents, tasks and everything else in it are removed with it. You can restore the project for 30
        days at this address; after that it is deleted permanently.
      </Confirm>
    </>
  );
}

function DocumentVersions({ project, id }: { readonly project: string; readonly id: string }) {
  const { data: entity } = useEntity(id);
  if (!entity) return <Loading what="the versions" />;
  const path = entity.path as string;
  return (
    <FileHomeProvider
      value={{ path, to: '/projects/$project/$', params: { project, _splat: `documents/${id}` } }}
    >
      <Versions path={path} />
    </FileHomeProvider>
  );
}
