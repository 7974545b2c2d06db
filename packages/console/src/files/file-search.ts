// The search parameters of the files page.

import { useSearch } from '@tanstack/react-router';

export interface FileSearch {
  /** Instead of the editor: the versions, or the Markdown as it reads. */
  readonly view?: 'history' | 'preview' | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Limits the list to the files that a run changed, or that changed since the chat's last message. */
  readonly changed?: 'run' | 'message' | undefined;
  readonly run?: string | undefined;
  readonly chat?: string | undefined;
}

export function useFileSearch(): FileSearch {
  const { view, from, to, changed, run, chat } = useSearch({ strict: false }) as Record<string, unknown>;
  const word = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const whole = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);
  return {
    view: view === 'history' || view === 'preview' ? view : undefined,
    from: whole(from),
    to: whole(to),
    changed: changed === 'run' || changed === 'message' ? changed : undefined,
    run: word(run),
    chat: word(chat),
  };
}

/** The parameters that stay when another file is opened. */
export function filterOf({ changed, run, chat }: FileSearch): FileSearch {
  return changed === undefined ? {} : { changed, run, chat };
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function isMarkdown(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}
