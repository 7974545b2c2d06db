// A piece of content: its preview, its changes since the live version, its problems, its versions, and publishing.

import { CircleCheck, Newspaper, SearchX, TriangleAlert } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTitle } from '../app/title.ts';
import { AuthorName } from '../files/author.tsx';
import { useDraft } from '../files/file-draft.ts';
import { LinkToFile } from '../files/link-to-file.tsx';
import { useHistory, useVersionText } from '../files/queries.ts';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/format.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Empty, Failure, isMissing, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { Actions } from './actions.tsx';
import { checksOf } from './checks.ts';
import { Preview } from './preview.tsx';
import { PublishingQuestion } from './question.tsx';
import {
  inWords,
  isStored,
  pieceOf,
  titleOf,
  useCheck,
  useLive,
  usePieces,
  usePublishingApprovals,
  type Checked,
  type Piece,
} from './queries.ts';
import { PieceState } from './state.tsx';

const Compare = lazyPart(async () => (await import('../files/compare.tsx')).default);
const Write = lazyPart(async () => (await import('./write.tsx')).default);

export function ArticleView({ type, slug }: { readonly type: string; readonly slug: string }) {
  const { data: pieces, error, refetch } = usePieces(type);
  const piece = pieces?.find((each) => each.slug === slug);
  useTitle(piece ? titleOf(piece) : inWords(slug));
  if (isMissing(error) || (pieces && !piece))
    return (
      <Empty icon={SearchX} title="Nothing here" heading="h1">
        The piece may have been renamed or removed. All pieces are on the page Content.
      </Empty>
    );
  if (error && !pieces) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!piece) return <Loading what="the piece" />;
  return (
    <div
      className="relative min-h-0 flex-1 overflow-y-auto"
      tabIndex={0}
      data-quiet-focus
      role="region"
      aria-label="Piece of content"
    >
      <div className="mx-auto max-w-6xl px-4 py-6 sm:px-6">
        <Article piece={piece} />
      </div>
    </div>
  );
}

type View = 'preview' | 'changes' | 'write';
const VIEWS: Readonly<Record<View, string>> = {
  preview: 'Preview',
  changes: 'What changes',
  write: 'Edit the text',
};

function Article({ piece }: { readonly piece: Piece }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const version = chosen ?? piece.version;
  const { data: checked, error } = useCheck(piece, version);
  const { data: live } = useLive(piece);
  // A removed file has only what is live.
  const shown = version === null ? live : error ? undefined : checked;
  const [chosenView, setView] = useState<View | null>(null);
  const hasDraft = useDraft(piece.file_id ?? '') !== null;
  const isEmpty = checked?.words === 0 && piece.live === null;
  const view = chosenView ?? (hasDraft || isEmpty ? 'write' : 'preview');
  const differs = piece.live !== null && version !== null && piece.live.version !== version;
  const views: readonly View[] = [
    'preview',
    ...(differs ? (['changes'] as const) : []),
    ...(piece.path === null ? [] : (['write'] as const)),
  ];
  return (
    <>
      <Head piece={piece} title={shown?.title ?? titleOf(piece)} />
      <Waiting piece={piece} />
      <div className="mt-5 grid gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          {views.length > 1 && (
            <div role="group" aria-label="Show" className="mb-3 flex flex-wrap gap-1">
              {views.map((each) => (
                <Button
                  key={each}
                  kind={view === each ? 'plain' : 'quiet'}
                  aria-pressed={view === each}
                  onClick={() => {
                    // The newest version is the one that is written on.
                    if (each === 'write') setChosen(null);
                    setView(each);
                  }}
                >
                  {VIEWS[each]}
                </Button>
              ))}
            </div>
          )}
          {view === 'write' && isStored(piece) ? (
            <Suspense fallback={<Loading what="the text" />}>
              <Write piece={piece} saved={() => setView('preview')} />
            </Suspense>
          ) : differs && view === 'changes' ? (
            <Changes piece={piece} version={version} />
          ) : shown ? (
            <Preview piece={shown} />
          ) : error ? (
            <p className="rounded-xl border bg-raised p-5 text-sm text-soft">
              It can be shown when its problems are corrected. To do that, choose “Edit the text”.
            </p>
          ) : (
            <Loading what="the piece" />
          )}
        </div>
        <div className="space-y-5">
          <Actions
            key={version}
            piece={piece}
            version={version}
            canPublish={!error && checked !== undefined && checked.problems.length === 0}
          />
          {version !== null && <Checks error={error} checked={error ? undefined : checked} />}
          {piece.path !== null && (
            <Versions piece={piece} path={piece.path} version={version} choose={setChosen} />
          )}
        </div>
      </div>
    </>
  );
}

function Head({ piece, title }: { readonly piece: Piece; readonly title: string }) {
  return (
    <header className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 text-xs font-medium text-soft">
          <Newspaper className="size-3.5" aria-hidden="true" />
          {inWords(piece.type)}
          <PieceState piece={piece} />
        </p>
        <h1 className="mt-1 text-xl font-semibold tracking-tight wrap-anywhere">
          <Visible text={title} />
        </h1>
      </div>
    </header>
  );
}

/** An agent that asks to publish this piece, or to take it off. */
function Waiting({ piece }: { readonly piece: Piece }) {
  const waiting = usePublishingApprovals().filter((approval) => {
    const about = pieceOf(approval);
    return about?.type === piece.type && about.slug === piece.slug;
  });
  return waiting.map((approval) => (
    <div key={approval.id} className="mt-4 overflow-hidden rounded-xl border bg-raised">
      <PublishingQuestion approval={approval} isOnItsPage />
    </div>
  ));
}

