// A text, to read and to change. Whoever else writes meanwhile is seen at once; what is being typed stays.

import { Save } from 'lucide-react';
import type { EditorState } from '@codemirror/state';
import { Suspense, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { part } from '../ui/part.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { authorWords } from './author.tsx';
import { Conflict } from './conflict.tsx';
import { setDraft, useDraft } from './draft.ts';
import { FileBar } from './bar.tsx';
import { nameOf } from './address.ts';
import { useVersionText, type Version } from './queries.ts';
import { useSave } from './save.ts';

const Editor = part(async () => (await import('./editor.tsx')).default);

export function Edit({ path, versions }: { readonly path: string; readonly versions: readonly Version[] }) {
  const newest = versions[0]!;
  const { file } = newest;
  const removed = newest.op === 'remove';
  const draft = useDraft(file);
  const shown = useVersionText(path, file, removed ? (draft?.base ?? newest.version - 1) : newest.version);
  const { state, conflict, setConflict, save } = useSave(path, file, versions);
  const cursor = useRef<EditorState | null>(null);
  const send = () => draft && state.kind !== 'saving' && save(draft);
  useEffect(() => {
    // Where the focus is elsewhere on the page, the browser would save the page itself.
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
  const behind = draft !== null && !removed && changedSince(versions, draft.base);
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
        <span role="status" className="text-xs whitespace-nowrap text-soft">
          {state.kind === 'saving' ? 'Saving…' : draft ? 'Not saved' : ''}
        </span>
        <Button kind="primary" disabled={!draft || state.kind === 'saving'} onClick={send} title="Ctrl+S">
          <Save className="size-4" aria-hidden="true" />
          Save
        </Button>
      </FileBar>
      {state.kind === 'failed' && (
        <p role="alert" className="border-b bg-bad-wash px-4 py-2 text-sm text-bad">
          {state.problem} What you typed is still here.
        </p>
      )}
      {draft?.restored && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-accent-wash px-4 py-2 text-sm"
        >
          <span className="min-w-0 flex-1">
            This is what you typed before the page was loaded again. It is not saved.
          </span>
          <Button onClick={() => setDraft(file, null)}>Discard it</Button>
        </div>
      )}
      {removed && (
        <p role="status" className="border-b bg-warn-wash px-4 py-2 text-sm text-warn">
          The file was removed. What you typed is still here; saving makes it anew.
        </p>
      )}
      {behind && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-warn-wash px-4 py-2 text-sm text-warn"
        >
          <span className="min-w-0 flex-1">
            Version {newest.version} was written meanwhile, by {authorWords(newest.author).toLowerCase()}.
            Yours began at version {draft.base}.
          </span>
          <Button onClick={() => setConflict(newest.version)}>Compare</Button>
        </div>
      )}
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading what="the editor" />}>
          <Editor
            path={path}
            text={draft?.text ?? saved.text}
            label={`Text of ${path}`}
            change={change}
            save={send}
            cursor={cursor}
          />
        </Suspense>
      </div>
    </>
  );
}

/** A move alone is no change of the text. */
function changedSince(versions: readonly Version[], base: number): boolean {
  const from = versions.find(({ version }) => version === base);
  return versions[0]!.version > base && versions[0]!.hash !== from?.hash;
}
