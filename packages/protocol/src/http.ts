// HTTP API bodies: threads, messages, runs, and shared schemas.

import { z } from 'zod';
import { id, time } from './scalars.ts';

export const runStatus = z.enum(['queued', 'running', 'done', 'error', 'canceled']);
export const sessionState = z.enum(['idle', 'running', 'paused', 'error', 'cancelled', 'completed']);

export const newThread = z
  .strictObject({
    title: z.string().trim().min(1).max(200).optional().meta({ description: 'A name for people.' }),
    workspace: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'The id or the name of its workspace; default: `default`.' }),
  })
  .meta({ id: 'NewThread' });

export const thread = z
  .object({
    id,
    workspace_id: id,
    title: z.string().nullable(),
    created_at: time,
    session: z.object({ id, state: sessionState }).nullable().meta({ description: 'The latest session.' }),
    active_run: id.nullable().meta({ description: 'The running run, or the next one in the queue.' }),
  })
  .meta({ id: 'Thread' });

export const limits = z
  .strictObject({
    steps: z.int().min(1).max(10_000).optional().meta({ description: 'Model calls.' }),
    tokens: z.int().min(1).optional(),
    cost: z.number().positive().optional().meta({ description: 'US dollars, as far as prices are known.' }),
    seconds: z.number().min(1).max(2_000_000).optional(),
  })
  .meta({
    id: 'Limits',
    description: 'What the run may use. The role’s and the server’s limits apply to what is absent.',
  });

export const policyRule = z
  .strictObject({
    tool: z.string().meta({ description: 'A tool’s name, or a glob of names.' }),
    path: z
      .string()
      .optional()
      .meta({ description: 'A glob; the rule matches calls that touch a matching path.' }),
    effect: z.enum(['pure', 'idempotent', 'transactional', 'external']).optional(),
    after: z.enum(['untrusted']).optional().meta({
      description:
        'The rule is about calls in chats in which the model has read untrusted content. Such rules are judged on their own, and the stricter verdict counts.',
    }),
    action: z.enum(['allow', 'ask', 'deny']),
  })
  .meta({ id: 'PolicyRule' });

/** The most rules in one list. */
export const POLICY_RULES = 200;

const source = z.union([
  z.object({ kind: z.literal('built-in') }),
  z.object({ kind: z.literal('file'), path: z.string(), version: z.int() }),
]);

const fileProblem = z
  .object({ path: z.string(), version: z.int(), line: z.int(), column: z.int(), sentence: z.string() })
  .nullable();

export const role = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    model: z.string().nullable().meta({ description: 'Null: the server’s default.' }),
    tools: z.array(z.string()).nullable().meta({ description: 'Names and globs of tools; null: all tools.' }),
    permissions: z.array(policyRule),
    limits,
    preamble: z.string().nullable().meta({
      description: 'What the model is told first; null if no version of the role’s file can be used.',
    }),
    source: source.meta({ description: 'Where the role in use comes from.' }),
    problem: fileProblem.meta({ description: 'What is wrong with the newest version of the role’s file.' }),
  })
  .meta({ id: 'Role' });

export const team = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    lead: z.string().nullable().meta({
      description:
        'The role that brings the others in: it writes the plan. Null if no version of the team’s file can be used.',
    }),
    members: z.array(z.string()).meta({ description: 'The other roles.' }),
    plan: z.string().nullable().meta({ description: 'The path at which the lead writes the plan.' }),
    files: z
      .array(z.string())
      .meta({ description: 'The paths of files that the models of all these roles are told.' }),
    text: z.string().nullable().meta({ description: 'How the team works; the lead is told it.' }),
    source: source.meta({ description: 'Where the team in use comes from.' }),
    problem: fileProblem.meta({ description: 'What is wrong with the newest version of the team’s file.' }),
  })
  .meta({ id: 'Team' });

