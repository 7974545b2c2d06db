// A kind of entity that the server does not know: all that a new kind needs is such a file.

import { z } from 'zod';
import { defineKind, text, type Kind } from '@continuo/server/internals';

export const decision: Kind = defineKind({
  kind: 'decision',
  plural: 'decisions',
  label: { one: 'Decision', many: 'Decisions' },
  description: 'Something that was decided, and why.',
  titleField: 'title',
  fields: z.object({ reason: text(20_000).nullish(), weight: z.enum(['light', 'heavy']).nullish() }),
  states: {
    initial: 'proposed',
    transitions: { proposed: ['accepted'], accepted: ['revoked'], revoked: [] },
  },
  summary: ['weight', 'reason'],
  console: { order: 8, columns: ['state', 'weight'] },
});
