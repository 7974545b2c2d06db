import { z } from 'zod';
import { defineKind, text, TEXT_CHARACTERS } from '../kind.ts';

const level = z.enum(['low', 'medium', 'high']);

export const risk = defineKind({
  kind: 'risk',
  plural: 'risks',
  label: { one: 'Risk', many: 'Risks' },
  description: 'Something that may go wrong.',
  titleField: 'title',
  fields: z.object({
    description: text(TEXT_CHARACTERS).nullish(),
    likelihood: level.nullish(),
    impact: level.nullish(),
    response: text(TEXT_CHARACTERS).nullish(),
  }),
  states: {
    initial: 'open',
    transitions: {
      open: ['mitigated', 'accepted', 'occurred', 'closed'],
      mitigated: ['open', 'closed'],
      accepted: ['open', 'closed'],
      occurred: ['open', 'closed'],
      closed: ['open'],
    },
  },
  summary: ['likelihood', 'impact'],
  console: { order: 6, columns: ['state', 'likelihood', 'impact'] },
});
