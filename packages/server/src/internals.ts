// Parts of the server for its own test kit and benchmark, which start and measure them one at a time. Not for users:
// these names change without notice.

export { PostgresBus } from './bus/postgres.ts';
export { shownHistory } from './context/history.ts';
export { loadLayers } from './context/layers.ts';
export { createPacks } from './context/packs.ts';
export { connect, createPool, type Pool, type Queryable } from './db/pool.ts';
export { readChangeRows, subscribeChangeFollowers } from './files/changes.ts';
export { removeFile } from './files/files.ts';
export { createMirrors, subscribeMirrors, type DiskMirrors } from './files/mirror/mirrors.ts';
export { parsePath } from './files/paths.ts';
export { saveFile } from './files/save.ts';
export { createBuiltInTools } from './files/tools/index.ts';
export { Workspaces } from './files/workspace-files.ts';
export { defineKind, text, type Kind } from './knowledge/kind.ts';
export { indexWords } from './files/words.ts';
export type { AccessKey } from './identity/principal.ts';
export type { StoredEvent } from './log/event.ts';
export { FollowersOf } from './log/follow.ts';
export { changeEntities } from './knowledge/entities.ts';
export { createKnowledge, type Knowledge } from './knowledge/knowledge.ts';
export { searchKnowledge } from './knowledge/search.ts';
export { bind, INSERT, readForFold, readThreadEvents, seqOf } from './log/statements.ts';
export type { Conductor } from './runs/children/conductor.ts';
export { readRun } from './runs/reads/read-runs.ts';
export { createBubblewrap } from './sandbox/bubblewrap/bubblewrap.ts';
export { openCgroups } from './sandbox/bubblewrap/cgroups.ts';
export { LIMITS as SANDBOX_LIMITS } from './sandbox/limits.ts';
export type { Runner } from './sandbox/runner.ts';
export { createVolumes } from './sandbox/volumes.ts';
export { createChatFiles } from './threads/chats/chat-files.ts';
export { EMPTY, foldAll } from './threads/fold.ts';
export { DEFAULT_POLICY } from './tools/policy.ts';
export type { AnyTool } from './tools/registry.ts';
export { ToolFailure, type LiveCallContext, type Tool } from './tools/tool.ts';
