import { z } from 'zod';
import { day, defineKind, text, TEXT_CHARACTERS } from '../kind.ts';

export const milestone = defineKind({
  kind: 'milestone',
  plural: 'milestones',
  label: { one: 'Milestone', many: 'Milestones' },
  description: 'A point that the project wants to reach by a day.',
  titleField: 'title',
  fields: z.object({ description: text(TEXT_CHARACTERS).nullish(), due: day.nullish() }),
  states: {
    initial: 'planned',
    transitions: { planned: ['reached', 'missed'], reached: ['planned'], missed: ['planned', 'reached'] },
  },
  summary: ['due'],
  console: { order: 5, columns: ['state', 'due'] },
});
