import { z } from 'zod';
import { day, defineKind, text, TEXT_CHARACTERS, TITLE_CHARACTERS } from '../kind.ts';

export const task = defineKind({
  kind: 'task',
  plural: 'tasks',
  label: { one: 'Task', many: 'Tasks' },
  description: 'Something to do.',
  titleField: 'title',
  fields: z.object({
    description: text(TEXT_CHARACTERS).nullish(),
    priority: z.enum(['low', 'normal', 'high', 'urgent']).nullish(),
    due: day.nullish(),
    assignee: text(TITLE_CHARACTERS).nullish(),
  }),
  states: {
    initial: 'todo',
    transitions: {
      todo: ['in_progress', 'blocked', 'done', 'canceled'],
      in_progress: ['todo', 'blocked', 'done', 'canceled'],
      blocked: ['todo', 'in_progress', 'canceled'],
      done: ['in_progress'],
      canceled: ['todo'],
    },
  },
  summary: ['priority', 'due', 'assignee'],
  console: { order: 2, columns: ['state', 'priority', 'due', 'assignee'] },
});
