import { z } from 'zod';
import { defineKind, text } from '../kind.ts';

export const plan = defineKind({
  kind: 'plan',
  plural: 'plans',
  label: { one: 'Plan', many: 'Plans' },
  description: 'A file with stages and steps towards a goal. Its id is the file’s id, its title the goal.',
  titleField: 'title',
  fields: z.object({ description: text(2000).nullish() }),
  states: null,
  summary: ['description'],
  console: { order: 4, columns: ['description', 'updated_at'] },
  isFile: true,
  hasOptionalProject: true,
});
