import { z } from 'zod';
import { defineKind, text, TEXT_CHARACTERS } from '../kind.ts';

export const requirement = defineKind({
  kind: 'requirement',
  plural: 'requirements',
  label: { one: 'Requirement', many: 'Requirements' },
  description: 'Something that the result must do or be.',
  titleField: 'title',
  fields: z.object({
    description: text(TEXT_CHARACTERS).nullish(),
    priority: z.enum(['must', 'should', 'could']).nullish(),
  }),
  states: {
    initial: 'proposed',
    transitions: {
      proposed: ['agreed', 'dropped'],
      agreed: ['met', 'proposed', 'dropped'],
      met: ['agreed'],
      dropped: ['proposed'],
    },
  },
  summary: ['priority', 'description'],
  console: { order: 7, columns: ['state', 'priority'] },
});
