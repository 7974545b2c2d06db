// Saves a draft as a new version of its base. If the file has changed since, nothing is written and the draft stays.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { draftOf, setDraft, type Draft } from './file-draft.ts';
import { historyKey, textKey, type Version, type VersionText } from './queries.ts';

export type SaveState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'failed'; readonly problem: string };

interface Current {
  readonly version: number;
  readonly hash: string;
}

export function useSave(path: string, file: string, versions: readonly Version[]) {
  const cache = useQueryClient();
  const [state, setState] = useState<SaveState>({ kind: 'idle' });
  /** The version that conflicts with the draft. */
  const [conflict, setConflict] = useState<number | null>(null);

  const write = async ({ base, text }: Draft, merge: boolean): Promise<void> => {
    const removed = versions[0]?.op === 'remove';
    const written = await client.files.write(path, text, {
      base: removed ? null : base,
      ...(merge && { onConflict: 'merge' }),
    });
    const { id, version } = written;
    // The merged text, even if nothing was merged: the others may have written the same.
    const now = merge ? await (await client.files.read(path, { version })).text() : text;
    const rebase = merge ? (await import('./rebase.ts')).rebase : null;
    cache.setQueryData<VersionText>(textKey(id, version), { version, text: now });
    setConflict(null);
    // Text typed during the save belongs to the next version.
    const typed = draftOf(file)?.text ?? text;
    const later = typed !== text;
    setDraft(file, { base: version, text: !later ? now : rebase ? rebase(text, typed, now) : typed });
    await cache.invalidateQueries({ queryKey: historyKey(path) });
    if (!later && draftOf(file)?.text === now) setDraft(file, null);
    void cache.invalidateQueries({ queryKey: keys.files });
  };

  /** Only the path changed, or the text was changed and changed back: there is no conflict. */
  const sameAs = (base: number, { hash }: Current) =>
    versions.some((version) => version.version === base && version.hash === hash);

  const save = async (draft: Draft, merge = false): Promise<void> => {
    setState({ kind: 'saving' });
    try {
      await write(draft, merge);
      setState({ kind: 'idle' });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'version_conflict')
        return setState({ kind: 'failed', problem: (error as Error).message });
      const current = error.problem.current as Current | null;
      void cache.invalidateQueries({ queryKey: keys.files });
      if (current && sameAs(draft.base, current)) {
        setDraft(file, { ...(draftOf(file) ?? draft), base: current.version });
        return save({ ...draft, base: current.version });
      }
      setConflict(current?.version ?? null);
      setState(
        current && !merge
          ? { kind: 'idle' }
          : {
              kind: 'failed',
              problem: current
                ? 'Both sides changed the same lines: resolve them by hand.'
                : 'The file was removed in the meantime. Save again to create it.',
            },
      );
    }
  };
  return { state, conflict, setConflict, save: (draft: Draft, merge = false) => void save(draft, merge) };
}