function Changes({ piece, version }: { readonly piece: Piece; readonly version: number }) {
  const path = piece.path!;
  const live = piece.live!.version;
  const before = useVersionText(path, piece.file_id!, live);
  const after = useVersionText(path, piece.file_id!, version);
  const error = before.error ?? after.error;
  if (error) return <Failure error={error} />;
  if (before.data?.version !== live || after.data?.version !== version)
    return <Loading what="the versions" />;
  return (
    <section aria-label="What changes" className="h-[32rem] overflow-hidden rounded-xl border">
      <Suspense fallback={<Loading what="the comparison" />}>
        <Compare
          path={path}
          before={before.data.text}
          after={after.data.text}
          beforeLabel={`Live: version ${live}`}
          afterLabel={`Version ${version}`}
        />
      </Suspense>
    </section>
  );
}

interface Problem {
  readonly line: number | null;
  readonly sentence: string;
}

function Checks({ error, checked }: { readonly error: Error | null; readonly checked: Checked | undefined }) {
  const problems: readonly Problem[] = error ? problemsOf(error) : (checked?.problems ?? []);
  return (
    <section aria-label="Checks" className="rounded-xl border bg-raised p-4 text-sm">
      <h2 className="font-semibold">Checks</h2>
      <ul className="mt-2 space-y-2.5">
        {problems.map(({ line, sentence }) => (
          <Finding
            key={`${line}:${sentence}`}
            look="bad"
            name="Must be corrected"
            text={problemInWords(sentence)}
          />
        ))}
        {checked && problems.length === 0 && (
          <Finding look="good" name="Links and fields" text="Every link leads somewhere." />
        )}
        {checked?.warnings.map((warning) => (
          <Finding key={warning.sentence} look="warn" name="Good to know" text={warning.sentence} />
        ))}
        {checked && checked.files.length > 0 && (
          <Finding
            look="good"
            name="Files that readers get with it"
            text={checked.files.map(({ path }) => path).join(', ')}
          />
        )}
        {checked &&
          checksOf(checked).map(({ name, isGood, text }) => (
            <Finding key={name} look={isGood ? 'good' : 'warn'} name={name} text={text} />
          ))}
      </ul>
    </section>
  );
}

/** `seo_title: is missing` becomes `SEO title is missing`. */
function problemInWords(sentence: string): string {
  return sentence.replace(
    /^([a-z][a-z\d_]*)(?:\[\d+\])?: (?=must |is )/,
    (_, name: string) => `${inWords(name)} `,
  );
}

/** The server names the problems of a piece that cannot be read at all. */
function problemsOf(error: Error): readonly Problem[] {
  const { problems } = (error as { problem?: { problems?: readonly Problem[] } }).problem ?? {};
  return problems && problems.length > 0 ? problems : [{ line: null, sentence: error.message }];
}

const LOOK = {
  good: { icon: CircleCheck, className: 'text-good', label: 'Good' },
  warn: { icon: TriangleAlert, className: 'text-warn', label: 'Could be better' },
  bad: { icon: TriangleAlert, className: 'text-bad', label: 'Problem' },
} as const;

function Finding({
  look,
  name,
  text,
}: {
  readonly look: keyof typeof LOOK;
  readonly name: string;
  readonly text: string;
}) {
  const { icon: Icon, className, label } = LOOK[look];
  return (
    <li className="flex gap-2.5">
      <span className="mt-0.5 shrink-0" title={label}>
        <Icon className={`size-4 ${className}`} aria-hidden="true" />
        <span className="sr-only">{label}: </span>
      </span>
      <span className="min-w-0">
        <span className="font-medium">{name}</span>
        <span className="block text-soft wrap-anywhere">
          <Visible text={`${text.charAt(0).toUpperCase()}${text.slice(1)}`} />
        </span>
      </span>
    </li>
  );
}

/** How many versions are listed; the rest are on the page of the file. */
const SHOWN = 8;

interface VersionsProps {
  readonly piece: Piece;
  readonly path: string;
  readonly version: number | null;
  readonly choose: (version: number | null) => void;
}

function Versions({ piece, path, version, choose }: VersionsProps) {
  const { data } = useHistory(path);
  const versions = (data?.pages[0]?.items ?? []).filter(({ op }) => op !== 'remove').slice(0, SHOWN);
  return (
    <section aria-label="Versions" className="rounded-xl border bg-raised p-4 text-sm">
      <h2 className="font-semibold">Versions</h2>
      <ul className="mt-2 -mx-2 space-y-px">
        {versions.map((each) => (
          <li key={each.version}>
            <button
              type="button"
              aria-pressed={each.version === version}
              onClick={() => choose(each.version === piece.version ? null : each.version)}
              className={`w-full rounded-lg px-2 py-1.5 text-left ${each.version === version ? 'bg-accent-wash' : 'hover:bg-hover'}`}
            >
              <span className="flex items-baseline gap-2">
                <span className="font-medium">Version {each.version}</span>
                {each.version === piece.live?.version && <span className="text-xs text-good">live</span>}
                {each.version === piece.scheduled?.version && (
                  <span className="text-xs text-accent">scheduled</span>
                )}
                <When at={each.at} className="ml-auto text-xs text-soft" />
              </span>
              <span className="block text-xs text-soft">
                <AuthorName author={each.author} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <LinkToFile
        path={path}
        search={{ view: 'history' }}
        className="mt-2 inline-block text-xs text-soft underline hover:text-ink"
      >
        Compare and restore versions
      </LinkToFile>
    </section>
  );
}
