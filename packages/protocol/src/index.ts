export type {
  CallOutcome,
  EventData,
  EventType,
  LogEvent,
  NewEvent,
  RunError,
  RunStatus,
  SessionState,
} from './events.ts';
export { isTerminal } from './events.ts';
export * as schemas from './http.ts';
export type {
  Limits,
  McpConfig,
  McpServer,
  Message,
  PolicyRule,
  Role,
  Run,
  Thread,
  UsageSum,
  Why,
} from './http.ts';
export { frame, PING } from './runs-dialect.ts';
