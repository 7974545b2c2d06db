// HTTP API bodies for chats and approvals.

import { z } from 'zod';
import { attachedFile, content, limits, newMessage, principal, run, sessionState } from './http.ts';
import { id, time } from './scalars.ts';

const title = z.string().trim().min(1).max(200);

/** How a chat pursues its goal. */
const mode = z.enum(['chat_mode', 'plan_then_execute', 'parallel_agents', 'autonomous']);

/** The maximum number and length, in characters, of an autonomous goal's criteria, and the length of its check command. */
export const MOST_CRITERIA = 20;
export const CRITERION_CHARACTERS = 1000;
const CHECK_CHARACTERS = 4000;

const doneWhen = z
  .strictObject({
    check: z.string().trim().min(1).max(CHECK_CHARACTERS).optional().meta({
      description: 'A command that ends with exit code 0 when the goal is reached. It runs in the sandbox.',
    }),
    criteria: z
      .array(z.string().trim().min(1).max(CRITERION_CHARACTERS))
      .min(1)
      .max(MOST_CRITERIA)
      .optional()
      .meta({ description: 'What is true when the goal is reached. A judge decides.' }),
    judge_model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The judge’s `provider/model`; the chat’s, if absent.' }),
  })
  .meta({ id: 'DoneWhen' });

/** The maximum number of agents that work at the same time, and the length of a brief in characters. */
export const MOST_AGENTS = 8;
const BRIEF_CHARACTERS = 4000;

const agent = z
  .strictObject({
    role: z.string().min(1).max(200),
    brief: z.string().trim().min(1).max(BRIEF_CHARACTERS).meta({ description: 'What this agent is to do.' }),
  })
  .meta({ id: 'NamedAgent' });

export const newChat = z
  .strictObject({
    goal: content.meta({ description: 'The first message. The whole body may have at most 1 MiB.' }),
    title: title.optional().meta({ description: 'A name for people. If absent, the server finds one.' }),
    files: newMessage.shape.files,
    role: newMessage.shape.role.meta({
      description: 'The role that answers, unless a message names another; default: `assistant`.',
    }),
    model: newMessage.shape.model.meta({ description: '`provider/model`, unless a message names another.' }),
    project_id: id.optional().meta({ description: 'The project that the chat is about.' }),
    entity_id: id.optional().meta({ description: 'The entity of a project that the chat is about.' }),
    mode: mode.optional().meta({
      description:
        'How the chat pursues its goal; see the modes in the documentation. Default: `plan_then_execute` if the role leads a ' +
        'team, else `chat_mode`.',
    }),
    plan_id: id.optional().meta({
      description:
        'The plan that `plan_then_execute` or `parallel_agents` carries out; without it, a planner writes one.',
    }),
    agents: z
      .array(agent)
      .min(2)
      .max(MOST_AGENTS)
      .optional()
      .meta({
        description:
          'For `parallel_agents`: who works at the same time, and on what. Without it, a planner divides the goal, and a person approves ' +
          'the plan.',
      }),
    done_when: doneWhen.optional().meta({
      description:
        'For `autonomous`: how to tell that the goal is reached. Without it, a judge derives criteria first.',
    }),
    limits: limits.optional().meta({ description: 'The limits of the first run.' }),
  })
  .meta({ id: 'NewChat' });

export const session = z
  .object({
    id,
    state: sessionState,
    reason: z.string().meta({ description: 'The reason for this state.' }),
    started_at: time,
    changed_at: time,
  })
  .meta({ id: 'Session' });

