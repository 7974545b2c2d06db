// Shows what is at a path: an editable text, an image, other content, a chat, a folder, or a removed file.

import { FileQuestion, FileX2, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '@continuo/client';
import { useStore } from '../data/store.ts';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { nameOf, useFileSearch } from './file-search.ts';
import { FileBar } from './file-bar.tsx';
import { useDraft } from './file-draft.ts';
import { Edit } from './edit.tsx';
import { LinkToFile } from './link-to-file.tsx';
import { FolderView } from './folder.tsx';
import { Difference, Restore } from './history.tsx';
import { newFolders } from './new-folders.ts';
import { EDITOR_BYTES, useHistory, type Version } from './queries.ts';
import { NotEditable, ChatText } from './read-only.tsx';

export function FileAt({ path }: { readonly path: string }) {
  return path.startsWith('/chats/') ? <ChatText path={path} /> : <Versioned path={path} />;
}

function Versioned({ path }: { readonly path: string }) {
  const { data, error: found, isPending, refetch } = useHistory(path);
  const { view } = useFileSearch();
  const made = useStore(newFolders);
  // A new folder is forgotten when its first file is listed, perhaps before the history is fetched again.
  const [wasNew] = useState(() => made.has(path));
  // Every file change fetches the history again. The last result stays meanwhile, because the person may be typing.
  const [last, setLast] = useState(found);
  if (found && found !== last) setLast(found);
  const error = found ?? (isPending ? last : null);
  if (error instanceof ApiError && error.code === 'is_a_folder') return <FolderView path={path} />;
  if (error instanceof ApiError && error.status === 404 && (made.has(path) || (wasNew && isPending)))
    return <FolderView path={path} />;
  if (error instanceof ApiError && error.status === 404) return <Missing path={path} error={error} />;
  if (error && !data) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!data) return <Loading what={nameOf(path)} />;
  const versions = data.pages.flatMap(({ items }) => items);
  if (view === 'history') return <Difference path={path} versions={versions} />;
  return <CurrentVersion key={versions[0]!.file} path={path} versions={versions} />;
}

function CurrentVersion({
  path,
  versions,
}: {
  readonly path: string;
  readonly versions: readonly Version[];
}) {
  const newest = versions[0]!;
  const draft = useDraft(newest.file);
  if (newest.op === 'remove' && !draft) return <Removed path={path} versions={versions} />;
  if (newest.text && newest.size <= EDITOR_BYTES) return <Edit path={path} versions={versions} />;
  return <NotEditable path={path} newest={newest} />;
}

function Removed({ path, versions }: { readonly path: string; readonly versions: readonly Version[] }) {
  const last = versions.find(({ op }) => op !== 'remove');
  return (
    <>
      <FileBar path={path} newest={versions[0]!} />
      <Empty icon={FileX2} title={`${nameOf(path)} was removed`}>
        <p>Its history stays, so you can restore it.</p>
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
      <Empty icon={moved ? FolderOpen : FileQuestion} title={moved ? 'The file was moved' : 'File not found'}>
        {suggestions.length > 0 && (
          <>
            <p>{moved ? 'The file and its history are now at:' : 'Did you mean one of these?'}</p>
            <ul className="mt-3 space-y-1.5">
              {suggestions.map((suggestion) => (
                <li key={suggestion}>
                  <LinkToFile
                    path={suggestion}
                    className="font-mono text-[0.8125rem] break-all text-accent underline underline-offset-2"
                  >
                    {suggestion}
                  </LinkToFile>
                </li>
              ))}
            </ul>
          </>
        )}
        {suggestions.length === 0 && <p>It may not exist yet; it appears here as soon as it is written.</p>}
      </Empty>
    </>
  );
}
