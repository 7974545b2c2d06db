// Uploads by drag, by paste and from the file chooser, into a folder, and their outcome.

import { CircleAlert, LoaderCircle, Upload, X } from 'lucide-react';
import { useEffect, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { keys, queries } from '../data/queries.ts';
import { createStore, useStore } from '../data/store.ts';
import { IconButton } from '../ui/button.tsx';
import { setExpanded } from './expanded-folders.ts';
import { LinkToFile } from './link-to-file.tsx';
import { uploadInto } from './upload-file.ts';

interface Uploads {
  readonly folder: string;
  readonly of: number;
  readonly done: readonly string[];
  readonly failed: readonly string[];
}

const uploads = createStore<Uploads | null>(null);

interface Named {
  /** Below the folder that the files are uploaded to. */
  readonly path: string;
  readonly file: File;
}

/** One after the other, so that a broken connection is one error. */
let queue = Promise.resolve();

function uploadFiles(folder: string, files: readonly File[]): void {
  uploadNamed(
    folder,
    files.map((file) => ({ path: file.name, file })),
  );
}

function uploadNamed(folder: string, files: readonly Named[]): void {
  if (files.length === 0) return;
  const before = uploads.get();
  const isRunning = before !== null && before.done.length + before.failed.length < before.of;
  const start = isRunning ? before : { folder, of: 0, done: [], failed: [] };
  uploads.set({ ...start, of: start.of + files.length });
  queue = queue.then(() => uploadAll(folder, files));
}

async function uploadAll(folder: string, files: readonly Named[]): Promise<void> {
  for (const { path, file } of files) {
    const end = path.lastIndexOf('/');
    const within = end < 0 ? folder : `${folder === '/' ? '' : folder}/${path.slice(0, end)}`;
    let done: string | null = null;
    let problem = '';
    try {
      done = await uploadInto(within, path.slice(end + 1), file);
    } catch (error) {
      problem = `${path}: ${(error as Error).message}`;
    }
    const now = uploads.get();
    if (!now) continue;
    uploads.set(
      done === null ? { ...now, failed: [...now.failed, problem] } : { ...now, done: [...now.done, done] },
    );
  }
  if (folder !== '/') setExpanded(folder, true);
  await queries.invalidateQueries({ queryKey: keys.files });
}

/** The outcome of the last uploads. */
export function UploadStatus() {
  const state = useStore(uploads);
  const running = state !== null && state.done.length + state.failed.length < state.of;
  return (
    <div role="status">
      {state && (
        <div className="flex items-start gap-2.5 border-t bg-panel px-4 py-2 text-sm">
          {running ? (
            <LoaderCircle className="mt-2 size-4 shrink-0 animate-spin text-soft" aria-hidden="true" />
          ) : state.failed.length > 0 ? (
            <CircleAlert className="mt-2 size-4 shrink-0 text-bad" aria-hidden="true" />
          ) : (
            <Upload className="mt-2 size-4 shrink-0 text-good" aria-hidden="true" />
          )}
          <div className="min-w-0 flex-1 py-1.5">
            <p>
              {running
                ? `Uploading ${state.done.length + state.failed.length + 1} of ${state.of} to ${state.folder}…`
                : `${count(state.done.length)} uploaded to ${state.folder}.`}{' '}
              {!running && state.done.length === 1 && (
                <LinkToFile
                  path={state.done[0]!}
                  className="rounded text-accent underline underline-offset-2"
                >
                  Open it
                </LinkToFile>
              )}
            </p>
            {state.failed.length > 0 && (
              <ul className="mt-1 max-h-32 overflow-y-auto text-bad wrap-anywhere">
                {state.failed.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            )}
          </div>
          {!running && (
            <IconButton label="Dismiss" onClick={() => uploads.set(null)}>
              <X />
            </IconButton>
          )}
        </div>
      )}
    </div>
  );
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

/** A hidden field of files, and the function that opens it. */
export function useFileChooser(folder: string): { chooser: ReactNode; choose: () => void } {
  const field = useRef<HTMLInputElement>(null);
  const chooser = (
    <input
      ref={field}
      type="file"
      multiple
      hidden
      aria-label={`Files to upload to ${folder}`}
      onChange={(event) => {
        uploadFiles(folder, [...(event.target.files ?? [])]);
        event.target.value = '';
      }}
    />
  );
  return { chooser, choose: () => field.current?.click() };
}

/** Whether files of this computer are dragged. */
export function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files');
}

/** Dropped files, and those of dropped folders. */
export function uploadDropped(folder: string, data: DataTransfer): void {
  // Valid only during the event.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files = [...data.files];
  if (!entries.some(({ isDirectory }) => isDirectory)) return uploadFiles(folder, files);
  void Promise.all(entries.map(filesIn))
    .then((found) => uploadNamed(folder, found.flat()))
    .catch((error: Error) => uploads.set({ folder, of: 1, done: [], failed: [error.message] }));
}

async function filesIn(entry: FileSystemEntry): Promise<Named[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Named[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    for (const each of some) found.push(...(await filesIn(each)));
  }
}

/** Takes files that are dropped on it; and those that are pasted anywhere on the page but in a text. Null: takes none. */
export function UploadZone({
  folder,
  children,
}: {
  readonly folder: string | null;
  readonly children: ReactNode;
}) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (folder === null) return;
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const target = event.target as HTMLElement | null;
      if (files.length === 0 || target?.closest('input, textarea, [contenteditable=true], [role=dialog]'))
        return;
      event.preventDefault();
      uploadFiles(folder, files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [folder]);
  if (folder === null) return <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>;
  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        uploadDropped(folder, event.dataTransfer);
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-accent-wash/90 text-sm font-medium">
          <span className="flex items-center gap-2">
            <Upload className="size-5" aria-hidden="true" /> Drop to upload to {folder}
          </span>
        </div>
      )}
    </div>
  );
}
