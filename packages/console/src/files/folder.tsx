// A folder: it can be moved, or downloaded as a zip.

import { useQueryClient } from '@tanstack/react-query';
import { Download, FolderOpen, Pencil } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';
import { nameOf } from './file-search.ts';
import { FileBar } from './file-bar.tsx';
import { PathDialog } from './path-dialog.tsx';
import { downloadFolder } from './download.ts';
import { useOpenFile } from './link-to-file.tsx';
import { setExpanded } from './expanded-folders.ts';

export function FolderView({ path }: { readonly path: string }) {
  const cache = useQueryClient();
  const openFile = useOpenFile();
  useEffect(() => setExpanded(path, true), [path]);
  const [moving, setMoving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const move = async (to: string) => {
    await client.files.move({ from: path, to });
    void cache.invalidateQueries({ queryKey: keys.files });
    openFile(to);
  };
  return (
    <>
      <FileBar path={path} newest={null} missing />
      <Empty icon={FolderOpen} title={nameOf(path)}>
        <p>A folder. Its files are in the list.</p>
        <div className="mt-4 flex flex-wrap justify-center gap-2">
          <Button
            onClick={() => void downloadFolder(path).catch((error: Error) => setProblem(error.message))}
          >
            <Download className="size-4" aria-hidden="true" /> Download as zip
          </Button>
          {path !== '/chats' && (
            <Button onClick={() => setMoving(true)}>
              <Pencil className="size-4" aria-hidden="true" /> Rename or move…
            </Button>
          )}
        </div>
        {problem && (
          <p role="alert" className="mt-3 text-bad">
            {problem}
          </p>
        )}
      </Empty>
      <PathDialog
        open={moving}
        close={() => setMoving(false)}
        title="Rename or move the folder"
        action="Move"
        initial={path}
        act={move}
      />
    </>
  );
}
