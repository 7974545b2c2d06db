// The workspace's files: the tree beside the open file. A narrow screen shows one of the two.

import { FilePen } from 'lucide-react';
import { useParam } from '../app/router.tsx';
import { useTitle } from '../app/title.ts';
import { folderOf, nameOf, useFileSearch } from '../files/file-search.ts';
import { Browse } from '../files/browse.tsx';
import { FileAt } from '../files/file.tsx';
import { currentFolder } from '../files/current-folder.ts';
import { isFixed } from '../files/entry-actions.tsx';
import { FolderView } from '../files/folder.tsx';
import { HeldRemovals } from '../files/held-removals.tsx';
import { UploadStatus, UploadZone } from '../files/uploads.tsx';
import { UndoBar } from '../knowledge/undo.tsx';
import { Versions } from '../files/history.tsx';
import { useStore } from '../data/store.ts';
import { Empty } from '../ui/states.tsx';

export function Page() {
  const path = `/${useParam('_splat').replace(/\/+$/, '')}`;
  const isOpen = path !== '/';
  const { view, changed } = useFileSearch();
  const versions = isOpen && view === 'history';
  const title = isOpen ? nameOf(path) : changed ? 'Changed files' : 'Files';
  useTitle(title);
  const current = useStore(currentFolder);
  const folder = current ?? folderOf(path);
  return (
    <UploadZone folder={isFixed(path) ? null : folder}>
      <HeldRemovals />
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <section
          aria-label={versions ? 'History' : 'Browse'}
          className={`min-h-0 shrink-0 flex-col bg-panel/50 lg:flex lg:w-72 lg:border-r ${
            versions
              ? 'flex max-h-[38%] border-b lg:max-h-none lg:border-b-0'
              : isOpen
                ? 'hidden'
                : 'flex flex-1 lg:flex-none'
          }`}
        >
          {!isOpen && <h1 className="sr-only lg:hidden">{title}</h1>}
          {versions ? <Versions path={path} /> : <Browse open={path} />}
        </section>
        <section
          aria-label={isOpen ? 'File' : 'All files'}
          className={`min-h-0 min-w-0 flex-1 flex-col ${isOpen ? 'flex' : 'hidden lg:flex'}`}
        >
          {isOpen ? (
            <FileAt key={path} path={path} />
          ) : changed ? (
            <Empty icon={FilePen} title={title} heading="h1">
              Choose a file in the list to see what changed.
            </Empty>
          ) : (
            <FolderView path="/" />
          )}
        </section>
      </div>
      <UploadStatus />
      <UndoBar />
    </UploadZone>
  );
}
