// What is at a path: a text to edit, a picture, something else, a chat, a folder, or nothing any more.

import { FileQuestion, FileX2, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '@continuo/client';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { nameOf, useFileSearch } from './address.ts';
import { FileBar } from './bar.tsx';
import { useDraft } from './draft.ts';
import { Edit } from './edit.tsx';
import { ToFile } from './file-address.tsx';
import { FolderView } from './folder.tsx';
import { Difference, Restore } from './history.tsx';
import { EDITOR_BYTES, useHistory, type Version } from './queries.ts';
import { Bytes, ChatText } from './read-only.tsx';

export function FileAt({ path }: { readonly path: string }) {
  return path.startsWith('/chats/') ? <ChatText path={path} /> : <Versioned path={path} />;
}

function Versioned({ path }: { readonly path: string }) {
  const { data, error: found, isPending, refetch } = useHistory(path);
  const { view } = useFileSearch();
  // While it is asked for again, as after every change of any file, what was found last stays: somebody may be at work in it.
  const [last, setLast] = useState(found);
  if (found && found !== last) setLast(found);
  const error = found ?? (isPending ? last : null);
  if (error instanceof ApiError && error.code === 'is_a_folder') return <FolderView path={path} />;
  if (error instanceof ApiError && error.status === 404) return <Missing path={path} error={error} />;
  if (error && !data) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!data) return <Loading what={nameOf(path)} />;
  const versions = data.pages.flatMap(({ items }) => items);
  if (view === 'history') return <Difference path={path} versions={versions} />;
  return <Now key={versions[0]!.file} path={path} versions={versions} />;
}

function Now({ path, versions }: { readonly path: string; readonly versions: readonly Version[] }) {
  const newest = versions[0]!;
  const draft = useDraft(newest.file);
  if (newest.op === 'remove' && !draft) return <Removed path={path} versions={versions} />;
  if (newest.text && newest.size <= EDITOR_BYTES) return <Edit path={path} versions={versions} />;
  return <Bytes path={path} newest={newest} />;
}

function Removed({ path, versions }: { readonly path: string; readonly versions: readonly Version[] }) {
  const last = versions.find(({ op }) => op !== 'remove');
  return (
    <>
      <FileBar path={path} newest={versions[0]!} />
      <Empty icon={FileX2} title={`${nameOf(path)} was removed`}>
        <p>Its history stays, and it can be brought back as it was.</p>
        {last && (
          <div className="mt-4 flex justify-center [&>button]:ml-0">
            <Restore path={path} version={last} newest={versions[0]!} />
          </div>
        )}
      </Empty>
    </>
  );
}

function Missing({ path, error }: { readonly path: string; readonly error: ApiError }) {
  const suggestions = (error.problem.suggestions as string[] | undefined) ?? [];
  const moved = error.problem.moved_to as { path: string } | undefined;
  return (
    <>
      <FileBar path={path} newest={null} missing />
      <Empty
        icon={moved ? FolderOpen : FileQuestion}
        title={moved ? 'It was moved' : 'There is no such file'}
      >
        {suggestions.length > 0 && (
          <>
            <p>{moved ? 'With its history, it is now at:' : 'Was one of these meant?'}</p>
            <ul className="mt-3 space-y-1.5">
              {suggestions.map((suggestion) => (
                <li key={suggestion}>
                  <ToFile
                    path={suggestion}
                    className="font-mono text-[0.8125rem] break-all text-accent underline underline-offset-2"
                  >
                    {suggestion}
                  </ToFile>
                </li>
              ))}
            </ul>
          </>
        )}
        {suggestions.length === 0 && <p>It may not have been written yet; it appears as soon as it is.</p>}
      </Empty>
    </>
  );
}
