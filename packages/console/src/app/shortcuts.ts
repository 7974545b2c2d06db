// The keys that work on every page, and which dialogs they open.

import { createStore } from '../data/store.ts';

/** What the palette shows: everything, the messages of the shown chat, or the list of keys. */
export type Palette = 'closed' | 'everything' | 'chat' | 'keys';

export const palette = createStore<Palette>('closed');

export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

export interface Shortcut {
  readonly keys: readonly string[];
  readonly what: string;
}

/** Every shortcut of the console, for the list. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: [MODIFIER, 'K'], what: 'Search, go to a page, do something' },
  { keys: [MODIFIER, 'Shift', 'F'], what: 'Search the open chat' },
  { keys: [MODIFIER, 'Shift', 'O'], what: 'New chat' },
  { keys: [MODIFIER, '/'], what: 'This list' },
  { keys: ['/'], what: 'Go to the message field' },
  { keys: ['Enter'], what: 'Send the message' },
  { keys: ['Shift', 'Enter'], what: 'New line in the message' },
  { keys: ['Esc'], what: 'Close what was opened last, or stop the open run' },
  { keys: [MODIFIER, 'S'], what: 'Save the file' },
  { keys: ['F2'], what: 'Rename the file or document' },
  { keys: ['Alt', '↑ ↓ ← →'], what: 'Move the document in its tree' },
  { keys: ['Del'], what: 'Remove the file or document' },
];

/** The chat of the address, or null. */
export function chatOf(path: string): string | null {
  return /^\/chats\/([^/]+)\/?$/.exec(path)?.[1] ?? null;
}

/** Listens until the returned function is called. */
export function listenToShortcuts(newChat: () => void): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented || event.isComposing)
      return;
    const act = actionOf(event, newChat);
    if (!act) return;
    event.preventDefault();
    act();
  };
  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}

function actionOf({ key, shiftKey }: KeyboardEvent, newChat: () => void): (() => void) | null {
  const open = (what: Palette) => () => palette.set(palette.get() === what ? 'closed' : what);
  switch (`${shiftKey ? 'shift ' : ''}${key.toLowerCase()}`) {
    case 'k':
      return open('everything');
    case '/':
      return open('keys');
    case 'shift f':
      return chatOf(location.pathname) === null ? null : open('chat');
    case 'shift o':
      return newChat;
    default:
      return null;
  }
}
