// Agent state and summaries: their shapes, for the log, the HTTP API and the summarizer's answers.

import { z } from 'zod';
import { id, time } from './scalars.ts';

const name = z.string().trim().min(1).max(200);
const sentence = z.string().trim().min(1).max(2000);

export const agentStateItem = z
  .object({
    id: name,
    kind: z.enum(['task', 'doc', 'note', 'idea', 'question']),
    title: name,
    details: z.string().max(4000).optional(),
    status: z.enum(['active', 'resolved', 'discarded']),
    relatedEntityIds: z.array(z.string().max(200)).max(50).optional(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'AgentStateItem', description: 'Something provisional that is not (yet) an entity.' });

const entityRef = z.object({ id: name, kind: name, name: z.string().max(500).optional() });
const dependency = z.object({ from: name, to: name, rel: z.string().max(100).optional() });
const assumption = z.object({
  id: name,
  hypothesis: sentence,
  confidence: z.number().min(0).max(1),
  evidence: z.array(z.string().max(2000)).max(20).optional(),
});
const expectation = z.object({
  action: sentence,
  expected_outcome: sentence,
  invariant: z.string().max(2000).optional(),
});
const hypothesis = z.object({ id: name, hypothesis: sentence, reason: z.string().max(2000).optional() });

export const agentState = z
  .object({
    sessionId: id.meta({ description: 'The id of the chat.' }),
    current_understanding: z.object({ entities: z.array(entityRef), dependencies: z.array(dependency) }),
    assumptions: z.array(assumption),
    expectations: z.array(expectation),
    tentative_hypotheses: z.array(hypothesis),
    items: z.array(agentStateItem),
    lastSummarizedAt: time.optional(),
  })
  .meta({ id: 'AgentState', description: 'What the agent knows, assumes and expects in this chat.' });

/** The server sets the times of an item. */
const newItem = agentStateItem
  .omit({ createdAt: true, updatedAt: true })
  .extend({ status: agentStateItem.shape.status.default('active') });

export const agentStateItemUpdate = z
  .discriminatedUnion('op', [
    z.object({ op: z.literal('add'), item: newItem }),
    z.object({
      op: z.literal('update'),
      id: name,
      patch: agentStateItem.omit({ id: true, createdAt: true, updatedAt: true }).partial(),
    }),
    z.object({ op: z.literal('remove'), id: name }),
  ])
  .meta({ id: 'AgentStateItemUpdate', description: '`remove` marks the item as discarded.' });

/** The lists of an update, each element of which is checked by itself. */
export const AGENT_STATE_LISTS = {
  entities: entityRef,
  dependencies: dependency,
  assumptions: assumption,
  expectations: expectation,
  tentative_hypotheses: hypothesis,
} as const;

export const agentStateUpdate = z
  .object({
    current_understanding: z
      .object({ entities: z.array(entityRef), dependencies: z.array(dependency) })
      .partial()
      .optional(),
    assumptions: z.array(assumption).optional(),
    expectations: z.array(expectation).optional(),
    tentative_hypotheses: z.array(hypothesis).optional(),
  })
  .meta({
    id: 'AgentStateUpdate',
    description: 'Adds to the lists of the state; an element with the same key replaces the earlier one.',
  });

export const agentStateChange = z
  .strictObject({
    agent_state_item_updates: z.array(agentStateItemUpdate).max(100).optional(),
    agent_state_updates: agentStateUpdate.optional(),
  })
  .meta({ id: 'AgentStateChange', description: 'Item updates are applied first, then state updates.' });

export const agentStateEdited = z
  .object({
    state: agentState,
    refused: z
      .array(z.object({ update: z.unknown(), reason: z.string() }))
      .meta({ description: 'Updates that were not applied, and why.' }),
  })
  .meta({ id: 'AgentStateEdited' });

export const summary = z
  .object({
    version: z.int().meta({ description: 'Counts the chat’s summaries from 1.' }),
    text: z.string(),
    made_by: z.string().meta({ description: 'The model, or `extract` if no model made it.' }),
    made_at: time,
    messages: z.int().meta({ description: 'How many messages it stands for.' }),
    tokens: z
      .object({ replaced: z.int(), summary: z.int() })
      .meta({ description: 'Estimates: what it replaced, and the summary itself.' }),
    replaces: z.int().nullable().meta({ description: 'The version that it builds on; null for the first.' }),
    in_use: z
      .boolean()
      .meta({ description: 'Whether models are shown it. False if a rewind or a retry took it back.' }),
    note: z.string().optional().meta({ description: 'Why no model made it, although there is one.' }),
  })
  .meta({ id: 'Summary', description: 'A version of the rolling summary.' });

export const summaryVersion = summary
  .extend({
    replaced: z.object({
      summary: z.string().nullable().meta({ description: 'The text of the version before.' }),
      messages: z.array(
        z.object({
          id: z.string(),
          role: z.enum(['user', 'assistant', 'tool', 'system']),
          text: z.string(),
          kept: z.boolean().meta({ description: 'Models are still shown this message as it is.' }),
        }),
      ),
    }),
    lost: z.array(z.string()).meta({
      description:
        'Ids, names, paths, numbers and quoted words of the replaced messages that the summary does not have.',
    }),
  })
  .meta({ id: 'SummaryVersion' });

export type AgentState = z.infer<typeof agentState>;
export type AgentStateItem = z.infer<typeof agentStateItem>;
export type AgentStateItemUpdate = z.infer<typeof agentStateItemUpdate>;
export type AgentStateUpdate = z.infer<typeof agentStateUpdate>;
export type AgentStateChange = z.infer<typeof agentStateChange>;
export type Summary = z.infer<typeof summary>;
export type SummaryVersion = z.infer<typeof summaryVersion>;
