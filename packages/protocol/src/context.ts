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
  z.object({ kind: z.enum(['file', 'entity', 'structure']), id: z.string(), version: z.int() }),
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
    problem: z.string().nullable().meta({ description: 'Why it has not.' }),
    feed_seq: z
      .int()
      .nullable()
      .meta({ description: 'The position in the change feed that the parts were read at.' }),
    tokens: z.object({
      estimated: z.int(),
      input: z.int().nullable().meta({ description: 'As the provider reported it.' }),
      cached: z.int().nullable(),
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

export type SentRequest = z.infer<typeof sentRequest>;
export type ModelContext = z.infer<typeof modelContext>;
