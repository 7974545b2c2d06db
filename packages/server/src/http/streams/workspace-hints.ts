// A workspace's hints, for screens that list its chats, files, MCP servers and schedules: which chats and running commands have changed,
// and whether anything else has. A hint only says what to reload. Hints are not stored and may be lost with their connection; a client that
// reconnects reloads everything once.

import type { EventType } from '@continuo/protocol';
import { AUTOMATION_CHANGED, MESSAGES_DELIVERED } from '../../automation/topics.ts';
import type { Bus } from '../../bus/bus.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { LOG_APPENDED } from '../../log/notice.ts';
import { EXECUTION_CHANGED } from '../../sandbox/executions.ts';
import { MCP_CHANGED, MCP_STATE_CHANGED } from '../../mcp/mcp.ts';
import { THREAD_CHANGED } from '../../threads/topics.ts';

/** The events that change a chat's entry in a list. Streamed tokens do not. */
const LISTED: ReadonlySet<EventType> = new Set([
  'state',
  'session',
  'message',
  'approval',
  'approval_end',
  'titled',
  'rewound',
]);

/** Changes within this time are merged into one hint. */
const GATHER_MS = 100;

export interface Hint {
  readonly chats: readonly string[];
  readonly files: boolean;
  readonly servers: boolean;
  readonly automation: boolean;
  readonly executions: readonly string[];
}

type Listener = (hint: Hint) => void;

interface WorkspaceHintsOptions {
  readonly bus: Bus;
  /** Null if there is no such thread. */
  readonly workspaceOf: (threadId: string) => Promise<string | null> | string | null;
  readonly onError: (error: Error) => void;
}

export class WorkspaceHints {
  readonly #options: WorkspaceHintsOptions;
  readonly #rooms = new Map<string, Room>();

  constructor(options: WorkspaceHintsOptions) {
    this.#options = options;
    this.#subscribe(options.bus);
  }

  /** Returns a function that stops listening. */
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

  #subscribe(bus: Bus): void {
    // A hint must name its chats, and a rescan does not know which ones changed.
    const rescan = () => undefined;
    bus.subscribe(LOG_APPENDED, {
      message: ({ threadIds, rows }) => {
        if (this.#rooms.size === 0 || rows?.some(({ type }) => LISTED.has(type)) === false) return;
        for (const threadId of threadIds) this.#chatChanged(threadId);
      },
      rescan,
    });
    bus.subscribe(THREAD_CHANGED, { message: ({ threadId }) => this.#chatChanged(threadId), rescan });
    bus.subscribe(FILES_CHANGED, {
      message: ({ workspaceId }) => this.#rooms.get(workspaceId)?.tell({ files: true }),
      rescan: () => this.#tellAll({ files: true }),
    });
    for (const topic of [MCP_CHANGED, MCP_STATE_CHANGED])
      bus.subscribe(topic, {
        message: ({ workspaceId }) => this.#rooms.get(workspaceId)?.tell({ servers: true }),
        rescan: () => this.#tellAll({ servers: true }),
      });
    for (const topic of [AUTOMATION_CHANGED, MESSAGES_DELIVERED])
      bus.subscribe(topic, {
        message: ({ workspaceId }) => this.#rooms.get(workspaceId)?.tell({ automation: true }),
        rescan: () => this.#tellAll({ automation: true }),
      });
    bus.subscribe(EXECUTION_CHANGED, {
      message: ({ workspaceId, key }) => this.#rooms.get(workspaceId)?.tell({ executions: [key] }),
      rescan,
    });
  }

  #chatChanged(threadId: string): void {
    if (this.#rooms.size === 0) return;
    const tell = (workspaceId: string | null) =>
      workspaceId !== null && this.#rooms.get(workspaceId)?.tell({ chats: [threadId] });
    const workspace = this.#options.workspaceOf(threadId);
    if (workspace instanceof Promise) workspace.then(tell).catch(this.#options.onError);
    else tell(workspace);
  }

  #tellAll(hint: Partial<Hint>): void {
    for (const room of this.#rooms.values()) room.tell(hint);
  }
}

const NOTHING: Hint = { chats: [], files: false, servers: false, automation: false, executions: [] };

export function mergeHints(a: Hint, b: Hint): Hint {
  return {
    chats: [...new Set([...a.chats, ...b.chats])],
    files: a.files || b.files,
    servers: a.servers || b.servers,
    automation: a.automation || b.automation,
    executions: [...new Set([...a.executions, ...b.executions])],
  };
}

/** The listeners of one workspace. */
class Room {
  readonly listeners = new Set<Listener>();
  #gathered = NOTHING;
  #timer: NodeJS.Timeout | null = null;

  tell(hint: Partial<Hint>): void {
    this.#gathered = mergeHints(this.#gathered, { ...NOTHING, ...hint });
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
