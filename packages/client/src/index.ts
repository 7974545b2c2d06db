export { createClient, type Client } from './client.ts';
export { newKey, type ClientOptions } from './http.ts';
export {
  ApiError,
  ConnectionError,
  ContinuoError,
  InputError,
  VersionConflict,
  type Problem,
} from './errors.ts';
export type { EntityChange, FileChange, RunEvent, WorkspaceChange } from './events.ts';
export type { Hint } from './hints.ts';
export type { StreamOptions, StreamState } from './stream.ts';
export type { EventsQuery, SendMessage, ThreadEvents } from './resources/threads.ts';
export type { ThreadEvent } from '@continuo/protocol';
export type { EntityOf, Kind } from './resources/knowledge.ts';
export type { Schemas } from './http.ts';
