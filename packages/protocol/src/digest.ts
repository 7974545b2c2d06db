// The digest of a chat, for a person who returns to it: what happened, what changed, what it cost, and what is needed.

import { z } from 'zod';
import { runStatus, sessionState } from './http.ts';
import { planStepStatus } from './plans.ts';
import { id, time } from './scalars.ts';

/** Whether an autonomous run has reached its goal, after a round of work. */
const VERDICTS = ['met', 'not_met', 'impossible'] as const;

const verdict = z
  .object({
    run_id: id,
    round: z.int().meta({ description: 'The round of work that was judged, counted from 1.' }),
    verdict: z.enum(VERDICTS),
    by: z
      .enum(['check', 'judge', 'watchdog'])
      .meta({ description: 'The check command, the judge’s model, or the watchdog, if the round failed.' }),
    reasons: z.array(z.string()),
    at: time,
  })
  .meta({ id: 'DigestVerdict' });

const digestRun = z
  .object({
    run_id: id,
    chat_id: id.meta({ description: 'The chat of the run: this one, or the chat of a child run.' }),
    parent_run: id.nullable().meta({ description: 'The run that started it; null for a run of this chat.' }),
    title: z.string().nullable(),
    status: runStatus,
    queued_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    error: z.object({ code: z.string(), error: z.string() }).nullable(),
    text: z.string().nullable().meta({ description: 'The beginning of its last message.' }),
  })
  .meta({ id: 'DigestRun' });

const need = z
  .object({
    kind: z.enum(['approval', 'question', 'unknown_outcome', 'plan_approval', 'resume', 'failed_run']).meta({
      description:
        '`approval`, `question`, `unknown_outcome`: decide about `approval_id`. `plan_approval`: approve the plan `plan_id` as it is now. `resume`: the chat is paused. `failed_run`: the last run failed.',
    }),
    text: z.string().meta({ description: 'A sentence for people.' }),
    chat_id: id,
    run_id: id.nullable(),
    approval_id: id.nullable(),
    plan_id: id.nullable(),
  })
  .meta({ id: 'DigestNeed' });

export const chatDigest = z
  .object({
    chat_id: id,
    after: z.int().meta({ description: 'The digest is about the events of the chat after this one.' }),
    since: time.nullable().meta({ description: 'The time of that event; null at the beginning of the log.' }),
    seq: z.int().meta({ description: 'The last event of the chat; `after` of the next digest.' }),
    at: time.meta({ description: 'When the digest was made.' }),
    is_empty: z.boolean().meta({ description: 'Nothing happened, and nothing is needed.' }),
    state: sessionState,
    text: z.string().meta({ description: 'The digest in a few sentences.' }),
    runs: z.array(digestRun).meta({
      description:
        'Runs of the chat and child runs that began, ended or are still open; newest first, at most 50.',
    }),
    run_counts: z
      .record(z.string(), z.int())
      .meta({ description: 'How many of all these runs have each status.' }),
    steps: z
      .array(
        z.object({
          plan_id: id,
          step: z.int(),
          step_id: z.string(),
          title: z.string().nullable(),
          status: planStepStatus,
          error: z.string().nullable(),
          chat_id: id.nullable(),
        }),
      )
      .meta({ description: 'Steps of plans that changed, each with its latest status; at most 200.' }),
    verdict: verdict.nullable().meta({ description: 'The latest verdict of an autonomous run.' }),
    files: z
      .array(
        z.object({
          file: id,
          path: z.string(),
          v: z.int().meta({ description: 'The latest version that was made here.' }),
          versions: z.int().meta({ description: 'How many versions were made here.' }),
          change: z.enum(['created', 'changed', 'moved', 'removed']),
        }),
      )
      .meta({ description: 'Files that the chat and its child runs changed; at most 200.' }),
    entities: z
      .array(z.object({ entity_type: z.string(), entity_id: z.string(), entity_name: z.string().nullable() }))
      .meta({ description: 'Entities that they changed; at most 200.' }),
    changed_counts: z.object({ files: z.int(), entities: z.int() }),
    calls: z.object({ total: z.int(), failed: z.int() }).meta({ description: 'Calls of tools.' }),
    usage: z.object({
      model_calls: z.int(),
      input: z.number(),
      output: z.number(),
      cost: z.number().nullable().meta({ description: 'In dollars; null if no cost is known.' }),
    }),
    needs: z.array(need).meta({ description: 'What waits for a person now, whenever it was asked.' }),
  })
  .meta({ id: 'ChatDigest' });

export type ChatDigest = z.infer<typeof chatDigest>;
