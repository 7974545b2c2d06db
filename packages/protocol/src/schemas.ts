// All bodies of the HTTP API.

export * from './automation.ts';
export * from './chats.ts';
export * from './content.ts';
export * from './context.ts';
export { chatDigest } from './digest.ts';
export * from './executors.ts';
export * from './files.ts';
export * from './http.ts';
export * from './knowledge.ts';
export * from './mcp.ts';
export * from './sandbox.ts';
export {
  agentPlan,
  approvePlan,
  listedPlan,
  planProblem,
  planProgress,
  runPlan,
  planStage,
  planState,
  planStep,
  planStepStatus,
  planStepState,
} from './plans.ts';
export * from './memory.ts';
