// Hints: which chats of a workspace have changed, and whether its files have, for whoever shows lists of them. A hint says
// where to look and nothing else: it is kept nowhere, costs no row, and may be lost with its connection. Whoever comes
// back looks at everything once.

import type { EventType } from '@continuo/protocol';

/** What a chat's entry in a list is made of; a streamed answer is not told piece by piece. */
const TOLD: ReadonlySet<EventType> = new Set([
  'state',
  'session',
  'message',
  'approval',
  'approval_end',
  'titled',
  'rewound',
]);

/** Hints of this long are told together. */
const GATHER_MS = 100;

/** Given the chats that changed since the last time. */
type Listener = (hint: { readonly chats: readonly string[]; readonly files: boolean }) => void;

interface Told {
  readonly threadId: string;
  readonly type: EventType;
}

interface HintsOptions {
  /** Null if there is no such thread. */
  readonly workspaceOf: (threadId: string) => Promise<string | null> | string | null;
  /** Tells the other pods; does nothing where there are none. */
  readonly tellOthers: (threadId: string) => Promise<void>;
  readonly onError: (error: Error) => void;
}

export const HINT_CHANNEL = 'continuo_hint';

export class Hints {
  readonly #options: HintsOptions;
  readonly #rooms = new Map<string, Room>();

  constructor(options: HintsOptions) {
    this.#options = options;
  }

  /** Until the answer is called. */
  listen(workspaceId: string, listener: Listener): () => void {
    const room = this.#rooms.get(workspaceId) ?? new Room();
    this.#rooms.set(workspaceId, room);
    room.listeners.add(listener);
    return () => {
      room.listeners.delete(listener);
      if (room.listeners.size > 0) return;
      room.close();
      if (this.#rooms.get(workspaceId) === room) this.#rooms.delete(workspaceId);
    };
  }

  /** This pod has written these events, of one thread. */
  published(events: readonly Told[]): void {
    if (this.#rooms.size > 0 && events.some(({ type }) => TOLD.has(type))) this.heard(events[0]!.threadId);
  }

  /** Somebody wants something of the chat, or has changed it, by a request to this pod. */
  touched(threadId: string): void {
    this.heard(threadId);
    this.#options.tellOthers(threadId).catch(this.#options.onError);
  }

  /** Something happened to the chat, here or on another pod. */
  heard(threadId: string): void {
    if (this.#rooms.size === 0) return;
    const tell = (workspaceId: string | null) =>
      workspaceId !== null && this.#rooms.get(workspaceId)?.tell(threadId);
    const workspace = this.#options.workspaceOf(threadId);
    if (workspace instanceof Promise) workspace.then(tell).catch(this.#options.onError);
    else tell(workspace);
  }

  filesChanged(workspaceId: string): void {
    this.#rooms.get(workspaceId)?.tell(null);
  }
}

/** Those who listen to one workspace. */
class Room {
  readonly listeners = new Set<Listener>();
  #chats = new Set<string>();
  #files = false;
  #timer: NodeJS.Timeout | null = null;

  /** A chat, or null for files. */
  tell(chat: string | null): void {
    if (chat === null) this.#files = true;
    else this.#chats.add(chat);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #flush(): void {
    const hint = { chats: [...this.#chats], files: this.#files };
    this.#chats = new Set();
    this.#files = false;
    this.#timer = null;
    for (const listener of this.listeners) listener(hint);
  }
}
