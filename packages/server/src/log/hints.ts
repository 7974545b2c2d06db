// Hints: which chats of a workspace have changed, and whether its files or its MCP servers have, for whoever shows lists of them. A hint says
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

/** What changed since the last time. */
export interface Hint {
  readonly chats: readonly string[];
  readonly files: boolean;
  readonly servers: boolean;
}

type Listener = (hint: Hint) => void;

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
      workspaceId !== null && this.#rooms.get(workspaceId)?.tell({ chats: [threadId] });
    const workspace = this.#options.workspaceOf(threadId);
    if (workspace instanceof Promise) workspace.then(tell).catch(this.#options.onError);
    else tell(workspace);
  }

  filesChanged(workspaceId: string): void {
    this.#rooms.get(workspaceId)?.tell({ files: true });
  }

  /** An MCP server of the workspace has another state on this pod, or other tools. */
  serversChanged(workspaceId: string): void {
    this.#rooms.get(workspaceId)?.tell({ servers: true });
  }
}

const NOTHING: Hint = { chats: [], files: false, servers: false };

export function together(a: Hint, b: Hint): Hint {
  return {
    chats: [...new Set([...a.chats, ...b.chats])],
    files: a.files || b.files,
    servers: a.servers || b.servers,
  };
}

/** Those who listen to one workspace. */
class Room {
  readonly listeners = new Set<Listener>();
  #gathered = NOTHING;
  #timer: NodeJS.Timeout | null = null;

  tell(hint: Partial<Hint>): void {
    this.#gathered = together(this.#gathered, { ...NOTHING, ...hint });
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #flush(): void {
    const hint = this.#gathered;
    this.#gathered = NOTHING;
    this.#timer = null;
    for (const listener of this.listeners) listener(hint);
  }
}
