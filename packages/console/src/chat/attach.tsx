// The menu to attach files: from the workspace or from this computer.

import { useQuery } from '@tanstack/react-query';
import { Paperclip, Upload } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { IconButton } from '../ui/button.tsx';

const SHOWN = 50;

interface AttachMenuProps {
  readonly attach: (path: string) => void;
  readonly upload: (files: Iterable<File>) => Promise<void>;
}

export function AttachMenu({ attach, upload }: AttachMenuProps) {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState('');
  const chooser = useRef<HTMLInputElement>(null);
  const { data: paths = [] } = useQuery({
    queryKey: [...keys.files, 'names', query],
    queryFn: ({ signal }) => names(query, signal),
    enabled: open,
    placeholderData: (before) => before,
  });
  const choose = (path: string) => {
    attach(path);
    setOpen(false);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <IconButton label="Attach files">
          <Paperclip />
        </IconButton>
      </Popover.Trigger>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          setOpen(false);
          void upload([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={6}
          collisionPadding={12}
          aria-label="Attach files"
          className="z-50 w-80 max-w-[90vw] rounded-xl border bg-raised p-2 shadow-lg"
        >
          <button
            type="button"
            onClick={() => chooser.current?.click()}
            className="flex w-full items-center gap-2 rounded-lg px-2.5 py-1.5 text-left text-sm hover:bg-hover"
          >
            <Upload className="size-4 text-soft" aria-hidden="true" />
            Upload from this computer…
          </button>
          <input
            aria-label="Find a file in the workspace"
            placeholder="Find a file in the workspace"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="mt-1.5 w-full rounded-lg border border-strong bg-page px-2.5 py-1.5 text-sm"
          />
          <ul className="mt-1.5 max-h-56 overflow-y-auto">
            {paths.slice(0, SHOWN).map((path) => (
              <li key={path}>
                <button
                  type="button"
                  onClick={() => choose(path)}
                  className="w-full truncate rounded-lg px-2.5 py-1 text-left font-mono text-xs hover:bg-hover"
                >
                  {path}
                </button>
              </li>
            ))}
            {paths.length === 0 && <li className="px-2.5 py-1 text-sm text-soft">No matching files.</li>}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

async function names(query: string, signal: AbortSignal): Promise<string[]> {
  if (query.trim() !== '') {
    const { items } = await client.files.search({ q: query.trim(), in: 'names', limit: SHOWN }, { signal });
    return items.flatMap(({ path }) => path ?? []);
  }
  const { items } = await client.files.tree({ path: '/', depth: 4, limit: 200 }, { signal });
  return items.flatMap((entry) => (entry.type === 'file' ? [entry.path] : []));
}
