// HTTP API bodies for schedules, webhooks and triggers.

import { z } from 'zod';
import { limits, newMessage, principal } from './http.ts';
import { id, name, time } from './scalars.ts';

const noNul = /^[^\0]*$/;
const NUL = 'must not contain NUL (U+0000)';

/** The longest message that a schedule or a trigger stores. */
const MESSAGE_CHARACTERS = 50_000;

/** What a schedule or a trigger starts. */
const start = {
  message: z.string().min(1).max(MESSAGE_CHARACTERS).meta({ description: 'The message to the agent.' }),
  chat_id: id
    .nullable()
    .default(null)
    .meta({ description: 'The chat that gets the message; null: a new chat each time.' }),
  title: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(noNul, NUL)
    .nullable()
    .default(null)
    .meta({ description: 'The title of new chats; null: the server finds one.' }),
  role: newMessage.shape.role.unwrap().regex(noNul, NUL).nullable().default(null),
  model: newMessage.shape.model.unwrap().regex(noNul, NUL).nullable().default(null),
  limits: limits.nullable().default(null).meta({ description: 'The limits of each run.' }),
};

export const newSchedule = z
  .strictObject({
    name: name.meta({ description: 'Unique in the workspace.' }),
    cron: z.string().trim().min(1).max(200).meta({
      description:
        'Five fields (minute, hour, day of the month, month, day of the week), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.',
      example: '0 9 * * MON-FRI',
    }),
    time_zone: z
      .string()
      .min(1)
      .max(64)
      .default('UTC')
      .meta({ description: 'A time zone of the IANA database.', example: 'Europe/Berlin' }),
    ...start,
    message: start.message.min(0).default('').meta({
      description: 'The message to the agent; empty with `plan_id`, whose goal is the message.',
    }),
    plan_id: id.nullable().default(null).meta({
      description:
        'The plan that is run at each time, in a new chat. A plan that has ended starts over; one that was stopped continues. Without `chat_id`, `title` and `role`.',
    }),
    missed: z.enum(['skip', 'run_once']).default('skip').meta({
      description:
        'What happens to times that passed more than a minute ago, while no server was running: nothing, or one run for all of them.',
    }),
    overlap: z.enum(['skip', 'queue']).default('skip').meta({
      description:
        'What happens at a time when the last run of the schedule is still open: the time is skipped, or its message is queued in the chat. `queue` needs `chat_id`.',
    }),
    paused: z.boolean().default(false),
  })
  .meta({ id: 'NewSchedule' });

export const scheduleTime = z
  .object({
    at: time.meta({ description: 'The time in the schedule; of a manual run, when it was asked for.' }),
    outcome: z.enum(['started', 'missed', 'skipped', 'refused']).meta({
      description:
        '`missed`: no server was running. `skipped`: the last run was still open. `refused`: the run could not be started.',
    }),
    manual: z.boolean().meta({ description: 'Somebody asked for the run, at no time of the schedule.' }),
    earlier: z
      .int()
      .meta({ description: 'How many earlier times were missed together with it; 100 means 100 or more.' }),
    reason: z.string().nullable().meta({ description: 'Why no run was started.' }),
    chat_id: id.nullable(),
    run_id: id.nullable().meta({ description: 'The run that it started; if it was skipped, the open run.' }),
    decided_at: time,
  })
  .meta({ id: 'ScheduleTime' });