export const skill = z
  .object({
    name: z.string(),
    description: z
      .string()
      .nullable()
      .meta({ description: 'Null if no version of the skill’s file can be used.' }),
    license: z.string().nullable(),
    compatibility: z.string().nullable(),
    path: z.string().meta({ description: 'The path of its SKILL.md.' }),
    version: z.int().meta({ description: 'The version of the file that is in use.' }),
    problem: fileProblem.meta({ description: 'What is wrong with the newest version of the skill’s file.' }),
  })
  .meta({ id: 'Skill' });

/** The text of a person's message. */
export const content = z.string().min(1);

/** The most files attached to one message. */
export const FILES_ATTACHED = 20;

export const newMessage = z
  .strictObject({
    content: content.meta({ description: 'The message. The whole body may have at most 1 MiB.' }),
    files: z
      .array(z.string().min(1).max(2048))
      .max(FILES_ATTACHED)
      .optional()
      .meta({ description: 'Ids or paths of files of the workspace to attach, in their current versions.' }),
    policy: z
      .enum(['enqueue', 'reject', 'interrupt', 'rollback', 'steer'])
      .optional()
      .meta({ description: 'What happens if the thread has an open run; default: `enqueue`.' }),
    replaces: id.optional().meta({
      description:
        'The id of an earlier message of a person: the thread is rewound to before it, and this message takes its place.',
    }),
    model: z.string().max(200).optional().meta({
      description:
        '`provider/model`, or the bare name of a model that only one provider has; default: the chat’s, the role’s or the server’s.',
    }),
    role: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'The role that answers; default: the chat’s, or `assistant`.' }),
    limits: limits.optional(),
  })
  .meta({ id: 'NewMessage' });

export const agentMessage = z
  .strictObject({
    message: z.string().min(1).meta({ description: 'The message. The whole body may have at most 1 MiB.' }),
    session_id: id.optional().meta({ description: 'A thread’s id; if absent, a new thread is created.' }),
    scope: z.enum(['global', 'project', 'entity']).optional().meta({
      description:
        'What the session is about from here on: the whole workspace, a project, or an entity. If absent, what it was about before; a new session is about the workspace.',
    }),
    project_id: id.optional().meta({ description: 'Of the scope `project`; of an entity, its project.' }),
    entity: z
      .strictObject({ type: z.string().min(1).max(64).meta({ example: 'task' }), id })
      .optional()
      .meta({ description: 'Of the scope `entity`.' }),
    workspace: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'The id or the name of a new thread’s workspace; default: `default`.' }),
    model: z.string().max(200).optional().meta({ description: '`provider/model`.' }),
    role: z.string().max(100).optional().meta({ description: 'The role that answers.' }),
  })
  .meta({ id: 'AgentMessage' });

export const usage = z
  .object({
    input: z.number(),
    output: z.number(),
    cachedInput: z.number().optional(),
    cacheWrite: z.number().optional(),
    reasoning: z.number().optional(),
  })
  .meta({ id: 'Usage', description: 'Tokens, as the provider counted them.' });

export const principal = z
  .union([z.object({ kind: z.literal('local') }), z.object({ kind: z.literal('key'), name: z.string() })])
  .meta({
    id: 'Principal',
    description:
      'Who sent a message, and on whose behalf a run acts: someone on the server’s machine or with the person’s token, or the owner of a key. ' +
      'A retry acts on behalf of the one who asked for it. A model’s message has none.',
  });

export const run = z
  .object({
    id,
    thread_id: id,
    message_id: id,
    status: runStatus,
    model: z.string(),
    role: z.string(),
    principal,
    retry_of: id.nullable(),
    steered_into: id
      .nullable()
      .meta({ description: 'The running run that its message was given to; this run ends `canceled`.' }),
    parent_run: id.nullable().meta({ description: 'The run that started it and waits for it.' }),
    limits: limits.nullable(),
    blocked_by: id
      .nullable()
      .meta({ description: 'While it is queued: the open run before it in the thread.' }),
    queued_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    cancel_requested_at: time.nullable(),
    cancel_requested_by: principal.nullable().meta({ description: 'Who asked for it to be canceled.' }),
    error: z.object({ code: z.string(), error: z.string() }).nullable(),
    usage: usage.nullable().meta({ description: 'The sum over its model calls, once it has ended.' }),
    cost: z.number().nullable().meta({ description: 'US dollars, as far as prices are known.' }),
  })
  .meta({ id: 'Run' });