export const chat = z
  .object({
    id: id.meta({ description: 'The id of the chat and of its thread.' }),
    workspace_id: id,
    title: z.string().nullable(),
    goal: z
      .string()
      .nullable()
      .meta({ description: 'The beginning of the first message; null if there is none yet.' }),
    path: z.string().meta({ description: 'The path of the chat as a file.' }),
    role: z.string().nullable().meta({ description: 'Null: the default role.' }),
    model: z.string().nullable().meta({ description: 'Null: the role’s or the server’s default.' }),
    mode,
    parent_run: id
      .nullable()
      .meta({ description: 'The run that opened the chat for a part of its work. Lists hide such chats.' }),
    created_at: time,
    active_at: time.meta({ description: 'The time of the latest message.' }),
    updated_at: time,
    archived_at: time.nullable(),
    pinned_at: time.nullable().meta({ description: 'Pinned chats are listed first by the console.' }),
    removed_at: time.nullable(),
    state: sessionState.meta({ description: 'The state of the session; `idle` if there has been none.' }),
    reason: z.enum(['stopping', 'pausing', 'waiting']).nullable().meta({
      description:
        'A stop or a pause that has been requested and not yet taken effect, or `waiting` for approval.',
    }),
    session: session.nullable().meta({ description: 'The latest session.' }),
    active_run: id.nullable().meta({ description: 'The running run, or the next one in the queue.' }),
    queued_runs: z.int(),
    waiting_steers: z
      .int()
      .meta({ description: 'Messages that were sent to the running run and that it has not read yet.' }),
    waiting_approvals: z.int(),
    usage: z
      .object({ runs: z.int(), input: z.number(), output: z.number(), cost: z.number().nullable() })
      .meta({ description: 'The sum over its ended runs and its title.' }),
  })
  .meta({ id: 'Chat' });

export const openedChat = z.object({ chat, run }).meta({ id: 'OpenedChat' });

export const chatChange = z
  .strictObject({
    title: title.optional(),
    archived: z.boolean().optional(),
    pinned: z.boolean().optional(),
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
    seq: z.int().meta({ description: 'The position of its event in the chat’s log.' }),
    part: z.int().meta({ description: 'The position within the event, if the event has several items.' }),
    role: z.enum(['user', 'assistant', 'tool', 'system']),
    message_type: z.enum(['message', 'reasoning_complete', 'tool_call', 'tool_result']),
    run_id: id,
    rewound: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if a rewind has hidden it from models.' }),
    message_id: id
      .optional()
      .meta({ description: 'For a person’s message: its id, which `replaces` takes.' }),
    content: z.string().optional(),
    files: z.array(attachedFile).optional(),
    ended: z.enum(['complete', 'error', 'interrupted']).optional(),
    reasoning_id: id.optional(),
    call: z.string().optional(),
    tool_name: z.string().optional(),
    tool_arguments: z.unknown().optional(),
    tool_output: z.unknown().optional().meta({ description: 'The output; if it is long, a summary.' }),
    tool_success: z.boolean().optional(),
    tool_result: z
      .string()
      .optional()
      .meta({ description: 'The id of the result; `/api/v1/tool-results/{id}` has the whole output.' }),
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
        '`call`: whether to make the call. `unknown_outcome`: whether to repeat a call whose outcome a crash left unknown. `question`: a question that the running call asks.',
    }),
    input: z.unknown().meta({ description: 'The input of the call; empty for a `question`.' }),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'For a `question`: the JSON schema of the answer.' }),
    paths: z
      .array(z.string())
      .meta({ description: 'The paths that the call would touch, as policy rules see them.' }),
    reason: z.string().meta({ description: 'The rule that requires approval; for a `question`, its text.' }),
    asked_at: time,
    expires_at: time.nullable(),
    decision: z
      .enum(['approve', 'deny', 'edit', 'retry', 'skip', 'answer', 'expired', 'canceled'])
      .nullable()
      .meta({ description: 'Null until it is decided.' }),
    decided_input: z
      .unknown()
      .optional()
      .meta({ description: 'For `edit`: the new input of the call. For `answer`: the answer.' }),
    comment: z.string().nullable(),
    decided_at: time.nullable(),
    decided_by: principal.nullable().meta({ description: 'Who decided; null if nobody did.' }),
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
    input: z.record(z.string(), z.unknown()).optional().meta({
      description: 'For `edit`: the new input of the call. For `answer`: the answer. Not allowed otherwise.',
    }),
    comment: z.string().max(COMMENT_CHARACTERS).optional().meta({ description: 'A comment for the model.' }),
  })
  .meta({ id: 'NewDecision' });

export type Chat = z.infer<typeof chat>;
export type Session = z.infer<typeof session>;
export type ChatMessage = z.infer<typeof chatMessage>;
export type Approval = z.infer<typeof approval>;
