import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineKind } from '../../src/knowledge/kind.ts';
import { KINDS } from '../../src/knowledge/kinds/index.ts';
import { createKnowledgeTools } from '../../src/knowledge/tools/index.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';

const toolsOf = (kinds: typeof KINDS) =>
  createToolRegistry(createKnowledgeTools({ knowledge: { kinds } } as never));

test('ONT-3 the schemas of all tools of knowledge together have at most 6,000 tokens', () => {
  const { schemas } = toolsOf(KINDS);
  const tokens = Math.ceil(JSON.stringify(schemas).length / 4);
  expect(tokens, `${tokens} tokens in ${schemas.length} tools`).toBeLessThanOrEqual(6000);
});

test('ONT-3 the schemas name what the seed names, and nothing that models do not need', () => {
  const schemaOf = (name: string) => toolsOf(KINDS).schemas.find((each) => each.name === name)!.input;
  expect(schemaOf('create_onto_document')).toEqual({
    type: 'object',
    properties: {
      project_id: { type: 'string' },
      parent_id: { type: 'string', description: 'The document to place it below' },
      title: { type: 'string' },
      description: { type: 'string' },
      content: { type: 'string', description: 'Markdown' },
    },
    required: ['project_id', 'title'],
  });
  expect(schemaOf('list_onto_documents')).toEqual({
    type: 'object',
    properties: { project_id: { type: 'string' }, limit: { type: 'integer' } },
    required: ['project_id'],
  });
  expect(schemaOf('update_onto_task')).toMatchObject({
    properties: {
      due: { type: 'string', format: 'date' },
      priority: { enum: ['low', 'normal', 'high', 'urgent'] },
    },
    required: ['task_id', 'expected_version'],
  });
});

test('ONT-1 a new kind gets its tools from its definition', () => {
  const question = defineKind({
    kind: 'open_question',
    plural: 'open_questions',
    label: { one: 'Open question', many: 'Open questions' },
    description: 'Something that nobody knows yet.',
    titleField: 'title',
    fields: z.object({ answer: z.string().nullish() }),
    states: { initial: 'open', transitions: { open: ['answered'], answered: ['open'] } },
    summary: ['answer'],
    console: { order: 8, columns: ['state'] },
  });
  const before = new Set(toolsOf(KINDS).names);
  const added = toolsOf([...KINDS, question]).names.filter((name) => !before.has(name));
  expect(added.toSorted()).toEqual([
    'create_onto_open_question',
    'delete_onto_open_question',
    'get_onto_open_question_details',
    'list_onto_open_questions',
    'search_onto_open_questions',
    'update_onto_open_question',
  ]);
});
