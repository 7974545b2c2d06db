// What the tests of tools share: workspaces of their own with a mirror in a temporary folder, and calls made by real runs.

import { mkdir, mkdtemp, rm, writeFile as writeToDisk } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll } from 'vitest';
import type { EventData } from '@continuo/protocol';
import type { StoredEvent } from '../../../src/log/event.ts';
import { createChatFiles } from '../../../src/threads/chats/chat-files.ts';
import { readPolicy } from '../../../src/workspaces/policies.ts';
import { createFileTools } from '../../../src/files/tools/index.ts';
import { createNoteTools } from '../../../src/threads/notes.ts';
import type { ToolWorld } from '../../../src/files/tools/shared.ts';
import type { AnyTool } from '../../../src/tools/registry.ts';
import { storeContent } from '../../../src/files/content.ts';
import { findFile, listFiles, writeFile, type Author, type FileHead } from '../../../src/files/files.ts';
import { parseFolder, parsePath, type FilePath } from '../../../src/files/paths.ts';
import { readHead } from '../../../src/files/save.ts';
import { Workspaces, type Mirrors } from '../../../src/files/workspace-files.ts';
import { busOn } from '../../bus/support.ts';
import { createLoop, useLog, type LogWorld } from '../../runs/support.ts';

export interface Call {
  readonly tool: string;
  readonly input?: Record<string, unknown>;
  readonly raw?: string;
}

interface Played {
  readonly runId: string;
  readonly events: readonly StoredEvent[];
  /** How each call ended, in the order of the calls. */
  readonly ends: readonly EventData['tool_end'][];
}

export interface ToolsWorld extends LogWorld {
  readonly workspaces: Workspaces;
  readonly tools: readonly AnyTool[];
  workspace(): Promise<string>;
  threadIn(workspaceId: string): Promise<string>;
  /** A run on the thread that makes these calls, step by step, and ends. */
  calls(threadId: string, ...steps: readonly (Call | readonly Call[])[]): Promise<Played>;
  /** Writes a file as a person does. */
  write(workspaceId: string, path: string, content: string | Uint8Array): Promise<FileHead>;
  text(workspaceId: string, path: string): Promise<string | null>;
  paths(workspaceId: string): Promise<string[]>;
}

const at = (given: string): FilePath => {
  const parsed = parsePath(given);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.path;
};

/** A mirror that is written anew whenever it is asked for. */
function plainMirrors(world: LogWorld, root: () => string): Mirrors {
  const folder = async (workspaceId: string): Promise<string> => {
    const path = join(root(), workspaceId);
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true });
    const all = parseFolder('/');
    if (!all.ok) throw new Error(all.problem);
    for (const file of await listFiles(world.pool, workspaceId, { folder: all.path })) {
      await mkdir(dirname(join(path, file.path)), { recursive: true });
      await writeToDisk(join(path, file.path), await readHead(world.pool, file));
    }
    return path;
  };
  return { folder, stage: () => null, flush: () => Promise.resolve(), problem: () => null };
}

export function useTools(
  options: {
    readonly maxFileBytes?: number;
    readonly quotaBytes?: number;
    /** Tools of other concepts. */
    readonly more?: (world: ToolWorld) => Promise<readonly AnyTool[]>;
  } = {},
): ToolsWorld {
  const world = useLog();
  let root = '';
  let workspaces: Workspaces;
  let tools: readonly AnyTool[];
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'continuo-tools-'));
    const { maxFileBytes = 8 * 2 ** 20, quotaBytes = 2 ** 40 } = options;
    workspaces = new Workspaces({ bus: busOn(world.pool, { alone: true }), maxFileBytes, quotaBytes });
    workspaces.attach(plainMirrors(world, () => root));
    const toolWorld: ToolWorld = {
      pool: world.pool,
      workspaces,
      chats: createChatFiles(world.pool),
      rules: async (id) => ({ workspace: (await readPolicy(world.pool, id))!, role: [] }),
    };
    tools = [
      ...createFileTools(toolWorld),
      ...createNoteTools(toolWorld),
      ...((await options.more?.(toolWorld)) ?? []),
    ];
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const find = (workspaceId: string, path: string) => findFile(world.pool, workspaceId, at(path));
  const own: Omit<ToolsWorld, keyof LogWorld> = {
    get workspaces() {
      return workspaces;
    },
    get tools() {
      return tools;
    },
    workspace: async () => {
      const id = uuidv7();
      await world.pool.query('insert into workspaces (id, name, policy) values ($1, $2, $3)', [
        id,
        id,
        JSON.stringify({ rules: [{ tool: '*', action: 'allow' }] }),
      ]);
      return id;
    },
    threadIn: async (workspaceId) => {
      const id = uuidv7();
      await world.pool.query('insert into threads (id, workspace_id) values ($1, $2)', [id, workspaceId]);
      return id;
    },
    calls: async (threadId, ...steps) => {
      const loop = await createLoop(world, { tools });
      const script = [
        ...steps.map((step) => ({ calls: Array.isArray(step) ? step : [step] })),
        { text: 'done' },
      ];
      const runId = await world.run(threadId, { steps: script });
      await loop.work(await loop.hold(threadId));
      const events = (await world.log(threadId)).filter((event) => event.runId === runId);
      const ends = events.flatMap((event) => (event.type === 'tool_end' ? [event.data] : []));
      const order = events.flatMap((event) =>
        event.type === 'message_end'
          ? event.data.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.callId] : []))
          : [],
      );
      return { runId, events, ends: order.map((id) => ends.find(({ call }) => call === id)!) };
    },
    write: async (workspaceId, path, content) => {
      const stored = await storeContent(world.pool, content);
      const author: Author = { kind: 'person' };
      const changed = await writeFile(world.pool, {
        workspaceId,
        path: at(path),
        content: stored,
        author,
        base: null,
        quotaBytes: 2 ** 40,
      });
      if (changed.kind !== 'changed') throw new Error(`expected a change, got ${changed.kind}`);
      return changed.file;
    },
    text: async (workspaceId, path) => {
      const file = await find(workspaceId, path);
      return file && (await readHead(world.pool, file)).toString();
    },
    paths: async (workspaceId) => {
      const { rows } = await world.pool.query<{ path: string }>(
        'select path from files where workspace_id = $1 and removed_at is null order by path',
        [workspaceId],
      );
      return rows.map(({ path }) => path);
    },
  };
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(world)) as ToolsWorld;
}

/** What a model is told by a call. */
export function said(end: EventData['tool_end'] | undefined): string {
  const output = end?.output as { text?: string; error?: string };
  return output.error ?? output.text ?? JSON.stringify(output);
}

/** A workspace with a thread of its own, and what tests do there. */
export async function place(world: ToolsWorld) {
  const workspace = await world.workspace();
  const thread = await world.threadIn(workspace);
  return {
    workspace,
    thread,
    /** One call in a run of its own. */
    call: async (tool: string, input: Record<string, unknown>) =>
      (await world.calls(thread, { tool, input })).ends[0]!,
    write: (path: string, content: string | Uint8Array) => world.write(workspace, path, content),
    text: (path: string) => world.text(workspace, path),
  };
}
