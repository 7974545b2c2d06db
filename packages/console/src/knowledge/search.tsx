// The search of a project: titles and texts of all kinds, with snippets.

import { Search, SearchX } from 'lucide-react';
import { useDeferredValue } from 'react';
import { marked } from '../ui/marked.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { LinkToFile } from '../files/link-to-file.tsx';
import type { Kinds, SearchHit } from './api.ts';
import { PlaceLink } from './links-to.tsx';
import { useSearchHits } from './queries.ts';
import { iconOf, inWords } from './words.ts';

export function SearchField({
  words,
  change,
}: {
  readonly words: string;
  readonly change: (words: string) => void;
}) {
  return (
    <div className="relative">
      <Search className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft" aria-hidden="true" />
      <input
        type="search"
        aria-label="Search this project"
        placeholder="Search this project"
        value={words}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && change('')}
        className="w-full rounded-lg border bg-page py-1 pr-2 pl-8 text-sm"
      />
    </div>
  );
}

interface HitsProps {
  readonly words: string;
  readonly project: string;
  readonly kinds: Kinds;
}

export function Hits({ words, project, kinds }: HitsProps) {
  const { data, error, refetch } = useSearchHits(useDeferredValue(words), project);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  const hits = data?.filter((hit): hit is SearchHit => hit.entity_id !== undefined);
  if (hits?.length === 0)
    return (
      <Empty icon={SearchX} title="Nothing found">
        Try fewer or other words.
      </Empty>
    );
  return (
    <ul aria-label="Search results" className="px-2 pb-4">
      {hits?.map((hit) => (
        <Hit key={hit.entity_id} hit={hit} words={words} project={project} kinds={kinds} />
      ))}
    </ul>
  );
}

const ROW = 'block rounded-md px-2 py-1.5 text-sm hover:bg-hover';

function Hit({ hit, words, project, kinds }: { readonly hit: SearchHit } & HitsProps) {
  const kind = kinds.items.find((each) => each.kind === hit.entity_type);
  const Icon = iconOf(kind ? kind.kind : 'document');
  const content = (
    <>
      <span className="flex items-center gap-2">
        <Icon className="size-4 shrink-0 text-soft" aria-hidden="true" />
        <span className="sr-only">{kind?.label.one ?? inWords(hit.entity_type)}: </span>
        <span className="truncate">
          <Visible text={hit.title} />
        </span>
      </span>
      {hit.snippet && (
        <span className="mt-0.5 line-clamp-3 pl-6 text-xs text-soft wrap-anywhere">
          {marked(hit.snippet, words)}
        </span>
      )}
    </>
  );
  // A file that is not a document, or a chat.
  if (!kind)
    return (
      <li>
        <LinkToFile path={hit.path ?? '/'} className={ROW}>
          {content}
        </LinkToFile>
      </li>
    );
  const at = kind.kind === 'project' ? 'about' : `${kind.plural}/${hit.entity_id}`;
  return (
    <li>
      <PlaceLink place={{ project: hit.project_id ?? project, at }} className={ROW}>
        {content}
      </PlaceLink>
    </li>
  );
}
