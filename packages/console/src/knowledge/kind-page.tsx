// The entities of one kind in a project, as a board by state or as a table.

import { Columns3, Plus, Table2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTitle } from '../app/title.ts';
import { Button } from '../ui/button.tsx';
import { api, type Kind } from './api.ts';
import { Board } from './board.tsx';
import { EntityDialog } from './entity-dialog.tsx';
import { PlaceLink } from './links-to.tsx';
import { EntityTable } from './table.tsx';
import { iconOf } from './words.ts';

interface KindPageProps {
  readonly kind: Kind;
  readonly project: string;
  readonly view: 'board' | 'table';
  /** Limits the table to a state. */
  readonly state: string | null;
}

export function KindPage({ kind, project, view, state }: KindPageProps) {
  useTitle(kind.label.many);
  const [creating, setCreating] = useState(false);
  const Icon = iconOf(kind.kind);
  const one = kind.label.one.toLowerCase();
  const board = kind.states !== null && view === 'board';
  const create = async (fields: Record<string, unknown>) => {
    await api.create(kind.plural, { ...fields, project_id: project });
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-3 pb-3 sm:px-6 md:pt-5">
        {/* On a narrow screen the header of the console has the title. */}
        <h1 className="flex items-center gap-2 text-xl font-semibold tracking-tight max-md:sr-only">
          <Icon className="size-5 text-soft" aria-hidden="true" />
          {kind.label.many}
        </h1>
        {kind.states && (
          <nav aria-label="View" className="flex rounded-lg border p-0.5">
            <ViewLink kind={kind} project={project} view="board" here={board}>
              <Columns3 className="size-4 max-sm:hidden" aria-hidden="true" /> Board
            </ViewLink>
            <ViewLink kind={kind} project={project} view="table" here={!board}>
              <Table2 className="size-4 max-sm:hidden" aria-hidden="true" /> Table
            </ViewLink>
          </nav>
        )}
        <Button kind="primary" className="ml-auto" onClick={() => setCreating(true)}>
          <Plus className="size-4" aria-hidden="true" />
          New {one}
        </Button>
      </header>
      {board ? (
        <Board kind={kind} project={project} />
      ) : (
        <EntityTable kind={kind} project={project} state={state} />
      )}
      {creating && (
        <EntityDialog
          kind={kind}
          title={`New ${one}`}
          action="Create"
          close={() => setCreating(false)}
          act={create}
        />
      )}
    </div>
  );
}

interface ViewLinkProps {
  readonly kind: Kind;
  readonly project: string;
  readonly view: 'board' | 'table';
  readonly here: boolean;
  readonly children: ReactNode;
}

function ViewLink({ kind, project, view, here, children }: ViewLinkProps) {
  return (
    <PlaceLink
      place={{ project, at: kind.plural, search: view === 'board' ? {} : { view } }}
      aria-current={here ? 'page' : undefined}
      className={`flex items-center gap-1.5 rounded-md px-2.5 py-1 text-sm ${here ? 'bg-hover font-medium' : 'text-soft hover:text-ink'}`}
    >
      {children}
    </PlaceLink>
  );
}
