// The names of spans and attributes, in one place: those of OpenTelemetry's conventions for generative AI (`gen_ai.`) are still
// in development, and change.

export const SCOPE = 'continuo';

export const SPANS = {
  run: (role: string) => `invoke_agent ${role}`,
  queue: 'queue',
  takeover: 'takeover',
  model: (model: string) => `chat ${model}`,
  tool: (tool: string) => `execute_tool ${tool}`,
  approval: (tool: string) => `approval ${tool}`,
} as const;

export const OPERATIONS = { run: 'invoke_agent', model: 'chat', tool: 'execute_tool' } as const;

export const ATTRIBUTES = {
  operation: 'gen_ai.operation.name',
  role: 'gen_ai.agent.name',
  thread: 'gen_ai.conversation.id',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tool: 'gen_ai.tool.name',
  call: 'gen_ai.tool.call.id',
  error: 'error.type',
  answer: 'gen_ai.output.messages',
  input: 'gen_ai.tool.call.arguments',
  output: 'gen_ai.tool.call.result',
  run: 'continuo.run.id',
  workspace: 'continuo.workspace.id',
  status: 'continuo.run.status',
  attempt: 'continuo.run.attempt',
  message: 'continuo.message',
  cost: 'continuo.cost_usd',
  outcome: 'continuo.tool.outcome',
  kind: 'continuo.approval.kind',
  decision: 'continuo.approval.decision',
} as const;
