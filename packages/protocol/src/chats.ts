// HTTP API bodies for chats and approvals.

import { z } from 'zod';
import { attachedFile, content, limits, newMessage, run, sessionState } from './http.ts';
import { id, time } from './scalars.ts';

const title = z.string().trim().min(1).max(200);

/** How a chat pursues its goal. Only `chat_mode` is implemented. */
const mode = z.enum(['chat_mode', 'plan_then_execute', 'parallel_agents', 'autonomous']);

export const newChat = z
  .strictObject({
    goal: content.meta({ description: 'The first message; at most what the body limit of 1 MiB leaves.' }),
    title: title.optional().meta({ description: 'A name for people; the chat finds one if absent.' }),
    files: newMessage.shape.files,
    role: newMessage.shape.role.meta({
      description: 'Who answers, unless a message says otherwise; `assistant` if absent.',
    }),
    model: newMessage.shape.model.meta({ description: '`provider/model`, unless a message says otherwise.' }),
    mode: mode.default('chat_mode').meta({ description: 'Only `chat_mode` is available in this version.' }),
    plan_id: id.optional().meta({ description: 'Not available in this version.' }),
    limits: limits.optional().meta({ description: 'Of the first run.' }),
  })
  .meta({ id: 'NewChat' });

export const session = z
  .object({
    id,
    state: sessionState,
    reason: z.string().meta({ description: 'Why it is in this state.' }),
    started_at: time,
    changed_at: time,
  })
  .meta({ id: 'Session' });

export const chat = z
  .object({
    id: id.meta({ description: 'Also the id of its thread.' }),
    workspace_id: id,
    title: z.string().nullable(),
    goal: z
      .string()
      .nullable()
      .meta({ description: 'The beginning of its first message; null while there is none.' }),
    path: z.string().meta({ description: 'Where it is shown as a file.' }),
    role: z.string().nullable().meta({ description: 'Null: the default.' }),
    model: z.string().nullable().meta({ description: 'Null: the role’s or the server’s default.' }),
    mode,
    created_at: time,
    active_at: time.meta({ description: 'When somebody last said something in it.' }),
    updated_at: time,
    archived_at: time.nullable(),
    removed_at: time.nullable(),
    state: sessionState.meta({ description: 'The session’s; `idle` if there has been none.' }),
    reason: z
      .enum(['stopping', 'pausing', 'waiting'])
      .nullable()
      .meta({ description: 'What is on its way: a stop, a pause; or `waiting` for approval.' }),
    session: session.nullable().meta({ description: 'The latest.' }),
    active_run: id.nullable().meta({ description: 'The run that is running or next in the queue.' }),
    queued_runs: z.int(),
    waiting_steers: z
      .int()
      .meta({ description: 'Messages that the run at work was sent and has not taken in yet.' }),
    waiting_approvals: z.int(),
    usage: z
      .object({ runs: z.int(), input: z.number(), output: z.number(), cost: z.number().nullable() })
      .meta({ description: 'Of its runs that have ended, and of its title.' }),
  })
  .meta({ id: 'Chat' });

export const openedChat = z.object({ chat, run }).meta({ id: 'OpenedChat' });

export const chatChange = z
  .strictObject({
    title: title.optional(),
    archived: z.boolean().optional(),
  })
  .meta({ id: 'ChatChange' });

export const chatStatus = z
  .object({ status: z.enum(['cancelled', 'pausing', 'paused', 'running']), chat_id: id })
  .meta({ id: 'ChatStatus' });

export const pinged = z
  .object({
    state: sessionState,
    expires_at: time
      .nullable()
      .meta({ description: 'When the idle session completes; null while it is not idle.' }),
  })
  .meta({ id: 'Pinged' });

export const chatMessage = z
  .object({
    seq: z.int().meta({ description: 'The place of its event in the chat’s log.' }),
    part: z.int().meta({ description: 'The place in the event, where that says several things.' }),
    role: z.enum(['user', 'assistant', 'tool', 'system']),
    message_type: z.enum(['message', 'reasoning_complete', 'tool_call', 'tool_result']),
    run_id: id,
    rewound: z.literal(true).optional().meta({ description: 'Said before the chat was taken back.' }),
    message_id: id.optional().meta({ description: 'Of a person’s message: what `replaces` means.' }),
    content: z.string().optional(),
    files: z.array(attachedFile).optional(),
    ended: z.enum(['complete', 'error', 'interrupted']).optional(),
    reasoning_id: id.optional(),
    call: z.string().optional(),
    tool_name: z.string().optional(),
    tool_arguments: z.unknown().optional(),
    tool_output: z
      .unknown()
      .optional()
      .meta({ description: 'The output, or a summary of it where it is long.' }),
    tool_success: z.boolean().optional(),
    tool_result: z
      .string()
      .optional()
      .meta({ description: 'The whole output is at `/api/v1/tool-results/` and this.' }),
    created_at: time,
  })
  .meta({ id: 'ChatMessage' });

export const approvalState = z.enum(['waiting', 'decided', 'all']);

export const approval = z
  .object({
    id,
    chat_id: id,
    run_id: id,
    call: z.string(),
    tool: z.string(),
    kind: z.enum(['call', 'unknown_outcome', 'question']).meta({
      description:
        'May this call be made; where a crash left its outcome unknown, may it be made again; or a question that the call itself asks while it is being made.',
    }),
    input: z.unknown().meta({ description: 'What the call is made with; nothing for a `question`.' }),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Of a `question`: the JSON schema of the answer.' }),
    paths: z.array(z.string()).meta({ description: 'What it would touch, as rules see it.' }),
    reason: z.string().meta({ description: 'Whose rule asks; of a `question`, its text.' }),
    asked_at: time,
    expires_at: time.nullable(),
    decision: z
      .enum(['approve', 'deny', 'edit', 'retry', 'skip', 'answer', 'expired', 'canceled'])
      .nullable()
      .meta({ description: 'Null while it waits.' }),
    decided_input: z
      .unknown()
      .optional()
      .meta({ description: 'Of `edit`: what the call is made with. Of `answer`: the answer.' }),
    comment: z.string().nullable(),
    decided_at: time.nullable(),
  })
  .meta({ id: 'Approval' });

/** The most characters of a decision's comment, which the model sees. */
export const COMMENT_CHARACTERS = 2000;

export const newDecision = z
  .strictObject({
    decision: z.enum(['approve', 'deny', 'edit', 'retry', 'skip', 'answer']).meta({
      description:
        'A `call` takes `approve`, `deny` and `edit`; an `unknown_outcome` takes `retry` and `skip`; a `question` takes `answer`, `deny` (the person declines) and `skip` (the person dismisses it).',
    }),
    input: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Of `edit`: what the call is made with. Of `answer`: the answer. Of no other.' }),
    comment: z.string().max(COMMENT_CHARACTERS).optional().meta({ description: 'The model is told.' }),
  })
  .meta({ id: 'NewDecision' });

export type Chat = z.infer<typeof chat>;
export type Session = z.infer<typeof session>;
export type ChatMessage = z.infer<typeof chatMessage>;
export type Approval = z.infer<typeof approval>;
