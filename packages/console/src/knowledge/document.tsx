// A document: its title, description and links, and its text in the editor of files.

import { FileText } from 'lucide-react';
import { useState } from 'react';
import { useTitle } from '../app/title.ts';
import { FileAt } from '../files/file.tsx';
import { FileHomeProvider } from '../files/file-home.ts';
import { Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import type { Kind, Structure } from './api.ts';
import { Links } from './links.tsx';
import { PlaceLink } from './links-to.tsx';
import { useEntity } from './queries.ts';
import { spotsIn } from './tree-moves.ts';
import { RemovedEntity } from './versions.tsx';
import { titleOf } from './words.ts';

interface DocumentPageProps {
  readonly id: string;
  readonly kind: Kind;
  readonly project: string;
  readonly structure: Structure | undefined;
}

export function DocumentPage({ id, kind, project, structure }: DocumentPageProps) {
  const { data: entity, error, refetch } = useEntity(id);
  const [linksOpen, setLinksOpen] = useState(false);
  useTitle(entity ? titleOf(entity) : '');
  if (isMissing(error) || entity?.removed_at) return <RemovedEntity kind={kind} id={id} />;
  if (error && !entity) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!entity) return <Loading what="the document" />;
  const path = entity.path as string;
  const count = entity.edges.length;
  return (
    <FileHomeProvider
      value={{ path, to: '/projects/$project/$', params: { project, _splat: `documents/${id}` } }}
    >
      <header className="px-4 pt-4 pb-2">
        <Above id={id} project={project} structure={structure} />
        <h1 className="flex items-start gap-2 text-lg font-semibold tracking-tight wrap-anywhere">
          <FileText className="mt-1 size-4.5 shrink-0 text-soft" aria-hidden="true" />
          <Visible text={titleOf(entity)} />
        </h1>
        {typeof entity.description === 'string' && entity.description !== '' && (
          <p className="mt-0.5 line-clamp-3 text-sm text-soft wrap-anywhere">
            <Visible text={entity.description} />
          </p>
        )}
        <details onToggle={(event) => setLinksOpen(event.currentTarget.open)} className="mt-1 text-sm">
          <summary className="w-fit rounded text-xs text-soft hover:text-ink">
            {count === 0 ? 'Links' : count === 1 ? '1 link' : `${count} links`}
          </summary>
          {linksOpen && (
            <div
              className="max-h-72 overflow-y-auto pb-2"
              tabIndex={0}
              role="region"
              aria-label="Links of the document"
            >
              <Links entity={entity} kind={kind} />
            </div>
          )}
        </details>
      </header>
      <FileAt key={path} path={path} />
    </FileHomeProvider>
  );
}

/** The documents above this one. */
function Above({ id, project, structure }: Omit<DocumentPageProps, 'kind'>) {
  const spot = structure && spotsIn(structure.root).get(id);
  const above: string[] = [];
  for (let each = spot?.parent; each; each = each.parent) above.unshift(each.node.id);
  if (above.length === 0) return null;
  return (
    <nav aria-label="Above" className="flex flex-wrap gap-x-1 text-xs text-soft">
      {above.map((each) => (
        <span key={each} className="wrap-anywhere">
          <PlaceLink place={{ project, at: `documents/${each}` }} className="hover:text-ink hover:underline">
            <Visible text={structure?.documents.get(each)?.title ?? '…'} />
          </PlaceLink>{' '}
          /
        </span>
      ))}
    </nav>
  );
}
