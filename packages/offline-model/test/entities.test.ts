// Sentences about projects and what is in them.

import { expect, test } from 'vitest';
import type { HistoryMessage } from '../src/index.ts';
import { ask, callsOf, modelOf, toolsNamed, user } from './support.ts';

const PROJECT = '01a1e7e3-578c-733e-a71d-a085c763a1ee';
const tools = toolsNamed([
  'read',
  'create_onto_project',
  'list_onto_projects',
  'search_onto_project',
  ...['task', 'document', 'open_question'].flatMap((kind) => [
    `create_onto_${kind}`,
    `list_onto_${kind}s`,
    `search_onto_${kind}s`,
    `get_onto_${kind}_details`,
    `update_onto_${kind}`,
  ]),
]);
const system = `This conversation is about the project Garden party (project_id ${PROJECT}).`;

async function callsAfter(history: readonly HistoryMessage[]): Promise<[string, unknown][]> {
  const events = await ask(modelOf('offline/instant'), { history, tools, system });
  return callsOf(events).map(({ tool: name, text }) => [name, JSON.parse(text)]);
}

test.each<[string, string, object]>([
  [
    'Create a project Garden party: 40 people in the garden.',
    'create_onto_project',
    { name: 'Garden party', purpose: '40 people in the garden' },
  ],
  ['add a task Rent chairs', 'create_onto_task', { project_id: PROJECT, title: 'Rent chairs' }],
  [
    'Please add a new task called "Rent chairs": 40 of them',
    'create_onto_task',
    { project_id: PROJECT, title: 'Rent chairs', description: '40 of them' },
  ],
  [
    'create a document Market: It grows.',
    'create_onto_document',
    { project_id: PROJECT, title: 'Market', content: 'It grows' },
  ],
  ['add an open question Who pays?', 'create_onto_open_question', { project_id: PROJECT, title: 'Who pays' }],
  ['list the tasks', 'list_onto_tasks', { project_id: PROJECT }],
  ['Show me the open questions.', 'list_onto_open_questions', { project_id: PROJECT }],
  ['list the projects', 'list_onto_projects', {}],
  [
    'What does the document Research/Market say?',
    'get_onto_document_details',
    { project_id: PROJECT, path: 'Research/Market' },
  ],
  [
    'search the project for white chairs',
    'search_onto_project',
    { project_id: PROJECT, query: 'white chairs' },
  ],
])('RT-7 in a project it understands: %s', async (said, name, input) => {
  expect(await callsAfter([user(said)])).toEqual([[name, input]]);
});

test('RT-7 it looks a task up before it changes its state', async () => {
  const history: HistoryMessage[] = [user('mark the task Rent chairs as done')];
  const step = async (output: unknown) => {
    const [[name, input] = ['', {}]] = await callsAfter(history);
    const callId = `c${history.length}`;
    const part = {
      kind: 'tool_call' as const,
      callId,
      tool: name,
      input: { kind: 'json' as const, value: input },
    };
    history.push({ role: 'assistant', id: callId, parts: [part] });
    history.push({ role: 'tool', callId, tool: name, output, failed: false });
    return [name, input];
  };
  expect(await step({ items: [{ entity_id: 't1', title: 'Rent chairs' }] })).toEqual([
    'search_onto_tasks',
    { query: 'Rent chairs', project_id: PROJECT },
  ]);
  expect(await step({ id: 't1', version: 3 })).toEqual(['get_onto_task_details', { task_id: 't1' }]);
  expect(await step({ text: 'changed' })).toEqual([
    'update_onto_task',
    { task_id: 't1', expected_version: 3, state: 'done' },
  ]);
  expect(await callsAfter(history)).toEqual([]);
});

test('RT-7 without a project it creates no task, and other sentences go their own way', async () => {
  const events = await ask(modelOf('offline/instant'), { history: [user('add a task Rent chairs')], tools });
  expect(callsOf(events)).toEqual([]);
  expect(await callsAfter([user('read notes.md')])).toEqual([['read', { path: 'notes.md' }]]);
});
