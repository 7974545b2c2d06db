// The workspace's files: the tree beside the open file. A narrow screen shows one of the two.

import { FilePen, FolderTree } from 'lucide-react';
import { useParam } from '../app/router.tsx';
import { useTitle } from '../app/title.ts';
import { nameOf, useFileSearch } from '../files/file-search.ts';
import { Browse } from '../files/browse.tsx';
import { FileAt } from '../files/file.tsx';
import { HeldRemovals } from '../files/held-removals.tsx';
import { Versions } from '../files/history.tsx';
import { Empty } from '../ui/states.tsx';

export function Page() {
  const path = `/${useParam('_splat').replace(/\/+$/, '')}`;
  const isOpen = path !== '/';
  const { view, changed } = useFileSearch();
  const versions = isOpen && view === 'history';
  const title = isOpen ? nameOf(path) : changed ? 'Changed files' : 'Files';
  useTitle(title);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
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
          aria-label={isOpen ? 'File' : 'Nothing open'}
          className={`min-h-0 min-w-0 flex-1 flex-col ${isOpen ? 'flex' : 'hidden lg:flex'}`}
        >
          {isOpen ? (
            <FileAt key={path} path={path} />
          ) : changed ? (
            <Empty icon={FilePen} title={title} heading="h1">
              Choose a file in the list to see what changed.
            </Empty>
          ) : (
            <Empty icon={FolderTree} title={title} heading="h1">
              The files of agents and people. Each save creates a version; open a file to edit it or to see
              who wrote what.
            </Empty>
          )}
        </section>
      </div>
    </div>
  );
}
