// Resolves a conflict: shows the saved version and the draft side by side. Nothing is lost: the other text is a
// version, and the draft is discarded only when the person says so.

import type { EditorState } from '@codemirror/state';
import { Suspense, useEffect, useRef, useState, type RefObject } from 'react';
import { Button } from '../ui/button.tsx';
import { takeOverFocus } from '../ui/focus.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { authorWords, capitalized } from './author.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { setDraft, type Draft } from './file-draft.ts';
import { useVersionText, type Version } from './queries.ts';
import type { SaveState } from './save.ts';

const Compare = lazyPart(async () => (await import('./compare.tsx')).default);

interface ConflictProps {
  readonly path: string;
  readonly file: string;
  readonly theirs: Version;
  readonly draft: Draft;
  readonly state: SaveState;
  readonly cursor: RefObject<EditorState | null>;
  readonly save: (draft: Draft, merge?: boolean) => void;
  readonly back: () => void;
  readonly discard: () => void;
}

export function Conflict({ path, file, theirs, draft, state, cursor, save, back, discard }: ConflictProps) {
  const { data, error, refetch } = useVersionText(path, file, theirs.version);
  const [sure, setSure] = useState(false);
  const busy = state.kind === 'saving';
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!busy) takeOverFocus(heading.current);
  }, [busy]);
  return (
    <section aria-label="Conflict" className="flex min-h-0 flex-1 flex-col">
      <div className="border-b bg-warn-wash px-4 py-3">
        <h1 ref={heading} tabIndex={-1} data-quiet-focus className="text-sm font-semibold text-warn">
          Someone else changed {path}
        </h1>
        <p className="mt-0.5 text-sm">
          {capitalized(authorWords(theirs.author))} wrote version {theirs.version} while you were editing
          version {draft.base}. Edit your side and save it; version {theirs.version} stays in the history.
        </p>
        {state.kind === 'failed' && (
          <p role="alert" className="mt-1 text-sm text-bad">
            {state.problem}
          </p>
        )}
        <div className="mt-2.5 flex flex-wrap gap-2">
          <Button
            kind="primary"
            disabled={busy}
            onClick={() => save({ base: theirs.version, text: draft.text })}
          >
            Save my side
          </Button>
          <Button disabled={busy} onClick={() => save(draft, true)}>
            Merge by lines
          </Button>
          <Button disabled={busy} onClick={back}>
            Keep editing
          </Button>
          <Button kind="danger" disabled={busy} onClick={() => setSure(true)}>
            Discard mine…
          </Button>
        </div>
      </div>
      <div className="min-h-0 flex-1">
        {error && !data ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : data?.version !== theirs.version ? (
          <Loading what="what is there" />
        ) : (
          <Suspense fallback={<Loading what="the comparison" />}>
            <Compare
              path={path}
              before={data.text}
              after={draft.text}
              beforeLabel={`Version ${theirs.version} (current)`}
              afterLabel="Yours, not saved"
              change={(text) => setDraft(file, { ...draft, text })}
              cursor={cursor}
            />
          </Suspense>
        )}
      </div>
      <Confirm
        open={sure}
        close={() => setSure(false)}
        title="Discard your changes?"
        action="Discard"
        act={async () => discard()}
      >
        The file stays at version {theirs.version}. Your changes are not in any version and will be lost.
      </Confirm>
    </section>
  );
}
