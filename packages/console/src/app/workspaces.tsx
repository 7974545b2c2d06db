// The workspaces of the server, where there are several: one is shown at a time.

import { FolderSymlink } from 'lucide-react';
import { useEffect } from 'react';
import { chooseWorkspace, workspace } from '../data/client.ts';
import { useHomeOf, useWorkspaces } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { Empty, Failure, isMissing, Loading, Missing } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';

export function WorkspaceChoice() {
  const { data: all } = useWorkspaces();
  const shown = all?.find(({ id, name }) => id === workspace || name === workspace);
  const gone = all !== undefined && !shown;
  useEffect(() => {
    // Chosen once, and removed since.
    if (!gone || workspace === 'default') return;
    chooseWorkspace(null);
    location.assign('/');
  }, [gone]);
  if (!all || (shown && all.length === 1)) return null;
  const choose = (id: string) => {
    if (id === '') return;
    chooseWorkspace(id);
    // What is open is of another one.
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

/** Instead of what is not in this workspace: the way to the one that it is in. */
export function Elsewhere({ chat, what }: { readonly chat: string; readonly what: 'chat' | 'run' }) {
  const { data: home, error, refetch } = useHomeOf(chat);
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
