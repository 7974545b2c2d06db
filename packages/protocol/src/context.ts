// The context inspector: what models were sent.

import { z } from 'zod';

export const sentRequest = z
  .object({
    thread_id: z.string(),
    seq: z.int().meta({ description: 'The thread’s event that the request’s manifest was committed with.' }),
    try: z.int().meta({
      description: 'From 1. A request that was refused as too long is followed by a shorter one.',
    }),
    run_id: z.string().nullable().meta({ description: 'Null: the request belongs to no run.' }),
    message: z.string().nullable().meta({ description: 'The message of the answer.' }),
    purpose: z.enum(['answer', 'title', 'summary']),
    model: z.string(),
    hash: z.string().meta({ description: 'The SHA-256 of the exact request, stored when it was sent.' }),
    at: z.string(),
  })
  .meta({ id: 'SentRequest' });

const source = z.union([
  z
    .object({ kind: z.literal('text'), name: z.string() })
    .meta({ description: 'A text without a version, stored once by its hash.' }),
  z.object({
    kind: z.literal('file'),
    id: z.string(),
    version: z.int(),
    path: z.string().optional().meta({ description: 'Of this version. Absent in early manifests.' }),
  }),
  z.object({ kind: z.enum(['entity', 'structure']), id: z.string(), version: z.int() }),
  z.object({ kind: z.literal('event'), seq: z.int() }).meta({ description: 'An event of the thread’s log.' }),
]);

export const contextPart = z
  .object({
    place: z.enum(['tools', 'system', 'history', 'turn']),
    kind: z.string().meta({
      description: 'Such as `role`, `guide`, `skill`, `scope`, `summary`, `user`, `assistant`, `tool`.',
    }),
    source,
    tokens: z.int().meta({ description: 'An estimate.' }),
    cost: z
      .number()
      .nullable()
      .meta({ description: 'US dollars: its share of what the input cost. Null: not known.' }),
    text: z.string().nullable().meta({ description: 'Null: its source was deleted for good.' }),
  })
  .meta({ id: 'ContextPart' });

export const modelContext = sentRequest
  .extend({
    rebuilt_hash: z.string(),
    exact: z.boolean().meta({ description: 'Whether the rebuilt request has the stored hash.' }),
    problem: z.string().nullable().meta({ description: 'Why it does not; null if it does.' }),
    feed_seq: z
      .int()
      .nullable()
      .meta({ description: 'The position in the change feed that the parts were read at.' }),
    tokens: z.object({
      estimated: z.int(),
      input: z.int().nullable().meta({ description: 'As the provider reported it.' }),
      cached: z.int().nullable(),
      ratio: z.number().meta({
        description:
          'How many tokens the provider counts for one that the server estimated, as it was known then. The estimates include it.',
      }),
    }),
    cost: z.number().nullable().meta({ description: 'US dollars: what the input cost.' }),
    parts: z.array(contextPart).meta({ description: 'In the order in which they were sent.' }),
    left_out: z.array(
      z.object({
        what: z.string(),
        why: z.string(),
        tokens: z.int().meta({ description: 'An estimate; 0: not known.' }),
      }),
    ),
  })
  .meta({ id: 'ModelContext' });

export const runContext = modelContext
  .extend({
    requests: z.array(sentRequest).meta({ description: 'All requests of the run, in order.' }),
    previous: sentRequest.nullable().meta({
      description: 'The last request of the run before, to compare with; null: there is none.',
    }),
  })
  .meta({ id: 'RunContext' });

const focused = z.object({ id: z.string(), kind: z.string(), title: z.string() });

export const chatContext = z
  .object({
    focus: z.object({
      scope: z.enum(['global', 'project', 'entity']),
      project: focused.nullable(),
      entity: focused.nullable(),
      is_next: z.boolean().meta({
        description: 'True: chosen for the next message. False: what the last request was about.',
      }),
    }),
    last: z
      .object({
        run_id: z.string().nullable(),
        message: z.string().nullable(),
        model: z.string(),
        at: z.string(),
        tokens: z
          .int()
          .meta({ description: 'The request and its answer as reported, or the request as estimated.' }),
        is_reported: z.boolean(),
        ratio: z.number(),
        window: z.int().meta({ description: 'How many tokens the model can read.' }),
        is_window_known: z.boolean().meta({
          description:
            'False: the model’s window is not known, and `window` is the limit that is used instead.',
        }),
        parts: z
          .array(z.object({ place: contextPart.shape.place, kind: z.string(), tokens: z.int() }))
          .meta({ description: 'Sums by place and kind, estimated.' }),
      })
      .nullable()
      .meta({ description: 'The last request for an answer; null: there was none.' }),
  })
  .meta({ id: 'ChatContext', description: 'What is in focus, and how full the model’s context window is.' });

export type ChatContext = z.infer<typeof chatContext>;
export type SentRequest = z.infer<typeof sentRequest>;
export type ModelContext = z.infer<typeof modelContext>;
