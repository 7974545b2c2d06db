// The workspaces of the server: create, rename, switch, remove, and restore for 7 days.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FolderPlus, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { useRef, useState, type FormEvent } from 'react';
import { chooseWorkspace, client, workspace as current } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { bytes, number, When } from '../ui/format.tsx';
import { CARD, FIELD, Section } from './section.tsx';

type Workspace = Awaited<ReturnType<typeof client.workspaces.list>>['items'][number];

/** The sidebar's picker has its queries below this key, too. */
const KEY = ['workspaces'];
const MOST = 1000;

export function Workspaces() {
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: [...KEY, 'settings'],
    queryFn: async ({ signal }) => {
      const [there, removed] = await Promise.all([
        client.workspaces.list({ limit: MOST }, { signal }),
        client.workspaces.list({ limit: MOST, removed: 'true' }, { signal }),
      ]);
      return { there: there.items, removed: removed.items };
    },
    staleTime: 0,
  });
  const changed = () => cache.invalidateQueries({ queryKey: KEY });
  return (
    <Section
      title="Workspaces"
      about="Each has files, chats, projects and settings of its own. The console shows one at a time."
      query={query}
    >
      {({ there, removed }) => (
        <>
          <ul className={CARD} aria-label="Workspaces">
            {there.map((each) => (
              <Entry key={each.id} workspace={each} changed={changed} />
            ))}
          </ul>
          <Create changed={changed} />
          {removed.length > 0 && (
            <>
              <h3 className="mt-5 text-sm font-medium">Removed</h3>
              <ul className={`${CARD} mt-2`} aria-label="Removed workspaces">
                {removed.map((each) => (
                  <RemovedEntry key={each.id} workspace={each} changed={changed} />
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </Section>
  );
}

interface EntryProps {
  readonly workspace: Workspace;
  readonly changed: () => Promise<void>;
}

function isShown({ id, name }: Workspace): boolean {
  return id === current || name === current;
}

function Entry({ workspace, changed }: EntryProps) {
  const { id, name, files, bytes: used } = workspace;
  const [renaming, setRenaming] = useState(false);
  const [removing, setRemoving] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const shown = isShown(workspace);
  const fixed = name === 'default';
  const remove = async () => {
    await client.workspaces.remove({ workspace: id });
    if (!shown) return changed();
    chooseWorkspace(null);
    location.assign('/');
  };
  return (
    <li className="px-4 py-2">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        {renaming ? (
          <Rename
            workspace={workspace}
            changed={changed}
            close={() => {
              setRenaming(false);
              requestAnimationFrame(() => button.current?.focus());
            }}
          />
        ) : (
          <>
            <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
            {shown && (
              <span className="rounded-md border bg-panel px-1.5 py-0.5 text-xs text-soft">shown</span>
            )}
            <span className="text-xs text-soft tabular-nums">
              {`${number(files)} ${files === 1 ? 'file' : 'files'} · ${bytes(used)}`}
            </span>
            <span className="ml-auto flex items-center gap-1">
              {!shown && (
                <Button
                  className="!px-2 !py-1 !text-xs"
                  aria-label={`Show ${name}`}
                  onClick={() => {
                    chooseWorkspace(id);
                    location.assign('/');
                  }}
                >
                  Show
                </Button>
              )}
              {fixed ? (
                <span className="text-xs text-soft">Cannot be renamed or removed</span>
              ) : (
                <>
                  <IconButton ref={button} label={`Rename ${name}`} onClick={() => setRenaming(true)}>
                    <Pencil />
                  </IconButton>
                  <IconButton label={`Remove ${name}…`} onClick={() => setRemoving(true)}>
                    <Trash2 />
                  </IconButton>
                </>
              )}
            </span>
          </>
        )}
      </div>
      <Confirm
        open={removing}
        close={() => setRemoving(false)}
        title={`Remove the workspace ${name}?`}
        action="Remove"
        act={remove}
      >
        Its open runs are stopped, and its files, chats and projects are gone with it. You can restore it here
        for 7 days; after that it is deleted permanently.
      </Confirm>
    </li>
  );
}

function Rename({ workspace: { id, name }, changed, close }: EntryProps & { readonly close: () => void }) {
  const [wanted, setWanted] = useState(name);
  const { busy, problem, act } = useAction(changed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted.trim() === name) return close();
    void act(async () => {
      await client.workspaces.rename(wanted.trim(), { workspace: id });
      close();
    });
  };
  return (
    <form
      onSubmit={submit}
      className="flex w-full flex-wrap items-center gap-2"
      aria-label={`Rename ${name}`}
    >
      <input
        aria-label={`New name of ${name}`}
        autoFocus
        spellCheck={false}
        autoComplete="off"
        value={wanted}
        aria-invalid={problem !== null}
        onChange={(event) => setWanted(event.target.value)}
        onFocus={(event) => event.target.select()}
        onKeyDown={(event) => event.key === 'Escape' && close()}
        className={`${FIELD} max-w-64 flex-1`}
      />
      <Button type="submit" kind="primary" disabled={busy || wanted.trim() === ''}>
        Rename
      </Button>
      <Button onClick={close}>Cancel</Button>
      {problem && (
        <p role="alert" className="w-full text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </form>
  );
}

function Create({ changed }: { readonly changed: () => Promise<void> }) {
  const [name, setName] = useState('');
  const { busy, problem, act } = useAction(changed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act(async () => {
      await client.workspaces.create({ name: name.trim() });
      setName('');
    });
  };
  return (
    <form onSubmit={submit} aria-label="New workspace" className="mt-3 flex flex-wrap items-center gap-2">
      <input
        aria-label="Name of the new workspace"
        placeholder="name, such as garden"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={name}
        aria-invalid={problem !== null}
        onChange={(event) => setName(event.target.value)}
        className={`${FIELD} max-w-64 flex-1`}
      />
      <Button type="submit" disabled={busy || name.trim() === ''}>
        <FolderPlus className="size-4" aria-hidden="true" /> Create workspace
      </Button>
      {problem && (
        <p role="alert" className="w-full text-sm text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </form>
  );
}

function RemovedEntry({ workspace: { id, name, purged_after }, changed }: EntryProps) {
  const { busy, problem, act } = useAction(changed);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="font-medium wrap-anywhere">{name}</span>
      {purged_after && (
        <span className="text-xs text-soft">
          can be restored until <When at={purged_after} />
        </span>
      )}
      <Button
        className="ml-auto !px-2 !py-1 !text-xs"
        disabled={busy}
        aria-label={`Restore ${name}`}
        onClick={() => void act(() => client.workspaces.restore({ workspace: id }))}
      >
        <RotateCcw className="size-3.5" aria-hidden="true" /> Restore
      </Button>
      {problem && (
        <p role="alert" className="w-full text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </li>
  );
}
