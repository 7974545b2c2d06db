import { z } from 'zod';
import { defineKind, text, TEXT_CHARACTERS } from '../kind.ts';

export const project = defineKind({
  kind: 'project',
  plural: 'projects',
  label: { one: 'Project', many: 'Projects' },
  description: 'A piece of work with its documents, and the tasks, goals and other entities around them.',
  titleField: 'name',
  fields: z.object({ purpose: text(TEXT_CHARACTERS).nullish() }),
  states: {
    initial: 'active',
    transitions: { active: ['paused', 'done'], paused: ['active', 'done'], done: ['active'] },
  },
  summary: ['purpose'],
  console: { order: 0, columns: ['state', 'purpose', 'updated_at'] },
});