export const schedule = newSchedule
  .extend({
    id,
    workspace_id: id,
    next_at: time
      .nullable()
      .meta({ description: 'Null if it is paused, or the expression has no further time.' }),
    next_times: z.array(time).meta({ description: 'The next five times; none if it is paused.' }),
    times: z.array(scheduleTime).meta({ description: 'The outcomes of its last ten times, latest first.' }),
    principal: principal.meta({ description: 'On whose behalf its runs act.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Schedule' });

export type NewSchedule = z.infer<typeof newSchedule>;
export type Schedule = z.infer<typeof schedule>;
export type ScheduleTime = z.infer<typeof scheduleTime>;

export const webhookEvent = z.enum([
  'run.ended',
  'approval.waiting',
  'plan.ended',
  'plan.waiting',
  'content.published',
  'content.unpublished',
]);

export const newWebhook = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .refine(
        (url) => {
          const { username = '', password = '' } = URL.parse(url) ?? {};
          return username === '' && password === '';
        },
        { error: 'must not contain a user or a password; the signature proves who sends a message' },
      )
      .meta({ description: 'Gets a POST for each event.' }),
    events: z
      .array(webhookEvent)
      .min(1)
      .default(['run.ended', 'approval.waiting', 'plan.ended', 'plan.waiting'])
      .transform((events) => [...new Set(events)]),
    plan_id: id
      .nullable()
      .default(null)
      .meta({ description: 'The only plan that it is told about; null: everything in the workspace.' }),
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'A disabled webhook gets no new messages; those that wait stay.' }),
  })
  .meta({ id: 'NewWebhook' });

export const webhook = z
  .object({
    id,
    url: z.string(),
    events: z.array(webhookEvent),
    plan_id: id.nullable(),
    enabled: z.boolean(),
    waiting: z.int().meta({ description: 'Messages that are not delivered yet.' }),
    dead: z.int().meta({ description: 'Messages whose attempts are used up. They can be sent again.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Webhook' });

export const addedWebhook = webhook
  .extend({
    secret: z.string().meta({
      description: 'Verifies the signatures, as Standard Webhooks describe it. It is not shown again.',
      example: 'whsec_…',
    }),
  })
  .meta({ id: 'AddedWebhook' });

export const webhookMessage = z
  .object({
    id: id.meta({ description: 'Its `webhook-id` is `msg_` and this id, also when it is sent again.' }),
    event: webhookEvent,
    payload: z.record(z.string(), z.unknown()).meta({ description: 'The body of the request.' }),
    state: z.enum(['waiting', 'delivered', 'dead']),
    attempts: z.int(),
    next_at: time.nullable().meta({ description: 'When a waiting message is tried next.' }),
    status: z.int().nullable().meta({ description: 'The status of the last answer.' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
    created_at: time,
    attempted_at: time.nullable(),
  })
  .meta({ id: 'WebhookMessage' });

export type NewWebhook = z.infer<typeof newWebhook>;
export type Webhook = z.infer<typeof webhook>;
export type WebhookMessage = z.infer<typeof webhookMessage>;

export const newTrigger = z
  .strictObject({
    name: name.meta({ description: 'Unique in the workspace.' }),
    ...start,
    signed: z.boolean().default(false).meta({
      description: 'Whether requests must be signed as Standard Webhooks describe it.',
    }),
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'A disabled trigger answers as if it did not exist.' }),
  })
  .meta({ id: 'NewTrigger' });

export const trigger = newTrigger
  .extend({
    id,
    uses: z.int().meta({ description: 'How many runs it has started.' }),
    used_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Trigger' });

const secret = z
  .string()
  .nullable()
  .meta({ description: 'Signs requests, if they must be signed. It is not shown again.' });

export const changedTrigger = trigger
  .extend({
    secret: secret.meta({
      description: 'Present if requests must be signed from now on. It is not shown again.',
    }),
  })
  .meta({ id: 'ChangedTrigger' });

export const addedTrigger = trigger
  .extend({
    path: z.string().meta({
      description: 'The address, on this server. It contains the token, which is not shown again.',
      example: '/hooks/…',
    }),
    secret,
  })
  .meta({ id: 'AddedTrigger' });

export const triggered = z.object({ run_id: id }).meta({ id: 'Triggered' });

export type NewTrigger = z.infer<typeof newTrigger>;
export type Trigger = z.infer<typeof trigger>;
