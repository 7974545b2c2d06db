// Chooses the workspace that the console shows, if the server has several.

import { FolderSymlink } from 'lucide-react';
import { useEffect } from 'react';
import { chooseWorkspace, workspace } from '../data/client.ts';
import { useWorkspaceOf, useWorkspaces } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { Empty, Failure, isMissing, Loading, Missing } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

export function WorkspacePicker() {
  const { data: all } = useWorkspaces();
  const shown = all?.find(({ id, name }) => id === workspace || name === workspace);
  const gone = all !== undefined && !shown;
  useEffect(() => {
    // The chosen workspace was removed.
    if (!gone || workspace === 'default') return;
    chooseWorkspace(null);
    location.assign('/');
  }, [gone]);
  if (!all || (shown && all.length === 1)) return null;
  const choose = (id: string) => {
    if (id === '') return;
    chooseWorkspace(id);
    // The open page belongs to the previous workspace.
    location.assign('/');
  };
  return (
    <Select
      label="Workspace"
      value={shown?.id ?? ''}
      choose={choose}
      choices={[
        ...(shown ? [] : [['', 'Choose a workspace'] as const]),
        ...all.map(({ id, name }) => [id, name] as const),
      ]}
      className="mx-2.5 mb-2 !max-w-none"
    />
  );
}

/** Shown for a chat or run of another workspace: says which one, and links to it. */
export function InOtherWorkspace({ chat, what }: { readonly chat: string; readonly what: 'chat' | 'run' }) {
  const { data: home, error, refetch } = useWorkspaceOf(chat);
  if (isMissing(error)) return <Missing what={what} />;
  if (error) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (!home) return <Loading what={`the ${what}`} />;
  const go = () => {
    chooseWorkspace(home.id);
    location.reload();
  };
  return (
    <Empty icon={FolderSymlink} title={`This ${what} is in another workspace`} heading="h1">
      <p className="wrap-anywhere">
        It is in “<Visible text={home.name} />
        ”. The console shows one workspace at a time.
      </p>
      <Button kind="primary" onClick={go} className="mt-4 max-w-full">
        <span className="truncate">
          Go to <Visible text={home.name} />
        </span>
      </Button>
    </Empty>
  );
}
