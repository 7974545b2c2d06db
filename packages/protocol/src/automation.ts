// HTTP API bodies for schedules, webhooks and triggers.

import { z } from 'zod';
import { limits, newMessage, principal } from './http.ts';
import { id, time } from './scalars.ts';

const noNul = /^[^\0]*$/;
const NUL = 'must not contain NUL (U+0000)';
const name = z.string().trim().min(1).max(100).regex(noNul, NUL);

/** The longest message that a schedule or a trigger stores. */
const MESSAGE_CHARACTERS = 50_000;

/** What a schedule or a trigger starts. */
const start = {
  message: z.string().min(1).max(MESSAGE_CHARACTERS).meta({ description: 'What is said to the agent.' }),
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
    times: z.array(scheduleTime).meta({ description: 'What became of its last ten times, latest first.' }),
    principal: principal.meta({ description: 'On whose behalf its runs act.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Schedule' });

export type NewSchedule = z.infer<typeof newSchedule>;
export type Schedule = z.infer<typeof schedule>;
export type ScheduleTime = z.infer<typeof scheduleTime>;
