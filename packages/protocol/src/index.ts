export type {
  ApprovalDecision,
  ApprovalKind,
  AttachedFile,
  ThreadScope,
  CallOutcome,
  EntityPatch,
  EventData,
  EventType,
  ImageReference,
  LogEvent,
  ModelWork,
  NewEvent,
  Mode,
  OperationAction,
  RunError,
  RunStatus,
  SessionState,
  ThreadEvent,
} from './events.ts';
export { isTerminal } from './events.ts';
export * as schemas from './schemas.ts';
export { ASK_AFTER_UNTRUSTED, POLICY_PRESETS } from './policy-presets.ts';
export type {
  NewSchedule,
  NewTrigger,
  NewWebhook,
  Schedule,
  ScheduleTime,
  Trigger,
  Webhook,
  WebhookMessage,
} from './automation.ts';
export { CRITERION_CHARACTERS, MOST_AGENTS, MOST_CRITERIA } from './chats.ts';
export type { Approval, Chat, ChatMessage, Session } from './chats.ts';
export type { ChatContext, ModelContext, SentRequest } from './context.ts';
export type { ChatDigest } from './digest.ts';
export type { File, FileDiff, FileVersion, SearchHit, TreeEntry, Unpacked, Workspace } from './files.ts';
export type {
  Limits,
  ListedRun,
  Message,
  PolicyRule,
  Principal,
  Role,
  Team,
  Skill,
  Run,
  Thread,
  ToolResult,
  UsageOverTime,
  UsageSeries,
  UsageSum,
  Why,
} from './http.ts';
export type { ContentPiece, PublishedContent, ReadKey } from './content.ts';
export type { DocStructure, Edge, Entity, EntityKind, PatchOperation } from './knowledge.ts';
export { applyEntityPatch, applyPatch, PatchError, type HeldEntity } from './fold/entities.ts';
export {
  agentStateOf,
  applyAgentStateDelta,
  currentSummary,
  MEMORY_EVENTS,
  memoryAfter,
  NO_MEMORY,
  type HeldSummary,
  type Memory,
} from './fold/memory.ts';
export type {
  AgentState,
  AgentStateChange,
  AgentStateItem,
  AgentStateItemUpdate,
  AgentStateUpdate,
  Summary,
  SummaryVersion,
} from './memory.ts';
export { AGENT_STATE_LISTS } from './memory.ts';
export type { McpConfig, McpServer } from './mcp.ts';
export type { Execution, SandboxState } from './sandbox.ts';
export type {
  Assignment,
  AssignmentMessage,
  AssignmentRequest,
  ExecutorEvent,
  PostedEvents,
} from './executors.ts';
export {
  isPlanId,
  PLAN_EXECUTORS,
  PLAN_INTENTS,
  PLAN_LIMITS,
  PLAN_STEP_STATUSES,
  stepsOf,
  type AgentPlan,
  type PlanIntent,
  type PlanMode,
  type PlanProblem,
  type ListedPlan,
  type PlanProgress,
  type PlanStage,
  type PlanState,
  type PlanStep,
  type PlanStepState,
  type PlanStepStatus,
} from './plans.ts';
export { checkPlan, type PlanVocabulary } from './plan-file/check.ts';
export { parsePlan, type ParsedPlan, type PlanPositions } from './plan-file/parse.ts';
export { printPlan, printStatuses, type PlanStatuses } from './plan-file/print.ts';
export { readArguments, type CallArguments } from './fold/arguments.ts';
export { callsAfter, everyOpenCall, type Call, type CallStage } from './fold/calls.ts';
export { supersededBy } from './fold/messages.ts';
export { addSpent } from './fold/usage.ts';
export { errorTextOf, outputText } from './dialects/calls.ts';
export {
  frameId,
  parseFrameId,
  type Dialect,
  type DialectFrame,
  type FrameCursor,
  type RunDialect,
} from './dialects/dialect.ts';
export { runs } from './dialects/runs.ts';
export { PING, sseFrame } from './dialects/sse.ts';
export { thread, threadEventJson } from './dialects/thread.ts';
export { workspace } from './dialects/workspace.ts';
export { agent } from './dialects/agent.ts';
export { applyEvent, foldView, prependEvents } from './view/fold.ts';
export {
  isOpen,
  neverBegan,
  newView,
  waitingCalls,
  type AnswerItem,
  type ApprovalItem,
  type CallItem,
  type ChatView,
  type ChildItem,
  type Item,
  type PersonItem,
  type PlanItem,
  type Turn,
  type TurnState,
  type VerdictItem,
  type ViewEvent,
} from './view/view.ts';
export { agUi, type AgUiRun } from './dialects/ag-ui.ts';
export { aiSdk } from './dialects/ai-sdk.ts';
