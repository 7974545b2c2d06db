// The palette: one field that finds chats, messages, documents, entities and files, goes to pages and does things. By
// keyboard: the arrow keys choose, Enter opens, Escape closes.

import { Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { chatOf, palette, SHORTCUTS, type Palette as Shown } from '../app/shortcuts.ts';
import { useStore } from '../data/store.ts';
import { OVERLAY } from '../ui/confirm.tsx';
import { restoreFocus } from '../ui/focus.ts';
import { marked } from '../ui/marked.tsx';
import { Visible } from '../ui/visible.tsx';
import { useCommands, useFound, type Entry } from './entries.ts';

const BOX =
  'fixed top-[max(0.5rem,10vh)] left-1/2 z-50 flex max-h-[75vh] w-[calc(100vw-1rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border bg-raised shadow-xl outline-none';

const TITLE: Record<Exclude<Shown, 'closed'>, string> = {
  everything: 'Search and commands',
  chat: 'Search this chat',
  keys: 'Keyboard shortcuts',
};

export function Palette() {
  const shown = useStore(palette);
  if (shown === 'closed') return null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && palette.set('closed')}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content aria-describedby={undefined} className={BOX} onCloseAutoFocus={restoreFocus}>
          <Dialog.Title className={shown === 'keys' ? 'px-4 pt-4 font-semibold' : 'sr-only'}>
            {TITLE[shown]}
          </Dialog.Title>
          {shown === 'keys' ? (
            <Keys />
          ) : (
            <Finder key={shown} chat={shown === 'chat' ? chatOf(location.pathname) : null} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ chat }: { readonly chat: string | null }) {
  const [words, setWords] = useState('');
  const commands = useCommands(words);
  const { entries: found, error, isFetching } = useFound(useDeferredValue(words), chat);
  // What is found comes last: an entry that arrives late must not take the place of the chosen one.
  const known = new Set(commands.map(({ key }) => key));
  const entries = chat === null ? [...commands, ...found.filter(({ key }) => !known.has(key))] : found;
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, entries.length - 1);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, words]);
  const act = (entry: Entry | undefined) => {
    if (!entry) return;
    palette.set('closed');
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) setChosen((at + step + entries.length) % entries.length);
    else if (event.key === 'Enter') act(entries[at]);
    else return;
    event.preventDefault();
  };
  const nothing = words.trim() !== '' && entries.length === 0 && !isFetching && !error;
  return (
    <>
      <div className="flex shrink-0 items-center gap-2.5 border-b px-4">
        <Search className="size-4.5 shrink-0 text-soft" aria-hidden="true" />
        <input
          autoFocus
          role="combobox"
          aria-label={TITLE[chat === null ? 'everything' : 'chat']}
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={entries[at] ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          placeholder={chat === null ? 'Search, or go to…' : 'Search this chat'}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent py-3.5 outline-none"
        />
        <kbd className="text-xs text-soft max-sm:hidden">Esc</kbd>
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
        className="min-h-0 flex-1 overflow-y-auto p-2 empty:hidden"
      >
        {entries.map((entry, index) => (
          <Option
            key={`${entry.group} ${entry.key}`}
            entry={entry}
            id={`${id}-${index}`}
            words={words}
            selected={index === at}
            heading={entry.group !== entries[index - 1]?.group}
            choose={() => setChosen(index)}
            act={() => act(entry)}
          />
        ))}
      </div>
      {error && (
        <p role="alert" className="shrink-0 px-4 py-3 text-sm text-bad wrap-anywhere">
          The search failed: {error.message}
        </p>
      )}
      <p role="status" className={nothing ? 'px-4 py-6 text-center text-sm text-soft' : 'sr-only'}>
        {nothing ? 'Nothing found. Try fewer or other words.' : words && `${entries.length} results`}
      </p>
      {chat !== null && words === '' && (
        <p className="px-4 py-6 text-center text-sm text-soft">
          Finds every message of this chat, also those that are not on the page.
        </p>
      )}
    </>
  );
}

interface OptionProps {
  readonly entry: Entry;
  readonly id: string;
  readonly words: string;
  readonly selected: boolean;
  /** Whether the entry is the first of its group. */
  readonly heading: boolean;
  readonly choose: () => void;
  readonly act: () => void;
}

function Option({ entry, id, words, selected, heading, choose, act }: OptionProps) {
  const { icon: Icon, label, about, snippet, keys, group } = entry;
  return (
    <>
      {heading && (
        <div aria-hidden="true" className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
          {group}
        </div>
      )}
      <div
        id={id}
        role="option"
        aria-selected={selected}
        onPointerMove={choose}
        onClick={act}
        className={`flex cursor-pointer items-start gap-2.5 rounded-lg px-2.5 py-1.5 text-sm ${selected ? 'bg-hover' : ''}`}
      >
        <Icon className="mt-0.5 size-4 shrink-0 text-soft" aria-hidden="true" />
        <div className="min-w-0 flex-1">
          <div className="flex items-baseline gap-3">
            <span className="truncate">
              <Visible text={label} />
            </span>
            {about && <span className="ml-auto shrink-0 text-xs text-soft">{about}</span>}
          </div>
          {snippet && (
            <div className="line-clamp-2 text-xs text-soft wrap-anywhere">{marked(snippet, words)}</div>
          )}
        </div>
        {keys && <KeyCaps keys={keys} />}
      </div>
    </>
  );
}

function KeyCaps({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="flex shrink-0 gap-1">
      {keys.map((key) => (
        <kbd key={key} className="rounded border bg-page px-1.5 font-sans text-xs text-soft">
          {key}
        </kbd>
      ))}
    </span>
  );
}

function Keys() {
  return (
    <ul className="min-h-0 overflow-y-auto px-4 pt-2 pb-4" tabIndex={0} data-quiet-focus>
      {SHORTCUTS.map(({ keys, what }) => (
        <li
          key={what}
          className="flex items-center justify-between gap-4 border-b py-2 text-sm last:border-0"
        >
          {what}
          <KeyCaps keys={keys} />
        </li>
      ))}
    </ul>
  );
}
