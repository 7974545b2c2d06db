// HTTP API bodies of the executor protocol: assignments, and the events of their answers.

import { z } from 'zod';
import { id } from './scalars.ts';

/** The most events of one batch, and batches of one answer. */
export const EXECUTOR_EVENTS = 1000;
export const EXECUTOR_BATCHES = 100_000;
/** The most seconds that a claim or a heartbeat waits. */
export const EXECUTOR_WAIT_SECONDS = 30;

const file = z.object({
  media_type: z.string(),
  url: z.string().meta({ description: 'A `data:` or `https:` URL.' }),
});

const partOfHistory = z.union([
  z.object({ type: z.enum(['text', 'reasoning']), text: z.string() }),
  z.object({ type: z.literal('tool_call'), call: z.string(), tool: z.string(), input: z.unknown() }),
]);

export const assignmentMessage = z
  .union([
    z.object({
      role: z.literal('user'),
      id: z.string(),
      content: z.string(),
      files: z.array(file).optional(),
    }),
    z.object({ role: z.literal('assistant'), id: z.string(), parts: z.array(partOfHistory) }),
    z.object({
      role: z.literal('tool'),
      call: z.string(),
      tool: z.string(),
      output: z.unknown(),
      failed: z.boolean(),
      files: z.array(file).optional(),
    }),
    z.object({ role: z.literal('system'), content: z.string() }),
  ])
  .meta({ id: 'AssignmentMessage', description: 'A message of the thread’s history, oldest first.' });

export const assignmentRequest = z
  .object({
    role: z.string(),
    system: z.string().meta({ description: 'The instructions that a model would get.' }),
    history: z.array(assignmentMessage),
    tools: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          input: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the input.' }),
        }),
      )
      .meta({ description: 'The tools that the answer may call. The server runs them.' }),
    max_output_tokens: z.int().nullable().meta({ description: 'What a budget leaves for the answer.' }),
    traceparent: z
      .string()
      .nullable()
      .describe(
        'The W3C trace context of the answer, if the server sends traces: spans of the executor can be its children.',
      ),
    state: z.unknown().meta({
      description:
        'The state that the executor stored with its last answer in this thread; null if there is none.',
    }),
  })
  .meta({ id: 'AssignmentRequest' });

export const assignment = z
  .object({
    run_id: id,
    thread_id: id,
    workspace_id: id,
    message: z.string().meta({ description: 'Names the answer within its run, such as `m1`.' }),
    executor: z.string(),
    claim: id.meta({
      description: 'Proves that the assignment is the executor’s. Send it with every request.',
    }),
    lease_seconds: z.number().meta({
      description: 'Without a post or a heartbeat for so long, the claim is lost.',
    }),
    request: assignmentRequest,
  })
  .meta({ id: 'Assignment', description: 'One answer for an executor to write.' });

export const claimRequest = z
  .strictObject({
    workspace: z.string().min(1).max(64).optional().meta({
      description: 'The id or name of a workspace; every workspace that the key may use if absent.',
    }),
    role: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'The name of a role: only answers of its runs; of all roles if absent.' }),
    wait: z
      .number()
      .min(0)
      .max(EXECUTOR_WAIT_SECONDS)
      .default(0)
      .meta({ description: 'How many seconds to wait for an assignment.' }),
    by: z.string().max(200).optional().meta({ description: 'Names the program, for people.' }),
  })
  .meta({ id: 'ClaimRequest' });

const tokens = z.int().min(0).max(1_000_000_000);

export const executorEvent = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({ type: z.literal('reasoning'), text: z.string() }),
    z.strictObject({
      type: z.literal('tool_call'),
      call: z
        .string()
        .regex(/^[\w.:-]{1,100}$/, 'must have 1 to 100 letters, digits, dots, colons, hyphens or underscores')
        .optional()
        .meta({ description: 'Names the call within its run. The server makes it unique.' }),
      tool: z.string().min(1).max(200),
      input: z.record(z.string(), z.unknown()),
    }),
    z
      .strictObject({
        type: z.literal('finish'),
        reason: z.enum(['end', 'tool_use', 'length', 'filtered', 'other']).optional(),
        usage: z
          .strictObject({
            input: tokens,
            output: tokens,
            cached_input: tokens.optional(),
            reasoning: tokens.optional(),
          })
          .optional(),
        state: z
          .unknown()
          .optional()
          .meta({ description: 'Given back with the next assignment of the thread.' }),
      })
      .meta({
        description: 'The answer is complete. The server makes its calls, and then asks for the next answer.',
      }),
    z
      .strictObject({
        type: z.literal('fail'),
        code: z.string().regex(/^[a-z][a-z\d_]{0,63}$/, 'must be a word such as model_overloaded'),
        error: z.string().min(1).max(4000),
        retryable: z.boolean().optional().meta({ description: 'The server may ask once more.' }),
      })
      .meta({ description: 'The answer failed, and the run with it.' }),
  ])
  .meta({ id: 'ExecutorEvent' });

export const postedEvents = z
  .strictObject({
    claim: id,
    seq: z.int().min(1).max(EXECUTOR_BATCHES).meta({
      description: 'Numbers the batches of an answer from 1. A batch that is sent twice counts once.',
    }),
    events: z.array(executorEvent).min(1).max(EXECUTOR_EVENTS),
  })
  .meta({ id: 'PostedEvents', description: 'Nothing may follow `finish` or `fail`.' });

export const heartbeatRequest = z
  .strictObject({
    claim: id,
    wait: z
      .number()
      .min(0)
      .max(EXECUTOR_WAIT_SECONDS)
      .default(0)
      .meta({ description: 'How many seconds to wait for the end of the assignment.' }),
    release: z.literal(true).optional().meta({
      description: 'Gives the claim up: another executor gets the assignment at once.',
    }),
  })
  .meta({ id: 'HeartbeatRequest' });

export const heldClaim = z
  .object({ lease_seconds: z.number() })
  .meta({ id: 'HeldClaim', description: 'The claim is still valid.' });

export type Assignment = z.infer<typeof assignment>;
export type AssignmentRequest = z.infer<typeof assignmentRequest>;
export type AssignmentMessage = z.infer<typeof assignmentMessage>;
export type ExecutorEvent = z.infer<typeof executorEvent>;
export type PostedEvents = z.infer<typeof postedEvents>;
