// The menu to share a chat, or one of its runs: a link to what is shown, and the whole as a file.

import { Check, Download, Link2, Share2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { keep } from '../files/download.ts';
import { IconButton } from '../ui/button.tsx';
import { toClipboard } from '../ui/copy-button.tsx';
import { MenuPortal } from '../ui/menu-portal.tsx';
import { shownMoment } from './shown-moment.ts';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover';
const FORMATS = [
  { format: 'markdown', word: 'Markdown', suffix: 'md' },
  { format: 'json', word: 'JSON', suffix: 'json' },
] as const;
type Format = (typeof FORMATS)[number];

const SHOWN_MS = 2000;

interface ShareMenuProps {
  readonly chat: string;
  /** Only this run. */
  readonly run?: string;
}

export function ShareMenu({ chat, run }: ShareMenuProps) {
  const what = run === undefined ? 'chat' : 'run';
  const [state, setState] = useState<'idle' | 'copied' | { readonly problem: string }>('idle');
  const attempt = async (work: () => Promise<void>) => {
    setState('idle');
    try {
      await work();
    } catch (error) {
      setState({ problem: (error as Error).message });
    }
  };
  const download = ({ format, suffix }: Format) =>
    attempt(async () => {
      const file = await client.chats.export(chat, { format, ...(run !== undefined && { run }) });
      keep(await file.blob(), nameIn(file.headers) ?? `${what}-${(run ?? chat).slice(-12)}.${suffix}`);
    });
  const copy = () =>
    attempt(async () => {
      const seq = shownMoment.get()();
      const address =
        run === undefined
          ? `${location.origin}/chats/${chat}${seq === null ? '' : `?at=${seq}`}`
          : location.href;
      if (!(await toClipboard(address))) throw new Error('The browser did not allow the link to be copied.');
      setState('copied');
      setTimeout(() => setState('idle'), SHOWN_MS);
    });
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <IconButton label={`Share this ${what}`}>{state === 'copied' ? <Check /> : <Share2 />}</IconButton>
        </DropdownMenu.Trigger>
        <MenuPortal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className="z-50 min-w-52 rounded-lg border bg-raised p-1 shadow-lg"
          >
            <DropdownMenu.Item className={ITEM} onSelect={() => void copy()}>
              <Link2 className="size-4 text-soft" aria-hidden="true" /> Copy a link to this view
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            {FORMATS.map((each) => (
              <DropdownMenu.Item key={each.format} className={ITEM} onSelect={() => void download(each)}>
                <Download className="size-4 text-soft" aria-hidden="true" /> Export as {each.word}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </MenuPortal>
      </DropdownMenu.Root>
      <span role="status" className="sr-only">
        {state === 'copied' && 'The link is copied.'}
      </span>
      {typeof state === 'object' && (
        <span role="alert" className="text-sm text-bad wrap-anywhere">
          {state.problem}
        </span>
      )}
    </>
  );
}

/** The name that the server gives the file. */
function nameIn(headers: Headers): string | null {
  const given = headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(given)?.[1];
  return encoded === undefined
    ? (/filename="?([^";]+)/.exec(given)?.[1] ?? null)
    : decodeURIComponent(encoded);
}
