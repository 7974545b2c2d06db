// Many files disappeared from the folder on disk at once: asks the person whether that was intended.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';

export function HeldRemovals() {
  const queries = useQueryClient();
  // Held removals change with a file hint.
  const { data } = useQuery({
    queryKey: [...keys.files, 'workspace'],
    queryFn: ({ signal }) => client.workspaces.get({ signal }),
  });
  const decide = useMutation({
    mutationFn: (decision: 'restore' | 'accept') =>
      decision === 'restore' ? client.workspaces.restoreFolder() : client.workspaces.acceptRemovals(),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.files }),
  });
  const held = data?.held_removals;
  if (!held) return null;
  const files = held.files === 1 ? '1 file' : `${held.files.toLocaleString('en')} files`;
  return (
    <section aria-label="Files that disappeared" className="shrink-0 border-b bg-warn-wash px-4 py-3">
      <h2 className="text-sm font-semibold text-warn">{files} disappeared from the folder on disk</h2>
      <p className="mt-0.5 text-sm">
        They all disappeared at once, which may be an accident. They are still in the workspace; nothing is
        removed until you decide.
      </p>
      {decide.error && (
        <p role="alert" className="mt-1 text-sm text-bad">
          {decide.error.message}
        </p>
      )}
      <div className="mt-2.5 flex flex-wrap gap-2">
        <Button kind="primary" disabled={decide.isPending} onClick={() => decide.mutate('restore')}>
          Restore the files
        </Button>
        <Button kind="danger" disabled={decide.isPending} onClick={() => decide.mutate('accept')}>
          Remove the files from the workspace
        </Button>
      </div>
    </section>
  );
}
