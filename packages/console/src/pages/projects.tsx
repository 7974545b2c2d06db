// The projects of the workspace, and a form for a new one.

import { Link } from '@tanstack/react-router';
import { FolderKanban, Plus } from 'lucide-react';
import { useId, useState, type FormEvent } from 'react';
import { api, type Kind } from '../knowledge/api.ts';
import { PlaceLink, useGo } from '../knowledge/links-to.tsx';
import { useFeed, useKinds, useList } from '../knowledge/queries.ts';
import { UndoBar } from '../knowledge/undo.tsx';
import { inWords, shortValue, titleOf } from '../knowledge/words.ts';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { PageFrame } from '../ui/page.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

export function Page() {
  useFeed();
  const { data: kinds, error, refetch } = useKinds();
  const project = kinds?.items.find(({ kind }) => kind === 'project');
  return (
    <>
      <PageFrame
        title="Projects"
        about="A project has documents that are its map, and the tasks, goals and other entities around them. You and your agents work on the same project."
      >
        <NewProject />
        {error && !kinds && <Failure error={error} retry={() => void refetch()} />}
        {!kinds && !error && <Loading what="projects" />}
        {project && <Projects kind={project} />}
        <p className="mt-6 text-sm text-soft">
          Removed projects are in the{' '}
          <Link to="/trash" className="rounded text-ink underline underline-offset-2">
            trash
          </Link>{' '}
          for 30 days.
        </p>
      </PageFrame>
      <UndoBar />
    </>
  );
}

function Projects({ kind }: { readonly kind: Kind }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useList(kind, null);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="projects" />;
  const projects = data.pages.flatMap(({ items }) => items);
  if (projects.length === 0)
    return (
      <Empty icon={FolderKanban} title="No projects yet">
        Say in a sentence what yours is about. Your words become its first document.
      </Empty>
    );
  return (
    <>
      <ul aria-label="Projects" className="mt-6 divide-y rounded-xl border bg-raised">
        {projects.map((project) => (
          <li key={project.id} className="relative px-4 py-3 hover:bg-hover">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <PlaceLink
                place={{ project: project.id }}
                className="min-w-0 flex-1 rounded font-medium wrap-anywhere after:absolute after:inset-0"
              >
                <Visible text={titleOf(project)} />
              </PlaceLink>
              {project.state && <span className="text-xs text-soft">{inWords(project.state)}</span>}
              <When at={project.updated_at} className="text-xs text-soft" />
            </div>
            {shortValue(project.purpose) !== '' && (
              <p className="mt-0.5 line-clamp-2 text-sm text-soft wrap-anywhere">
                <Visible text={shortValue(project.purpose)} />
              </p>
            )}
          </li>
        ))}
      </ul>
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
    </>
  );
}

const NAME_CHARACTERS = 60;

/** The first clause of a sentence, as far as a name may be long. */
function nameIn(sentence: string): string {
  const line = sentence.trim().split('\n', 1)[0]!;
  const clause = /^.*?(?=[.!?;:,](?:\s|$)|\s[–—-]\s|$)/u.exec(line)![0].trim();
  if (clause.length <= NAME_CHARACTERS) return clause;
  const cut = clause.slice(0, NAME_CHARACTERS + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), 20)).toWellFormed();
}

const BOX = 'mt-1 w-full rounded-lg border border-strong/60 bg-page px-3 py-2 text-sm';

function NewProject() {
  const [purpose, setPurpose] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [goals, setGoals] = useState('');
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const go = useGo();
  const ids = { purpose: useId(), name: useId(), goals: useId() };
  const name = (typed ?? nameIn(purpose)).trim();
  const create = async () => {
    setState('busy');
    try {
      const wanted = goals
        .split('\n')
        .map((goal) => goal.trim())
        .filter((goal) => goal !== '');
      const { project } = await api.createProject({
        name,
        ...(purpose.trim() !== '' && { purpose: purpose.trim() }),
        ...(wanted.length > 0 && { goals: wanted }),
      });
      go({ project: project.id });
    } catch (error) {
      setState(error as Error);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name !== '' && state !== 'busy') void create();
  };
  const begun = purpose.trim() !== '' || typed !== null;
  return (
    <form onSubmit={submit} aria-label="New project" className="mt-6 rounded-xl border bg-raised p-4">
      <label htmlFor={ids.purpose} className="text-sm font-medium">
        What is the new project about?
      </label>
      <textarea
        id={ids.purpose}
        rows={2}
        maxLength={20_000}
        placeholder="A street party in June for about 80 neighbours, with music and food."
        value={purpose}
        onChange={(event) => setPurpose(event.target.value)}
        className={BOX}
      />
      {begun && (
        <div className="mt-2 grid gap-3 sm:grid-cols-2">
          <div>
            <label htmlFor={ids.name} className="text-sm font-medium">
              Name
            </label>
            <input
              id={ids.name}
              maxLength={200}
              autoComplete="off"
              value={typed ?? nameIn(purpose)}
              onChange={(event) => setTyped(event.target.value)}
              className={BOX}
            />
          </div>
          <div>
            <label htmlFor={ids.goals} className="text-sm font-medium">
              Goals <span className="font-normal text-soft">(optional, one per line)</span>
            </label>
            <textarea
              id={ids.goals}
              rows={2}
              value={goals}
              onChange={(event) => setGoals(event.target.value)}
              className={BOX}
            />
          </div>
        </div>
      )}
      {state instanceof Error && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {state.message}
        </p>
      )}
      <div className="mt-3 flex justify-end">
        <Button kind="primary" type="submit" disabled={name === '' || state === 'busy'}>
          <Plus className="size-4" aria-hidden="true" />
          Create project
        </Button>
      </div>
    </form>
  );
}
