import { z } from 'zod';
import { day, defineKind, text, TEXT_CHARACTERS } from '../kind.ts';

export const goal = defineKind({
  kind: 'goal',
  plural: 'goals',
  label: { one: 'Goal', many: 'Goals' },
  description: 'An outcome that the project is for.',
  titleField: 'title',
  fields: z.object({
    description: text(TEXT_CHARACTERS).nullish(),
    measure: text(TEXT_CHARACTERS).nullish(),
    due: day.nullish(),
  }),
  states: {
    initial: 'active',
    transitions: { active: ['achieved', 'abandoned'], achieved: ['active'], abandoned: ['active'] },
  },
  summary: ['measure', 'due'],
  console: { order: 3, columns: ['state', 'measure', 'due'] },
});