export const listedRun = run
  .extend({
    title: z.string().nullable().meta({ description: 'The title of its chat.' }),
    said: z
      .string()
      .meta({ description: 'The message that it answers; in a list, its first 200 characters.' }),
  })
  .meta({ id: 'ListedRun' });

export const usageSum = z
  .object({
    key: z.string(),
    runs: z.int(),
    input: z.number(),
    output: z.number(),
    cached_input: z.number(),
    reasoning: z.number(),
    cost: z.number().nullable(),
  })
  .meta({ id: 'UsageSum' });

const usageTotal = usageSum.omit({ key: true });
const perBucket = <T extends z.ZodType>(value: T) =>
  z.array(value).meta({ description: 'A value for each of `buckets`.' });

export const usageSeries = z
  .object({
    key: z.string().nullable().meta({
      description:
        'The model, the role, or the id of the project or chat. Null: calls without a role (titles and summaries), or in no project.',
    }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'Of a project or a chat, unless it was deleted; otherwise the key.' }),
    total: usageTotal,
    runs: perBucket(z.int()),
    input: perBucket(z.number()),
    output: perBucket(z.number()),
    cost: perBucket(z.number().nullable()),
  })
  .meta({ id: 'UsageSeries' });

export const usageOverTime = z
  .object({
    from: time,
    to: time,
    time_zone: z.string(),
    buckets: z.array(time).meta({ description: 'When each bucket begins.' }),
    total: usageTotal,
    series: z.array(usageSeries).meta({ description: 'The largest sums of tokens, at most 10.' }),
    others: usageSeries
      .omit({ key: true, name: true })
      .extend({ count: z.int().meta({ description: 'How many keys there are besides those in `series`.' }) })
      .nullable(),
  })
  .meta({ id: 'UsageOverTime' });

export const accepted = z.object({ run }).meta({ id: 'Accepted' });

export const cancelRequest = z
  .strictObject({
    reason: z.string().trim().min(1).max(200).optional().meta({ description: 'Default: `user_cancelled`.' }),
  })
  .meta({ id: 'CancelRequest' });

export const attachedFile = z
  .object({
    file: id,
    path: z.string(),
    v: z.int().meta({ description: 'Its version at that time.' }),
    media_type: z.string(),
    size: z.int(),
  })
  .meta({ id: 'AttachedFile' });

export const message = z
  .object({
    id,
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    run_id: id,
    principal: principal.optional(),
    files: z.array(attachedFile).optional().meta({ description: 'The attached files.' }),
    ended: z
      .enum(['complete', 'error', 'interrupted'])
      .optional()
      .meta({ description: 'For a model’s message: how it ended.' }),
    rewound: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if a rewind has hidden it from models.' }),
    waiting: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if it was sent to a running run that has not read it yet.' }),
    created_at: time,
  })
  .meta({ id: 'Message' });

export const event = z.object({ id: z.int(), type: z.string(), data: z.looseObject({}), at: time }).meta({
  id: 'Event',
  description: 'An event of a run; `id` is its position in the run, from 1, without gaps.',
});

export const threadEvent = z
  .object({
    seq: z.int(),
    run_id: id.nullable().meta({ description: 'Null: the event belongs to the thread, not to a run.' }),
    run_seq: z.int().nullable(),
    type: z.string(),
    data: z.looseObject({}),
    at: time,
  })
  .meta({
    id: 'ThreadEvent',
    description:
      'An event of a thread; `seq` is its position in the thread, `run_seq` in its run, from 1, without gaps.',
  });

export const frame = z
  .object({
    id: z.string().meta({
      description: 'The event’s number; `<number>.<part>` for all frames of the event but the last.',
    }),
    type: z.string(),
    data: z.looseObject({}),
    at: time,
  })
  .meta({ id: 'Frame', description: 'A frame that a dialect makes of an event.' });

