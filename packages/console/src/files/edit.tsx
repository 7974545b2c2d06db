// Edits a text file. New versions by others are shown at once; the draft stays.

import { Save } from 'lucide-react';
import type { EditorState } from '@codemirror/state';
import { Suspense, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { authorWords } from './author.tsx';
import { Conflict } from './conflict.tsx';
import { setDraft, useDraft } from './file-draft.ts';
import { FileBar } from './file-bar.tsx';
import { isMarkdown, nameOf, useFileSearch } from './file-search.ts';
import { useVersionText, type Version } from './queries.ts';
import { useSave } from './save.ts';

const Editor = lazyPart(async () => (await import('./editor.tsx')).default);
const Preview = lazyPart(async () => (await import('./preview.tsx')).default);

export function Edit({ path, versions }: { readonly path: string; readonly versions: readonly Version[] }) {
  const newest = versions[0]!;
  const { file } = newest;
  const { view } = useFileSearch();
  const removed = newest.op === 'remove';
  const draft = useDraft(file);
  const shown = useVersionText(path, file, removed ? (draft?.base ?? newest.version - 1) : newest.version);
  const { state, conflict, setConflict, save } = useSave(path, file, versions);
  const cursor = useRef<EditorState | null>(null);
  const send = () => draft && state.kind !== 'saving' && save(draft);
  useEffect(() => {
    // Outside of the editor, the browser would save the web page.
    const key = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      event.preventDefault();
      if (conflict === null) send();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  });
  if (shown.error && !shown.data) return <Failure error={shown.error} retry={() => void shown.refetch()} />;
  if (!shown.data) return <Loading what={nameOf(path)} />;
  const saved = shown.data;
  const change = (text: string) => {
    const base = draft?.base ?? saved.version;
    setDraft(file, base === saved.version && text === saved.text ? null : { base, text });
  };
  const outdated = draft !== null && !removed && changedSince(versions, draft.base);
  if (conflict !== null && draft)
    return (
      <Conflict
        path={path}
        file={file}
        theirs={versions.find(({ version }) => version === conflict) ?? newest}
        draft={draft}
        state={state}
        cursor={cursor}
        save={save}
        back={() => setConflict(null)}
        discard={() => {
          setConflict(null);
          setDraft(file, null);
        }}
      />
    );
  return (
    <>
      <FileBar path={path} newest={newest}>
        <span role="status" className="text-xs whitespace-nowrap text-soft max-md:sr-only">
          {state.kind === 'saving' ? 'Saving…' : draft ? 'Not saved' : ''}
        </span>
        <Button kind="primary" disabled={!draft || state.kind === 'saving'} onClick={send} title="Ctrl+S">
          <Save className="size-4" aria-hidden="true" />
          <span className="max-md:sr-only">Save</span>
        </Button>
      </FileBar>
      {state.kind === 'failed' && (
        <p role="alert" className="border-b bg-bad-wash px-4 py-2 text-sm text-bad">
          {state.problem} Your changes are still here.
        </p>
      )}
      {draft?.restored && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-accent-wash px-4 py-2 text-sm"
        >
          <span className="min-w-0 flex-1">
            These are your unsaved changes from before the page was reloaded.
          </span>
          <Button onClick={() => setDraft(file, null)}>Discard changes</Button>
        </div>
      )}
      {removed && (
        <p role="status" className="border-b bg-warn-wash px-4 py-2 text-sm text-warn">
          The file was removed. Your changes are still here; saving creates the file again.
        </p>
      )}
      {outdated && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-warn-wash px-4 py-2 text-sm text-warn"
        >
          <span className="min-w-0 flex-1">
            Version {newest.version} was saved in the meantime by {authorWords(newest.author)}. Your changes
            are based on version {draft.base}.
          </span>
          <Button onClick={() => setConflict(newest.version)}>Compare</Button>
        </div>
      )}
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading what={view === 'preview' ? 'the preview' : 'the editor'} />}>
          {view === 'preview' && isMarkdown(path) ? (
            <Preview text={draft?.text ?? saved.text} />
          ) : (
            <Editor
              path={path}
              text={draft?.text ?? saved.text}
              label={`Text of ${path}`}
              change={change}
              save={send}
              cursor={cursor}
            />
          )}
        </Suspense>
      </div>
    </>
  );
}

/** A move does not change the text. */
function changedSince(versions: readonly Version[], base: number): boolean {
  const from = versions.find(({ version }) => version === base);
  return versions[0]!.version > base && versions[0]!.hash !== from?.hash;
}
