import { z } from 'zod';
import { defineKind, text, TEXT_CHARACTERS } from '../kind.ts';

export const plan = defineKind({
  kind: 'plan',
  plural: 'plans',
  label: { one: 'Plan', many: 'Plans' },
  description: 'How a goal is to be reached, in a few sentences. Its steps are tasks that are part of it.',
  titleField: 'title',
  fields: z.object({ description: text(TEXT_CHARACTERS).nullish() }),
  states: {
    initial: 'draft',
    transitions: {
      draft: ['active', 'canceled'],
      active: ['draft', 'done', 'canceled'],
      done: ['active'],
      canceled: ['draft'],
    },
  },
  summary: ['description'],
  console: { order: 4, columns: ['state', 'description', 'updated_at'] },
});