export const toolResult = z
  .object({
    id: z.string().meta({ description: 'The run’s id, a colon, and the call’s id.' }),
    run_id: id,
    call: z.string(),
    tool: z.string(),
    title: z.string().optional().meta({ description: 'A sentence about what the call did.' }),
    input: z.unknown(),
    output: z
      .unknown()
      .meta({ description: 'The whole output; after a failure, `error` says what was wrong.' }),
    success: z.boolean(),
    outcome: z.enum(['unknown', 'canceled', 'denied']).optional(),
    summary: z
      .string()
      .optional()
      .meta({ description: 'What later runs see instead of the output, if the tool defines it.' }),
    sources: z.array(z.string()).meta({ description: 'Ids of the files that the output was made from.' }),
    ended_at: time,
  })
  .meta({ id: 'ToolResult' });

export const why = z
  .object({
    run_id: id,
    status: runStatus,
    sentence: z.string().meta({ description: 'A sentence about what the run waits for.' }),
    waits_for: z.enum([
      'nothing',
      'pod',
      'run',
      'model',
      'tool',
      'approval',
      'children',
      'resume',
      'takeover',
      'cancel',
      'step',
    ]),
    queue_position: z
      .int()
      .nullable()
      .meta({ description: 'How many open runs are before it in its thread.' }),
    blocked_by: id.nullable(),
    pod: z
      .object({ id, name: z.string(), heartbeat_age_ms: z.int(), lease_seconds: z.number() })
      .nullable()
      .meta({ description: 'The pod that holds the thread.' }),
    attempt: z.int().meta({ description: 'How many pods have held the run.' }),
    step: z
      .object({
        kind: z.enum(['model', 'tool', 'approval', 'between']),
        message: z.string().nullable(),
        calls: z.array(
          z.object({
            call: z.string(),
            tool: z.string(),
            approval: z.string().optional().meta({ description: 'For a call that waits for approval.' }),
          }),
        ),
      })
      .nullable(),
    since: time.nullable().meta({
      description:
        'When it started to wait: for a model, at the request; for people, when there was nothing else left to do.',
    }),
    cancel_requested_at: time.nullable(),
  })
  .meta({ id: 'Why' });

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().meta({ description: 'Stable, for programs.' }),
    detail: z.string().meta({ description: 'What was wrong, and what to do about it.' }),
  })
  .loose()
  .meta({ id: 'Problem' });

export const ready = z
  .object({
    status: z.enum(['ready', 'unready']),
    database: z.string(),
    migrations: z.string(),
    storage: z.string().meta({
      description:
        "`full` after a write was refused because a disk is full, until a write of 1 MiB succeeds; also while the server's embedded database cannot be reached and less than 16 MiB are free for it. `unknown` while the database cannot be reached for another reason.",
    }),
    pod: z.string(),
    folders: z.string().meta({
      description:
        '`ok`, or why the folders on disk are behind, such as `the disk is full`. The server is ready all the same.',
    }),
    version: z.string().meta({ description: 'The version of the server.' }),
  })
  .meta({ id: 'Ready' });

export type ListedRun = z.infer<typeof listedRun>;
export type Limits = z.infer<typeof limits>;
export type PolicyRule = z.infer<typeof policyRule>;
export type Role = z.infer<typeof role>;
export type Team = z.infer<typeof team>;
export type Skill = z.infer<typeof skill>;
export type Principal = z.infer<typeof principal>;
export type Run = z.infer<typeof run>;
export type Thread = z.infer<typeof thread>;
export type Message = z.infer<typeof message>;
export type ToolResult = z.infer<typeof toolResult>;
export type UsageSum = z.infer<typeof usageSum>;
export type UsageSeries = z.infer<typeof usageSeries>;
export type UsageOverTime = z.infer<typeof usageOverTime>;
export type Why = z.infer<typeof why>;
