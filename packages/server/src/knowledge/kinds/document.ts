import { z } from 'zod';
import { defineKind, text } from '../kind.ts';

/** Maximum length of a document's description: it is read for every document of a map. */
const DESCRIPTION_CHARACTERS = 2000;

export const document = defineKind({
  kind: 'document',
  plural: 'documents',
  label: { one: 'Document', many: 'Documents' },
  description: 'A Markdown file in the project’s map of knowledge. Its id is the file’s id.',
  titleField: 'title',
  fields: z.object({ description: text(DESCRIPTION_CHARACTERS).nullish() }),
  states: null,
  summary: ['description'],
  console: { order: 1, columns: ['description', 'updated_at'] },
  isFile: true,
});
